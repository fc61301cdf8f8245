"""A simulated participant: walks a whole visit through the same doors as people, without a browser.

They agree, read, talk in real rooms, answer what they are asked about their own conversations, and judge
sheets until their visit is full. What they say and answer means nothing; that it can be said and is
stored, counted and led on from is what is tried. Practice with right answers is taken as passed; a visit
ends as complete where it comes to writing against a model, to a game with moves of its own, or to what
another study collects. `passed_over` says so beforehand.
"""

import asyncio
import json
import random
from collections.abc import Callable
from functools import partial

from sqlalchemy import Connection

from palaver.annotation import assignment as handing
from palaver.annotation.assignment import Nothing
from palaver.annotation.sent_sheets import SentSheet
from palaver.annotation.submission import Submission, submit_sheet
from palaver.collection.pairing import Full, Seated, SeatSeeker, Waiting, seat
from palaver.collection.room import Room
from palaver.core.errors import InputError, MoveError, StoreUnavailableError
from palaver.core.events import Move, say
from palaver.core.logs import get_log
from palaver.core.studies.visits import ACTIVE
from palaver.games.open_chat.rules import OpenChat
from palaver.storage.dialogues.dialogues import StoredDialogue, dialogues_of_assignment
from palaver.storage.judging.labels import answered_questions
from palaver.storage.judging.slot_counts import count_done
from palaver.storage.people.participants import Assignment, get_assignment, move_on
from palaver.studies.file.definition import Study
from palaver.studies.run import flow, participation
from palaver.studies.run.deployment import Deployment, RunningStudy
from palaver.studies.run.drawn_answers import drawn_answer
from palaver.studies.run.openings import closed_to
from palaver.studies.run.work import Work, own_work, rater_in, rater_of, sheet_work, submission_of
from palaver.studies.stages import ChatStage, RateStage, ScreenStage, WriteStage
from palaver.studies.stages.stage import AnyStage

log = get_log(__name__)

LINES = (
    "Hello, I have been wondering about something and hope that you can help me with it.",
    "Thank you, that is useful to know. Could you tell me a little more about how it works?",
    "I see what you mean. What would you do yourself if you were in my place today?",
    "That makes sense to me. Is there anything else that I should think of before I begin?",
    "Good, then I will try it that way tomorrow morning and see how far I get with it.",
)
# Of real time: how long a conversation may take before it is given up.
PATIENCE_SECONDS = 60.0
# How often somebody who waits for a partner looks, and how often before they give up.
LOOK_SECONDS, MOST_LOOKS = 0.05, 200
# More steps than a visit has.
MOST_STEPS = 1000

# Told of each step before it is taken.
OnStep = Callable[[flow.Where], None]


def passed_over(study: Study) -> dict[int, str]:
    """The stages in which nobody is simulated, by their place, and what becomes of people there."""
    found: dict[int, str] = {}
    for index, stage in enumerate(study.stages):
        if why := _why_passed_over(stage):
            found[index] = f"Stage {index + 1} is not gone through: {why}"
            if not is_passed(stage):
                break  # nobody comes further
    return found


def is_passed(stage: AnyStage) -> bool:
    """Whether people go on behind a stage in which nobody is simulated."""
    return isinstance(stage, ScreenStage)


def _why_passed_over(stage: AnyStage) -> str:
    if isinstance(stage, ScreenStage):
        return "it is practice with right answers. People are taken to have passed it."
    if isinstance(stage, WriteStage):
        what = "people write against a model there"
    elif isinstance(stage, RateStage) and stage.source is not None:
        what = f"it judges what the study '{stage.source}' collects, of which nothing is there"
    elif isinstance(stage, ChatStage) and stage.game.name != "open_chat":
        what = f"people play '{stage.game.name}' there"
    else:
        return ""
    return f"{what}. The visit of whoever completes the study is ended at that place."


class TalkingPage:
    """A page without a browser: says a line whenever its seat may, and finishes when it may."""

    def __init__(self, room: Room, seat: int, rng: random.Random) -> None:
        self.seat = seat
        self.over = asyncio.Event()
        self._room = room
        self._lines = list(LINES)
        self._rng = rng
        self._speaking: asyncio.Task[None] | None = None

    def deliver(self, frame: bytes) -> None:
        """Speak when this seat may; stop when the conversation is over."""
        content = json.loads(frame)
        if content["type"] == "event" and content["action"] == "end":
            self.over.set()
        elif self._speaking is None and self.seat in content.get("movers", ()):
            self._speaking = asyncio.get_running_loop().create_task(self._speak())

    def replace(self) -> None:
        """Another page took this seat."""
        self.over.set()

    def dismiss(self) -> None:
        """A system took this seat."""
        self.over.set()

    async def _speak(self) -> None:
        try:
            await self._room.move(self.seat, self._next())
        except (MoveError, StoreUnavailableError) as refused:
            log.info("simulated_participant_stopped", reason=str(refused))
            self.over.set()
        finally:
            self._speaking = None
        # With free turns nobody else may have to speak before this seat may again.
        if not self._room.dialogue.is_over and self._may_go_on():
            self._speaking = asyncio.get_running_loop().create_task(self._speak())

    def _next(self) -> Move:
        rules, said = self._room.plan.rules, self._room.dialogue.message_count
        is_open = isinstance(rules, OpenChat) and rules.exactly is None
        if is_open and said >= max(rules.length.at_least or 0 if rules.length else 0, 2):
            return Move(action="finish")
        return say(self._lines.pop(0) if self._lines else self._rng.choice(LINES))

    def _may_go_on(self) -> bool:
        dialogue = self._room.dialogue
        last = dialogue.last_turn
        answered = last is None or last.seat != self.seat
        return answered and self.seat in self._room.plan.rules.movers(dialogue)


