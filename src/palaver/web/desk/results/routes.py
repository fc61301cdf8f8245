"""What a study found: the same figures, tables and methods as in its report."""

import asyncio
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.studies.review.views import count_excluded
from palaver.web.desk.accounts import Person, deployment_of, for_role, root_of
from palaver.web.desk.exports import Download, send
from palaver.web.desk.frame import DeskShell, find_study, study_shell
from palaver.web.desk.parts import plain
from palaver.web.desk.questions import judgements
from palaver.web.desk.results.reading import read_results, results_shelf
from palaver.web.desk.results.shelf import Failure, Progress, Results
from palaver.web.formatting import with_query
from palaver.web.rendering import show
from palaver.web.shell import Choice

# Tables and figures of results; the rows of single labels are a matter of exports.
SUFFIXES = {
    ("tables", ".csv"): "text/csv; charset=utf-8",
    ("tables", ".tex"): "application/x-tex; charset=utf-8",
    ("figures", ".svg"): "image/svg+xml",
    ("figures", ".png"): "image/png",
}
ROWS = ("labels", "votes-")


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultsPage:
    """The results of a study; nothing is `found` while they are being computed."""

    template: ClassVar[str] = "desk/results/results.html"
    shell: DeskShell
    address: str
    # Whose answers count; None for everybody's.
    raters: str | None
    choices: tuple[Choice, ...]
    excluded: str
    found: Results | Failure | None
    progress: Progress | None
    # Whether these are the results of the answers as they stand now.
    current: bool
    may_download: bool


@for_role("viewer")
async def show_results(request: Request, person: Person) -> Response:
    """The figures, tables and methods, as the answers stand now."""
    study = await find_study(request)
    raters = judgements.chosen_raters(request.query_params.get("raters"))
    address = f"{root_of(request)}/desk/studies/{study.name}/results"
    only = None if raters == "all" else raters
    if request.query_params.get("again"):
        results_shelf(request).forget(study.name, raters)
        return RedirectResponse(with_query(address, raters=only), status_code=303)
    found, current = await read_results(request, study, raters)
    excluded = await deployment_of(request).store.read(lambda c: count_excluded(c, study.name))
    title = f"Results of {study.title}" + (": being computed" if found is None else "")
    page = ResultsPage(
        shell=await study_shell(request, person, study, title, "Results"),
        address=address,
        raters=only,
        choices=judgements.rater_choices(address, raters),
        excluded=judgements.excluded_words(excluded),
        found=found,
        progress=results_shelf(request).progress(study.name, raters),
        current=current,
        may_download=person.may("reviewer"),
    )
    return show(request, page)


@for_role("viewer")
async def result_file(request: Request, person: Person) -> Response:
    """A table or a figure of the results."""
    folder, name = request.path_params["folder"], plain(request.path_params["name"])
    media_type = SUFFIXES.get((folder, Path(name).suffix))
    if media_type is None or "/" in name or name.startswith(ROWS):
        raise HTTPException(404)
    found = await _ready(request)
    file = found.folder / folder / name
    if not file.is_file():
        raise HTTPException(404)
    return FileResponse(file, media_type=media_type, filename=name)


@for_role("reviewer")
async def download(request: Request, person: Person) -> Response:
    """The whole report as a ZIP file, with the labels behind its numbers."""
    found = await _ready(request)
    name = f"{request.path_params['study']}-report"

    def pack() -> Download:
        with tempfile.TemporaryDirectory(prefix="palaver-report-") as folder:
            packed = shutil.make_archive(
                f"{folder}/{name}", "zip", found.folder.parent, found.folder.name
            )
            file = open(packed, "rb")  # noqa: SIM115, PTH123  (it outlives its name)
            return Download(file, Path(packed).stat().st_size, f"{name}.zip", "application/zip")

    return send(await asyncio.to_thread(pack))


async def _ready(request: Request) -> Results:
    """The results that are asked for, once they are computed; 404 where there are none."""
    study = await find_study(request)
    raters = judgements.chosen_raters(request.query_params.get("raters"))
    found, _ = await read_results(request, study, raters, patience=30.0)
    if not isinstance(found, Results):
        raise HTTPException(404)
    return found


routes: list[BaseRoute] = [
    Route("/desk/studies/{study}/results", show_results, methods=["GET"]),
    Route("/desk/studies/{study}/results/report.zip", download, methods=["GET"]),
    Route("/desk/studies/{study}/results/{folder}/{name}", result_file, methods=["GET"]),
]
