"""Which sheet a rater gets next, and what happens when it is done.

A rater holds one sheet per visit and is handed the same one until it is finished. Gold sheets (with
known answers) come in between when a check is due; an attention question may stand on a real sheet.
Grading happens here, on the server. Labels come in through `annotation/submission.py` before.
"""

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from sqlalchemy import Connection

from palaver.annotation.plan import BAR, Check, RatePlan
from palaver.core.errors import AccessError, ConflictError, InputError
from palaver.core.questions.question import Question, Shown
from palaver.storage.engine.store import Store
from palaver.storage.engine.writer import Joint
from palaver.storage.judging import gold_slots, slot_counts, slots
from palaver.storage.judging.drafts import forget_drafts
from palaver.storage.judging.labels import slot_values
from palaver.storage.judging.sheets import StoredSheet
from palaver.storage.judging.slot_counts import StageTally
from palaver.storage.judging.slot_returns import skip as skip_slot
from palaver.storage.judging.slots import Slot
from palaver.storage.judging.vote_limits import votes_wanted
from palaver.storage.people import rater_work
from palaver.storage.people.participants import on_record
from palaver.storage.people.raters import lock_rater, lock_raters

T = TypeVar("T")

Reason = Literal["visit_full", "rater_full", "at_once", "none_left", "taken", "barred", "decided"]
Outcome = Literal["fine", "warned", "barred"]

# How often, and how long apart, a request waits for another one of the same rater.
TURNS = 40
TURN_SECONDS = 0.01


