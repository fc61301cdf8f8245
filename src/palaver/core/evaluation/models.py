"""Models: what is known of one, its versions, and what became of one that was added."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from palaver.core.evaluation.runs import Run
from palaver.core.serial import internal, key

ModelStanding = Literal["retired", "unpublished", "anonymous", "published"]

# The kind of a model that was handed in as its answers; its options name a file per data set.
UPLOADED = "predictions"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelVersion:
    """One way in which a model was reached: a kind of predictor and its options."""

    version: int
    kind: str
    digest: str
    created: float
    options: Mapping[str, Any] = internal(factory=dict)
    folder: str = internal("")
    version_id: int = internal(0)
    model_id: int = internal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelHead:
    """A model in its newest version; `standing` says what the board makes of it.

    `team` is the team that submitted it; null where whoever runs the task added it.
    """

    derived: ClassVar[tuple[str, ...]] = ("standing",)

    key: str
    name: str
    kind: str
    version: int
    digest: str
    about: str
    link: str
    tags: tuple[str, ...]
    published: bool
    anonymous: bool
    retired: float | None
    created: float
    team: str | None
    # How it is reached, keys included: only those who ask the model need them.
    options: Mapping[str, Any] = internal(factory=dict)
    folder: str = internal("")
    id: int = internal(0)
    task_id: int = internal(0)
    version_id: int = internal(0)
    version_created: float = internal(0.0)
    submitter_id: int | None = internal(None)
    # The challenge that the team takes part in, where it was handed in to one.
    challenge_id: int | None = internal(None)

    @property
    def standing(self) -> ModelStanding:
        """What the board makes of it."""
        if self.retired is not None:
            return "retired"
        if not self.published:
            return "unpublished"
        return "anonymous" if self.anonymous else "published"


@dataclass(frozen=True, slots=True, kw_only=True)
class Model(ModelHead):
    """A model; `runs` counts those of its newest version by state."""

    runs: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSheet(Model):
    """A model with its options, without keys, where its files are, its versions and its runs."""

    options: Mapping[str, Any]
    folder: str = key("files")
    versions: tuple[ModelVersion, ...]
    run_keys: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedModel(ModelHead):
    """What became of a model that was sent; `runs` are those that are due because of it.

    Its options are without keys, and told only to whoever runs the task.
    """

    is_new: bool
    runs: tuple[str, ...]
    notes: tuple[str, ...] = ()
    due: tuple[Run, ...] = internal(())
