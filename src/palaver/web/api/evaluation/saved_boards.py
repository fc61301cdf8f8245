"""Forks and snapshots: weights of one's own, and boards as they stood, under permanent keys."""

from typing import Annotated, Any, Literal

from fastapi import Body, Request
from pydantic import Field
from sqlalchemy import Connection

from palaver.core.errors import MissingError
from palaver.evaluation.dynaboards import Board, Boards, save_fork, save_snapshot, saved_weights
from palaver.evaluation.dynaboards.entrants import read_sets
from palaver.evaluation.tasks import stored_task
from palaver.storage.evaluation.boards import SavedBoard, find_saved_by_key, list_saved
from palaver.storage.evaluation.tasks import StoredTask, list_tasks
from palaver.web.api.access import Anybody, Editor, Here, unauthorized
from palaver.web.api.errors import (
    ANSWERS,
    CONFLICT,
    FORBIDDEN,
    MISSING,
    UNREADABLE,
)
from palaver.web.api.evaluation.asking import OPEN, Asked, Key, OpenTask, ViewedTask, missing
from palaver.web.api.evaluation.boards import BoardDocument
from palaver.web.api.models import Given, Model
from palaver.web.api.records import RecordRouter
from palaver.web.tasks.boards import boards_of

router = RecordRouter(responses=ANSWERS, tags=["boards"])

Weight = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
CHANGED = {**FORBIDDEN, **MISSING, **UNREADABLE, **CONFLICT}


class SavedWeights(Model):
    """Weights by name of metric and of data set."""

    metrics: dict[str, float]
    datasets: dict[str, float]


class SavedHead(Model):
    """A fork or a snapshot; `key` is what permanent links hold."""

    key: str
    name: str
    kind: Literal["fork", "snapshot"]
    about: str
    weights: SavedWeights
    created_by: str
    created: float


class SavedList(Model):
    """The forks and snapshots of a task, oldest first."""

    boards: list[SavedHead]


class SavedSheet(SavedHead):
    """A saved board: of a fork the board of today, of a snapshot the one that was frozen."""

    task: str
    board: BoardDocument


class NewSaved(Given):
    """A board to save: its name, and the weights that differ from the task's own."""

    name: Annotated[str, Field(min_length=1, max_length=80)]
    about: Annotated[str, Field(max_length=2000)] = ""
    metric_weights: dict[str, Weight] = Field(default_factory=dict)
    dataset_weights: dict[str, Weight] = Field(default_factory=dict)


@router.get("/tasks/{task}/saved", responses=MISSING, openapi_extra=OPEN)
async def list_saved_boards(
    asked: OpenTask, kind: Literal["fork", "snapshot"] | None = None
) -> SavedList:
    """The forks and snapshots of a task, oldest first."""
    found = await asked.read(lambda c: list_saved(c, asked.row.id, kind))
    return SavedList(boards=[SavedHead.model_validate(each) for each in found])


@router.post("/tasks/{task}/forks", status_code=201, responses=CHANGED)
async def new_fork(
    request: Request, asked: ViewedTask, person: Editor, wanted: Annotated[NewSaved, Body()]
) -> SavedHead:
    """Save weights under a name; whoever opens the fork sees the scores of that day."""
    return await _save(request, asked, wanted, "fork")


@router.post("/tasks/{task}/snapshots", status_code=201, responses=CHANGED)
async def new_snapshot(
    request: Request, asked: ViewedTask, person: Editor, wanted: Annotated[NewSaved, Body()]
) -> SavedHead:
    """Freeze the board under a name, as the public sees it; it never changes again."""
    return await _save(request, asked, wanted, "snapshot")


@router.get("/saved/{key}", responses=MISSING, openapi_extra=OPEN)
async def show_saved(request: Request, deployment: Here, person: Anybody, key: Key) -> SavedSheet:
    """A fork with the board of today, or a snapshot as it was frozen."""
    boards = boards_of(request)

    def read(connection: Connection) -> dict[str, Any] | None:
        saved = find_saved_by_key(connection, key)
        row = next(each for each in list_tasks(connection) if each.id == saved.task_id)
        if person is None and not row.public:
            return None
        document = saved.content
        if document is None:
            document = _forked(connection, boards, row, saved, public=person is None)
        return {**SavedHead.model_validate(saved).model_dump(), "task": row.name, "board": document}

    try:
        with missing():
            found = await deployment.store.read(read)
    except MissingError:
        # Strangers are not told which keys there are.
        if person is not None:
            raise
        found = None
    if found is None:
        raise _not_public()
    return SavedSheet.model_validate(found)


async def _save(
    request: Request, asked: Asked, wanted: NewSaved, kind: Literal["fork", "snapshot"]
) -> SavedHead:
    boards = boards_of(request)

    def read(connection: Connection) -> Board:
        return boards.read(
            connection,
            asked.row,
            asked.task,
            metric_weights=wanted.metric_weights,
            dataset_weights=wanted.dataset_weights,
            public=kind == "snapshot",
        )

    board = await asked.read(read)
    save = save_fork if kind == "fork" else save_snapshot
    name = asked.person.name if asked.person else ""
    saved = await asked.write(
        lambda c: save(
            c,
            asked.row.id,
            wanted.name,
            board,
            about=wanted.about,
            created_by=name,
            now=asked.now,
        )
    )
    return SavedHead.model_validate(saved)


def _forked(
    connection: Connection, boards: Boards, row: StoredTask, saved: SavedBoard, *, public: bool
) -> dict[str, Any]:
    names = {each.name for each in read_sets(connection, row.id)}
    weights = saved_weights(saved, names)
    board = boards.read(
        connection,
        row,
        stored_task(row),
        metric_weights=weights.metrics,
        dataset_weights=weights.datasets,
        public=public,
    )
    return board.as_json()


def _not_public() -> Exception:
    return unauthorized(
        "There is no public board with this key. Send a token that stands, as "
        "'Authorization: Bearer …', to ask for others."
    )