@dataclass(frozen=True, slots=True)
class Rater:
    """A person in one visit; `people` are all the names under which dialogues may know them."""

    assignment_id: int
    assignment_key: str
    participant_id: int
    alias: str
    people: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Every name of theirs, once."""
        return tuple(dict.fromkeys((self.alias, *self.people)))


@dataclass(frozen=True, slots=True)
class Handed:
    """A sheet in a rater's hands.

    `attention` is the question that checks attention on it; `has_drafts` says that something is kept
    of its visit.
    """

    slot_id: int
    sheet: StoredSheet
    has_drafts: bool
    attention: Question | None


@dataclass(frozen=True, slots=True)
class Nothing:
    """There is no sheet for this rater, and why.

    "visit_full" and "rater_full": the limits of the stage; "at_once": another visit of this person
    holds as many as allowed; "none_left": nothing will come; "taken": others hold what is left;
    "barred": a check was failed; "decided": the study's rule has stopped it.
    """

    reason: Reason


@dataclass(frozen=True, slots=True)
class Finished:
    """What finishing a sheet showed: mistakes on a check (None if it was none), what follows."""

    mistakes: int | None
    outcome: Outcome


def held(connection: Connection, plan: RatePlan, rater: Rater) -> Handed | None:
    """The sheet that this visit holds, or None."""
    slot = slots.held_by(connection, assignment_id=rater.assignment_id, stage=plan.stage)
    return None if slot is None else handed(connection, plan, rater, slot)


def handed(connection: Connection, plan: RatePlan, rater: Rater, slot: Slot) -> Handed:
    """The sheet under a slot that this visit holds; the same for as long as it does."""
    question = _attention(connection, plan, rater, slot)
    return Handed(slot.id, slot.sheet, slot.has_drafts, question)


def hand_out(
    connection: Connection, plan: RatePlan, rater: Rater, *, now: float
) -> Handed | Nothing:
    """The sheet that this visit holds, or a new one; ConflictError while the rater is served."""
    lock_rater(connection, rater.participant_id)
    if rater_work.is_barred(connection, rater.participant_id, plan.qualification):
        return Nothing("barred")
    tally = _tally(connection, plan, rater)
    if tally.held_here:
        return _hand_again(connection, plan, rater, now=now)
    found = _unwanted(connection, plan) or _take(connection, plan, rater, tally, now=now)
    if isinstance(found, Nothing):
        return found
    slot = slots.get_slot(connection, found)
    assert slot is not None
    return handed(connection, plan, rater, slot)


def foresee(connection: Connection, plan: RatePlan, rater: Rater) -> Nothing | None:
    """Why `hand_out` would have nothing for a visit that begins now; None if it has something."""
    if rater_work.is_barred(connection, rater.participant_id, plan.qualification):
        return Nothing("barred")
    tally = _tally(connection, plan, rater)
    unwanted = None if tally.held_here else _unwanted(connection, plan)
    if unwanted is not None:
        return unwanted
    if tally.held >= plan.at_once and not tally.held_here:
        return Nothing("at_once")
    full = _full(plan, tally)
    if full is not None:
        return Nothing(full)
    person, people = _person(plan, rater), rater.names
    if tally.held_here or tally.abandoned or slots.any_free(connection, **person, people=people):
        return None
    others = slots.any_left(connection, **person, people=people)
    return Nothing("taken" if others else "none_left")


def hand_on(connection: Connection, plan: RatePlan, raters: Sequence[Rater], *, now: float) -> None:
    """Have each of these raters, of whom nobody is named twice, hold their next sheet.

    What `hand_out` does for one, with few statements for many; whoever is left without a sheet
    learns why there.
    """
    visits = {rater.participant_id: rater.assignment_id for rater in raters}
    lock_raters(connection, visits)
    marked = on_record(connection, visits, plan.qualification)
    tallies = slot_counts.tallies(
        connection, study_id=plan.study_id, stage=plan.stage, visits=visits
    )
    for rater in raters:
        tally = tallies[rater.participant_id]
        if rater.participant_id in marked:
            hand_out(connection, plan, rater, now=now)
        elif not tally.held_here and _unwanted(connection, plan) is None:
            _take(connection, plan, rater, tally, now=now)


def touch(connection: Connection, rater: Rater, slot_id: int, *, now: float) -> None:
    """Note that the rater of a slot is at work; an error if it is not theirs any more."""
    _own(slots.get_slot(connection, slot_id), rater)
    slots.touch(connection, slot_id, assignment_id=rater.assignment_id, now=now)


def finish(
    connection: Connection, plan: RatePlan, rater: Rater, slot_id: int, *, now: float
) -> Finished:
    """Count a sheet as done, grade it if it was a check, and say what follows.

    The caller has stored the labels, and seen to it that none is missing.
    """
    lock_rater(connection, rater.participant_id)
    slot = _own(slots.get_slot(connection, slot_id), rater)
    mistakes = _mistakes(connection, plan, slot)
    if not slots.complete(connection, slot_id, mistakes=mistakes, now=now):
        raise InputError(LATE)
    if mistakes is None:
        return Finished(None, "fine")
    check = plan.gold if slot.sheet.purpose == "gold" else plan.attention
    if check is None or not _is_failed(connection, plan, rater, slot, check, mistakes, now=now):
        return Finished(mistakes, "fine")
    return Finished(mistakes, _apply(connection, plan, rater, slot, check, now=now))


def finish_all(
    connection: Connection, plan: RatePlan, held: Mapping[int, Rater], *, now: float
) -> None:
    """Count the sheets under these slots as done, as `finish` does, those without checks at once."""
    lock_raters(connection, {rater.participant_id for rater in held.values()})
    done: dict[int, int] = {}
    if plan.attention is None:
        done = slots.complete_ungraded(connection, held, now=now)
    for slot_id, rater in held.items():
        if done.get(slot_id) != rater.assignment_id:
            finish(connection, plan, rater, slot_id, now=now)


def skips_left(connection: Connection, plan: RatePlan, rater: Rater) -> int:
    """How many more sheets this visit may skip."""
    if plan.skips is None:
        return 0
    return max(0, plan.skips - _tally(connection, plan, rater).skipped_here)


def skip(connection: Connection, plan: RatePlan, rater: Rater, slot_id: int, *, now: float) -> None:
    """Give back a sheet that a rater does not want to judge; somebody else gets it.

    Nothing is stored of what they answered. An error where the visit may skip no more, or does not
    hold it any more.
    """
    lock_rater(connection, rater.participant_id)
    _own(slots.get_slot(connection, slot_id), rater)
    if skips_left(connection, plan, rater) == 0:
        raise InputError(NO_MORE_SKIPS)
    if not skip_slot(connection, slot_id, assignment_id=rater.assignment_id, now=now):
        raise InputError(LATE)
    forget_drafts(connection, [rater.assignment_id])


async def in_turn(store: Store, work: Callable[[Connection], T] | Joint) -> T:
    """Run `work` in the store; again, a little later, while another request of its rater runs."""
    for _ in range(TURNS):
        try:
            return await store.write(work)
        except ConflictError:
            await asyncio.sleep(TURN_SECONDS)
    return await store.write(work)


NO_MORE_SKIPS = "You have skipped as many as one visit may. You can still leave at any time."
LATE = "This was open for too long and has been given back. Open the page again to go on."


def _own(slot: Slot | None, rater: Rater) -> Slot:
    if slot is None or slot.assignment_id != rater.assignment_id:
        raise AccessError("This was given to somebody else, or in another visit.")
    if slot.state == "done":
        raise InputError("This was already sent.")
    if slot.state != "held":
        raise InputError(LATE)
    return slot


def _unwanted(connection: Connection, plan: RatePlan) -> Nothing | None:
    """That no more is handed out because the votes are in, or others are about to give them."""
    wanted = votes_wanted(connection, plan.study_id, plan.stage, plan.limit)
    if wanted == "wanted":
        return None
    return Nothing("decided" if wanted == "stopped" else "taken")


def _person(plan: RatePlan, rater: Rater) -> dict[str, int]:
    return {
        "study_id": plan.study_id,
        "stage": plan.stage,
        "participant_id": rater.participant_id,
    }


def _tally(connection: Connection, plan: RatePlan, rater: Rater) -> StageTally:
    return slot_counts.tally(connection, **_person(plan, rater), assignment_id=rater.assignment_id)


def _hand_again(connection: Connection, plan: RatePlan, rater: Rater, *, now: float) -> Handed:
    slot = slots.held_by(connection, assignment_id=rater.assignment_id, stage=plan.stage)
    assert slot is not None
    slots.touch(connection, slot.id, assignment_id=rater.assignment_id, now=now)
    return handed(connection, plan, rater, slot)


def _attention(connection: Connection, plan: RatePlan, rater: Rater, slot: Slot) -> Question | None:
    """The attention question that is due on a sheet."""
    check, questions = plan.attention, plan.attention_questions
    if check is None or not questions or slot.sheet.purpose != "real":
        return None
    # As things stood when it was handed out: what another visit does meanwhile changes nothing.
    had = slot_counts.attention(connection, **_person(plan, rater), until=slot.since)
    due = check.due(had.done, had.checks)
    return questions[had.checks % len(questions)] if due else None


def _take(
    connection: Connection, plan: RatePlan, rater: Rater, tally: StageTally, *, now: float
) -> int | Nothing:
    """The slot of a new sheet for a rater who holds none in this visit."""
    # A gold sheet counts here like any other: whoever could hold one more would know it for gold.
    if tally.held >= plan.at_once:
        return Nothing("at_once")
    slot_id = _gold(connection, plan, rater, tally, now=now)
    if slot_id is None:
        full = _full(plan, tally)
        if full is not None:
            return Nothing(full)
        slot_id = _real(connection, plan, rater, tally, now=now)
    if slot_id is None:
        others = slots.any_left(connection, **_person(plan, rater), people=rater.names)
        return Nothing("taken" if others else "none_left")
    return slot_id


def _full(plan: RatePlan, tally: StageTally) -> Reason | None:
    if plan.per_rater is not None and tally.real >= plan.per_rater:
        return "rater_full"
    # What was skipped counts as handed out; but nobody is done who has judged nothing.
    had = tally.done_here + (tally.skipped_here if tally.done_here else 0)
    if plan.per_visit is not None and had >= plan.per_visit:
        return "visit_full"
    return None


def _gold(
    connection: Connection, plan: RatePlan, rater: Rater, tally: StageTally, *, now: float
) -> int | None:
    """The slot of a gold sheet, if a check is due and there is one that this rater has not seen."""
    if plan.gold is None or not plan.gold.due(tally.done, tally.gold):
        return None
    person = _person(plan, rater)
    if tally.abandoned:
        again = gold_slots.abandoned_gold(
            connection, **person, assignment_id=rater.assignment_id, now=now
        )
        if again is not None:
            return again
    unseen = gold_slots.unseen_gold(connection, **person, people=rater.names)
    if not unseen:
        return None
    return gold_slots.hold_gold(
        connection,
        random.Random(f"gold\n{rater.alias}\n{tally.gold}").choice(unseen),
        participant_id=rater.participant_id,
        assignment_id=rater.assignment_id,
        now=now,
    )


def _real(
    connection: Connection, plan: RatePlan, rater: Rater, tally: StageTally, *, now: float
) -> int | None:
    visit = {**_person(plan, rater), "assignment_id": rater.assignment_id}
    again = slots.reclaim(connection, **visit, now=now) if tally.abandoned else None
    if again is not None:
        return again
    return slots.claim(connection, **visit, people=rater.names, now=now)


def _mistakes(connection: Connection, plan: RatePlan, slot: Slot) -> int | None:
    """How many turns of a gold sheet, or attention checks of a real one, were wrong."""
    if slot.sheet.truth is not None:
        wrong = slot.sheet.truth.wrong(slot_values(connection, slot.id, "gold"))
        return len({right.unit for right in wrong})
    if plan.attention is None:
        return None
    answers = slot_values(connection, slot.id, "attention")
    asked = {name: value for (_, name), value in answers.items()}
    checks = [question for question in plan.attention_questions if question.name in asked]
    return sum(asked[q.name] != _expected(q) for q in checks) if checks else None


def _expected(question: Question) -> object:
    """The right answer of an attention question, as it is stored."""
    return question.read(question.expected, Shown())


def _is_failed(
    connection: Connection,
    plan: RatePlan,
    rater: Rater,
    slot: Slot,
    check: Check,
    mistakes: int,
    *,
    now: float,
) -> bool:
    if slot.sheet.purpose == "gold" or mistakes == 0:
        return mistakes > check.allowed_mistakes
    had = slot_counts.attention(connection, **_person(plan, rater), until=now)
    return had.missed > check.allowed_mistakes


def _apply(
    connection: Connection, plan: RatePlan, rater: Rater, slot: Slot, check: Check, *, now: float
) -> Outcome:
    """Bar or warn a rater who failed a check."""
    outcome: Outcome = "barred" if check.on_fail == BAR else "warned"
    rater_work.record(
        connection,
        participant_id=rater.participant_id,
        name=plan.qualification,
        state=outcome,
        study_id=plan.study_id,
        reason="gold" if slot.sheet.purpose == "gold" else "attention",
        now=now,
    )
    return outcome
