"""What a study cost, for programs."""

from palaver.core.errors import MissingError
from palaver.studies.recruiting.money.costs import StudyCosts, read_costs
from palaver.web.api.access import Here, StudyName, StudyViewer, served_study
from palaver.web.api.errors import ANSWERS, MISSING
from palaver.web.api.records import RecordRouter

router = RecordRouter(responses=ANSWERS, tags=["studies"])


@router.get("/studies/{name}/costs", responses=MISSING)
async def study_costs(deployment: Here, person: StudyViewer, name: StudyName) -> StudyCosts:
    """What a study cost so far, in the smallest unit of its currency, and the real pay of an hour."""
    study = served_study(deployment, name)
    found = await deployment.store.read(lambda c: read_costs(c, study.id, study.definition))
    if found is None:
        raise MissingError(f"The study '{name}' says nothing of pay, so nothing is counted.")
    return found
