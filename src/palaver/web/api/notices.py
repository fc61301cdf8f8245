"""Operations on notices: what was told of a study, to whom, and whether it arrived."""

from palaver.core.studies.notices import NoticeList
from palaver.studies.notices.deliveries import notices_of
from palaver.web.api.access import Here, StudyName, StudyReviewer, known_study
from palaver.web.api.errors import ANSWERS, FORBIDDEN, MISSING
from palaver.web.api.records import RecordRouter

router = RecordRouter(responses=ANSWERS, tags=["studies"])


@router.get("/studies/{name}/notices", responses={**MISSING, **FORBIDDEN})
async def study_notices(deployment: Here, person: StudyReviewer, name: StudyName) -> NoticeList:
    """What was told of a study by letter and by hook, newest first: to whom, and what came of it."""
    study = await known_study(deployment, name)
    return await deployment.store.read(lambda c: notices_of(c, study.id))
