"""What aggregating gives: a label per unit with how sure it is, and what it says of the raters."""

from dataclasses import dataclass
from math import log2
from typing import Any

from palaver.analysis.aggregation.answers import Answers
from palaver.core.errors import InputError
from palaver.core.estimates import MISSING, html_table, plain
from palaver.core.numeric import Numbers, np

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

    def as_json(self) -> dict[str, Any]:
        """The parts by name; the labels of the distribution as text."""
        return {
            "unit": plain(self.unit),
            "label": plain(self.label),
            "probability": plain(self.probability),
            "entropy": plain(self.entropy),
            "n": self.n,
            "tied": [plain(label) for label in self.tied],
            "distribution": {str(label): plain(p) for label, p in self.distribution.items()},
        }


@dataclass(frozen=True, slots=True)
class RaterCompetence:
    """How good a rater seems; what `competence` means depends on the method, which says so.

    `confusion[true][given]` is the chance of an answer by the true label, where a method has it.
    It is NaN, with a `reason`, where nothing can be said.
    """

    rater: Any
    n: int
    competence: float
    confusion: dict[Any, dict[Any, float]] | None = None
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        """The parts by name; labels as text."""
        found: dict[str, Any] = {
            "rater": plain(self.rater),
            "n": self.n,
            "competence": plain(self.competence),
        }
        if self.reason:
            found["reason"] = self.reason
        if self.confusion is not None:
            found["confusion"] = {
                str(true): {str(given): plain(p) for given, p in row.items()}
                for true, row in self.confusion.items()
            }
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregation:
    """The units with their labels, the raters with their competence, and how they came about.

    `prior` is the share of each true label, where the method estimates it; `objective` is what was
    maximised (log-likelihood, or its lower bound), NaN where nothing was.
    """

    name: str
    method: str
    labels: tuple[Any, ...]
    units: tuple[AggregatedUnit, ...]
    raters: tuple[RaterCompetence, ...]
    prior: dict[Any, float] | None = None
    objective: float = MISSING
    iterations: int = 0
    converged: bool = True
    missing: int = 0
    warnings: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The parts by name; what is undefined is null."""
        return {
            "method": self.name,
            "how": self.method,
            "labels": [plain(label) for label in self.labels],
            "units": [unit.as_json() for unit in self.units],
            "raters": [rater.as_json() for rater in self.raters],
            "prior": None
            if self.prior is None
            else {str(label): plain(share) for label, share in self.prior.items()},
            "objective": plain(self.objective),
            "iterations": self.iterations,
            "converged": self.converged,
            "missing": self.missing,
            "warnings": list(self.warnings),
        }

    def most_certain(self, share: float) -> frozenset[Any]:
        """The units whose label is kept when only this share of them, the surest, is.

        Units are ordered by the entropy of their distribution, those of equal entropy by their
        place in the table; undecided units are never kept.
        """
        if not 0 <= share <= 1:
            raise InputError(f"The share of units to keep lies between 0 and 1; got {share}.")
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
        found.append("There is one rater only: the labels are that rater's answers.")
    elif (thin := int((sizes < FEW_RATERS).sum())) > len(sizes) / 2:
        found.append(
            f"{thin} of {len(sizes)} units have fewer than {FEW_RATERS} answers: who of two raters "
            "errs cannot be told from them."
        )
    few = int((answers.per_rater() < FEW_ANSWERS).sum())
    if few:
        found.append(
            f"{few} of {len(answers.raters)} raters gave fewer than {FEW_ANSWERS} answers: their "
            "competence is little more than a guess."
        )
    if len(answers.labels) == 1:
        found.append("Every answer is the same label: competence cannot be told from chance.")
    if not converged:
        found.append(
            f"The estimates were still moving after {iterations} rounds; allow more of them."
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
