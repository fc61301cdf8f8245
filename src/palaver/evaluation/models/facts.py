"""A model as readers of its task may know it: an unpublished one has no name, team or description."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from palaver.core.errors import UnknownNameError
from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.models import Model, ModelVersion
from palaver.core.evaluation.runs import Run
from palaver.core.evaluation.scores import RunScore
from palaver.core.evaluation.submissions import Team
from palaver.core.evaluation.tasks import StoredTask
from palaver.storage.evaluation.datasets import list_datasets
from palaver.storage.evaluation.models import list_model_versions, list_models
from palaver.storage.evaluation.runs import runs_of_versions
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


def model_facts(connection: Connection, task: StoredTask, key: str, *, public: bool) -> ModelFacts:
    """The model with that key; UnknownNameError if there is none that whoever asks may know of."""
    # By key alone, and without naming what is near: names of unpublished models are secrets.
    models = {each.key: each for each in list_models(connection, task.id)}
    model = models.get(key)
    if model is None or (public and model.retired is not None and not model.published):
        raise UnknownNameError("No model of this task has this address.")
    datasets = list_datasets(connection, task.id)
    newest = runs_of_versions(
        connection, [model.version_id], [each.version_id for each in datasets]
    )
    stored = scores_of_runs(connection, [each.id for each in newest])
    return ModelFacts(
        model=_known(model, public=public),
        team=None if public and _is_nameless(model) else _team(connection, model),
        versions=tuple(reversed(list_model_versions(connection, model.id))),
        sets=tuple(each for each in datasets if each.access != "hidden" and each.parent_id is None),
        runs={each.dataset: each for each in newest},
        scores={
            run.dataset: tuple(each for each in stored if each.run_id == run.id) for run in newest
        },
    )


def _known(model: Model, *, public: bool) -> Model:
    if not public or model.published:
        return model
    return replace(model, name=f"unpublished model {model.id}", about="", link="", team=None)


def _is_nameless(model: Model) -> bool:
    return model.anonymous or not model.published


def _team(connection: Connection, model: Model) -> Team | None:
    team = model.submitter_id
    return None if team is None else find_submitter_by_id(connection, team)
