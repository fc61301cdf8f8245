"""A judge beside people: how well an automatic rater gives the labels that people give.

The judge is compared with one person at a time, on the units that both judged, and what comes out is
averaged over the people, each of whom counts the same. The ceiling is what people reach among
themselves on the units that the judge judged: each person against each other person, averaged over
these pairs. Answers are positive or not.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from palaver.analysis.agreement.alpha import Clusters, clusters_of
from palaver.analysis.agreement.cautions import method_words
from palaver.analysis.agreement.judge_result import (
    MEASURES,
    JudgeBesidePeople,
    PersonTest,
    judge_cautions,
)
from palaver.analysis.agreement.judge_tables import (
    OUTCOMES,
    JudgeTables,
    judge_tables,
    mean_defined,
    measures,
)
from palaver.analysis.agreement.ratings import Judgement, Ratings, read_judgements
from palaver.analysis.agreement.sampling import (
    DrawnInterval,
    SamplingSettings,
    Statistic,
    bootstraps,
    sampling_of,
)
from palaver.analysis.corrections import holm
from palaver.analysis.resampling import BLOCK
from palaver.core.estimates import Estimate
from palaver.core.numeric import Numbers, np, stats

NO_JUDGE = "the judge has no answer here"
NOTHING_SHARED = "the judge and people answered nothing in common"
NO_CEILING = "no two people judged the same unit of those that the judge judged"
# Why a measure has no value, between two who have units in common.
_NONE = {
    "f1_pos": "nobody said positive",
    "f1_neg": "everybody said positive",
    "precision": "the judge never said positive",
    "recall": "no person said positive",
}


def judge_beside_people(
    judgements: Iterable[Judgement],
    judge: str,
    *,
    clusters: Clusters = (),
    settings: SamplingSettings | None = None,
) -> JudgeBesidePeople:
    """A judge against people, of judgements that are True (positive) or False.

    With tp, fp, fn and tn the units on which judge and person say (yes, yes), (yes, no), (no, yes)
    and (no, no),

        precision = tp / (tp + fp),  recall = tp / (tp + fn),  accuracy = (tp + tn) / n,
        f1_pos = 2 tp / (2 tp + fp + fn),  f1_neg = 2 tn / (2 tn + fp + fn),

    each averaged over the people for whom it is defined. Every rater but the judge is a person.
    Among people both orders of a pair count, so that precision and recall are the same. Intervals
    draw units, or whole clusters; people are taken as they are.

    >>> rows = {"gpt": [1, 1, 0, 0], "Ann": [1, 0, 0, 0], "Bo": [1, 1, 1, 0]}
    >>> said = [Judgement(unit, rater, bool(value)) for rater, row in rows.items()
    ...         for unit, value in enumerate(row)]
    >>> found = judge_beside_people(said, "gpt", settings=SamplingSettings(resamples=0))
    >>> round(found.scores["f1_pos"].value, 3), found.scores["accuracy"].value, found.positives
    (0.733, 0.75, 2.0)
    """
    chosen = settings or SamplingSettings()
    ratings = read_judgements(judgements, level="nominal", order=(False, True))
    tables = judge_tables(ratings, judge)
    if not tables.pairs:
        return _nothing(ratings, judge, tables, chosen)
    factors = [codes[tables.units] for codes in clusters_of(ratings, clusters)]
    sampling = sampling_of(tables.pattern, np.bincount(tables.pattern), factors)
    whole = sampling.totals().astype(float)
    everything = _Everything(tables)
    names = [(part, name) for part in _Everything.PARTS for name in MEASURES] + [("bias", "")]
    statistics = [everything.statistic(part, name) for part, name in names]
    values = [float(statistic(whole)[0]) for statistic in statistics]
    drawn = bootstraps(list(zip(statistics, values, strict=True)), sampling, chosen)
    found = {
        key: _estimate(*key, value, each, tables)
        for key, value, each in zip(names, values, drawn, strict=True)
    }
    sizes = tuple(len(np.unique(codes)) for codes in factors)
    per_person = tables.totals()[: tables.pairs]
    result = JudgeBesidePeople(
        judge=judge,
        scores={name: found["scores", name] for name in MEASURES},
        ceiling={name: found["ceiling", name] for name in MEASURES},
        difference={name: found["difference", name] for name in MEASURES},
        bias=found["bias", ""],
        n=len(tables.units),
        positives=tables.positives,
        judge_positives=tables.judge_positives,
        people=tables.pairs,
        strangers=tables.strangers,
        gaps=tables.gaps,
        unshared=tables.unshared,
        ceiling_n=tables.ceiling_units,
        ceiling_pairs=tables.columns - tables.pairs,
        tests=_tests(tables.people, per_person),
        clusters=sizes,
        method=method_words(chosen, len(factors)),
    )
    said = tuple(judge_cautions(result, per_person, sampling.independent, chosen))
    return replace(result, warnings=said)


class _Everything:
    """All measures of samples at once; statistics that ask for the same samples share the work."""

    PARTS = ("scores", "ceiling", "difference")

    def __init__(self, tables: JudgeTables) -> None:
        self._tables = tables
        self._samples: Numbers | None = None
        self._values: dict[tuple[str, str], Numbers] = {}

    def statistic(self, part: str, name: str) -> Statistic:
        def of(samples: Numbers) -> Numbers:
            if samples is not self._samples:
                self._values, self._samples = self._measured(samples), samples
            return self._values[part, name]

        return of

    def _measured(self, samples: Numbers) -> dict[tuple[str, str], Numbers]:
        step = max(1, BLOCK // (OUTCOMES * self._tables.columns))
        parts = [
            self._of_block(samples[start : start + step]) for start in range(0, len(samples), step)
        ]
        return {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}

    def _of_block(self, samples: Numbers) -> dict[tuple[str, str], Numbers]:
        tables, first = self._tables.of(samples), self._tables.pairs
        judge, people = measures(tables[:, :first]), measures(tables[:, first:])
        # Of two people, each stands in the judge's place once.
        both = np.concatenate([people["precision"], people["recall"]], axis=1)
        people["precision"] = people["recall"] = both
        found: dict[tuple[str, str], Numbers] = {}
        for name in MEASURES:
            found["scores", name] = mean_defined(judge[name])
            found["ceiling", name] = mean_defined(people[name])
            found["difference", name] = found["scores", name] - found["ceiling", name]
        found["bias", ""] = mean_defined(judge["bias"])
        return found


def _estimate(
    part: str, name: str, value: float, drawn: DrawnInterval, tables: JudgeTables
) -> Estimate:
    n = tables.ceiling_units if part == "ceiling" else len(tables.units)
    if np.isfinite(value):
        return Estimate(value=value, interval=drawn.interval, n=n)
    if part != "scores" and tables.columns == tables.pairs:
        return Estimate.undefined(NO_CEILING, n=n)
    if part == "ceiling" and name in ("precision", "recall"):
        return Estimate.undefined(_NONE["recall"], n=n)
    reason = _NONE.get(name, NOTHING_SHARED)
    return Estimate.undefined(reason, n=n)


def _tests(people: Sequence[str], tables: Numbers) -> tuple[PersonTest, ...]:
    p_values = [
        float(stats.binomtest(int(fp), int(fp + fn), 0.5).pvalue) if fp + fn else 1.0
        for _, fn, fp, _ in tables
    ]
    return tuple(
        PersonTest(
            person=person,
            units=int(table.sum()),
            judge_only=int(table[2]),
            person_only=int(table[1]),
            p=p,
            adjusted=adjusted,
        )
        for person, table, p, adjusted in zip(people, tables, p_values, holm(p_values), strict=True)
    )


def _nothing(
    ratings: Ratings, judge: str, tables: JudgeTables, settings: SamplingSettings
) -> JudgeBesidePeople:
    """A judge who shares no unit with anybody."""
    reason = NOTHING_SHARED if judge in ratings.raters else NO_JUDGE
    none = dict.fromkeys(MEASURES, Estimate.undefined(reason))
    return JudgeBesidePeople(
        judge=judge,
        scores=none,
        ceiling=none,
        difference=none,
        bias=Estimate.undefined(reason),
        n=0,
        positives=0.0,
        judge_positives=0,
        people=0,
        strangers=tables.strangers,
        gaps=tables.gaps,
        unshared=tables.unshared,
        ceiling_n=0,
        ceiling_pairs=0,
        tests=(),
        clusters=(),
        method=method_words(settings, 0),
        reason=reason,
    )