class SimulatedParticipant:
    """Somebody who walks the visit with this key."""

    def __init__(
        self,
        deployment: Deployment,
        study: RunningStudy,
        key: str,
        *,
        rng: random.Random,
        on_step: OnStep = lambda step: None,
    ) -> None:
        self._deployment = deployment
        self._store = deployment.store
        self._study = study
        self._key = key
        self._rng = rng
        self._on_step = on_step
        self._passed_over = passed_over(study.definition)
        stages = study.definition.stages
        self._ends_at_a_stage = any(not is_passed(stages[index]) for index in self._passed_over)

    async def walk(
        self, *, agrees: bool = True, until: type[flow.Where] | None = None
    ) -> Assignment:
        """The visit as it stands once it has ended, or once a step of the kind `until` is reached."""
        for _ in range(MOST_STEPS):
            assignment = await self.visit()
            step = await self._where(assignment)
            if isinstance(step, flow.Done) or (until is not None and isinstance(step, until)):
                return assignment
            self._on_step(step)
            if getattr(step, "stage", None) in self._passed_over:
                await self._pass_over(assignment)
            elif not await self._take(assignment, step, agrees=agrees):
                return await self.visit()
        raise InputError("A simulated visit did not come to its end.")

    async def visit(self) -> Assignment:
        """The visit as it is stored."""
        return await self._store.read(lambda c: get_assignment(c, self._key))

    async def stop(self, reason: str) -> Assignment:
        """The visit, ended for a reason before anything else of it is done."""
        assignment = await self.visit()
        if assignment.state == ACTIVE:
            await self._change(participation.end, assignment, reason=reason)
        return await self.visit()

    async def _pass_over(self, assignment: Assignment) -> None:
        """Go on behind practice; end the visit at anything else that nobody is simulated in."""
        study = self._study.definition
        after = flow.step_after(study, assignment.step)
        if after == flow.DONE or not is_passed(study.stages[flow.stage_of(assignment)]):
            await self.stop("complete")
            return
        move = partial(move_on, assignment_id=assignment.id, step=after, from_step=assignment.step)
        await self._store.write(move)

    @property
    def _now(self) -> float:
        return self._deployment.clock.now()

    async def _where(self, assignment: Assignment) -> flow.Where:
        def read(connection: Connection) -> flow.Where:
            held = dialogues_of_assignment(connection, assignment.id)
            answered = answered_questions(connection, assignment.id)
            return flow.where(self._study.definition, assignment, held, answered)

        return await self._store.read(read)

    async def _change(
        self, change: Callable[..., object], assignment: Assignment, **options: object
    ) -> None:
        now, definition = self._now, self._study.definition
        await self._store.write(lambda c: change(c, definition, assignment, now=now, **options))

    async def _take(self, assignment: Assignment, step: flow.Where, *, agrees: bool) -> bool:
        """Take a step; False where there is none to take."""
        match step:
            case flow.Consenting() | flow.Instructing():
                return await self._begin(assignment, step, agrees=agrees)
            case flow.Advancing():
                await self._change(participation.advance, assignment, from_step=step.from_step)
            case flow.Practised():
                await self._change(participation.advance, assignment, from_step=assignment.step)
            case flow.Ending():
                await self._change(participation.end, assignment, reason=step.reason)
            case flow.Seating():
                return await self._sit(assignment, step)
            case flow.Chatting():
                await self._talk(assignment, step)
            case flow.Rating():
                await self._rate(assignment, step)
            case flow.Judging():
                return await self._judge(assignment, step)
            case _:
                return False
        return True

    async def _begin(self, assignment: Assignment, step: flow.Where, *, agrees: bool) -> bool:
        closed = await self._store.read(lambda c: closed_to(c, self._study, assignment))
        # Where a visit is ended at a stage, nothing has to be open there.
        if closed is not None and not self._ends_at_a_stage:
            return await self._turned_away(assignment, closed)
        if isinstance(step, flow.Consenting):
            await self._change(participation.consent, assignment, agrees=agrees)
        else:
            await self._change(participation.advance, assignment, from_step=flow.INSTRUCTIONS)
        return True

    async def _turned_away(self, assignment: Assignment, reason: str) -> bool:
        """Somebody to whom nothing is open goes back with what is due; nobody waits for more."""
        now, definition = self._now, self._study.definition
        gone = await self._store.write(
            partial(
                participation.turn_away,
                study=definition,
                assignment=assignment,
                reason=reason,
                now=now,
            )
        )
        if not gone:
            await self._change(participation.stop_at_closed_door, assignment)
        return True

    async def _sit(self, assignment: Assignment, step: flow.Seating) -> bool:
        plan = self._study.plans[step.stage]
        person = SeatSeeker(assignment.id, assignment.participant_id, assignment.key)
        holder = self._store.holder
        for _ in range(MOST_LOOKS):
            now = self._now
            found = await self._store.write(lambda c: seat(c, plan, person, holder=holder, now=now))  # noqa: B023
            if isinstance(found, Seated):
                for lease in found.leases:
                    await self._deployment.driver.drive(lease)
                return True
            if isinstance(found, Full):
                if step.reason or step.may_pass:
                    move = participation.end if step.reason else participation.advance
                    told = (
                        {"reason": step.reason} if step.reason else {"from_step": assignment.step}
                    )
                    await self._change(move, assignment, **told)
                    return True
                return await self._turned_away(assignment, "full")
            assert isinstance(found, Waiting)
            await asyncio.sleep(LOOK_SECONDS)
        await self._change(participation.stop_waiting, assignment)
        return True

    async def _talk(self, assignment: Assignment, step: flow.Chatting) -> None:
        side_by_side = [each for each in step.dialogues if not each.dialogue.is_over]
        stage = self._study.definition.stages[step.stage]
        if not isinstance(stage, ChatStage) or stage.display != "side_by_side":
            side_by_side = [step.dialogues[step.current]]
        await asyncio.gather(*(self._hold(stored, assignment) for stored in side_by_side))

    async def _hold(self, stored: StoredDialogue, assignment: Assignment) -> None:
        room = await self._deployment.hub.open_by_id(stored.id)
        page = TalkingPage(room, flow.own_seat(stored, assignment.id), self._rng)
        room.attach(page, after=0)
        try:
            if not room.dialogue.is_over:
                async with asyncio.timeout(PATIENCE_SECONDS):
                    await page.over.wait()
        except TimeoutError:
            raise InputError(
                "A simulated conversation did not come to its end within "
                f"{PATIENCE_SECONDS:g} seconds."
            ) from None
        finally:
            room.detach(page)

    async def _rate(self, assignment: Assignment, step: flow.Rating) -> None:
        study, definition, now = self._study, self._study.definition, self._now

        def write(connection: Connection) -> None:
            work = own_work(connection, definition, assignment, step)
            submit_sheet(connection, self._answers(work, assignment))
            if assignment.step == f"stage:{step.stage}" and not step.online:
                participation.advance(
                    connection, definition, assignment, from_step=assignment.step, now=now
                )

        assert study.id == assignment.study_id
        await self._store.write(write)

    async def _judge(self, assignment: Assignment, step: flow.Judging) -> bool:
        plan, now = self._study.rates[step.stage], self._now
        rater = rater_in(self._study, assignment, step.stage)
        await self._study.taken_in.wait()
        handed = await self._store.write(lambda c: handing.hand_out(c, plan, rater, now=now))
        if isinstance(handed, Nothing):
            done = await self._store.read(
                lambda c: count_done(c, assignment_id=assignment.id, stage=plan.stage)
            )
            if done or flow.has_chatted(self._study.definition, plan.stage):
                await self._change(participation.advance, assignment, from_step=assignment.step)
                return True
            return await self._turned_away(assignment, "full")
        sheet = handed
        work = await self._store.read(lambda c: sheet_work(c, plan, rater, sheet))
        answers = self._answers(work, assignment)
        await self._store.write(SentSheet(plan, rater, handed.slot_id, answers, now))
        return True

    def _answers(self, work: Work, assignment: Assignment) -> tuple[Submission, ...]:
        """An answer to everything that is asked; attention checks are answered as they ask."""
        rater = rater_of(assignment)
        return tuple(
            submission_of(
                work,
                asking,
                asking.question.expected
                if asking.question.expected is not None
                else drawn_answer(asking.question, asking.shown, self._rng),
                study_id=self._study.id,
                version=self._study.version,
                rater=rater,
                now=self._now,
                seconds=self._rng.uniform(5.0, 40.0),
                nonce=f"walk:{work.name}:{number}",
            )
            for number, screen in enumerate(work.screens)
            for asking in screen.askings
        )
