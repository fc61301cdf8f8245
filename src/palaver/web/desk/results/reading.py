"""How a page asks for the results of a study, or only for what they say first."""

from starlette.requests import Request

from palaver.studies.review.headlines import (
    FoundHeadline,
    keep_headline,
    read_headline,
    results_mark,
)
from palaver.studies.review.progress import StudyProgress
from palaver.web.desk.accounts import deployment_of, root_of
from palaver.web.desk.frame import served_study
from palaver.web.desk.results.shelf import Failure, Results, ResultsShelf, Task

ALL = "all"


async def read_results(
    request: Request, study: StudyProgress, raters: str, **wait: float
) -> tuple[Results | Failure | None, bool]:
    """The latest results, and whether they are of the answers as they stand; see `ResultsShelf`.

    What those of all raters begin with is kept for other pages.
    """
    deployment, served = deployment_of(request), served_study(request, study.name)
    mark, root = await _mark(request, study), root_of(request)
    task = Task(
        database=deployment.store.url,
        study=study.name,
        raters=raters,
        file=str(served.definition.file) if served else "",
        root=root,
        address=f"{root}/desk/studies/{study.name}",
    )
    found, current = await results_shelf(request).get(task, mark=mark, **wait)
    if isinstance(found, Results) and current and raters == ALL:
        await _keep(request, study, mark, found)
    return found, current


async def current_headline(request: Request, study: StudyProgress) -> FoundHeadline | None:
    """What the results of all answers as they stand begin with; None until they are computed."""
    mark = await _mark(request, study)
    found = results_shelf(request).known(study.name, ALL, mark)
    if found is not None:
        return FoundHeadline(found.head.headline, found.head.state)
    return await deployment_of(request).store.read(lambda c: read_headline(c, study.id, mark))


def results_shelf(request: Request) -> ResultsShelf:
    """The shelf of this server; made when it is first needed, emptied when the server stops."""
    state = request.app.state
    if state.results is None:
        state.results = ResultsShelf()
    shelf: ResultsShelf = state.results
    return shelf


async def _mark(request: Request, study: StudyProgress) -> str:
    served = served_study(request, study.name)
    digest = served.definition.digest if served else ""
    return await deployment_of(request).store.read(lambda c: results_mark(c, study.id, digest))


async def _keep(request: Request, study: StudyProgress, mark: str, results: Results) -> None:
    deployment = deployment_of(request)
    if deployment.store.read_only:
        return
    kept = await deployment.store.read(lambda c: read_headline(c, study.id, mark))
    found = FoundHeadline(results.head.headline, results.head.state)
    if kept != found:
        now = deployment.clock.now()
        await deployment.store.write(lambda c: keep_headline(c, study.id, mark, found, now=now))
