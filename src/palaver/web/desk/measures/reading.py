"""How a page reads what was measured of a study, and has it measured again where it is old."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from sqlalchemy import Connection
from starlette.requests import Request

from palaver.studies.review.measures import KeptMeasure, StudyMeasures
from palaver.studies.review.progress import StudyProgress
from palaver.studies.review.question_overview import RaterFilter
from palaver.studies.review.views import study_measures
from palaver.web.desk.accounts import deployment_of
from palaver.web.desk.frame import served_study
from palaver.web.desk.measures.shelf import MeasuresShelf

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Freshness:
    """Since when what a page shows is old, and how many labels came since; what went wrong.

    `is_ready` is false before anything was measured.
    """

    is_ready: bool = True
    time: float | None = None
    since: int = 0
    failure: str = ""

    @property
    def is_awaited(self) -> bool:
        """Whether something newer will come."""
        return not self.is_ready or self.time is not None


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """What was measured, and how fresh it is."""

    value: T | None
    freshness: Freshness


async def read_measured(
    request: Request,
    study: StudyProgress,
    raters: RaterFilter,
    read: Callable[[StudyMeasures, Connection], KeptMeasure[T]],
) -> Reading[T]:
    """Something measured of a study; what is old or missing is measured meanwhile."""
    deployment, served = deployment_of(request), served_study(request, study.name)
    shelf = _shelf(request)

    def work(connection: Connection) -> tuple[StudyMeasures, KeptMeasure[T]]:
        measures = study_measures(connection, study.id, served, raters)
        measures = shelf.with_unsaved(measures)
        return measures, read(measures, connection)

    measures, found = await deployment.store.read(work)
    failure = ""
    if not found.is_current:
        file = str(served.definition.file) if served else ""
        failure = shelf.renew(measures, file=file)
    fresh = Freshness(found.value is not None, found.time, found.since, failure)
    return Reading(found.value, fresh)


def _shelf(request: Request) -> MeasuresShelf:
    """The shelf of this server; made when it is first needed, closed when the server stops."""
    state = request.app.state
    if state.measures is None:
        state.measures = MeasuresShelf(deployment_of(request).store)
    shelf: MeasuresShelf = state.measures
    return shelf
