"""The participant's way through a study: where they are, and what brings them on.

`where` is pure: from the assignment, the study and the dialogues so far it says what to show. What
brings a participant on is in `participation`.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from palaver.collection.limits import HELD
from palaver.core.dialogue import Dialogue
from palaver.core.events import INSUFFICIENT, MESSAGE, Event
from palaver.core.sheets import SheetPart
from palaver.core.studies.dialogues import REAL
from palaver.core.studies.visits import ACTIVE
from palaver.core.units import dialogue_unit, event_unit
from palaver.games.model_in_the_loop.moves import SKIPPED
from palaver.storage.dialogues.dialogues import StoredDialogue
from palaver.storage.people.participants import Assignment
from palaver.studies.file.definition import Study
from palaver.studies.run.writing_visit import WritingVisit, writing_visit
from palaver.studies.stages import AGAIN, ChatStage, RateStage, ScreenStage, WriteStage

CONSENT, INSTRUCTIONS, DONE = "consent", "instructions", "done"
STAGE = "stage:"

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
    """A seat is to be found in this chat stage; `reason` says why the last one was lost.

    `words` say what was missing, where that was too little to count. With `at_once` it is found
    without a question. With `may_pass` the stage is done where no seat is left. With `is_first` there
    was none in this stage yet.
    """

    stage: int
    reason: str = ""
    words: str = ""
    at_once: bool = True
    may_pass: bool = False
    is_first: bool = False


@dataclass(frozen=True, slots=True)
class Chatting:
    """These dialogues of a chat stage are open; `current` is the one to show when in turn.

    `writing` says how far a visit to a write stage is.
    """

    stage: int
    dialogues: tuple[StoredDialogue, ...]
    current: int
    writing: WritingVisit | None = None


@dataclass(frozen=True, slots=True)
class Practised:
    """A practice round is over: another one, or on to what counts; `words` say what to do better."""

    stage: int
    reason: str
    words: str = ""


@dataclass(frozen=True, slots=True)
class Rating:
    """The participant's own dialogues are to be judged, part by part, under this stage.

    With `online`, these are messages that should have been judged while the chat ran. `paired` says
    that the participant held two, which they know as A and B.
    """

    stage: int
    dialogues: tuple[StoredDialogue, ...]
    parts: tuple[SheetPart, ...]
    online: bool = False
    paired: bool = False


@dataclass(frozen=True, slots=True)
class Judging:
    """Sheets are to be handed out in this stage."""

    stage: int


@dataclass(frozen=True, slots=True)
class Training:
    """The practice of this stage is to be done."""

    stage: int


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


Where = (
    Consenting
    | Instructing
    | Seating
    | Chatting
    | Practised
    | Rating
    | Judging
    | Training
    | Advancing
    | Ending
    | Done
)
# The units and questions that a visit has answered so far.
Answered = Set[tuple[str, str]]


def steps(study: Study) -> list[str]:
    """Every step of a study, in order, without the end."""
    first = [CONSENT] if study.consent is not None else []
    # Without a consent its page greets, and tells what people should know before they begin.
    middle = [INSTRUCTIONS] if study.instructions or study.consent is None else []
    return first + middle + [f"stage:{n}" for n in range(len(study.stages))]


def numbered_steps(study: Study) -> list[str]:
    """The steps as people count them: consent, or a greeting alone, comes before the first."""
    first = {CONSENT} if study.instructions else {CONSENT, INSTRUCTIONS}
    return [step for step in steps(study) if step not in first]


def step_after(study: Study, step: str) -> str:
    """The step that follows; the end after the last."""
    order = [*steps(study), DONE]
    if step == CONSENT and step not in order:
        return order[0]
    if step == INSTRUCTIONS and step not in order:
        return f"{STAGE}0"
    return order[order.index(step) + 1] if step in order[:-1] else DONE


def where(
    study: Study,
    assignment: Assignment,
    dialogues: Sequence[StoredDialogue],
    answered: Answered = frozenset(),
) -> Where:
    """What a participant is to see now."""
    if assignment.state != ACTIVE or assignment.step == DONE:
        return Done()
    if (assignment.step == CONSENT and study.consent is not None) or _must_consent_again(
        study, assignment
    ):
        return Consenting()
    if assignment.step == INSTRUCTIONS and INSTRUCTIONS in steps(study):
        return Instructing()
    if not assignment.step.startswith(STAGE):
        # A new version of the file took this step out.
        return Advancing(assignment.step, step_after(study, assignment.step))
    index = int(assignment.step.removeprefix("stage:"))
    stage = study.stages[index]
    if isinstance(stage, ScreenStage):
        return Training(index)
    if isinstance(stage, RateStage):
        return _in_rating(study, index, stage, dialogues)
    if isinstance(stage, WriteStage):
        return _in_writing(study, index, stage, assignment, dialogues)
    return _in_chat(study, index, stage, assignment, dialogues, answered)


def stage_of(assignment: Assignment) -> int:
    """The place of the stage that a visit is at; -1 where it is at none."""
    if assignment.state != ACTIVE or not assignment.step.startswith("stage:"):
        return -1
    return int(assignment.step.removeprefix("stage:"))


def has_chatted(study: Study, stage: int) -> bool:
    """Whether a chat comes before a stage: the work is then done even if nothing is left here."""
    return any(isinstance(e, ChatStage) and not e.practice for e in study.stages[:stage])


def has_practised(study: Study, stage: int) -> bool:
    """Whether practice comes before a stage."""
    return any(
        isinstance(earlier, ScreenStage) or (isinstance(earlier, ChatStage) and earlier.practice)
        for earlier in study.stages[:stage]
    )


def depends_on_dialogues(study: Study, assignment: Assignment) -> bool:
    """Whether `where` needs the visit's own dialogues to tell; raters of others' have none."""
    index = stage_of(assignment)
    if index < 0:
        return False
    stage = study.stages[index]
    return not isinstance(stage, ScreenStage) and not (
        isinstance(stage, RateStage) and stage.has_source
    )


def _in_rating(
    study: Study, index: int, stage: RateStage, dialogues: Sequence[StoredDialogue]
) -> Where:
    if stage.has_source:
        return Judging(index)
    group = latest_group([d for d in dialogues if d.stage < index and d.purpose == REAL])
    return Rating(index, group, own_parts(study, stage, group), paired=len(group) == 2)


def own_parts(
    study: Study, stage: RateStage, group: Sequence[StoredDialogue]
) -> tuple[SheetPart, ...]:
    """What is asked of somebody's own dialogues: of each, then of the two together."""
    pairs = tuple(name for name in stage.ask if study.questions[name].about == "pair")
    alone = tuple(name for name in stage.ask if name not in pairs)
    parts = [SheetPart(dialogues=(d.key,), ask=alone) for d in group if alone]
    if pairs and len(group) == 2:
        parts.append(SheetPart(dialogues=(group[0].key, group[1].key), ask=pairs))
    return tuple(parts)


