"""The board of a task: as a page, as files, forked and frozen."""

from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import InputError, UnknownNameError
from palaver.evaluation.dynaboards import save_fork, save_snapshot
from palaver.storage.evaluation.boards import (
    SavedBoard,
    SavedKind,
    find_saved_by_key,
    list_saved,
)
from palaver.web.desk.accounts import Person, deployment_of, for_role
from palaver.web.desk.words import plain
from palaver.web.pages import Choice
from palaver.web.tasks.access import Visit, for_readers, show, task_shell, visit
from palaver.web.tasks.board_page import board_table, cells_json, saved_row, tags_of
from palaver.web.tasks.boards import (
    DATASETS,
    METRICS,
    ReadBoard,
    address_weights,
    brief,
    for_strangers,
    read_asked,
)
from palaver.web.tasks.downloads import as_file, download_links
from palaver.web.tasks.pages.board import BoardPage

LONGEST_ABOUT = 2000


@for_readers
async def show_board(request: Request) -> Response:
    """The board under the weights of the address."""
    found = await visit(request)
    return show(request, await _page(found, await read_asked(found)))


@for_readers
async def board_json(request: Request) -> Response:
    """The board as JSON; with `brief` without the scores on single data sets."""
    found = await visit(request)
    read = await read_asked(found, strict=True)
    is_brief = request.query_params.get("brief") == "1"
    return JSONResponse(brief(read.document) if is_brief else read.document)


@for_readers
async def board_file(request: Request) -> Response:
    """The board as CSV or LaTeX."""
    found = await visit(request)
    read = await read_asked(found, strict=True)
    return as_file(read.document, request.path_params["format"], name=f"{found.row.name}-board")


@for_readers
async def show_fork(request: Request) -> Response:
    """The board of today under the weights that somebody saved."""
    found = await visit(request)
    saved = await _saved(found, "fork")
    read = await read_asked(found, fork=saved)
    return show(request, await _page(found, read, saved=saved))


@for_readers
async def show_snapshot(request: Request) -> Response:
    """A board as it stood."""
    found = await visit(request)
    saved = await _saved(found, "snapshot")
    document = for_strangers(saved.content or {})
    shown = saved_row(saved, url=found.url)
    page = BoardPage(
        shell=task_shell(found, f"{saved.name} · {found.row.title}"),
        title=found.row.title,
        about="",
        board=board_table(document, url=found.url),
        url=shown.url,
        downloads=download_links(shown.url),
        shown=shown,
        frozen=True,
        current_url=found.url,
    )
    return show(request, page)


@for_readers
async def snapshot_file(request: Request) -> Response:
    """A board as it stood, as a file."""
    found = await visit(request)
    saved = await _saved(found, "snapshot")
    document = for_strangers(saved.content or {})
    name = f"{found.row.name}-{saved.name}"
    return as_file(document, request.path_params["format"], name=name)


@for_readers
async def fork(request: Request) -> Response:
    """Save weights under a name."""
    return await _forking(request)


@for_readers
async def snapshot(request: Request) -> Response:
    """Freeze the board under a name."""
    return await _freezing(request)


@for_role("reviewer", changes=True)
async def _forking(request: Request, person: Person) -> Response:
    return await _save(request, person, "fork")


@for_role("reviewer", changes=True)
async def _freezing(request: Request, person: Person) -> Response:
    return await _save(request, person, "snapshot")


async def _save(request: Request, person: Person, kind: SavedKind) -> Response:
    found = await visit(request)
    form = await request.form()
    given = QueryParams([(name, str(form.get(name, ""))) for name in (METRICS, DATASETS)])
    name, about = (plain(str(form.get(each, "")), most=LONGEST_ABOUT) for each in ("name", "about"))
    # Everybody may see a snapshot.
    public = True if kind == "snapshot" else None
    read = await read_asked(found, given=given, public=public, strict=True)
    keep = save_fork if kind == "fork" else save_snapshot
    try:
        saved = await deployment_of(request).store.write(
            lambda c: keep(
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
    return RedirectResponse(saved_row(saved, url=found.url).url, status_code=303)


async def _page(
    found: Visit,
    read: ReadBoard,
    *,
    saved: SavedBoard | None = None,
    error: str = "",
    name: str = "",
    text: str = "",
) -> BoardPage:
    document = read.document
    tags = tags_of(document)
    asked = plain(found.request.query_params.get("tag", ""))
    tag = asked if asked in tags else ""
    m, d = address_weights(document)
    shown = saved_row(saved, url=found.url) if saved else None
    url = shown.url if shown else found.url
    kept = await deployment_of(found.request).store.read(lambda c: list_saved(c, found.row.id))
    title = f"{shown.name} · {found.row.title}" if shown else f"{found.row.title}: board"
    writable = not deployment_of(found.request).store.read_only
    return BoardPage(
        shell=task_shell(found, title, "" if shown else "Board"),
        title=found.row.title,
        about=found.task.about,
        board=board_table(document, url=found.url, tag=tag),
        url=url,
        data_url=f"{found.url}/board.json",
        cells=cells_json(document),
        downloads=download_links(f"{found.url}/board", f"?{urlencode({METRICS: m, DATASETS: d})}"),
        tags=_tag_links(found, url, tags, tag) if tags else (),
        tag=tag,
        m=m,
        d=d,
        saved=tuple(saved_row(each, url=found.url) for each in reversed(kept)),
        shown=shown,
        fork_url=f"{found.url}/forks",
        snapshot_url=f"{found.url}/snapshots",
        may_save=writable and found.person is not None and found.person.may("reviewer"),
        notice=read.note,
        error=error,
        name=name,
        text=text,
        current_url=found.url,
    )


def _tag_links(found: Visit, url: str, tags: list[str], current: str) -> tuple[Choice, ...]:
    given = found.request.query_params
    weights = {name: given[name] for name in (METRICS, DATASETS) if given.get(name)}

    def address(known: dict[str, Any]) -> str:
        return f"{url}?{urlencode(known)}" if known else url

    return (
        Choice(label="All models", url=address(weights), current=not current),
        *(
            Choice(label=tag, url=address({**weights, "tag": tag}), current=tag == current)
            for tag in tags
        ),
    )


async def _saved(found: Visit, kind: SavedKind) -> SavedBoard:
    key = plain(found.request.path_params["key"])
    store = deployment_of(found.request).store
    saved = await store.read(lambda c: find_saved_by_key(c, key))
    if saved.task_id != found.row.id or saved.kind != kind:
        raise UnknownNameError(f"This task has no {kind} with this address.")
    return saved


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
