"""Operations on people: raters, participants, links for them, erasing them; and what staff did."""

import asyncio
import time
from typing import Annotated

from fastapi import Path, Query, Request

from palaver.accounts.trail import asked_filter, read_page
from palaver.core.audit import AuditPage
from palaver.core.studies.credits import CreditList
from palaver.core.studies.links import KeptLink, KeptLinkList
from palaver.studies.review.question_overview import RaterFilter
from palaver.studies.review.raters import RaterList, RaterOverview, exclude_rater
from palaver.studies.review.views import VisitPage, read_raters, read_visits
from palaver.studies.run.credits import credits_of, retry_failed
from palaver.studies.run.erasure import ErasedPerson, erase_person
from palaver.studies.run.kept_links import list_links, make_named_links, revoke_link
from palaver.studies.run.participation import LinkList, make_links, record_links
from palaver.web.api import models
from palaver.web.api.access import (
    Auditor,
    Here,
    Limit,
    StudyName,
    StudyReviewer,
    StudyViewer,
    known_study,
    served_study,
)
from palaver.web.api.errors import ANSWERS, FORBIDDEN, MISSING, UNREADABLE
from palaver.web.api.records import RecordRouter
from palaver.web.desk.accounts import actor_of, check_writable
from palaver.web.security import public_base

