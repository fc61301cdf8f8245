"""Data sets: their versions, what is in one, and what became of one that was brought."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from palaver.core.evaluation.runs import Run
from palaver.core.serial import internal, key
from palaver.core.tasks import Example

Access = Literal["scoring", "standard", "hidden"]


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
class DatasetSheet(Dataset):
    """A data set with its versions, the counts of its labels and tags, and its first items."""

    derived: ClassVar[tuple[str, ...]] = (*Dataset.derived, "sample")

    versions: tuple[DatasetVersion, ...]
    labels: Mapping[str, Mapping[str, int]]
    tags: Mapping[str, int]
    examples: tuple[Example, ...] = internal(())

    @property
    def sample(self) -> list[dict[str, Any]]:
        """The first items as records."""
        return [each.record for each in self.examples]


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
