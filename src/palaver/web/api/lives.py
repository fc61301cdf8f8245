"""Operations on the life of a study: open, paused, closed; its versions, and changing its file.

Whoever may review a study may pause it, close it and change it. A new file reaches no further than the
one before: it names programs, addresses and files of this server (`studies/run/editing`).
"""

from typing import Annotated

from fastapi import Path, Query, Request

from palaver.core.studies.life import StateHistory, StudyLife
from palaver.core.studies.versions import (
    ForeseenChange,
    StudyVersion,
    StudyVersionList,
    StudyVersionSheet,
    VersionDiff,
)
from palaver.studies.file.edits import ConditionPlaces, NewDates, StudyEdit
from palaver.studies.run.editing import foresee_text, save_text
from palaver.studies.run.life import change_life, read_history
from palaver.studies.run.versions import (
    edit_study,
    read_diff,
    read_version,
    read_versions,
)
from palaver.web.api import models
from palaver.web.api.access import (
    Here,
    StudyName,
    StudyReviewer,
    StudyViewer,
    known_study,
    served_study,
)
from palaver.web.api.errors import ANSWERS, CONFLICT, FORBIDDEN, MISSING, UNREADABLE
from palaver.web.api.records import RecordRouter
from palaver.web.desk.accounts import actor_of, check_writable

Number = Annotated[int, Path(ge=1, le=2**31 - 1)]
AskedNumber = Annotated[int, Query(ge=1, le=2**31 - 1)]
CHANGES = {**MISSING, **FORBIDDEN, **CONFLICT, **UNREADABLE}

router = RecordRouter(responses=ANSWERS, tags=["studies"])


@router.get("/studies/{name}/state", responses=MISSING)
async def study_state(deployment: Here, person: StudyViewer, name: StudyName) -> StudyLife:
    """Whether a study takes people in, since when and why."""
    return (await known_study(deployment, name)).life


@router.get("/studies/{name}/state/history", responses=MISSING)
async def state_history(deployment: Here, person: StudyViewer, name: StudyName) -> StateHistory:
    """Every opening, pause and closing of a study, oldest first."""
    study = await known_study(deployment, name)
    return await deployment.store.read(lambda c: read_history(c, study.id))


@router.post("/studies/{name}/state", responses=CHANGES)
async def change_state(
    request: Request,
    deployment: Here,
    person: StudyReviewer,
    name: StudyName,
    wanted: models.NewState,
) -> StudyLife:
    """Pause, resume, close or reopen a study. It holds at once; whoever is inside finishes."""
    check_writable(deployment)
    study = await known_study(deployment, name)
    actor, now = actor_of(request, person, "api"), deployment.clock.now()
    definition = deployment.served.get(name)
    return await deployment.store.write(
        lambda c: change_life(
            c,
            study.id,
            name,
            definition,
            wanted.move,
            actor=actor,
            reason=wanted.reason,
            now=now,
        )
    )


@router.get("/studies/{name}/versions", responses={**MISSING, **FORBIDDEN})
async def list_versions(
    deployment: Here, person: StudyReviewer, name: StudyName
) -> StudyVersionList:
    """Every file that a study was served with: who made it, when and what for; oldest first."""
    study = await known_study(deployment, name)
    return await deployment.store.read(lambda c: read_versions(c, study.id))


@router.get("/studies/{name}/versions/{number}", responses={**MISSING, **FORBIDDEN})
async def show_version(
    deployment: Here, person: StudyReviewer, name: StudyName, number: Number
) -> StudyVersionSheet:
    """A version of a study with its file."""
    study = await known_study(deployment, name)
    return await deployment.store.read(lambda c: read_version(c, study.id, number))


@router.get("/studies/{name}/diff", responses={**MISSING, **FORBIDDEN})
async def show_diff(
    deployment: Here, person: StudyReviewer, name: StudyName, old: AskedNumber, new: AskedNumber
) -> VersionDiff:
    """What one version of a study has that another has not, line by line and in words."""
    study = await known_study(deployment, name)
    return await deployment.store.read(lambda c: read_diff(c, study.id, old, new))


@router.post("/studies/{name}/definition/check", responses=CHANGES)
async def check_definition(
    deployment: Here, person: StudyReviewer, name: StudyName, wanted: models.NewDefinition
) -> ForeseenChange:
    """What would happen if a study got this file; nothing is done."""
    check_writable(deployment)
    served_study(deployment, name)
    return await foresee_text(deployment, name, wanted.text, rights=person.rights)


@router.put("/studies/{name}/definition", responses=CHANGES)
async def change_definition(
    request: Request,
    deployment: Here,
    person: StudyReviewer,
    name: StudyName,
    wanted: models.NewDefinition,
) -> StudyVersion:
    """Serve a study with this file from now on, as its next version."""
    check_writable(deployment)
    served_study(deployment, name)
    return await save_text(
        deployment,
        name,
        wanted.text,
        rights=person.rights,
        actor=actor_of(request, person, "api"),
        note=wanted.note,
        base=wanted.base,
    )


@router.patch("/studies/{name}/definition", responses=CHANGES)
async def edit_definition(
    request: Request,
    deployment: Here,
    person: StudyReviewer,
    name: StudyName,
    wanted: models.NewEdit,
) -> StudyVersion:
    """Change places, raters or dates of a study, and nothing else of its file."""
    check_writable(deployment)
    served_study(deployment, name)
    dates = wanted.dates
    edit = StudyEdit(
        places=tuple(ConditionPlaces(**each.model_dump()) for each in wanted.places),
        raters={each.stage: each.raters for each in wanted.raters},
        dates=None if dates is None else NewDates(**dates.model_dump()),
    )
    return await edit_study(
        deployment,
        name,
        edit,
        actor=actor_of(request, person, "api"),
        note=wanted.note,
        base=wanted.base,
    )