RaterKey = Annotated[str, Path(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.:@-]{0,127}$")]
LinkNumber = Annotated[int, Path(ge=1, le=2**53)]
After = Annotated[int, Query(ge=0, le=2**53)]

router = RecordRouter(responses=ANSWERS, tags=["studies"])


@router.get("/studies/{name}/raters", responses=MISSING)
async def study_raters(
    deployment: Here, person: StudyViewer, name: StudyName, raters: RaterFilter = "all"
) -> RaterList:
    """The raters of a study, how fast they are, and how often they agree with the others."""
    study = await known_study(deployment, name)
    served = deployment.studies.get(name)
    return await deployment.store.read(lambda c: read_raters(c, study.id, served, raters))


@router.post(
    "/studies/{name}/raters/{alias}/exclusion", responses={**MISSING, **FORBIDDEN, **UNREADABLE}
)
async def change_exclusion(
    request: Request,
    deployment: Here,
    person: StudyReviewer,
    name: StudyName,
    alias: RaterKey,
    wanted: models.NewExclusion,
) -> RaterOverview:
    """Leave a rater out of all results of a study, or include them again; nothing is deleted."""
    check_writable(deployment)
    study = await known_study(deployment, name)
    served, now = deployment.studies.get(name), deployment.clock.now()
    actor = actor_of(request, person, "api")

    await deployment.store.write(
        lambda c: exclude_rater(
            c,
            study,
            alias,
            excluded=wanted.excluded,
            reason=wanted.reason,
            actor=actor,
            now=now,
        )
    )
    raters = await deployment.store.read(lambda c: read_raters(c, study.id, served))
    return next(rater for rater in raters.raters if rater.rater == alias)


@router.get("/studies/{name}/participants", responses=MISSING)
async def study_participants(
    deployment: Here,
    person: StudyViewer,
    name: StudyName,
    after: After = 0,
    limit: Limit = 100,
) -> VisitPage:
    """Who came to a study and what became of them, oldest first, a page at a time.

    `panel_id`, the panel's name for a person, is for reviewers and null for others.
    """
    study, shows_panel = await known_study(deployment, name), person.may("reviewer", name)
    return await deployment.store.read(
        lambda c: read_visits(c, study.id, after=after, limit=limit, shows_panel=shows_panel)
    )


@router.post(
    "/studies/{name}/links", status_code=201, responses={**MISSING, **FORBIDDEN, **UNREADABLE}
)
async def new_links(
    request: Request,
    deployment: Here,
    person: StudyReviewer,
    name: StudyName,
    wanted: models.NewLinks,
) -> LinkList:
    """New links for participants, each for one person."""
    check_writable(deployment)
    study = served_study(deployment, name)
    made = await asyncio.to_thread(
        make_links,
        deployment.secret,
        study.definition,
        count=wanted.count,
        base=public_base(request, request.app.state.public_url),
    )
    actor, now = actor_of(request, person, "api"), deployment.clock.now()
    await deployment.store.write(
        lambda c: record_links(c, study.id, name, made, actor=actor, now=now)
    )
    return made


@router.get("/studies/{name}/named-links", responses={**MISSING, **FORBIDDEN})
async def named_links(
    request: Request, deployment: Here, person: StudyReviewer, name: StudyName
) -> KeptLinkList:
    """The links of a study that are kept: for whom, until when, and whether they were used."""
    study, base = served_study(deployment, name), public_base(request, request.app.state.public_url)
    now = time.time()
    return await deployment.store.read(
        lambda c: list_links(c, deployment.secret, study.id, name, base=base, now=now)
    )


@router.post(
    "/studies/{name}/named-links",
    status_code=201,
    responses={**MISSING, **FORBIDDEN, **UNREADABLE},
)
async def new_named_links(
    request: Request,
    deployment: Here,
    person: StudyReviewer,
    name: StudyName,
    wanted: models.NewNamedLinks,
) -> KeptLinkList:
    """New links with names, each for one person, which are kept."""
    check_writable(deployment)
    study, base = served_study(deployment, name), public_base(request, request.app.state.public_url)
    hours = study.definition.crowd.link_hours if wanted.hours is None else wanted.hours
    actor, now = actor_of(request, person, "api"), time.time()
    return await deployment.store.write(
        lambda c: make_named_links(
            c,
            deployment.secret,
            study.id,
            name,
            wanted.names,
            hours=hours,
            base=base,
            actor=actor,
            now=now,
        )
    )


@router.post("/studies/{name}/named-links/{link}/revocation", responses={**MISSING, **FORBIDDEN})
async def revoke_named_link(
    request: Request, deployment: Here, person: StudyReviewer, name: StudyName, link: LinkNumber
) -> KeptLink:
    """Revoke a link by its number: nobody begins with it any more; a visit that began goes on."""
    check_writable(deployment)
    study, base = served_study(deployment, name), public_base(request, request.app.state.public_url)
    actor, now = actor_of(request, person, "api"), time.time()
    return await deployment.store.write(
        lambda c: revoke_link(
            c,
            deployment.secret,
            study.id,
            name,
            str(link),
            base=base,
            actor=actor,
            now=now,
        )
    )


@router.get("/studies/{name}/credits", responses={**MISSING, **FORBIDDEN})
async def study_credits(deployment: Here, person: StudyReviewer, name: StudyName) -> CreditList:
    """The credits that a panel was sent, or is to be sent, newest first."""
    study = await known_study(deployment, name)
    return await deployment.store.read(lambda c: credits_of(c, study.id))


@router.post("/studies/{name}/credits/retry", responses={**MISSING, **FORBIDDEN})
async def retry_credits(deployment: Here, person: StudyReviewer, name: StudyName) -> CreditList:
    """Let credits that failed be tried again."""
    check_writable(deployment)
    study, now = served_study(deployment, name), deployment.clock.now()
    await deployment.store.write(lambda c: retry_failed(c, study.id, now=now))
    return await deployment.store.read(lambda c: credits_of(c, study.id))


@router.post("/studies/{name}/erasures", responses={**MISSING, **FORBIDDEN, **UNREADABLE})
async def erase(
    request: Request,
    deployment: Here,
    person: StudyReviewer,
    name: StudyName,
    wanted: models.NewErasure,
) -> ErasedPerson:
    """Erase what somebody gave in a study and who they are; this cannot be undone."""
    check_writable(deployment)
    study = served_study(deployment, name)
    return await erase_person(
        deployment,
        study.id,
        study.definition,
        wanted.who,
        entirely=wanted.entirely,
        actor=actor_of(request, person, "api"),
    )


@router.get("/audit", responses={**FORBIDDEN, **UNREADABLE})
async def audit_trail(
    deployment: Here,
    person: Auditor,
    after: After = 0,
    limit: Limit = 100,
    act: Annotated[str | None, Query(max_length=64)] = None,
    account: Annotated[str | None, Query(pattern=r"^[^\x00]{1,64}$")] = None,
    study: Annotated[str | None, Query(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")] = None,
    since: Annotated[str | None, Query(max_length=10)] = None,
    until: Annotated[str | None, Query(max_length=10)] = None,
) -> AuditPage:
    """The audit trail, oldest first, a page at a time; for owners.

    `since` and `until` are days such as 2026-03-31.
    """
    wanted = asked_filter(act=act, account=account, study=study, since=since, until=until)
    return await deployment.store.read(lambda c: read_page(c, wanted, after=after, limit=limit))
