"""What was made of a data set by perturbing it: how many variants, some to look at."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from palaver.core.evaluation.datasets import AddedDataset
from palaver.core.serial import if_any

Kind = Literal["fairness", "robustness", "dialogue"]


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantTally:
    """How many variants a perturbation made, and how many it did not and why."""

    variants: int = 0
    unchanged: int = 0
    gold_lost: int = 0

    def __add__(self, other: "VariantTally") -> "VariantTally":
        return VariantTally(
            variants=self.variants + other.variants,
            unchanged=self.unchanged + other.unchanged,
            gold_lost=self.gold_lost + other.gold_lost,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """An original and a variant of it, to look at."""

    original: Mapping[str, Any]
    variant: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Perturbed:
    """What was made of a data set, some of it to look at, and what was registered.

    `output` is the file that was written, where one is kept.
    """

    derived: ClassVar[tuple[str, ...]] = ("variants",)

    kind: Kind
    seed: int
    output: str = if_any("")
    originals: int
    perturbations: Mapping[str, VariantTally]
    samples: tuple[Sample, ...] = ()
    registered: AddedDataset | None = None

    @property
    def variants(self) -> int:
        """How many variants were made."""
        return sum(tally.variants for tally in self.perturbations.values())
