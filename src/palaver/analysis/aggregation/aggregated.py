"""What aggregating gives: a label per unit with how sure it is, and what it says of the raters."""

from dataclasses import dataclass
from math import log2
from typing import Any

from palaver.analysis.aggregation.answers import Answers
from palaver.core.errors import InputError
from palaver.core.estimates import MISSING, html_table
from palaver.core.numeric import Numbers, np
from palaver.core.serial import if_any, key

# Probabilities this close are as good as equal.
TIED = 1e-9
# With fewer answers than this, what is said of a rater is mostly chance.
FEW_ANSWERS = 10
# A model of raters needs this many opinions on a unit to tell who errs.
FEW_RATERS = 3


@dataclass(frozen=True, slots=True)
class AggregatedUnit:
    """The label of one unit; None where it is undecided, and then `tied` names the candidates.

    `probability` belongs to the most likely label. `entropy` of the distribution is in bits.
    """

    unit: Any
    label: Any
    probability: float
    distribution: dict[Any, float]
    entropy: float
    n: int
    tied: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class RaterCompetence:
    """How good a rater seems; what `competence` means depends on the method, which says so.

    `confusion[true][given]` is the chance of an answer by the true label, where a method has it.
    It is NaN, with a `reason`, where nothing can be said.
    """

    rater: Any
    n: int
    competence: float
    confusion: dict[Any, dict[Any, float]] | None = if_any(None)
    reason: str = if_any("")


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregated:
    """What every way of aggregating says of itself: its name, how it went about it, and the labels."""

    name: str = key("method")
    method: str = key("how")
    labels: tuple[Any, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregation(Aggregated):
    """The units with their labels, the raters with their competence, and how they came about.

    `prior` is the share of each true label, where the method estimates it; `objective` is what was
    maximised (log-likelihood, or its lower bound), NaN where nothing was.
    """

    units: tuple[AggregatedUnit, ...]
    raters: tuple[RaterCompetence, ...]
    prior: dict[Any, float] | None = None
    objective: float = MISSING
    iterations: int = 0
    converged: bool = True
    missing: int = 0

    def most_certain(self, share: float) -> frozenset[Any]:
        """The units whose label is kept when only this share of them, the surest, is.

        Units are ordered by the entropy of their distribution, those of equal entropy by their
        place in the table; undecided units are never kept.
        """
        if not 0 <= share <= 1:
            raise InputError(f"The share of units to keep must be between 0 and 1; got {share}.")
        surest = sorted(self.units, key=lambda unit: unit.entropy)[: round(share * len(self.units))]
        return frozenset(unit.unit for unit in surest if unit.label is not None)

    def _repr_html_(self) -> str:
        rows = [
            {"unit": u.unit, "label": u.label, "p": u.probability, "entropy": u.entropy, "n": u.n}
            for u in self.units
        ]
        return html_table(rows, caption=self.method)


def entropy_bits(probabilities: Numbers) -> Numbers:
    """−Σ p log₂ p of each row; 0 log 0 counts as 0."""
    safe = np.where(probabilities > 0, probabilities, 1.0)
    bits: Numbers = np.abs((safe * np.log2(safe)).sum(axis=-1))
    return bits


def most_likely(answers: Answers, posterior: Numbers) -> tuple[AggregatedUnit, ...]:
    """Each unit's most likely label; undecided where two are as likely as each other."""
    best = posterior.max(axis=1)
    tied = posterior >= best[:, None] - TIED
    entropies = entropy_bits(posterior)
    sizes = np.bincount(answers.unit, minlength=len(answers.units))
    found = []
    for row, unit in enumerate(answers.units):
        candidates = tuple(answers.labels[n] for n in np.flatnonzero(tied[row]))
        found.append(
            AggregatedUnit(
                unit=unit,
                label=candidates[0] if len(candidates) == 1 else None,
                probability=float(best[row]),
                distribution=dict(zip(answers.labels, posterior[row].tolist(), strict=True)),
                entropy=float(entropies[row]),
                n=int(sizes[row]),
                tied=candidates if len(candidates) > 1 else (),
            )
        )
    return tuple(found)


def model_warnings(answers: Answers, *, converged: bool, iterations: int) -> tuple[str, ...]:
    """What a reader of a model of raters must know."""
    found = []
    sizes = np.bincount(answers.unit, minlength=len(answers.units))
    if len(answers.raters) == 1:
        found.append("There is only one rater: the labels are that rater's answers.")
    elif (thin := int((sizes < FEW_RATERS).sum())) > len(sizes) / 2:
        found.append(
            f"{thin} of {len(sizes)} units have fewer than {FEW_RATERS} answers: of two raters who "
            "differ, it is unknown which one is wrong."
        )
    few = int((answers.per_rater() < FEW_ANSWERS).sum())
    if few:
        found.append(
            f"{few} of {len(answers.raters)} raters gave fewer than {FEW_ANSWERS} answers: their "
            "competence is little more than a guess."
        )
    if len(answers.labels) == 1:
        found.append(
            "Every answer is the same label: competence cannot be distinguished from chance."
        )
    if not converged:
        found.append(
            f"The estimates had not converged after {iterations} rounds; allow more rounds."
        )
    return tuple(found)


def undecided_warning(units: tuple[AggregatedUnit, ...]) -> tuple[str, ...]:
    """How many units have no label because two are equally likely."""
    undecided = sum(unit.label is None for unit in units)
    if not undecided:
        return ()
    return (f"{undecided} of {len(units)} units are tied and have no label.",)


def largest_entropy(labels: int) -> float:
    """The entropy of an even spread over so many labels, in bits."""
    return log2(labels) if labels > 0 else MISSING
