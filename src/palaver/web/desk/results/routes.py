"""What a study found: the same figures, tables and methods as in its report."""

import asyncio
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.formats.spreadsheets import escape_file, escape_files
from palaver.studies.advice.kept_board import judges_advice
from palaver.studies.review.views import count_excluded
from palaver.web.desk.accounts import Person, deployment_of, for_role, root_of
from palaver.web.desk.exports import Download, send
from palaver.web.desk.frame import DeskShell, find_study, study_shell
from palaver.web.desk.parts import plain
from palaver.web.desk.questions import judgements
from palaver.web.desk.results.reading import (
    SUFFIXES,
    read_results,
    result_path,
    results_shelf,
)
from palaver.web.desk.results.shelf import Failure, Results, StepProgress
from palaver.web.formatting import with_query
from palaver.web.rendering import show
from palaver.web.shell import ChoiceLink


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultsPage:
    """The results of a study; nothing is `found` while they are being computed."""

    template: ClassVar[str] = "desk/results/results.html"
    shell: DeskShell
    address: str
    # Whose answers count; None for everybody's.
    raters: str | None
    choices: tuple[ChoiceLink, ...]
    excluded: str
    found: Results | Failure | None
    progress: StepProgress | None
    # Whether these are the results of the answers as they stand now.
    current: bool
    may_download: bool
    # The board of a round of advice; empty for other studies.
    round_url: str = ""


@for_role("viewer")
async def show_results(request: Request, person: Person) -> Response:
    """The figures, tables and methods, as the answers stand now."""
    study = await find_study(request)
    raters = judgements.chosen_raters(request.query_params.get("raters"))
    address = f"{root_of(request)}/desk/studies/{study.name}/results"
    only = None if raters == "all" else raters
    if request.query_params.get("again"):
        results_shelf(deployment_of(request)).forget(study.name, raters)
        return RedirectResponse(with_query(address, raters=only), status_code=303)
    found, current = await read_results(
        deployment_of(request), study, raters, root=root_of(request)
    )
    excluded = await deployment_of(request).store.read(lambda c: count_excluded(c, study.name))
    title = f"Results of {study.title}" + (": being computed" if found is None else "")
    page = ResultsPage(
        shell=await study_shell(request, person, study, title, "Results"),
        address=address,
        raters=only,
        choices=judgements.rater_choices(address, raters),
        excluded=judgements.excluded_words(excluded),
        found=found,
        progress=results_shelf(deployment_of(request)).progress(study.name, raters),
        current=current,
        may_download=person.may("reviewer", study.name),
        round_url=_round_url(request, study.name),
    )
    return show(request, page)


def _round_url(request: Request, name: str) -> str:
    served = deployment_of(request).studies.get(name)
    if served is None or not judges_advice(served.definition):
        return ""
    return f"{root_of(request)}{served.definition.board_path}"


@for_role("viewer")
async def result_file(request: Request, person: Person) -> Response:
    """A table or a figure of the results."""
    folder, name = request.path_params["folder"], plain(request.path_params["name"])
    media_type = SUFFIXES.get((folder, Path(name).suffix))
    if media_type is None:
        raise HTTPException(404)
    file = result_path(await _ready(request), folder, name)
    if file is None:
        raise HTTPException(404)
    if file.suffix == ".csv" and not _is_raw(request):
        content = await asyncio.to_thread(_escaped, file)
        headers = {"content-disposition": f"attachment; filename*=UTF-8''{quote(name)}"}
        return Response(content, media_type=media_type, headers=headers)
    return FileResponse(file, media_type=media_type, filename=name)


@for_role("reviewer")
async def download(request: Request, person: Person) -> Response:
    """The whole report as a ZIP file, with the labels behind its numbers."""
    found = await _ready(request)
    name, raw = f"{request.path_params['study']}-report", _is_raw(request)

    def pack() -> Download:
        with tempfile.TemporaryDirectory(prefix="palaver-report-") as folder:
            report = found.folder
            if not raw:
                report = Path(shutil.copytree(found.folder, Path(folder) / found.folder.name))
                escape_files(report)
            packed = shutil.make_archive(f"{folder}/{name}", "zip", report.parent, report.name)
            file = open(packed, "rb")  # noqa: SIM115, PTH123  (it outlives its name)
            return Download(file, Path(packed).stat().st_size, f"{name}.zip", "application/zip")

    return send(await asyncio.to_thread(pack))


def _is_raw(request: Request) -> bool:
    return request.query_params.get("raw") == "1"


def _escaped(file: Path) -> bytes:
    """A table as a spreadsheet may open it."""
    with tempfile.TemporaryDirectory(prefix="palaver-table-") as folder:
        target = Path(folder) / file.name
        escape_file(file, target)
        return target.read_bytes()


async def _ready(request: Request) -> Results:
    """The results that are asked for, once they are computed; 404 where there are none."""
    study = await find_study(request)
    raters = judgements.chosen_raters(request.query_params.get("raters"))
    found, _ = await read_results(
        deployment_of(request), study, raters, root=root_of(request), patience=30.0
    )
    if not isinstance(found, Results):
        raise HTTPException(404)
    return found


routes: list[BaseRoute] = [
    Route("/desk/studies/{study}/results", show_results, methods=["GET"]),
    Route("/desk/studies/{study}/results/report.zip", download, methods=["GET"]),
    Route("/desk/studies/{study}/results/{folder}/{name}", result_file, methods=["GET"]),
]
