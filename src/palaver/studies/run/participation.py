"""What participants do to their visit: consent, go on, wait, report, leave.

Each is one transaction. Where somebody is in a study is decided in `flow`; what comes of a step here.
How they come in is decided in `arrival`, how they withdraw in `erasure`.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Connection

from palaver.collection.limits import HELD
from palaver.core.audit import SERVER, Actor
from palaver.core.errors import InputError
from palaver.core.studies.outcomes import outcome_of
from palaver.core.studies.visits import DECLINED, FINISHED
from palaver.crowds.links import new_person, sign_link
from palaver.crowds.panels import Arrival
from palaver.formats.pseudonyms import origin_pseudonym
from palaver.storage.audit.entries import record
from palaver.storage.dialogues.dialogues import dialogues_of_assignment
from palaver.storage.engine.keys import new_code
from palaver.storage.engine.signing import LASTING, ensure_key
from palaver.storage.judging.drafts import forget_drafts
from palaver.storage.outbox.credits import enqueue_credit
from palaver.storage.people import participants, queue
from palaver.storage.people.erasure import forget_person
from palaver.storage.people.participants import Assignment
from palaver.storage.studies import quotas
from palaver.studies.file.definition import Study
from palaver.studies.run.dues import FULL, code_for, own_code_of, turns_away_for_good
from palaver.studies.run.flow import (
    CONSENT,
    DONE,
    INSTRUCTIONS,
    PARTNER_LEFT,
    has_chatted,
    has_practised,
    lost_a_partner,
    stage_of,
    step_after,
)
from palaver.studies.run.life import is_open
from palaver.studies.run.plans import practised_qualifications
from palaver.studies.stages.parts import path_of

# How much of a report is kept.
LONGEST_REPORT = 4000


MOST_LINKS = 10_000


@dataclass(frozen=True, slots=True)
class LinkList:
    """Links for participants, each for one person; they are not kept."""

    links: tuple[str, ...]
    hours: float


def consent(
    connection: Connection, study: Study, assignment: Assignment, *, agrees: bool, now: float
) -> None:
    """Record consent and go on, or record that it was declined, by nobody in particular."""
    if not agrees:
        participants.finish(
            connection,
            assignment.id,
            state=DECLINED,
            reason="declined",
            code=code_for(study, "declined"),
            now=now,
        )
        for dialogue in dialogues_of_assignment(connection, assignment.id):
            quotas.release(connection, dialogue.group)
        practised = practised_qualifications(assignment.study_id, study)
        forget_person(connection, assignment.id, now=now, practised=practised)
        return
    if assignment.step == CONSENT and not is_open(connection, assignment.study_id, study, now=now):
        return  # the page says why, and asks again once it is open
    version = study.consent.version if study.consent else ""
    participants.record_consent(connection, assignment.id, version=version, now=now)
    if assignment.step == CONSENT:
        advance(connection, study, assignment, from_step=CONSENT, now=now)


def begin(connection: Connection, study: Study, assignment: Assignment, *, now: float) -> None:
    """Go on from the instructions to what counts; nobody does while the study takes nobody in."""
    if is_open(connection, assignment.study_id, study, now=now):
        advance(connection, study, assignment, from_step=INSTRUCTIONS, now=now)


def leave_out(
    connection: Connection, study: Study, assignment: Assignment, *, stage: int, now: float
) -> None:
    """Go on without a stage whose texts somebody would rather not read; without the visit, if it is all.

    Then it is as if they had never agreed to take part: they may still come back.
    """
    if len(study.stages) > 1:
        advance(connection, study, assignment, from_step=f"stage:{stage}", now=now)
    else:
        consent(connection, study, assignment, agrees=False, now=now)


def advance(
    connection: Connection, study: Study, assignment: Assignment, *, from_step: str, now: float
) -> None:
    """Go to the next step; the end of the last one finishes the visit."""
    step = step_after(study, from_step)
    if step == DONE:
        end(connection, study, assignment, reason="complete", now=now)
    else:
        participants.move_on(connection, assignment.id, step=step, from_step=from_step)
        # What was kept of the step that is behind was sent, or is of no more use.
        forget_drafts(connection, [assignment.id])


def end(
    connection: Connection, study: Study, assignment: Assignment, *, reason: str, now: float
) -> None:
    """Finish a visit: a code where one is due, and the places they held counted or given back."""
    code = _code(connection, study, assignment, reason)
    ended = participants.finish(
        connection, assignment.id, state=FINISHED, reason=reason, code=code, now=now
    )
    if not ended:
        return
    record_code(connection, assignment, code, reason, now=now)
    _earn_credit(connection, study, assignment, reason, now=now)
    forget_drafts(connection, [assignment.id])
    for dialogue in dialogues_of_assignment(connection, assignment.id):
        if reason == "complete" and dialogue.dialogue.reason in HELD:
            quotas.complete(connection, dialogue.group)
        else:
            quotas.release(connection, dialogue.group)


def _earn_credit(
    connection: Connection, study: Study, assignment: Assignment, reason: str, *, now: float
) -> None:
    """Write down that this end earned a credit, where the panel takes one from a server."""
    if study.crowd.credit is None or reason not in FULL or assignment.person is None:
        return
    sent = sent_by_panel(assignment)
    enqueue_credit(
        connection,
        study_id=assignment.study_id,
        assignment_id=assignment.id,
        sent_values=(sent.participant, sent.session, sent.study),
        now=now,
    )


def _code(connection: Connection, study: Study, assignment: Assignment, reason: str) -> str | None:
    """The code of a visit that ends now; one person gets one for one outcome."""
    code = code_for(
        study,
        reason,
        waited=assignment.waited,
        own=lambda: own_code(connection, study, assignment, reason),
    )
    if code is None or study.crowd.repeats:
        return code
    given = participants.code_given(
        connection, assignment.study_id, assignment.participant_id, reason=reason
    )
    return given or code


def turn_away(
    connection: Connection, study: Study, assignment: Assignment, *, reason: str, now: float
) -> bool:
    """End the visit of somebody to whom nothing is open, if that earns a code, a way back or pay.

    Otherwise the visit waits, should something be open later: False. Whoever has chatted is not
    turned away.
    """
    code = code_for(study, reason)
    sent = sent_by_panel(assignment)
    stage = stage_of(assignment)
    if has_chatted(study, max(stage, 0)) or not turns_away_for_good(
        study, reason, code=code, sent=sent
    ):
        return False
    end(connection, study, assignment, reason=reason, now=now)
    return True


def stop_at_closed_door(
    connection: Connection, study: Study, assignment: Assignment, *, now: float
) -> None:
    """End the visit of somebody who would rather not wait until something is open to them.

    Whoever has practised for it is paid for that.
    """
    practised = has_practised(study, max(stage_of(assignment), 0))
    end(
        connection,
        study,
        assignment,
        reason="nothing_left" if practised else "turned_away",
        now=now,
    )


def sent_by_panel(assignment: Assignment) -> Arrival:
    """What the panel sent with somebody, as far as it is still known."""
    return Arrival(
        assignment.person or "", assignment.external_id or "", assignment.panel_study or ""
    )


def own_code(connection: Connection, study: Study, assignment: Assignment, reason: str) -> str:
    """A code that only this visit has; where codes are to be verified, it follows from the ids."""
    panel = study.crowd.panel
    if panel is None or not panel.has_own_codes:
        return new_code()
    secret = ensure_key(connection, LASTING)
    return own_code_of(secret, study.name, sent_by_panel(assignment), outcome_of(reason))


def stop_waiting(
    connection: Connection, study: Study, assignment: Assignment, *, now: float
) -> None:
    """End a visit in the waiting room; the time that was waited counts.

    Whoever came back to it because a partner left has worked, and is paid for that.
    """
    since = queue.stop_waiting(connection, assignment.id)
    if since is not None:
        held = dialogues_of_assignment(connection, assignment.id)
        left = lost_a_partner(held, assignment, stage_of(assignment))
        participants.add_waiting_time(connection, assignment.id, now - since)
        assignment = replace(assignment, waited=assignment.waited + now - since)
        end(connection, study, assignment, reason=PARTNER_LEFT if left else "waited", now=now)


def record_code(
    connection: Connection, assignment: Assignment, code: str | None, reason: str, *, now: float
) -> None:
    """Record that a visit was given a completion code: by it the panel pays."""
    if code is not None:
        record(
            connection,
            "code.give",
            by=SERVER,
            now=now,
            subject=assignment.key,
            study_id=assignment.study_id,
            detail={"for": reason},
        )


def report_problem(
    connection: Connection, study_id: int, assignment: Assignment, text: str, *, now: float
) -> None:
    """Keep what a participant says is wrong; InputError if they say nothing."""
    told = text.strip()[:LONGEST_REPORT]
    if not told:
        raise InputError("Please write a few words about what is wrong.")
    participants.report_problem(
        connection, study_id=study_id, assignment_id=assignment.id, text=told, now=now
    )


def make_links(secret: str, study: Study, *, count: int, base: str) -> LinkList:
    """This many links to a study; `base` is the address people reach the server at."""
    if not 1 <= count <= MOST_LINKS:
        raise InputError(f"1 to {MOST_LINKS:,} links can be made at once; got {count:,}.")
    links = (_link(secret, study.name, base=base.rstrip("/")) for _ in range(count))
    return LinkList(tuple(links), study.crowd.link_hours)


def record_links(
    connection: Connection, study_id: int, study: str, made: LinkList, *, actor: Actor, now: float
) -> None:
    """Record that links were made, and how many."""
    told = {"links": len(made.links)}
    record(
        connection, "links.make", by=actor, now=now, subject=study, study_id=study_id, detail=told
    )


def is_blocked(study: Study, person: str) -> bool:
    """Whether the study's file of blocked people names this person, plainly or by pseudonym.

    The file is read again when it has changed, so that somebody can be added while a study is served.
    """
    file = path_of(study.crowd.blocked, study.folder)
    if file is None:
        return False
    try:
        changed = file.stat().st_mtime_ns
        blocked = _blocked_people(file, changed)
    except (OSError, UnicodeDecodeError) as error:
        # Letting everybody in would be worse than letting nobody in.
        raise InputError(
            "This study cannot be joined: its list of blocked people is missing."
        ) from error
    salt = study.crowd.blocked_salt
    return person in blocked or (salt is not None and origin_pseudonym(salt, person) in blocked)


def _link(secret: str, study: str, *, base: str) -> str:
    return f"{base}/s/{quote(study)}?link={sign_link(secret, study=study, person=new_person())}"


@lru_cache(maxsize=64)
def _blocked_people(file: Path, changed: int) -> frozenset[str]:
    lines = (line.strip() for line in file.read_text(encoding="utf-8-sig").splitlines())
    return frozenset(line for line in lines if line)
