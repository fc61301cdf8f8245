"""A model as readers of its task may know it: one that is not published is for its team alone."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import Connection

from palaver.core.errors import UnknownNameError
from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.models import Model, ModelSheet, ModelVersion
from palaver.core.evaluation.runs import Run, RunScore
from palaver.core.evaluation.submissions import Team
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.serial import extended
from palaver.storage.evaluation.datasets import list_datasets
from palaver.storage.evaluation.models import (
    count_runs,
    find_model,
    list_model_versions,
    list_models,
)
from palaver.storage.evaluation.runs import list_runs, runs_of_versions
from palaver.storage.evaluation.scores import scores_of_runs
from palaver.storage.evaluation.submitters import find_submitter_by_id


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """A model and its team, its versions, newest first, and its runs and scores by data set."""

    model: Model
    team: Team | None
    versions: tuple[ModelVersion, ...]
    sets: tuple[Dataset, ...]
    runs: Mapping[str, Run]
    scores: Mapping[str, tuple[RunScore, ...]]


def model_facts(
    connection: Connection, task: StoredTask, key: str, *, public: bool, team: int | None = None
) -> ModelFacts:
    """The model with that key; UnknownNameError if there is none that whoever asks may know of.

    In public that is a published one, or one of the `team` that asks. Models of challenges are not
    the task's.
    """
    # By key alone, and without naming what is near: names of unpublished models are secrets.
    models = {each.key: each for each in list_models(connection, task.id)}
    model = models.get(key)
    own = model is not None and team is not None and model.submitter_id == team
    if model is None or (public and not own and not _is_open(model)):
        raise UnknownNameError("No published model of this task has this address.")
    datasets = list_datasets(connection, task.id)
    newest = runs_of_versions(
        connection, [model.version_id], [dataset.version_id for dataset in datasets]
    )
    stored = scores_of_runs(connection, [each.id for each in newest])
    return ModelFacts(
        model=replace(model, team=None) if public and model.anonymous and not own else model,
        team=None if public and model.anonymous and not own else _team(connection, model),
        versions=tuple(reversed(list_model_versions(connection, model.id))),
        sets=tuple(
            dataset
            for dataset in datasets
            if dataset.access != "hidden" and dataset.parent_id is None
        ),
        runs={each.dataset: each for each in newest},
        scores={
            run.dataset: tuple(each for each in stored if each.run_id == run.id) for run in newest
        },
    )


def _is_open(model: Model) -> bool:
    """Whether everybody may know of it and of what it scored."""
    return model.published and model.challenge_id is None


def _team(connection: Connection, model: Model) -> Team | None:
    team = model.submitter_id
    return None if team is None else find_submitter_by_id(connection, team)


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
        run_keys=tuple(run.key for run in runs if run.model_version_id == model.version_id),
    )


def model_runs(connection: Connection, model: Model) -> list[Run]:
    """The runs of every version of a model, oldest first."""
    runs = list_runs(connection, task_id=model.task_id)
    return [run for run in runs if run.model_id == model.id]


def _counted(connection: Connection, models: list[Model]) -> list[Model]:
    counts = count_runs(connection, [model.version_id for model in models])
    return [replace(model, runs=counts.get(model.version_id, {})) for model in models]


HIDDEN = "…"
# Names of options and headers that hold keys; `…_env` names a variable, and a tokenizer is no token.
_KEY = re.compile(r"authorization|key|token(?!iz)|cookie|secret|password", re.IGNORECASE)
_VARIABLE = "_env"
# Options that hold addresses, which may hold a password.
_ADDRESSES = ("url", "base_url")


def shown_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options without keys and passwords; `${VARIABLE}` names one and stays."""
    return {name: _shown(str(name), value) for name, value in options.items()}


def key_notes(options: Mapping[str, Any]) -> list[str]:
    """Notes on headers whose keys were written down instead of being named."""
    headers = options.get("headers")
    given = headers.items() if isinstance(headers, Mapping) else ()
    return [
        f"The header '{name}' seems to contain a key, which is now stored in plain text. Write "
        "${VARIABLE} instead and put the key into the environment."
        for name, value in given
        if _holds_key(str(name), str(value))
    ]


def _shown(name: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        # A number in a header is a text there; elsewhere `max_tokens` is a number.
        named = value.items() if name == "headers" else ()
        keys = {each for each, text in named if _holds_key(str(each), str(text))}
        return {**shown_options(value), **dict.fromkeys(keys, HIDDEN)}
    if isinstance(value, list):
        return [_shown(name, each) for each in value]
    if isinstance(value, str) and _holds_key(name, value):
        return HIDDEN
    if name in _ADDRESSES and "@" in str(value):
        return _without_password(str(value))
    return value


def _holds_key(name: str, value: str) -> bool:
    return bool(_KEY.search(name)) and not name.endswith(_VARIABLE) and "${" not in value


def _without_password(address: str) -> str:
    parts = urlsplit(address)
    return parts._replace(netloc=f"{HIDDEN}@{parts.netloc.rpartition('@')[2]}").geturl()
