"""The means of systems and their differences, for one question."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isclose, isfinite
from statistics import NormalDist

from palaver.analysis.comparisons import (
    Comparison,
    ComparisonSettings,
    PairComparison,
    compare_systems,
    system_mean,
)
from palaver.core.estimates import Estimate
from palaver.core.words import listed
from palaver.reports.report.commands import compare_command
from palaver.reports.report.evidence import Places
from palaver.reports.report.parts import EVIDENCE, ReportColumn, ReportFinding, ResultTable
from palaver.reports.report.subject import (
    QuestionRatings,
    ReportSettings,
    cluster_column,
    known_clusters,
    known_raters,
)

LEVEL = 0.05
# Of the 95 % intervals from which standard errors are read.
QUANTILE = NormalDist().inv_cdf(0.975)
# Of more systems than these a sentence gives the number.
MOST_NAMED = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedSystems(ReportFinding):
    """What each system got, best first, and which of them differ."""

    systems: Mapping[str, Estimate]
    told: bool | None = None
    pairs: tuple[PairComparison, ...] = ()
    # How many dialogues, or units, the answers are from, in all and by system, and which of the two.
    independent: int = 0
    by_system: Mapping[str | None, int] = field(default_factory=dict)
    cluster: str = "dialogue"

    def critical(self, questions: int = 1) -> float:
        """How many standard errors a difference takes, with Bonferroni's share for each pair."""
        return NormalDist().inv_cdf(1 - LEVEL / 2 / max(1, len(self.pairs) * questions))

    def errors_apart(self, pair: PairComparison) -> float:
        """How many of its standard errors a difference is away from 0; NaN without an interval."""
        ends = pair.difference.interval
        error = (ends.high - ends.low) / 2 / QUANTILE if ends else 0.0
        return abs(pair.difference.value) / error if error > 0 else float("nan")


def compared(ratings: QuestionRatings, settings: ReportSettings) -> ComparedSystems | None:
    """Means with intervals and all pairs of systems; None where systems are not known."""
    systems = ratings.frame.texts("system")
    names = [name for name in dict.fromkeys(systems) if name is not None]
    if not names:
        return None
    kept = [row for row, system in enumerate(systems) if system is not None]
    values = ratings.frame.numbers("value")
    cluster = cluster_column(ratings.frame)
    column = ratings.frame.texts(cluster)
    clusters, raters = [column[row] for row in kept], known_raters(ratings.frame, kept)
    if len(names) == 1:
        alone = system_mean(
            [values[row] for row in kept], known_clusters(ratings.frame, kept), settings
        )
        return _alone(ratings, names[0], alone)
    found = compare_systems(
        [values[row] for row in kept],
        [str(systems[row]) for row in kept],
        raters=raters,
        clusters={cluster: clusters},
        settings=ComparisonSettings(
            confidence=settings.confidence, resamples=settings.resamples, seed=settings.seed
        ),
    )
    means = _best_first(found.systems)
    # The command takes every row; where some are about no system, it would refuse the table.
    whole = len(kept) == len(values)
    command = ""
    if whole:
        command = compare_command(ratings, settings, [cluster], rater=raters is not None)
    return ComparedSystems(
        answer=_answer(ratings, list(means), found),
        systems=means,
        told=any(map(is_apart, found.pairs)),
        pairs=found.pairs,
        independent=len(set(clusters)),
        by_system=Counter(
            system
            for system, _ in {(systems[row], own) for row, own in zip(kept, clusters, strict=True)}
        ),
        cluster=cluster,
        tables=(_means(ratings, means, bool(command)), _pairs(ratings, found, command)),
        warnings=_warnings(found),
        methods=_methods(found, cluster, bool(raters)),
    )


def _alone(ratings: QuestionRatings, system: str, found: Estimate) -> ComparedSystems:
    """A single system has a mean and nothing to be compared with."""
    table = _means(ratings, {system: found}, False)
    return ComparedSystems(systems={system: found}, tables=(table,), warnings=found.warnings)


def _best_first(systems: Mapping[str, Estimate]) -> dict[str, Estimate]:
    return dict(sorted(systems.items(), key=lambda item: -item[1].value))


def is_apart(pair: PairComparison, questions: int = 1) -> bool:
    """Whether two systems are told apart, p being corrected for its pairs and so many questions."""
    return isfinite(pair.adjusted) and pair.adjusted * questions < LEVEL


