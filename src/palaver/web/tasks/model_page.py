"""A model's card: what is told about it, and its scores on every data set that is not hidden."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection

from palaver.core.errors import UnknownNameError
from palaver.core.evaluation.boards import (
    Board,
    BoardColumn,
    BoardMetric,
    BoardModel,
    Measured,
)
from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.models import Model, ModelVersion
from palaver.core.evaluation.runs import Run
from palaver.core.evaluation.scores import RunScore
from palaver.core.evaluation.submissions import Team
from palaver.evaluation.dynaboards import columns_of
from palaver.storage.evaluation.datasets import list_datasets
from palaver.storage.evaluation.models import list_model_versions, list_models
from palaver.storage.evaluation.runs import runs_of_versions
from palaver.storage.evaluation.scores import scores_of_runs
from palaver.storage.evaluation.submitters import find_submitter_by_id
from palaver.web.tasks.access import Visit, task_shell
from palaver.web.tasks.pages.model import ModelCard, ScoredSet, TaggedSet, TagRow

ACCESS = {"scoring": "counts on the board", "standard": "does not count on the board"}
STATES = {
    "waiting": "waiting for its turn",
    "answering": "being answered",
    "scoring": "being scored",
    "failed": "the run failed",
    "cancelled": "the run was cancelled",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """What the store says of a model, beside its place on the board."""

    model: Model
    team: Team | None
    versions: tuple[ModelVersion, ...]
    sets: tuple[Dataset, ...]
    runs: Mapping[str, Run]
    scores: Mapping[str, tuple[RunScore, ...]]


def read_model(connection: Connection, found: Visit, key: str) -> ModelFacts:
    """The model with that key; UnknownNameError if there is none that whoever asks may know of."""
    # By key alone, and without naming what is near: names of unpublished models are secrets.
    models = {each.key: each for each in list_models(connection, found.row.id)}
    model = models.get(key)
    if model is None or (found.is_public and model.retired is not None and not model.published):
        raise UnknownNameError("No model of this task has this address.")
    datasets = list_datasets(connection, found.row.id)
    newest = runs_of_versions(
        connection, [model.version_id], [each.version_id for each in datasets]
    )
    runs = {each.dataset: each for each in newest}
    stored = scores_of_runs(connection, [each.id for each in newest])
    return ModelFacts(
        model=model,
        team=None
        if model.submitter_id is None
        else find_submitter_by_id(connection, model.submitter_id),
        versions=tuple(reversed(list_model_versions(connection, model.id))),
        sets=tuple(each for each in datasets if each.access != "hidden" and each.parent_id is None),
        runs=runs,
        scores={
            name: tuple(each for each in stored if each.run_id == run.id)
            for name, run in runs.items()
        },
    )


def model_card(found: Visit, facts: ModelFacts, board: Board) -> ModelCard:
    """The card; what belongs to unpublished models is left out for strangers."""
    on_board = board.find(facts.model.key)
    model, team = _known(found, facts, on_board.name if on_board else None)
    columns = {each.key: each for each in columns_of(found.task)}
    first = next(iter(columns.values()))
    return ModelCard(
        shell=task_shell(found, f"{model.name} · {found.row.title}"),
        model=model,
        team=team,
        on_board=on_board,
        of=len(board.models),
        columns=board.metrics,
        sets=tuple(_scored(each, facts, board.metrics, columns, on_board) for each in facts.sets),
        tagged=tuple(_tagged(facts, first)),
        performance=first.title,
        versions=facts.versions,
        board_url=found.url,
        desk_url=f"{found.url.removesuffix(f'/tasks/{found.row.name}')}/desk/tasks/"
        f"{found.row.name}/models/{model.key}"
        if found.person
        else "",
    )


def _known(found: Visit, facts: ModelFacts, called: str | None) -> tuple[Model, Team | None]:
    """The model and its team as whoever asks may know them."""
    model = facts.model
    if found.is_public and not model.published:
        name = called or f"unpublished model {model.id}"
        return replace(model, name=name, about="", link="", team=None), None
    is_hidden = model.anonymous and found.is_public
    return replace(model, name=called or model.name), None if is_hidden else facts.team


def _scored(
    dataset: Dataset,
    facts: ModelFacts,
    shown: Sequence[BoardMetric],
    columns: Mapping[str, BoardColumn],
    on_board: BoardModel | None,
) -> ScoredSet:
    """Scores as the board has them; those of other data sets as they are stored."""
    known = on_board.scores.get(dataset.name) if on_board else None
    stored = {each.metric: each for each in facts.scores.get(dataset.name, ())}
    run = facts.runs.get(dataset.name)
    return ScoredSet(
        name=dataset.name,
        access=ACCESS[dataset.access],
        items=f"{dataset.items:,}",
        cells=tuple(
            known[each.key] if known else _stored(stored.get(each.key), columns[each.key])
            for each in shown
        ),
        note="not evaluated yet" if run is None else STATES.get(run.state, ""),
    )


def _stored(score: RunScore | None, column: BoardColumn) -> Measured | None:
    if score is None:
        return None
    return _scaled(
        {"value": score.value, "low": score.low, "high": score.high, "n": score.n},
        column.scale,
        score.reason,
    )


def _tagged(facts: ModelFacts, column: BoardColumn) -> list[TaggedSet]:
    found = []
    for dataset in facts.sets:
        newest = {each.metric: each for each in facts.scores.get(dataset.name, ())}
        score = newest.get(column.key)
        rows = score.parts.get("perf_by_tag", ()) if score else ()
        if rows:
            found.append(
                TaggedSet(
                    name=dataset.name,
                    rows=tuple(
                        TagRow(
                            tag=each["tag"],
                            cell=_scaled(each, column.scale, each.get("reason", "")),
                        )
                        for each in rows
                    ),
                )
            )
    return found


def _scaled(known: Mapping[str, Any], scale: float, reason: str) -> Measured:
    value, low, high = (known.get(name) for name in ("value", "low", "high"))
    return Measured(
        value=None if value is None else value * scale,
        interval=None if low is None or high is None else (low * scale, high * scale),
        n=known["n"] or None,
        reason=reason,
    )
