"""The results of a closed challenge, byte by byte as they were kept: pages, tables, all as a ZIP.

The addresses stay. A folder ends with a slash, so that the links of its page, which are relative as in
the ZIP, lead where they should.
"""

import asyncio
from pathlib import PurePosixPath
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import MissingError
from palaver.evaluation.challenges.closing import result_file
from palaver.web.challenges.access import ChallengeVisit, for_readers, has_results, visit
from palaver.web.desk.parts import plain
from palaver.web.kept_files import kept_response


@for_readers
async def show_results(request: Request) -> Response:
    """The page of all tracks."""
    found = await _closed(request)
    return await _send(found, "index.html")


@for_readers
async def show_result(request: Request) -> Response:
    """A page or a file of the results."""
    found = await _closed(request)
    path = plain(request.path_params["path"])
    if not path.endswith("/") and not PurePosixPath(path).suffix:
        # The page of a track; a name that is none is told so here.
        await asyncio.to_thread(result_file, found.home, found.row, path)
        return RedirectResponse(f"{found.url}/results/{quote(path)}/", status_code=308)
    return await _send(found, path)


@for_readers
async def lead_to_results(request: Request) -> Response:
    """The address without its slash."""
    found = await _closed(request)
    return RedirectResponse(f"{found.url}/results/", status_code=308)


async def _closed(request: Request) -> ChallengeVisit:
    """The challenge, if whoever asks may see its results."""
    found = await visit(request)
    if not has_results(found):
        raise MissingError(f"The results of '{found.row.title}' are not published yet.")
    return found


async def _send(found: ChallengeVisit, path: str) -> Response:
    content = await asyncio.to_thread(result_file, found.home, found.row, path)
    return kept_response(content, path, owner=found.row.name)


ADDRESS = "/challenges/{challenge}/results"

routes: list[BaseRoute] = [
    Route(ADDRESS, lead_to_results, methods=["GET"]),
    Route(ADDRESS + "/", show_results, methods=["GET"]),
    Route(ADDRESS + "/{path:path}", show_result, methods=["GET"]),
]
