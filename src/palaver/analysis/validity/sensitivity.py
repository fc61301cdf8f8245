"""Sensitivity: how many pairs of systems does a label tell apart?

S. E. Finch, J. D. Finch and J. D. Choi (2023), Don't forget your ABC's, ACL, 15044–15071, count the
pairs at .05, by a z test of turns, Welch's t test or a sign test. Turns of one dialogue are not
independent, so the default here is a test whose unit is the dialogue; theirs is `test="rows"`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, sqrt
from typing import ClassVar, Literal, NamedTuple

from palaver.analysis.corrections import SystemPair, holm
from palaver.analysis.validity.scores import DialogueScores
from palaver.core.errors import InputError
from palaver.core.estimates import MISSING, html_table
from palaver.core.numeric import Numbers, np, stats
from palaver.core.serial import if_any, key, plain

Test = Literal["dialogues", "rows"]
METHODS: dict[Test, str] = {
    "dialogues": "Welch's t test with dialogues as clusters",
    "rows": (
        "two-proportion z test of judgements for labels of 0 and 1, Welch's t test of judgements "
        "otherwise; judgements of one dialogue are assumed to be independent"
    ),
}
CORRECTION = "Holm, over the pairs of systems of one label"
FEW = 10
RARE = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelDifference(SystemPair):
    """Two systems and one label: the mean of `a` less that of `b`, and whether that may be chance.

    `p` is NaN where it is undefined; `reason` then says why.
    """

    difference: float
    adjusted: float = key("adjusted_p")
    reason: str = if_any("")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """What one label tells apart: `apart` of the pairs by adjusted p, `unadjusted` by plain p."""

    derived: ClassVar[tuple[str, ...]] = ("of", "share")

    label: str
    pairs: tuple[LabelDifference, ...]
    apart: int
    unadjusted: int
    alpha: float
    method: str
    correction: str = CORRECTION
    warnings: tuple[str, ...] = ()

    @property
    def of(self) -> int:
        return len(self.pairs)

    @property
    def share(self) -> float:
        return self.apart / self.of

    def _repr_html_(self) -> str:
        return html_table(plain(self.pairs), caption=self.label)


def sensitivity(
    scores: DialogueScores, *, alpha: float = 0.05, test: Test = "dialogues"
) -> list[Sensitivity]:
    """For each label, the pairs of systems whose difference is unlikely to be chance.

    With `test="dialogues"`, m the mean of a system's judgements, n their number, G the number of its
    dialogues and e_d = Σ (value − m) over the judgements of dialogue d,

        v = G / (G − 1) · Σ_d e_d² / n²,    t = (m_a − m_b) / √(v_a + v_b),

    with Welch's degrees of freedom (v_a + v_b)² / (v_a² / (G_a − 1) + v_b² / (G_b − 1)). Where every
    dialogue was judged once, or all equally often, this is Welch's t test of the dialogue means.
    Where neither system varies at all, and they differ, p is that of the permutation test of the
    dialogues. With `test="rows"` each judgement counts as independent, as in the paper.

    p is undefined where a system has fewer than two dialogues with the label. Holm's correction runs
    over the pairs of one label; the number without a correction is given beside it. Most sensitive
    labels first.
    """
    if not 0 < alpha < 1:
        raise InputError(f"A level of significance must be between 0 and 1; got {alpha}.")
    if test not in METHODS:
        raise InputError(f"A test of sensitivity is one of {', '.join(METHODS)}; got '{test}'.")
    names = sorted({system for system in scores.systems if system is not None})
    if len(names) < 2:
        raise InputError(
            f"Sensitivity compares systems and needs two or more; got {', '.join(names) or 'none'}."
        )
    found = [_label(scores, label, names, alpha=alpha, test=test) for label in scores.labels]
    return sorted(found, key=lambda each: (-each.apart, -each.unadjusted, each.label))


def _label(
    scores: DialogueScores, label: str, names: Sequence[str], *, alpha: float, test: Test
) -> Sensitivity:
    place = scores.place(label)
    by_system = {name: _system(scores, place, name) for name in names}
    found = []
    for a, b in combinations(names, 2):
        one, other = by_system[a], by_system[b]
        outcome = _clustered(one, other) if test == "dialogues" else _rows(one, other)
        found.append((a, b, one.mean - other.mean, outcome))
    return told_apart(
        label,
        [(a, b, difference, outcome.p, outcome.reason) for a, b, difference, outcome in found],
        alpha=alpha,
        method=METHODS[test],
        warnings=_warnings(label, by_system),
    )


def told_apart(
    label: str,
    pairs: Sequence[tuple[str, str, float, float, str]],
    *,
    alpha: float,
    method: str,
    warnings: tuple[str, ...] = (),
) -> Sensitivity:
    """Correct the p-values of a label's pairs (a, b, difference, p, reason) and count."""
    corrected = holm([p for _, _, _, p, _ in pairs])
    found = tuple(
        LabelDifference(a=a, b=b, difference=difference, p=p, adjusted=adjusted, reason=reason)
        for (a, b, difference, p, reason), adjusted in zip(pairs, corrected, strict=True)
    )
    return Sensitivity(
        label=label,
        pairs=found,
        apart=sum(pair.adjusted <= alpha for pair in found),
        unadjusted=sum(pair.p <= alpha for pair in found),
        alpha=alpha,
        method=method,
        warnings=warnings,
    )


