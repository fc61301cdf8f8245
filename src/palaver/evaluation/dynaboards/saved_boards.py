"""Forks and snapshots: somebody's weights on the board of the day, and a board as it stood."""

import re
from collections.abc import Mapping
from dataclasses import replace

from sqlalchemy import Connection

from palaver.analysis.rank_sets import order_sentence
from palaver.core.errors import InputError, UnknownNameError
from palaver.core.evaluation.boards import Board, FrozenBoard, SavedBoard, SavedKind, SavedSheet
from palaver.core.serial import extended
from palaver.core.words import shortened
from palaver.evaluation.dynaboards.board_reader import DYNASCORE, Boards
from palaver.evaluation.tasks import stored_task
from palaver.storage.evaluation.boards import find_saved_by_key, read_frozen, save_board
from palaver.storage.evaluation.tasks import list_tasks

LONGEST_NAME = 80
LONGEST_ABOUT = 2000
NOT_TESTED = "The order was not tested"
# Why a run failed may name addresses of whoever submitted it; only they and the desk read it.
_FAILED = re.compile(r" failed \(.*\)", re.DOTALL)
# What nameless models were called in the sentences of old snapshots.
_NUMBERED = re.compile(r"\bunpublished model [0-9]+\b")


def save_fork(
    connection: Connection,
    task_id: int,
    name: str,
    board: Board,
    *,
    about: str = "",
    created_by: str = "",
    now: float,
) -> SavedBoard:
    """Keep the weights of a board; whoever opens the fork sees the scores of that day."""
    return save_board(
        connection,
        task_id=task_id,
        name=_checked_name(name),
        kind="fork",
        weights=board.weights,
        about=_checked_note(about),
        created_by=created_by,
        now=now,
    )


def save_snapshot(
    connection: Connection,
    task_id: int,
    name: str,
    board: Board,
    *,
    sort: Mapping[str, str] | None = None,
    about: str = "",
    created_by: str = "",
    now: float,
) -> SavedBoard:
    """Keep a board as it stands: scores, intervals, weights and the order it was sorted in.

    It can be seen by everybody, so it must be one that was read for the public.
    """
    if not board.public:
        raise ValueError("a snapshot is made of a board that was read with public=True")
    return save_board(
        connection,
        task_id=task_id,
        name=_checked_name(name),
        kind="snapshot",
        weights=board.weights,
        content=extended(board, FrozenBoard, sort=dict(sort or _order(board)), frozen=now),
        about=_checked_note(about),
        created_by=created_by,
        now=now,
    )


def _order(board: Board) -> dict[str, str]:
    """What the models of a board stand in the order of, and in which."""
    if board.ranking == "dynascore":
        return {"field": DYNASCORE, "direction": "desc"}
    first = board.metrics[0]
    return {"field": first.key, "direction": "desc" if first.direction > 0 else "asc"}


def find_fork_or_snapshot(
    connection: Connection, task_id: int, key: str, kind: SavedKind
) -> SavedBoard:
    """The fork, or the snapshot, of a task behind a permanent link."""
    saved = find_saved_by_key(connection, key)
    if saved.task_id != task_id or saved.kind != kind:
        raise UnknownNameError(f"This task has no {kind} with this address.")
    return saved


def read_snapshot(connection: Connection, saved: SavedBoard) -> FrozenBoard:
    """The board that a snapshot keeps, without what old ones hold that is not for everybody.

    That is why runs failed, the numbers of the store, and models that were not published.
    """
    board = _published(read_frozen(connection, saved))
    now = {each.name: each.for_strangers().name for each in board.everybody}

    def told(text: str) -> str:
        return _NUMBERED.sub(lambda found: now.get(found[0], found[0]), text)

    return replace(
        board,
        answer=told(board.answer),
        datasets=tuple(each.for_strangers() for each in board.datasets),
        models=tuple(each.for_strangers() for each in board.models),
        not_ranked=tuple(
            replace(
                each.for_strangers(),
                reasons=tuple(_FAILED.sub(" failed", why) for why in each.reasons),
            )
            for each in board.not_ranked
        ),
        tied_sets=tuple(tuple(now.get(name, name) for name in names) for names in board.tied_sets),
        warnings=tuple(map(told, board.warnings)),
    )


def _published(board: FrozenBoard) -> FrozenBoard:
    """The board without models that were not published, and the others ranked among themselves."""
    hidden = [each.name for each in board.everybody if not each.published]
    if not hidden:
        return board
    kept = [each for each in board.models if each.published]
    sets = [[name for name in names if name not in hidden] for names in board.tied_sets]
    left = tuple(tuple(each) for n, each in enumerate(sets) if each and each not in sets[:n])
    names = [each.name for each in kept]
    ranks = {each.rank: 1 + sum(other.rank < each.rank for other in kept) for each in kept}
    return replace(
        board,
        answer=order_sentence(names, left, final=True, noun="model") if left else NOT_TESTED,
        models=tuple(replace(each, rank=ranks[each.rank], rank_interval=None) for each in kept),
        not_ranked=tuple(each for each in board.not_ranked if each.published),
        tied_sets=left,
        warnings=tuple(w for w in board.warnings if not any(name in w for name in hidden)),
        unpublished=board.unpublished + len(hidden),
    )


def read_saved(
    connection: Connection, boards: Boards, key: str, *, public: bool = False
) -> SavedSheet:
    """What a permanent link shows: a fork with the board of today, or a snapshot as it was frozen.

    In public a board of a task that is not open is not there.
    """
    saved = find_saved_by_key(connection, key)
    row = next(task for task in list_tasks(connection) if task.id == saved.task_id)
    if public and not row.public:
        raise UnknownNameError(f"No saved board has the key '{key}'.")
    board: Board
    if saved.kind == "snapshot":
        board = read_snapshot(connection, saved)
    else:
        board = boards.read(connection, row, stored_task(row), fork=saved, public=public)
    return extended(saved, SavedSheet, task=row.name, board=board)


def _checked_name(name: str) -> str:
    name = name.strip()
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise InputError(
            f"The name of a saved board has 1 to {LONGEST_NAME} characters; got "
            f"'{shortened(name, LONGEST_NAME + 20)}'."
        )
    return name


def _checked_note(about: str) -> str:
    about = about.strip()
    if len(about) > LONGEST_ABOUT:
        raise InputError(
            f"The note on a saved board has at most {LONGEST_ABOUT:,} characters; got {len(about):,}."
        )
    return about
