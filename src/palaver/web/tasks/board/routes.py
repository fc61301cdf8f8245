"""The board of a task: as a page, as files, forked and frozen."""

from sqlalchemy import Connection
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import InputError
from palaver.core.evaluation.boards import FrozenBoard, SavedBoard, SavedKind
from palaver.core.serial import encode
from palaver.evaluation.dynaboards import (
    find_fork_or_snapshot,
    list_saved,
    read_snapshot,
    save_fork,
    save_snapshot,
)
from palaver.web.desk.accounts import Person, deployment_of, for_role
from palaver.web.desk.parts import plain
from palaver.web.rendering import show
from palaver.web.tasks.access import TaskVisit, for_readers, task_shell, visit
from palaver.web.tasks.board.view import (
    DATASETS,
    METRICS,
    MORE,
    RANKS,
    ROUND,
    BoardPage,
    ReadBoard,
    address_weights,
    as_file,
    brief,
    cells_json,
    read_asked,
)


@for_readers
async def show_board(request: Request) -> Response:
    """The board under the weights of the address."""
    found = await visit(request)
    return show(request, await _page(found, await read_asked(found)))


@for_readers
async def board_json(request: Request) -> Response:
    """The board as JSON; with `brief` without the scores on single data sets."""
    found = await visit(request)
    board = (await read_asked(found, strict=True)).board
    is_brief = request.query_params.get("brief") == "1"
    return Response(encode(brief(board) if is_brief else board), media_type="application/json")


@for_readers
async def board_file(request: Request) -> Response:
    """The board as CSV or LaTeX."""
    found = await visit(request)
    read = await read_asked(found, strict=True)
    name, raw = f"{found.row.name}-board", request.query_params.get("raw") == "1"
    return as_file(read.board, request.path_params["format"], name=name, raw=raw)


@for_readers
async def show_fork(request: Request) -> Response:
    """The board of today under the weights that somebody saved."""
    found = await visit(request)
    store = deployment_of(request).store
    saved = await store.read(lambda c: _find(c, found, "fork"))
    return show(request, await _page(found, await read_asked(found, fork=saved), saved=saved))


@for_readers
async def show_snapshot(request: Request) -> Response:
    """A board as it stood."""
    found = await visit(request)
    saved, board = await _frozen(found)
    url = _address(found, saved)
    page = BoardPage(
        shell=task_shell(found, f"{saved.name} · {found.row.title}"),
        title=found.row.title,
        about="",
        board=board,
        models=board.everybody,
        url=url,
        current_url=found.url,
        cells=cells_json(board),
        file_url=url,
        is_weighed=found.task.ranking == "dynascore",
        shown=saved,
    )
    return show(request, page)


@for_readers
async def snapshot_file(request: Request) -> Response:
    """A board as it stood, as a file."""
    found = await visit(request)
    saved, board = await _frozen(found)
    name, raw = f"{found.row.name}-{saved.name}", request.query_params.get("raw") == "1"
    return as_file(board, request.path_params["format"], name=name, raw=raw)


@for_readers
@for_role("reviewer", changes=True)
async def fork(request: Request, person: Person) -> Response:
    """Save weights under a name."""
    return await _save(request, person, "fork")


@for_readers
@for_role("reviewer", changes=True)
async def snapshot(request: Request, person: Person) -> Response:
    """Freeze the board under a name."""
    return await _save(request, person, "snapshot")


async def _save(request: Request, person: Person, kind: SavedKind) -> Response:
    found = await visit(request)
    form = await request.form()
    known = (RANKS, METRICS, DATASETS, ROUND)
    asked = [name for name in form if name in known or name.startswith(MORE)]
    given = QueryParams([(name, str(form.get(name, ""))) for name in asked])
    name, about = (str(form.get(each, "")) for each in ("name", "about"))
    # Everybody may see a snapshot; of a fork nothing but its weights is kept.
    read = await read_asked(found, given=given, public=True, strict=True)
    save = save_fork if kind == "fork" else save_snapshot
    try:
        saved = await deployment_of(request).store.write(
            lambda c: save(
                c,
                found.row.id,
                name,
                read.board,
                about=about,
                created_by=person.name,
                now=found.now,
            )
        )
    except InputError as error:
        again = await read_asked(found, given=given)
        page = await _page(found, again, error=str(error), name=name, text=about)
        return show(request, page, status=422)
    return RedirectResponse(_address(found, saved), status_code=303)


async def _page(
    found: TaskVisit,
    read: ReadBoard,
    *,
    saved: SavedBoard | None = None,
    error: str = "",
    name: str = "",
    text: str = "",
) -> BoardPage:
    board = read.board
    tags = sorted(each.tag for each in board.tags)
    asked = plain(found.request.query_params.get("tag", ""))
    tag = asked if asked in tags else ""
    url = _address(found, saved) if saved else found.url
    store = deployment_of(found.request).store
    kept = await store.read(lambda c: list_saved(c, found.row.id))
    title = f"{saved.name} · {found.row.title}" if saved else f"{found.row.title}: board"
    may_save = found.person is not None and found.person.may("reviewer")
    return BoardPage(
        shell=task_shell(found, title, "" if saved else "Board"),
        title=found.row.title,
        about=found.task.about,
        board=board,
        models=tuple(each for each in board.everybody if not tag or tag in each.tags),
        url=url,
        current_url=found.url,
        file_url=f"{found.url}/board",
        cells=cells_json(board),
        tags=tuple(tags),
        tag=tag,
        weights=address_weights(board, fork=saved),
        is_weighed=found.task.ranking == "dynascore",
        saved=tuple(reversed(kept)),
        shown=saved,
        may_save=may_save and not store.read_only,
        notice=read.note,
        error=error,
        name=name,
        text=text,
    )


async def _frozen(found: TaskVisit) -> tuple[SavedBoard, FrozenBoard]:
    def read(connection: Connection) -> tuple[SavedBoard, FrozenBoard]:
        saved = _find(connection, found, "snapshot")
        return saved, read_snapshot(connection, saved)

    return await deployment_of(found.request).store.read(read)


def _find(connection: Connection, found: TaskVisit, kind: SavedKind) -> SavedBoard:
    key = plain(found.request.path_params["key"])
    return find_fork_or_snapshot(connection, found.row.id, key, kind)


def _address(found: TaskVisit, saved: SavedBoard) -> str:
    return f"{found.url}/{saved.kind}s/{saved.key}"


routes: list[BaseRoute] = [
    Route("/tasks/{task}/board.json", board_json, methods=["GET"]),
    Route("/tasks/{task}/board.{format}", board_file, methods=["GET"]),
    Route("/tasks/{task}/forks", fork, methods=["POST"]),
    Route("/tasks/{task}/forks/{key}", show_fork, methods=["GET"]),
    Route("/tasks/{task}/snapshots", snapshot, methods=["POST"]),
    Route("/tasks/{task}/snapshots/{key}.{format}", snapshot_file, methods=["GET"]),
    Route("/tasks/{task}/snapshots/{key}", show_snapshot, methods=["GET"]),
    Route("/tasks/{task}", show_board, methods=["GET"]),
]
