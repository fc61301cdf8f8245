"""News of submissions: from hooks at once, from the panel's whole list now and then.

Both come to the same place. A hook is kept before it is answered and applied afterwards; the list is
read slowly, because hooks are lost, and because who misses one misses it for good. Whoever is gone over
there gives their places here back in the transaction that learns it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection

from palaver.core.errors import PanelMissingError
from palaver.core.logs import get_log
from palaver.core.recruiting.recruitments import Recruitment
from palaver.core.recruiting.submissions import GONE, PAID, KeptSubmission
from palaver.core.studies.visits import ACTIVE
from palaver.crowds.panels.prolific import PROLIFIC
from palaver.crowds.prolific.hooks import SUBMISSION_CHANGED
from palaver.crowds.prolific.records import HookEvent, PanelSubmission
from palaver.storage.recruiting import deliveries as kept
from palaver.storage.recruiting import recruitments as rows
from palaver.storage.recruiting import submissions
from palaver.storage.recruiting.deliveries import Delivery
from palaver.storage.recruiting.submissions import Noted, SubmissionNews
from palaver.storage.recruiting.visits import visit_of_piece
from palaver.studies.recruiting.clients import PanelClients
from palaver.studies.recruiting.places.recruit import look
from palaver.studies.recruiting.submissions.reconciliation import UNNAMED
from palaver.studies.run.deployment import Deployment
from palaver.studies.run.freeing import Gone, free_live

log = get_log(__name__)

# What a visit comes to whose submission is gone over there.
OUTCOMES: dict[str, Gone] = {"timed_out": "timed_out"}


@dataclass(slots=True)
class Applied:
    """What news changed: submissions that moved, and studies the panel told something of."""

    moved: list[KeptSubmission] = field(default_factory=list)
    studies: set[str] = field(default_factory=set)


async def take_hook(deployment: Deployment, event: HookEvent) -> bool:
    """Keep what a hook brought, to be applied right after; False if it came before."""
    now = deployment.clock.now()
    delivery = Delivery(
        panel=PROLIFIC.name,
        # Without an id what it says must do: the same said twice is the same.
        event=event.id or f"{event.resource}/{event.status}/{event.happened}",
        kind=event.kind,
        subject=event.resource,
        status=event.status,
        participant=event.participant or None,
        time=event.happened if event.happened is not None else now,
        received=now,
    )
    return await deployment.store.write(lambda c: kept.take_delivery(c, delivery))


async def apply_hooks(deployment: Deployment) -> Applied:
    """Apply the deliveries that wait, in the order in which things happened over there."""
    applied = Applied()
    waiting = await deployment.store.read(kept.waiting_deliveries)
    for delivery in sorted(waiting, key=lambda each: each.time):
        if delivery.kind == SUBMISSION_CHANGED:
            await _apply(deployment, delivery, applied)
        else:
            applied.studies.add(delivery.subject)
            await deployment.store.write(
                lambda c, d=delivery: kept.settle_deliveries(c, [d], "done")  # type: ignore[misc]
            )
    return applied


async def _apply(deployment: Deployment, delivery: Delivery, applied: Applied) -> None:
    """Apply what a hook says of a submission; one that is not known here is asked for first."""
    home = await deployment.store.write(lambda c: _recruitment_of(c, delivery.subject))
    if home is None:
        home = await _ask_for(deployment, delivery, applied)
        if home is None:
            return
    recruitment = home

    def work(connection: Connection) -> Noted:
        news = SubmissionNews(
            panel_id=delivery.subject,
            state=delivery.status,
            time=delivery.time,
            participant=delivery.participant,
        )
        noted = _note(connection, deployment, recruitment, news)
        is_old = noted.submission.state_time > delivery.time
        kept.settle_deliveries(connection, [delivery], "older" if is_old else "done")
        return noted

    noted = await deployment.store.write(work)
    await free_gone(deployment, recruitment, [noted.submission])
    if noted.has_moved:
        applied.moved.append(noted.submission)


def _recruitment_of(connection: Connection, piece: str) -> Recruitment | None:
    """Of which recruitment a submission is, by what is known of it here."""
    known = submissions.known_by_panel(connection, piece)
    if known is not None:
        return rows.recruitment_by_id(connection, known.recruitment_id)
    visit = visit_of_piece(connection, PROLIFIC.name, piece)
    if visit is None:
        return None
    found = [
        each
        for each in rows.list_recruitments(connection, visit.study_id)
        if each.panel == PROLIFIC.name and each.panel_id is not None
    ]
    # With several recruitments of one study the panel must say which it is.
    return found[0] if len(found) == 1 else None


async def _ask_for(
    deployment: Deployment, delivery: Delivery, applied: Applied
) -> Recruitment | None:
    """Ask the panel of which study a submission is; None, and settled, if it is none of ours."""
    client = await PanelClients.of(deployment).prolific()
    try:
        there = await client.submissions.get(delivery.subject)
    except PanelMissingError:
        there = None
    study = there.study if there is not None else ""
    found = await deployment.store.read(lambda c: rows.recruitment_at(c, PROLIFIC.name, study))
    if found is None or there is None:
        await deployment.store.write(lambda c: kept.settle_deliveries(c, [delivery], "foreign"))
        return None
    applied.studies.add(study)
    return found


async def read_all(deployment: Deployment, recruitment: Recruitment) -> list[KeptSubmission]:
    """Read the panel's whole list of a recruitment and take it in; those that moved."""
    client = await PanelClients.of(deployment).prolific()
    recruitment = await look(deployment, recruitment)
    assert recruitment.panel_id is not None
    began = deployment.clock.now()
    listed = await client.submissions.of_study(recruitment.panel_id)
    moved = await take_list(deployment, recruitment, listed, at=began)
    await deployment.store.write(lambda c: rows.note_checked(c, recruitment, now=began))
    return moved


