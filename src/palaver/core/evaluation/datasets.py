"""Data sets: their versions, what is in one, and what was added or made by perturbing one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from palaver.core.evaluation.runs import Run
from palaver.core.evaluation.variant_counts import few_variants, share_covered
from palaver.core.serial import if_any, internal, key
from palaver.core.tasks import Example

Access = Literal["scoring", "standard", "hidden"]


Kind = Literal["fairness", "robustness", "dialogue"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetVersion:
    """One content of a data set; `path` says where it is kept in the object store."""

    version: int
    digest: str
    items: int
    size: int = key("bytes")
    path: str
    created: float
    version_id: int = internal(0)
    dataset_id: int = internal(0)
    # The version of the original that variants were made from.
    parent_version_id: int | None = internal(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset(DatasetVersion):
    """A data set in its newest version; a perturbed one has a `parent` and a `kind`.

    `created` is when its first version was added.
    """

    derived: ClassVar[tuple[str, ...]] = ("dataset",)

    task: str
    name: str
    access: Access
    about: str
    source: str
    parent: str | None
    kind: str | None
    # The round of the task that it was collected in; 0: none.
    round: int = 0
    # An evaluation of its own, "module:function".
    function: str
    id: int = internal(0)
    task_id: int = internal(0)
    parent_id: int | None = internal(None)
    # Where functions and images lie that items name.
    folder: str = internal("")
    version_created: float = internal(0.0)

    @property
    def dataset(self) -> str:
        """Its name, as what belongs to a data set calls it."""
        return self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantCount:
    """How many items of the original have variants in a perturbed set.

    `warning` says where they are too few for a score on them to say much.
    """

    derived: ClassVar[tuple[str, ...]] = ("warning",)

    items: int
    with_variants: int

    @property
    def words(self) -> str:
        return share_covered(self.with_variants, self.items)

    @property
    def warning(self) -> str:
        return few_variants(self.with_variants, self.items)


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetSheet(Dataset):
    """A data set with its versions, the counts of its labels and tags, and its first items.

    `covers` says of a perturbed set how many items of its original it has variants of.
    """

    derived: ClassVar[tuple[str, ...]] = (*Dataset.derived, "sample")

    versions: tuple[DatasetVersion, ...]
    labels: Mapping[str, Mapping[str, int]]
    tags: Mapping[str, int]
    covers: VariantCount | None = if_any(None)
    examples: tuple[Example, ...] = internal(())

    @property
    def sample(self) -> list[dict[str, Any]]:
        """The first items as records."""
        return [example.record for example in self.examples]


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedDataset(Dataset):
    """What became of a data set that was sent; `runs` are those that are due because of it.

    `states` says by model how those ended that were worked through at once.
    """

    is_new: bool = key("new")
    reader: str
    runs: tuple[str, ...]
    warnings: tuple[str, ...]
    states: Mapping[str, str] = field(default_factory=dict)
    due: tuple[Run, ...] = internal(())


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

    `output` is the file that was written, where one is kept. `with_variants` counts the originals that
    have a variant; `warnings` say where these are few or none.
    """

    derived: ClassVar[tuple[str, ...]] = ("variants", "warnings")

    kind: Kind
    seed: int
    output: str = if_any("")
    originals: int
    with_variants: int
    perturbations: Mapping[str, VariantTally]
    samples: tuple[Sample, ...] = ()
    registered: AddedDataset | None = None

    @property
    def variants(self) -> int:
        return sum(tally.variants for tally in self.perturbations.values())

    @property
    def warnings(self) -> tuple[str, ...]:
        """That variants are few; where they are enough for fairness, which swaps made few of them."""
        whole = few_variants(self.with_variants, self.originals)
        if whole or self.kind != "fairness":
            return (whole,) if whole else ()
        said = {
            name: few_variants(tally.variants, self.originals)
            for name, tally in self.perturbations.items()
        }
        return tuple(f"{name}: {warning}" for name, warning in said.items() if warning)