class _System(NamedTuple):
    """One system's dialogues that have a label: judgements, sums and squares of each."""

    counts: Numbers
    sums: Numbers
    squares: Numbers
    binary: bool

    @property
    def n(self) -> float:
        return float(self.counts.sum())

    @property
    def mean(self) -> float:
        return float(self.sums.sum()) / self.n if self.n else MISSING


class _Outcome(NamedTuple):
    p: float
    reason: str = ""


def _system(scores: DialogueScores, place: int, name: str) -> _System:
    here = np.array([system == name for system in scores.systems]) & (scores.counts[:, place] > 0)
    columns = (scores.counts, scores.sums, scores.squares)
    counts, sums, squares = (column[here, place] for column in columns)
    return _System(counts, sums, squares, scores.binary[place])


def _clustered(one: _System, other: _System) -> _Outcome:
    few = min(len(one.counts), len(other.counts))
    if few < 2:
        return _Outcome(MISSING, f"a system has {few} dialogues with the label")
    spreads = [_spread(each) for each in (one, other)]
    sizes = [len(one.counts), len(other.counts)]
    return _welch(one.mean - other.mean, spreads, sizes)


def _spread(system: _System) -> float:
    clusters = len(system.counts)
    apart = system.sums - system.mean * system.counts
    return clusters / (clusters - 1) * float((apart**2).sum()) / system.n**2


def _welch(difference: float, spreads: Sequence[float], sizes: Sequence[int]) -> _Outcome:
    total = sum(spreads)
    # What is left of a difference of equal numbers is rounding.
    if total <= 1e-24 * max(1.0, difference**2):
        if abs(difference) <= 1e-12:
            return _Outcome(1.0)
        extremes = 2 if sizes[0] == sizes[1] else 1
        return _Outcome(extremes / comb(sum(sizes), sizes[0]))
    freedom = total**2 / sum(v**2 / (n - 1) for v, n in zip(spreads, sizes, strict=True))
    return _Outcome(float(2 * stats.t.sf(abs(difference) / sqrt(total), freedom)))


def _rows(one: _System, other: _System) -> _Outcome:
    few = int(min(one.n, other.n))
    if few < 2:
        return _Outcome(MISSING, f"a system has {few} judgements of the label")
    difference = one.mean - other.mean
    if one.binary:
        pooled = (one.sums.sum() + other.sums.sum()) / (one.n + other.n)
        spread = pooled * (1 - pooled) * (1 / one.n + 1 / other.n)
        if spread <= 0:
            return _Outcome(1.0)
        return _Outcome(float(2 * stats.norm.sf(abs(difference) / sqrt(spread))))
    spreads = [
        float(each.squares.sum() - each.n * each.mean**2) / (each.n - 1) / each.n
        for each in (one, other)
    ]
    return _welch(difference, [max(each, 0.0) for each in spreads], [int(one.n), int(other.n)])


def _warnings(label: str, systems: dict[str, _System]) -> tuple[str, ...]:
    found = []
    few = [name for name, each in systems.items() if len(each.counts) < FEW]
    if few:
        found.append(f"'{label}': fewer than {FEW} dialogues of {', '.join(few)}.")
    if any(system.binary for system in systems.values()):
        rare = [name for name, each in systems.items() if (each.sums > 0).sum() < RARE]
        if rare:
            found.append(
                f"'{label}' occurs in fewer than {RARE} dialogues of {', '.join(rare)}; "
                "the t test is rough there."
            )
    return tuple(found)