async def take_list(
    deployment: Deployment,
    recruitment: Recruitment,
    listed: Sequence[PanelSubmission],
    *,
    at: float,
) -> list[KeptSubmission]:
    """Take in what the panel's list says, as it was at a moment; those that moved."""
    moved: list[KeptSubmission] = []
    for start in range(0, len(listed), 100):
        part = listed[start : start + 100]

        def work(c: Connection, part: Sequence[PanelSubmission] = part) -> list[Noted]:
            return [_note(c, deployment, recruitment, _news(each, at)) for each in part]

        noted = await deployment.store.write(work)
        await free_gone(deployment, recruitment, [each.submission for each in noted])
        moved += [each.submission for each in noted if each.has_moved]
    return moved


def _note(
    connection: Connection, deployment: Deployment, recruitment: Recruitment, news: SubmissionNews
) -> Noted:
    """Take in news, settle what was decided, and free what somebody held who is gone over there."""
    now = deployment.clock.now()
    noted = submissions.note_news(connection, recruitment.id, news, now=now)
    submission = noted.submission
    if submission.decision_state in ("sending", "unknown") and _has_come_to_be(submission):
        submissions.settle_decision(connection, submission, "done")
    if submission.state in GONE | PAID and _is_unnamed(connection, recruitment, submission):
        submissions.forget_submission(connection, submission)
    return noted


def _is_unnamed(
    connection: Connection, recruitment: Recruitment, submission: KeptSubmission
) -> bool:
    """Whether somebody did not agree or withdrew, so that nothing else here names them any more."""
    codes = {recruitment.codes[each] for each in UNNAMED if each in recruitment.codes}
    if submission.code not in codes or submission.panel_id is None:
        return False
    return visit_of_piece(connection, recruitment.panel, submission.panel_id) is None


def _has_come_to_be(submission: KeptSubmission) -> bool:
    """Whether the panel's state is what was decided here."""
    wanted = {
        "approve": {"approved"},
        "pay_part": {"partially_approved"},
        "reject": {"rejected"},
        "screen_out": {"screened_out"},
        "ask_return": {"returned"},
        "take_back": {"awaiting_review", "approved"},
        "complete": {"awaiting_review", "approved", "partially_approved", "screened_out"},
    }
    return submission.state in wanted.get(submission.decision, set())


async def free_gone(
    deployment: Deployment, recruitment: Recruitment, found: Sequence[KeptSubmission]
) -> None:
    """End the visits of people who are gone over there: their places and sheets go to others.

    It goes by how things stand, not by what moved: what a process left undone that was killed is done
    when the news is read next.
    """
    running = deployment.studies.get(recruitment.study)
    for submission in found:
        if running is None or submission.state not in GONE or submission.panel_id is None:
            continue
        piece = submission.panel_id
        visit = await deployment.store.read(
            lambda c, piece=piece: visit_of_piece(c, PROLIFIC.name, piece)  # type: ignore[misc]
        )
        if visit is not None and visit.state == ACTIVE and visit.study_id == running.id:
            outcome = OUTCOMES.get(submission.state, "returned")
            await free_live(deployment, running.definition, visit, outcome=outcome)


def _news(there: PanelSubmission, at: float) -> SubmissionNews:
    return SubmissionNews(
        panel_id=there.id,
        state=there.status,
        time=at,
        participant=there.participant or None,
        started=there.started,
        completed=there.completed,
        seconds=there.seconds,
        code=there.code or None,
        reward=there.reward,
        bonus=sum(there.bonuses),
    )
