"""What a judge beside people comes to: every measure, the ceiling, the tests, and what to know."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from palaver.analysis.agreement.cautions import FEW_DRAWN, FEW_UNITS
from palaver.analysis.agreement.judge_tables import measures
from palaver.analysis.agreement.sampling import SamplingSettings
from palaver.core.estimates import MISSING, Estimate, html_table
from palaver.core.numeric import Numbers, np
from palaver.core.serial import plain
from palaver.core.words import counted, listed

MEASURES = ("f1_pos", "f1_neg", "precision", "recall", "accuracy")
TESTED = (
    "whether the judge says positive as often as a person, by McNemar's exact test for each person; "
    "p is the smallest after Holm's correction over people: whether the judge differs from any of "
    "them. Units count as independent; the interval of bias draws clusters"
)
# How many names are shown of many.
_SHOWN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonTest:
    """McNemar's test of a judge and one person: units that only one of them called positive.

    `p` is exact and two-sided, `adjusted` for the number of people (Holm).
    """

    person: str
    units: int
    judge_only: int
    person_only: int
    p: float
    adjusted: float


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeBesidePeople:
    """A judge against one person, averaged over people, and people against each other.

    `scores`, `ceiling` and `difference` (judge − ceiling) hold the measures by name. `bias` is the
    judge's share of positive answers less that of people. `n` units were judged by the judge and by
    at least one person. `positives` is how many of them people called positive (a unit on which they
    differ counts as the share who did), `judge_positives` how many the judge did. `gaps` are units
    that people judged and the judge did not, `unshared` those that only the judge did. `strangers`
    are people who share no unit with the judge.
    """

    judge: str
    scores: dict[str, Estimate]
    ceiling: dict[str, Estimate]
    difference: dict[str, Estimate]
    bias: Estimate
    n: int
    positives: float
    judge_positives: int
    people: int
    strangers: tuple[str, ...]
    gaps: int
    unshared: int
    # Units that two people judged, and how many pairs of people have one in common.
    ceiling_n: int
    ceiling_pairs: int
    tests: tuple[PersonTest, ...]
    clusters: tuple[int, ...]
    method: str
    reason: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def p(self) -> float:
        """The smallest of the adjusted p-values: whether the judge differs from any person."""
        return min((test.adjusted for test in self.tests), default=MISSING)

    def as_json(self) -> dict[str, Any]:
        """The measures by name as fractions; what is undefined is null, and `reasons` says why."""
        return {
            **_values(self.scores),
            "n": self.n,
            "positives": int(self.positives) if self.positives % 1 == 0 else self.positives,
            "judge_positives": self.judge_positives,
            "judge": self.judge,
            "people": self.people,
            "people_without_shared_units": self.strangers,
            "gaps": self.gaps,
            "unshared": self.unshared,
            "bias": self.bias.value,
            "intervals": _intervals({**self.scores, "bias": self.bias}),
            "ceiling": {
                **_values(self.ceiling),
                "n": self.ceiling_n,
                "pairs": self.ceiling_pairs,
                "intervals": _intervals(self.ceiling),
                "reasons": _reasons(self.ceiling),
            },
            "difference": {**_values(self.difference), "intervals": _intervals(self.difference)},
            "mcnemar": {
                "p": self.p,
                "judge_only": sum(test.judge_only for test in self.tests),
                "person_only": sum(test.person_only for test in self.tests),
                "people": self.tests,
                "tested": TESTED,
            },
            "clusters": list(self.clusters) or None,
            "method": self.method,
            "reason": self.reason or None,
            "reasons": _reasons(self.scores),
            "warnings": self.warnings,
        }

    def _repr_html_(self) -> str:
        rows = [
            {"measure": name, **plain(self.scores[name]), "ceiling": self.ceiling[name].value}
            for name in MEASURES
        ]
        return html_table(rows, caption=f"{self.judge} beside people: {self.method}")


def judge_cautions(
    found: JudgeBesidePeople, per_person: Numbers, independent: int, settings: SamplingSettings
) -> Iterator[str]:
    """What a reader must know of the numbers: what is missing, and what they rest on."""
    yield from coverage_words(found)
    partly = {
        name: int(np.isfinite(values).sum())
        for name, values in measures(per_person).items()
        if 0 < np.isfinite(values).sum() < len(values)
    }
    if partly:
        told = listed([f"{name} of {count}" for name, count in partly.items()])
        yield (
            f"Averages over fewer than the {found.people} people: {told}. For the others, neither "
            "they nor the judge gave an answer of the kind it is about."
        )
    fewest = int(per_person.sum(axis=-1).min())
    if found.people > 1 and fewest < FEW_UNITS:
        yield (
            f"Somebody shares only {counted(fewest, 'unit')} with the judge, and counts as much as "
            "everybody else."
        )
    if found.people == 1:
        yield "There is one person: nothing can be said of people among themselves."
    rare = min(found.positives, found.n - found.positives)
    if rare < FEW_UNITS:
        kind = "positive" if found.positives <= found.n - found.positives else "negative"
        yield (
            f"People called {rare:.3g} of {found.n:,} units {kind}: the F1 of these answers rests on "
            "them and its interval is often too narrow."
        )
    if settings.resamples and independent < FEW_DRAWN:
        what = "clusters" if found.clusters else "units"
        yield (
            f"There are only {independent} {what}: with fewer than {FEW_DRAWN}, intervals are often "
            "too narrow."
        )
    without = [
        name for name, each in found.scores.items() if each.is_defined and each.interval is None
    ]
    if settings.resamples and without:
        yield (
            f"No interval for {listed(without)}: too many samples have no value, all have the same, "
            "or there is only one thing to draw."
        )


def coverage_words(found: JudgeBesidePeople) -> Iterator[str]:
    """What the judge left out, and who has nothing in common with them."""
    if found.gaps:
        yield (
            f"The judge has no answer for {counted(found.gaps, 'unit')} that people judged; "
            f"{'it is' if found.gaps == 1 else 'they are'} left out."
        )
    if found.strangers and found.n:
        shown = listed(found.strangers, most=_SHOWN)
        yield f"People who share no unit with the judge, left out: {shown}."


def _values(found: Mapping[str, Estimate]) -> dict[str, float]:
    return {name: each.value for name, each in found.items()}


def _intervals(found: Mapping[str, Estimate]) -> dict[str, Any]:
    return {name: each.interval for name, each in found.items() if each.interval is not None}


def _reasons(found: Mapping[str, Estimate]) -> dict[str, str]:
    return {name: each.reason for name, each in found.items() if each.reason}
