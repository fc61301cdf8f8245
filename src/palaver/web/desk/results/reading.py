"""How a page or the API asks for the results of a study, or only for what they say first."""

from pathlib import Path

from palaver.storage.people.visits import count_ended
from palaver.studies.review.headlines import (
    FoundHeadline,
    keep_headline,
    read_headline,
    results_mark,
)
from palaver.studies.review.progress import StudyProgress
from palaver.studies.run.deployment import Deployment
from palaver.web.desk.results.shelf import Failure, Results, ResultsShelf, ResultsTask

ALL = "all"
# Tables and figures of results; the rows of single labels are a matter of exports.
SUFFIXES = {
    ("tables", ".csv"): "text/csv; charset=utf-8",
    ("tables", ".tex"): "application/x-tex; charset=utf-8",
    ("figures", ".svg"): "image/svg+xml",
    ("figures", ".png"): "image/png",
}
ROWS = ("labels", "votes-")


async def read_results(
    deployment: Deployment, study: StudyProgress, raters: str, *, root: str = "", **wait: float
) -> tuple[Results | Failure | None, bool]:
    """The latest results, and whether they are of the answers as they stand; see `ResultsShelf`.

    What those of all raters begin with is kept for other pages.
    """
    served = deployment.studies.get(study.name)
    mark = await _mark(deployment, study)
    task = ResultsTask(
        database=deployment.store.url,
        study=study.name,
        raters=raters,
        file=str(served.definition.file) if served else "",
        root=root,
        address=f"{root}/desk/studies/{study.name}",
    )
    found, current = await results_shelf(deployment).get(task, mark=mark, **wait)
    if isinstance(found, Results) and current and raters == ALL:
        await _keep(deployment, study, mark, found)
    return found, current


async def current_headline(deployment: Deployment, study: StudyProgress) -> FoundHeadline | None:
    """What the results of all answers as they stand begin with; None until they are computed."""
    mark = await _mark(deployment, study)
    found = results_shelf(deployment).known(study.name, ALL, mark)
    if found is not None:
        return FoundHeadline(found.head.headline, found.head.state)
    return await deployment.store.read(lambda c: read_headline(c, study.id, mark))


def results_shelf(deployment: Deployment) -> ResultsShelf:
    """The shelf of a deployment; made when it is first needed, emptied when the server stops."""
    if ResultsShelf not in deployment.kept:
        deployment.kept[ResultsShelf] = ResultsShelf()
    shelf: ResultsShelf = deployment.kept[ResultsShelf]
    return shelf


def result_path(found: Results, folder: str, name: str) -> Path | None:
    """The file of a table or a figure; None where there is none that whoever reads results may have."""
    if (folder, Path(name).suffix) not in SUFFIXES or "/" in name or name.startswith(ROWS):
        return None
    file = found.folder / folder / name
    return file if file.is_file() else None


def table_names(found: Results) -> tuple[str, ...]:
    """The tables of results, by name."""
    names = sorted(file.name for file in (found.folder / "tables").glob("*.csv"))
    return tuple(name for name in names if not name.startswith(ROWS))


async def _mark(deployment: Deployment, study: StudyProgress) -> str:
    served = deployment.studies.get(study.name)
    digest = served.definition.digest if served else ""
    # A visit that ends changes intervals that hold at any moment: its votes count from then on.
    return await deployment.store.read(
        lambda c: f"{results_mark(c, study.id, digest)}:{count_ended(c, study.id)}"
    )


async def _keep(deployment: Deployment, study: StudyProgress, mark: str, results: Results) -> None:
    if deployment.store.read_only:
        return
    kept = await deployment.store.read(lambda c: read_headline(c, study.id, mark))
    found = FoundHeadline(results.head.headline, results.head.state)
    if kept != found:
        now = deployment.clock.now()
        await deployment.store.write(lambda c: keep_headline(c, study.id, mark, found, now=now))
