"""Forks and snapshots: weights of one's own, and boards as they stood, under permanent keys."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Body, Request
from pydantic import Field

from palaver.core.errors import MissingError
from palaver.core.evaluation.boards import SavedBoard, SavedKind, SavedSheet
from palaver.evaluation.dynaboards import list_saved, read_saved, save_fork, save_snapshot
from palaver.evaluation.dynaboards.saved_boards import LONGEST_ABOUT, LONGEST_NAME
from palaver.web.api.access import Anybody, Editor, Here, unauthorized
from palaver.web.api.errors import (
    ANSWERS,
    CONFLICT,
    FORBIDDEN,
    MISSING,
    UNREADABLE,
)
from palaver.web.api.evaluation.request import OPEN, Asked, Key, OpenTask, ViewedTask, missing
from palaver.web.api.models import Given
from palaver.web.api.records import RecordRouter
from palaver.web.tasks.boards import boards_of

router = RecordRouter(responses=ANSWERS, tags=["boards"])

Weight = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
CHANGED = {**FORBIDDEN, **MISSING, **UNREADABLE, **CONFLICT}


@dataclass(frozen=True, slots=True)
class SavedList:
    """The forks and snapshots of a task, oldest first."""

    boards: list[SavedBoard]


class NewSaved(Given):
    """A board to save: its name, and the weights that differ from the task's own."""

    # How long they may be is said, and checked, by what saves them.
    name: Annotated[str, Field(json_schema_extra={"minLength": 1, "maxLength": LONGEST_NAME})]
    about: Annotated[str, Field(json_schema_extra={"maxLength": LONGEST_ABOUT})] = ""
    metric_weights: dict[str, Weight] = Field(default_factory=dict)
    dataset_weights: dict[str, Weight] = Field(default_factory=dict)


@router.get("/tasks/{task}/saved", responses=MISSING, openapi_extra=OPEN)
async def list_saved_boards(asked: OpenTask, kind: SavedKind | None = None) -> SavedList:
    """The forks and snapshots of a task, oldest first."""
    return SavedList(await asked.read(lambda c: list_saved(c, asked.row.id, kind)))


@router.post("/tasks/{task}/forks", status_code=201, responses=CHANGED)
async def new_fork(
    request: Request, asked: ViewedTask, person: Editor, wanted: Annotated[NewSaved, Body()]
) -> SavedBoard:
    """Save weights under a name; whoever opens the fork sees the scores of that day."""
    return await _save(request, asked, wanted, "fork")


@router.post("/tasks/{task}/snapshots", status_code=201, responses=CHANGED)
async def new_snapshot(
    request: Request, asked: ViewedTask, person: Editor, wanted: Annotated[NewSaved, Body()]
) -> SavedBoard:
    """Freeze the board under a name, as the public sees it; it never changes again."""
    return await _save(request, asked, wanted, "snapshot")


@router.get("/saved/{key}", responses=MISSING, openapi_extra=OPEN)
async def show_saved(request: Request, deployment: Here, person: Anybody, key: Key) -> SavedSheet:
    """A fork with today's board, or a snapshot as it was frozen."""
    boards = boards_of(request)
    try:
        with missing():
            return await deployment.store.read(
                lambda c: read_saved(c, boards, key, public=person is None)
            )
    except MissingError:
        # Strangers are not told which keys there are.
        if person is not None:
            raise
        raise unauthorized(
            "No public board has this key. Send a valid token as 'Authorization: Bearer …' to ask "
            "for others."
        ) from None


async def _save(request: Request, asked: Asked, wanted: NewSaved, kind: SavedKind) -> SavedBoard:
    boards = boards_of(request)
    board = await asked.read(
        lambda c: boards.read(
            c,
            asked.row,
            asked.task,
            metric_weights=wanted.metric_weights,
            dataset_weights=wanted.dataset_weights,
            public=True,
        )
    )
    save = save_fork if kind == "fork" else save_snapshot
    return await asked.write(
        lambda c: save(
            c,
            asked.row.id,
            wanted.name,
            board,
            about=wanted.about,
            created_by=asked.person.name if asked.person else "",
            now=asked.now,
        )
    )