def _answer(ratings: QuestionRatings, names: list[str], found: Comparison) -> str:
    apart = [pair for pair in found.pairs if is_apart(pair)]
    if not apart:
        if len(names) > MOST_NAMED:
            return f"No two of the {len(names)} systems can be distinguished on {ratings.name}."
        return f"{listed(names)} cannot be distinguished on {ratings.name}."
    # Systems with the same mean stand first together.
    top = found.systems[names[0]].value
    first = [name for name in names if isclose(found.systems[name].value, top, abs_tol=1e-9)]
    told = {frozenset((pair.a, pair.b)) for pair in apart}
    beaten = [
        name
        for name in names
        if name not in first and all(frozenset((name, one)) in told for one in first)
    ]
    if not beaten:
        place = {name: n for n, name in enumerate(names)}
        which = [" from ".join(sorted((pair.a, pair.b), key=place.__getitem__)) for pair in apart]
        named = f": {listed(which)}" if len(which) <= MOST_NAMED else ""
        differ = "differs" if len(apart) == 1 else "differ"
        return (
            f"{len(apart):,} of {len(found.pairs):,} pairs of systems {differ} in "
            f"{ratings.name}{named}."
        )
    below = listed(beaten)
    if len(beaten) > MOST_NAMED:
        below = f"{len(beaten)} of the {len(names) - len(first)} other systems"
    best = listed(first, most=MOST_NAMED)
    if ratings.is_presence:
        return f"{ratings.name} is given more often to {best} than to {below}."
    return f"{best} {'is' if len(first) == 1 else 'are'} above {below} in {ratings.name}."


def _means(ratings: QuestionRatings, systems: Mapping[str, Estimate], below: bool) -> ResultTable:
    places = Places(ratings)
    shares = ratings.is_presence
    return ResultTable(
        slug=f"means-{ratings.slug}",
        title="Share of answers with the label" if shares else "Mean of each system",
        columns=(
            ReportColumn("system", "System"),
            ReportColumn("mean", "Share" if shares else "Mean", "percent" if shares else "number"),
            ReportColumn("interval", "95 % interval", "percent" if shares else "number"),
            ReportColumn("n", "Answers", "whole"),
        ),
        rows=[
            {
                "system": system,
                "mean": each.value,
                "interval": each.interval,
                "n": each.n,
                EVIDENCE: places.of(system),
            }
            for system, each in systems.items()
        ],
        note=_method(systems),
        command_note="The command below the next table gives both." if below else "",
    )


def _method(systems: Mapping[str, Estimate]) -> str:
    methods = [each for each in dict.fromkeys(found.method for found in systems.values()) if each]
    told = [f"Intervals: {'; '.join(methods)}."] if methods else []
    told += [
        f"{name} has none, because {found.reason}."
        for name, found in systems.items()
        if found.interval is None and found.reason
    ]
    return " ".join(told)


def _pairs(ratings: QuestionRatings, found: Comparison, command: str) -> ResultTable:
    places = Places(ratings)
    effect = next((name for pair in found.pairs for name in pair.test.effects), "effect size")
    return ResultTable(
        slug=f"comparisons-{ratings.slug}",
        title="Differences between systems",
        columns=(
            ReportColumn("pair", "Systems"),
            ReportColumn("difference", "Difference", "number"),
            ReportColumn("interval", "95 % interval", "number"),
            ReportColumn("p", "p", "p"),
            ReportColumn("adjusted", "p, corrected", "p"),
            ReportColumn("effect", effect[:1].upper() + effect[1:], "number"),
        ),
        rows=[
            {
                "pair": f"{pair.a} − {pair.b}",
                "difference": pair.difference.value,
                "interval": pair.difference.interval,
                "p": pair.test.p,
                "adjusted": pair.adjusted,
                "effect": pair.test.effects[effect].value if effect in pair.test.effects else None,
                EVIDENCE: places.of(pair.a),
            }
            for pair in found.pairs
        ],
        note=f"Test: {found.rule}. Correction: {_correction(found)}.",
        command=command,
    )


def _correction(found: Comparison) -> str:
    names = {"holm": "Holm", "bh": "Benjamini–Hochberg", "none": "none"}
    return names[found.correction]


def _warnings(found: Comparison) -> tuple[str, ...]:
    told = [
        *found.warnings,
        *(text for system in found.systems.values() for text in system.warnings),
        *(text for pair in found.pairs for text in pair.difference.warnings),
        *(text for pair in found.pairs for text in pair.test.warnings),
        *(
            f"{pair.a} and {pair.b} were not tested: {pair.test.reason}."
            for pair in found.pairs
            if pair.test.reason
        ),
    ]
    return tuple(dict.fromkeys(told))


def _methods(found: Comparison, cluster: str, has_raters: bool) -> str:
    which = f"{cluster}s and raters" if has_raters else f"{cluster}s"
    words = next(iter(found.systems.values())).method
    test = next((pair.test.method for pair in found.pairs if pair.test.method), found.rule)
    return (
        f"Systems were compared by the mean of each question's values ({words}; clusters are the "
        f"{which}), and pair by pair ({test}), with p-values corrected for the number of pairs "
        f"of each question (Holm)."
    )
