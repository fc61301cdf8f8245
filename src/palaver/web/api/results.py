"""Results of a study, as the desk shows them: what was found first, and the tables behind it."""

from typing import Annotated

from fastapi import Path
from starlette.responses import FileResponse, Response

from palaver.core.errors import MissingError
from palaver.core.studies.results import StudyResults
from palaver.studies.review.question_overview import RaterFilter
from palaver.web.api.access import Here, StudyName, StudyViewer, known_study
from palaver.web.api.errors import ANSWERS, FILE, MISSING
from palaver.web.api.records import RecordRouter
from palaver.web.desk.results.reading import SUFFIXES, read_results, result_path, table_names
from palaver.web.desk.results.shelf import Failure, Results

router = RecordRouter(responses=ANSWERS, tags=["studies"])

TableName = Annotated[str, Path(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,120}\.csv$")]


@router.get("/studies/{name}/results", responses=MISSING)
async def study_results(
    deployment: Here, person: StudyViewer, name: StudyName, raters: RaterFilter = "all"
) -> StudyResults:
    """What a study found. Results take a while: ask again while `state` is `computing`."""
    study = await known_study(deployment, name)
    found, current = await read_results(deployment, study, raters, patience=0.0)
    if isinstance(found, Failure):
        return StudyResults(state="failed", current=current, reason=found.reason)
    if found is None:
        return StudyResults(state="computing", current=False)
    head = found.head
    return StudyResults(
        state="ready",
        current=current,
        headline=head.headline,
        facts=head.facts,
        methods=tuple(head.methods),
        tables=table_names(found),
        made=head.made,
        seed=head.seed,
    )


@router.get(
    "/studies/{name}/results/tables/{table}",
    responses={**FILE, **MISSING},
    response_class=Response,
)
async def result_table(
    deployment: Here,
    person: StudyViewer,
    name: StudyName,
    table: TableName,
    raters: RaterFilter = "all",
) -> Response:
    """A table of the results as CSV, once they are computed."""
    study = await known_study(deployment, name)
    found, _ = await read_results(deployment, study, raters, patience=0.0)
    file = result_path(found, "tables", table) if isinstance(found, Results) else None
    if file is None:
        raise MissingError(f"The results of '{name}' have no table '{table}', or not yet.")
    return FileResponse(file, media_type=SUFFIXES["tables", ".csv"], filename=table)
