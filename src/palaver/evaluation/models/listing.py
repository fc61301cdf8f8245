"""Models as they are shown: with how many runs are in which state, or with all about one."""

from dataclasses import replace

from sqlalchemy import Connection

from palaver.core.evaluation.models import Model, ModelSheet
from palaver.core.evaluation.runs import Run
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.serial import extended
from palaver.evaluation.models.options import shown_options
from palaver.storage.evaluation.models import (
    count_runs,
    find_model,
    list_model_versions,
    list_models,
)
from palaver.storage.evaluation.runs import list_runs


def task_models(connection: Connection, task: StoredTask) -> list[Model]:
    """The models of a task, oldest first; retired ones too."""
    return _counted(connection, list_models(connection, task.id))


def find_task_model(connection: Connection, task: StoredTask, name: str) -> Model:
    """The model with that name or key; UnknownNameError names what is near."""
    return _counted(connection, [find_model(connection, task.id, name)])[0]


def model_sheet(connection: Connection, task: StoredTask, name: str) -> ModelSheet:
    """All about one model; UnknownNameError names what is near."""
    model = find_task_model(connection, task, name)
    runs = model_runs(connection, model)
    return extended(
        model,
        ModelSheet,
        options=shown_options(model.options),
        versions=tuple(list_model_versions(connection, model.id)),
        run_keys=tuple(each.key for each in runs if each.model_version_id == model.version_id),
    )


def model_runs(connection: Connection, model: Model) -> list[Run]:
    """The runs of every version of a model, oldest first."""
    runs = list_runs(connection, task_id=model.task_id)
    return [each for each in runs if each.model_id == model.id]


def _counted(connection: Connection, models: list[Model]) -> list[Model]:
    counts = count_runs(connection, [each.version_id for each in models])
    return [replace(each, runs=counts.get(each.version_id, {})) for each in models]
