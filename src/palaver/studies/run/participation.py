"""What participants do to their visit: enter, consent, go on, wait, report, leave, withdraw.

Each is one transaction. Where somebody is in a study is decided in `flow`; what comes of a step here.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Connection

from palaver.collection.limits import HELD
from palaver.core.errors import InputError
from palaver.core.studies.visits import ACTIVE, DECLINED, FINISHED, WITHDRAWN
from palaver.crowds.links import Visitor, new_person, sign_link
from palaver.formats.masking import origin_pseudonym
from palaver.storage.dialogues.dialogues import dialogues_of_assignment
from palaver.storage.judging.drafts import forget_drafts
from palaver.storage.people import participants, queue
from palaver.storage.people.erasure import erase_assignment, forget_person
from palaver.storage.people.participants import Assignment
from palaver.storage.studies import quotas
from palaver.studies.file.definition import Study
from palaver.studies.run.dues import code_for
from palaver.studies.run.flow import CONSENT, DONE, step_after, steps
from palaver.studies.stages.parts import path_of

# How much of a report is kept.
LONGEST_REPORT = 4000


MOST_LINKS = 10_000


@dataclass(frozen=True, slots=True)
class LinkList:
    """Links for participants, each for one person; they are not kept."""

    links: tuple[str, ...]
    hours: float


def enter(
    connection: Connection, study_id: int, study: Study, visitor: Visitor, *, now: float
) -> Assignment:
    """The visit of somebody who came; whoever was here before finds their visit again."""
    return participants.enter(
        connection,
        study_id=study_id,
        crowd=study.crowd.kind,
        person=visitor.person,
        assignment=visitor.assignment,
        first_step=steps(study)[0],
        now=now,
    )


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
        forget_person(connection, assignment.id, now=now)
        return
    version = study.consent.version if study.consent else ""
    participants.record_consent(connection, assignment.id, version=version, now=now)
    if assignment.step == CONSENT:
        advance(connection, study, assignment, from_step=CONSENT, now=now)


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
    code = code_for(study, reason, waited=assignment.waited)
    ended = participants.finish(
        connection, assignment.id, state=FINISHED, reason=reason, code=code, now=now
    )
    if not ended:
        return
    forget_drafts(connection, [assignment.id])
    for dialogue in dialogues_of_assignment(connection, assignment.id):
        if reason == "complete" and dialogue.dialogue.reason in HELD:
            quotas.complete(connection, dialogue.group)
        else:
            quotas.release(connection, dialogue.group)


def stop_waiting(
    connection: Connection, study: Study, assignment: Assignment, *, now: float
) -> None:
    """End a visit in the waiting room; the time that was waited counts."""
    since = queue.stop_waiting(connection, assignment.id)
    if since is not None:
        participants.add_waiting_time(connection, assignment.id, now - since)
        assignment = replace(assignment, waited=assignment.waited + now - since)
        end(connection, study, assignment, reason="waited", now=now)


def report_problem(
    connection: Connection, study_id: int, assignment: Assignment, text: str, *, now: float
) -> None:
    """Keep what a participant says is wrong; InputError if they say nothing."""
    # PostgreSQL keeps no NUL in a text.
    told = text.replace("\0", "").strip()[:LONGEST_REPORT]
    if not told:
        raise InputError("Please write a few words about what is wrong.")
    participants.report_problem(
        connection, study_id=study_id, assignment_id=assignment.id, text=told, now=now
    )


def withdraw(connection: Connection, study: Study, assignment: Assignment, *, now: float) -> bool:
    """End a visit and erase what the person said; whether that is new.

    What was earned before stays earned: an end and its code are kept. Whoever withdraws in the
    middle has stopped early; before the first stage they have not begun.
    """
    if assignment.state == WITHDRAWN:
        return False
    since = queue.stop_waiting(connection, assignment.id)
    waited = 0.0 if since is None else now - since
    participants.add_waiting_time(connection, assignment.id, waited)
    reason = withdrawal_reason(assignment)
    code = code_for(study, reason, waited=assignment.waited + waited)
    participants.withdraw(connection, assignment.id, reason=reason, code=code, now=now)
    for dialogue in dialogues_of_assignment(connection, assignment.id):
        quotas.reopen(connection, dialogue.group)
    erase_assignment(connection, assignment.id, now=now)
    return True


def withdrawal_reason(assignment: Assignment) -> str:
    """The end, as what is owed for it goes, of a visit that is withdrawn now."""
    if assignment.state != ACTIVE:
        return assignment.reason
    return WITHDRAWN if assignment.step.startswith("stage:") else "declined"


def make_links(secret: str, study: Study, *, count: int, base: str) -> LinkList:
    """This many links to a study; `base` is the address people reach the server at."""
    if not 1 <= count <= MOST_LINKS:
        raise InputError(f"1 to {MOST_LINKS:,} links can be made at once; got {count:,}.")
    links = (_link(secret, study.name, base=base.rstrip("/")) for _ in range(count))
    return LinkList(tuple(links), study.crowd.link_hours)


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
