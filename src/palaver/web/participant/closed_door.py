"""Whoever comes when nothing is open to them: looked at once more, told, and let go with what is due."""

from starlette.requests import Request
from starlette.responses import Response

from palaver.core.errors import InputError
from palaver.studies.run import flow, participation
from palaver.studies.run.openings import MAY_PASS, closed_to
from palaver.web.participant import steps as build
from palaver.web.participant.pages import DonePage
from palaver.web.participant.visit import Visit, visit_of


async def turned_away(visit: Visit, reason: str) -> DonePage:
    """What somebody reads to whom nothing is open; the end of their visit, where that earns anything."""
    if reason not in MAY_PASS:
        study, assignment, now = visit.study.definition, visit.assignment, visit.now
        ended = await visit.deployment.store.write(
            lambda c: participation.turn_away(c, study, assignment, reason=reason, now=now)
        )
        if ended:
            return build.done_page(await visit.again())
    return build.closed_page(visit, reason)


async def stop_instead(request: Request) -> Response:
    """Somebody stops who would have to wait until others give back what they hold."""
    visit = await visit_of(request, changing=True)
    if visit.deployment.store.read_only:
        raise InputError("This is a read-only copy. Nothing can be changed in it.")
    if await _is_shut_out(visit):
        await visit.change(participation.stop_at_closed_door)
    return visit.back()


async def _is_shut_out(visit: Visit) -> bool:
    """Whether nothing is open to a visit right now, and it has nothing in hand."""
    step, study, assignment = await visit.where(), visit.study, visit.assignment
    begins = isinstance(step, flow.Consenting | flow.Instructing)
    if not begins and not isinstance(step, flow.Seating | flow.Judging | flow.Training):
        return False
    first = max(flow.stage_of(assignment), 0)
    if visit.held is not None or flow.has_chatted(study.definition, first):
        return False
    return await visit.deployment.store.read(
        lambda c: (
            closed_to(c, study, assignment, first=first, now=visit.now if begins else None)
            in MAY_PASS
        )
    )
