"""A model as it is shown: what is known of it, its versions, and what came of its runs."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from palaver.core.evaluation.runs import Run
from palaver.core.evaluation.tasks import StoredTask
from palaver.storage.evaluation.models import (
    ModelVersion,
    StoredModel,
    find_model,
    list_model_versions,
    list_models,
)
from palaver.storage.evaluation.runs import list_runs


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedModel:
    """A model and the runs of its newest version."""

    model: StoredModel
    runs: tuple[Run, ...]

    @property
    def states(self) -> dict[str, int]:
        """How many runs are in which state."""
        return dict(Counter(each.state for each in self.runs))

    @property
    def standing(self) -> str:
        """What the board makes of it: retired, published, anonymous, unpublished."""
        if self.model.retired is not None:
            return "retired"
        if not self.model.published:
            return "unpublished"
        return "anonymous" if self.model.anonymous else "published"

    def as_json(self) -> dict[str, Any]:
        """The model as plain data."""
        model = self.model
        return {
            "key": model.key,
            "name": model.name,
            "kind": model.version.kind,
            "version": model.version.number,
            "digest": model.version.digest,
            "about": model.about,
            "link": model.link,
            "tags": list(model.tags),
            "standing": self.standing,
            "published": model.published,
            "anonymous": model.anonymous,
            "retired": model.retired,
            "created": model.created,
            "runs": self.states,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSheet:
    """Everything about one model."""

    listed: ListedModel
    versions: tuple[ModelVersion, ...]

    def as_json(self) -> dict[str, Any]:
        """The sheet as plain data; secrets stand in it as they were written, by variable."""
        return {
            **self.listed.as_json(),
            "options": self.listed.model.version.options,
            "files": self.listed.model.version.folder,
            "versions": [
                {
                    "version": each.number,
                    "kind": each.kind,
                    "digest": each.digest,
                    "created": each.created,
                }
                for each in self.versions
            ],
        }


def task_models(connection: Connection, task_row: StoredTask) -> list[ListedModel]:
    """The models of a task, oldest first; retired ones too."""
    runs = list_runs(connection, task_id=task_row.id)
    return [_listed(each, runs) for each in list_models(connection, task_row.id)]


def model_sheet(connection: Connection, task_row: StoredTask, name: str) -> ModelSheet:
    """One model with its versions and runs; UnknownNameError names what is near."""
    model = find_model(connection, task_row.id, name)
    return ModelSheet(
        listed=_listed(model, list_runs(connection, task_id=task_row.id)),
        versions=tuple(list_model_versions(connection, model.id)),
    )


def _listed(model: StoredModel, runs: Sequence[Run]) -> ListedModel:
    own = (each for each in runs if each.model_version_id == model.version.id)
    return ListedModel(model=model, runs=tuple(own))
