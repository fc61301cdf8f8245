"""The participant's way through a study: where they are, and what brings them on.

`where` is pure: from the assignment, the study and the dialogues so far it says what to show. The
functions below it change the assignment, each in one transaction.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from palaver.collection.limits import HELD
from palaver.storage import participants, places
from palaver.storage.dialogues import StoredDialogue, dialogues_of_assignment
from palaver.storage.erasure import forget_person
from palaver.storage.keys import new_code
from palaver.storage.participants import ACTIVE, DECLINED, FINISHED, Assignment
from palaver.studies.definition import Study
from palaver.studies.stages import ChatStage, RateStage

CONSENT, INSTRUCTIONS, DONE = "consent", "instructions", "done"

# Endings for which the person at this seat is not to blame: they are paid and leave.
PARTNER_LEFT, SYSTEM_FAILED, QUIT = "partner_left", "system_failed", "quit"


@dataclass(frozen=True, slots=True)
class Consenting:
    """Consent is to be given or declined."""


@dataclass(frozen=True, slots=True)
class Instructing:
    """The instructions are to be read."""


@dataclass(frozen=True, slots=True)
class Seating:
    """A seat is to be found in this chat stage; `reason` says why the last one was lost."""

    stage: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Chatting:
    """These dialogues of a chat stage are open; `current` is the one to show when in turn."""

    stage: int
    dialogues: tuple[StoredDialogue, ...]
    current: int


@dataclass(frozen=True, slots=True)
class Rating:
    """These dialogues are to be judged in this stage."""

    stage: int
    dialogues: tuple[StoredDialogue, ...]


@dataclass(frozen=True, slots=True)
class Advancing:
    """The stage is done: go on to `step`."""

    from_step: str
    step: str


@dataclass(frozen=True, slots=True)
class Ending:
    """The visit is to end for this reason."""

    reason: str


@dataclass(frozen=True, slots=True)
class Done:
    """The visit has ended."""


Where = Consenting | Instructing | Seating | Chatting | Rating | Advancing | Ending | Done


def steps(study: Study) -> list[str]:
    """Every step of a study, in order, without the end."""
    first = [CONSENT] if study.consent is not None else []
    middle = [INSTRUCTIONS] if study.instructions else []
    return first + middle + [f"stage:{n}" for n in range(len(study.stages))]


def step_after(study: Study, step: str) -> str:
    """The step that follows; the end after the last."""
    order = [*steps(study), DONE]
    return order[order.index(step) + 1] if step in order[:-1] else DONE


def where(study: Study, assignment: Assignment, dialogues: Sequence[StoredDialogue]) -> Where:
    """What a participant is to see now."""
    if assignment.state != ACTIVE or assignment.step == DONE:
        return Done()
    if assignment.step == CONSENT or _must_consent_again(study, assignment):
        return Consenting()
    if assignment.step == INSTRUCTIONS:
        return Instructing()
    index = int(assignment.step.removeprefix("stage:"))
    stage = study.stages[index]
    if isinstance(stage, RateStage):
        return Rating(index, latest_group([d for d in dialogues if d.stage < index]))
    assert isinstance(stage, ChatStage)
    return _in_chat(study, index, stage, assignment, dialogues)


def _must_consent_again(study: Study, assignment: Assignment) -> bool:
    """Whether the text of the consent has changed since it was given."""
    return study.consent is not None and assignment.consent_version != study.consent.version


def _in_chat(
    study: Study,
    index: int,
    stage: ChatStage,
    assignment: Assignment,
    dialogues: Sequence[StoredDialogue],
) -> Where:
    group = latest_group([d for d in dialogues if d.stage == index])
    if not group:
        return Seating(index)
    lost = [d for d in group if d.dialogue.is_over and d.dialogue.reason not in HELD]
    if lost:
        # Its sibling was ended with it; the one that was really lost says why.
        cause = next((d for d in lost if d.dialogue.reason != "abandoned"), lost[0])
        return _after_loss(index, assignment, cause)
    if _seat_lost(group[0], assignment):
        return Ending("removed")
    current = next((n for n, d in enumerate(group) if not d.dialogue.is_over), None)
    if current is None:
        return Advancing(assignment.step, step_after(study, assignment.step))
    return Chatting(index, group, current)


def _after_loss(index: int, assignment: Assignment, lost: StoredDialogue) -> Where:
    reason = lost.dialogue.reason
    outcome = (lost.dialogue.ending.data or {}).get("outcome") if lost.dialogue.ending else None
    fault = (outcome or {}).get("seat")
    mine = lost.people.get(fault) == assignment.id if fault is not None else False
    if reason == "quit":
        return Ending(QUIT if mine else PARTNER_LEFT)
    if reason in {"system_failed", "stalled"}:
        return Ending(SYSTEM_FAILED)
    if reason == "withdrawn" or (fault is not None and not mine):
        return Ending(PARTNER_LEFT)
    return Seating(index, reason)


def _seat_lost(dialogue: StoredDialogue, assignment: Assignment) -> bool:
    """Whether a system took this person's seat while they were away."""
    mine = next((seat for seat, a in dialogue.people.items() if a == assignment.id), None)
    return mine is not None and dialogue.dialogue.occupant(mine).kind != "person"


def latest_group(dialogues: Sequence[StoredDialogue]) -> tuple[StoredDialogue, ...]:
    """The dialogues that were seated together last, in their order."""
    if not dialogues:
        return ()
    last = max(dialogues, key=lambda d: d.id).group
    return tuple(sorted((d for d in dialogues if d.group == last), key=lambda d: d.position))


def consent(
    connection: Connection, study: Study, assignment: Assignment, *, agrees: bool, now: float
) -> None:
    """Record consent and go on, or record that it was declined, by nobody in particular."""
    if not agrees:
        participants.finish(
            connection, assignment.id, state=DECLINED, reason="declined", code=None, now=now
        )
        for dialogue in dialogues_of_assignment(connection, assignment.id):
            places.release(connection, dialogue.group)
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


def end(
    connection: Connection, study: Study, assignment: Assignment, *, reason: str, now: float
) -> None:
    """Finish a visit: a code for the person, and the places they held counted or given back."""
    code = study.crowd.completion_code or new_code()
    ended = participants.finish(
        connection, assignment.id, state=FINISHED, reason=reason, code=code, now=now
    )
    if not ended:
        return
    for dialogue in dialogues_of_assignment(connection, assignment.id):
        if reason == "complete" and dialogue.dialogue.reason in HELD:
            places.complete(connection, dialogue.group)
        else:
            places.release(connection, dialogue.group)


def withdraw(connection: Connection, assignment: Assignment, *, now: float) -> None:
    """End a visit because the person withdrew; what they said is erased elsewhere."""
    participants.withdraw(connection, assignment.id, now=now)
    for dialogue in dialogues_of_assignment(connection, assignment.id):
        places.reopen(connection, dialogue.group)