def _must_consent_again(study: Study, assignment: Assignment) -> bool:
    """Whether the text of the consent has changed since it was given."""
    return study.consent is not None and assignment.consent_version != study.consent.version


def _in_chat(
    study: Study,
    index: int,
    stage: ChatStage,
    assignment: Assignment,
    dialogues: Sequence[StoredDialogue],
    answered: Answered,
) -> Where:
    here = [d for d in dialogues if d.stage == index]
    group = latest_group(here)
    if not group:
        return Seating(index)
    if stage.practice and group[0].dialogue.is_over:
        practised = group[0].dialogue
        words = practised.shortcomings.get(own_seat(group[0], assignment.id), "")
        return Practised(index, practised.reason, words)
    lost = [d for d in group if d.dialogue.is_over and not is_held(d, assignment.id)]
    if lost:
        # Its sibling was ended with it; the one that was really lost says why.
        cause = next((d for d in lost if d.dialogue.reason != "abandoned"), lost[0])
        groups = len({d.group for d in here})
        return _after_loss(stage, index, assignment, cause, more=groups <= stage.retries)
    if _seat_lost(group[0], assignment):
        return Ending("removed")
    over = [d for d in group if d.dialogue.is_over]
    left = _judged_too_late(stage, index, assignment, over, answered)
    if left is not None:
        return replace(left, paired=len(group) == 2)
    current = next((n for n, d in enumerate(group) if not d.dialogue.is_over), None)
    if current is None:
        return Advancing(assignment.step, step_after(study, assignment.step))
    if current > 0 and stage.display == "in_turn":
        between = _between_chats(study, index, over, answered)
        if between is not None:
            return between
    return Chatting(index, group, current)


def _in_writing(
    study: Study,
    index: int,
    stage: WriteStage,
    assignment: Assignment,
    dialogues: Sequence[StoredDialogue],
) -> Where:
    """One session after the other, until the visit has its number or no text is left."""
    here = [d for d in dialogues if d.stage == index]
    group = latest_group(here)
    so_far = writing_visit(stage, here)
    if group and not group[0].dialogue.is_over:
        return Chatting(index, group, 0, so_far)
    reason = group[0].dialogue.reason if group else SKIPPED
    if reason not in HELD and reason != SKIPPED:
        lost = [d for d in here if d.dialogue.reason not in HELD | {SKIPPED}]
        return _after_loss(stage, index, assignment, group[0], more=len(lost) <= stage.retries)
    skipped = sum(d.dialogue.reason == SKIPPED for d in here)
    if so_far.finished >= stage.per_visit or skipped > stage.skips:
        return Advancing(assignment.step, step_after(study, assignment.step))
    return Seating(index, may_pass=so_far.finished > 0, is_first=not here)


def _judged_too_late(
    stage: ChatStage,
    index: int,
    assignment: Assignment,
    over: Sequence[StoredDialogue],
    answered: Answered,
) -> Rating | None:
    """The messages of ended chats that had to be judged and were not."""
    if stage.online is None or not stage.online.required:
        return None
    open_ones = tuple(
        d
        for d in over
        if any(
            (event_unit(d.key, event.seq).key, stage.online.ask) not in answered
            for event in judged_online(d.dialogue, own_seat(d, assignment.id))
        )
    )
    if not open_ones:
        return None
    parts = tuple(SheetPart(dialogues=(d.key,), ask=(stage.online.ask,)) for d in open_ones)
    return Rating(index, open_ones, parts, online=True)


def _between_chats(
    study: Study, index: int, over: Sequence[StoredDialogue], answered: Answered
) -> Rating | None:
    """What is asked after each chat, where the stage behind this one asks then."""
    following = study.stages[index + 1] if index + 1 < len(study.stages) else None
    if not isinstance(following, RateStage) or following.when != "after_each":
        return None
    for dialogue in over:
        parts = own_parts(study, following, [dialogue])
        asked = {name for part in parts for name in part.ask}
        done = {question for unit, question in answered if _belongs(unit, dialogue.key)}
        if not asked <= done:
            return Rating(index + 1, (dialogue,), parts, paired=True)
    return None


def _belongs(unit: str, dialogue: str) -> bool:
    return unit == dialogue_unit(dialogue).key or unit.startswith(
        (f"event:{dialogue}:", f"turn:{dialogue}:")
    )


def judged_online(dialogue: Dialogue, seat: int) -> list[Event]:
    """The partner's messages that are judged while a chat runs; scripted openings are not."""
    return [
        event
        for event in dialogue.events
        if event.action == MESSAGE
        and event.seat != seat
        and event.data is not None
        and not event.data.get("seed")
        and event.visible_to(seat)
    ]


def own_seat(stored: StoredDialogue, assignment_id: int) -> int:
    """The seat that an assignment holds in a dialogue."""
    return next(seat for seat, who in stored.people.items() if who == assignment_id)


def is_held(stored: StoredDialogue, assignment_id: int) -> bool:
    """Whether a dialogue that is over was held as far as this person is concerned.

    One that does not count because the partner did too little was held by whoever did enough.
    """
    dialogue = stored.dialogue
    if dialogue.reason == INSUFFICIENT:
        return own_seat(stored, assignment_id) not in dialogue.shortcomings
    return dialogue.reason in HELD


def lost_a_partner(dialogues: Sequence[StoredDialogue], assignment: Assignment, stage: int) -> bool:
    """Whether somebody's last conversation of a stage ended because the partner went."""
    group = latest_group([d for d in dialogues if d.stage == stage])
    return any(d.dialogue.is_over and _left_alone(d, assignment) for d in group)


def _left_alone(lost: StoredDialogue, assignment: Assignment) -> bool:
    problem = lost.dialogue.outcome.get("seat")
    return lost.dialogue.reason == "withdrawn" or (
        problem is not None and lost.people.get(problem) != assignment.id
    )


def _after_loss(
    stage: ChatStage, index: int, assignment: Assignment, lost: StoredDialogue, *, more: bool
) -> Where:
    """What follows a conversation that was lost; `more` says whether there may be another one."""
    reason = lost.dialogue.reason
    if reason == INSUFFICIENT:
        words = lost.dialogue.shortcomings[own_seat(lost, assignment.id)]
        return Seating(index, reason, words, at_once=False) if more else Ending(INSUFFICIENT)
    if _left_alone(lost, assignment) and stage.partner_leaves == AGAIN and more:
        return Seating(index, PARTNER_LEFT)
    problem = lost.dialogue.outcome.get("seat")
    mine = lost.people.get(problem) == assignment.id if problem is not None else False
    if reason == "quit":
        return Ending(QUIT if mine else PARTNER_LEFT)
    if reason in {"system_failed", "stalled"}:
        return Ending(PARTNER_LEFT if stage.arrangement == "people" else SYSTEM_FAILED)
    if _left_alone(lost, assignment):
        return Ending(PARTNER_LEFT)
    return Seating(index, reason, at_once=False)


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
