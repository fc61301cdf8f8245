"""The driver of simulated participants: they arrive, chat in real rooms, vote, and leave.

Their conversations are held with the study's systems through the same rooms as everybody's; their
votes are drawn from known strengths and enter through the one door for answers. So the truth is
known, and the board can be held against it. A system without a strength is left to people: how good
a real system is cannot be drawn by lot.
"""

import asyncio
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ruamel.yaml import YAML
from sqlalchemy import Connection

from palaver.analysis.choice import draw_preference
from palaver.annotation.submission import Submission, submit_answers
from palaver.collection.limits import HELD
from palaver.collection.pairing import Full, Seated, Seating, SeatSeeker, seat
from palaver.collection.plan import ChatPlan
from palaver.collection.room import Room
from palaver.core.errors import MoveError, StoreUnavailableError
from palaver.core.events import say
from palaver.core.logs import get_log
from palaver.core.questions.comparative import SIDES
from palaver.core.questions.question import Shown
from palaver.core.studies.visits import ACTIVE
from palaver.core.units import dialogue_unit, pair_unit
from palaver.storage.dialogues.dialogues import StoredDialogue, dialogues_of_assignment
from palaver.storage.people.participants import Assignment, enter
from palaver.studies.file.terms import Simulated
from palaver.studies.run import participation
from palaver.studies.run.deployment import Deployment, RunningStudy
from palaver.studies.run.life import is_open

log = get_log(__name__)

CROWD = "simulated"
# Enough to keep the arrival rate up while conversations take their time.
AT_ONCE = 60
PATIENCE_SECONDS = 60.0
# How long to wait until it is asked again whether a paused study goes on.
CLOSED_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Repertoire:
    """What simulated visitors say: threads of messages that make sense in order."""

    threads: Sequence[Sequence[str]]

    def thread(self, rng: random.Random) -> Sequence[str]:
        """The messages of one visitor in one conversation."""
        return rng.choice(self.threads)


def read_repertoire(file: Path) -> Repertoire:
    """The repertoire in a YAML file with `threads`."""
    data = YAML(typ="safe").load(file.read_text(encoding="utf-8"))
    return Repertoire(tuple(tuple(thread) for thread in data["threads"]))


class SimulatedPage:
    """A page without a browser: speaks its thread, one message per turn."""

    def __init__(self, room: Room, seat: int, thread: Sequence[str]) -> None:
        self.seat = seat
        self.over = asyncio.Event()
        self._room = room
        self._thread = list(thread)
        self._speaking: asyncio.Task[None] | None = None

    def deliver(self, frame: bytes) -> None:
        """Speak when it is this seat's turn; stop when the conversation is over."""
        content = json.loads(frame)
        if content["type"] == "event" and content["action"] == "end":
            self.over.set()
        elif self._speaking is None and content.get("movers") == [self.seat]:
            self._speaking = asyncio.get_running_loop().create_task(self._speak())

    def replace(self) -> None:
        """Another page took this seat."""
        self.over.set()

    def dismiss(self) -> None:
        """A system took this seat."""
        self.over.set()

    async def _speak(self) -> None:
        text = self._thread.pop(0) if self._thread else "I see. Please go on."
        try:
            await self._room.move(self.seat, say(text))
        except (MoveError, StoreUnavailableError) as refused:
            log.info("simulated_visitor_stopped", reason=str(refused))
            self.over.set()
        finally:
            self._speaking = None


class SimulatedCrowd:
    """Simulated visitors of one study, arriving at a steady rate until enough have voted."""

    def __init__(self, deployment: Deployment, study: RunningStudy, repertoire: Repertoire) -> None:
        assert study.definition.simulated is not None
        self._deployment = deployment
        self._study = study
        self._terms: Simulated = study.definition.simulated
        self._repertoire = repertoire
        # No place is left that a visitor could take, now or later.
        self._full = not self._plan().conditions
        self._question = study.definition.questions[study.definition.board_question or ""]

    async def run(self) -> None:
        """Send visitors, a new one for each that failed, until enough have voted or all is full."""
        visits: set[asyncio.Task[bool]] = set()
        voted = number = 0
        try:
            while voted < self._terms.visitors and not self._full:
                if not await self._is_open():
                    await asyncio.sleep(CLOSED_SECONDS)
                    continue
                if voted + len(visits) < self._terms.visitors and len(visits) < AT_ONCE:
                    number += 1
                    visits.add(asyncio.create_task(self._visit(number)))
                done, visits = await asyncio.wait(visits, timeout=1 / self._terms.per_second)
                voted += sum(visit.result() for visit in done)
            if visits:
                # Nobody more is seated; whoever sits in a room finishes.
                await asyncio.wait(visits)
        finally:
            for visit in visits:
                visit.cancel()
            await asyncio.gather(*visits, return_exceptions=True)

    async def _is_open(self) -> bool:
        """Whether people may begin now; simulated ones keep to that, too."""
        study, now = self._current, self._deployment.clock.now()
        return await self._deployment.store.read(
            lambda c: is_open(c, study.id, study.definition, now=now)
        )

    @property
    def _current(self) -> RunningStudy:
        """The study as it is served now."""
        return self._deployment.studies.get(self._study.name, self._study)

    async def _visit(self, number: int) -> bool:
        """One visitor from arrival to vote; whether the vote was cast, now or in an earlier run."""
        rng = random.Random(f"{self._terms.seed}:{number}")
        try:
            assignment = await self._enter(number)
            if assignment.state != ACTIVE:
                return True
            dialogues = await self._seat(assignment)
            held = [await self._chat(stored, assignment, rng) for stored in dialogues]
            if not held or not all(held):
                return False
            await self._vote(assignment, dialogues, rng)
            return True
        except (TimeoutError, StoreUnavailableError) as error:
            log.warning("simulated_visit_failed", visitor=number, error=str(error))
            return False

    async def _enter(self, number: int) -> Assignment:
        study, now = self._current, self._deployment.clock.now()
        return await self._deployment.store.write(
            lambda c: enter(
                c,
                study_id=study.id,
                crowd=CROWD,
                person=f"{self._terms.seed}:{number}",
                assignment="1",
                first_step=f"stage:{self._plan().stage}",
                now=now,
                version=study.version,
            )
        )

    async def _seat(self, assignment: Assignment) -> list[StoredDialogue]:
        earlier = await self._dialogues(assignment)
        if earlier:
            return earlier  # seated before this process was started
        outcome = await seat_visitor(self._deployment, self._plan(), assignment)
        if isinstance(outcome, Full) and outcome.final:
            self._full = True
        return await self._dialogues(assignment)

    async def _dialogues(self, assignment: Assignment) -> list[StoredDialogue]:
        return await self._deployment.store.read(
            lambda c: dialogues_of_assignment(c, assignment.id)
        )

    async def _chat(
        self, stored: StoredDialogue, assignment: Assignment, rng: random.Random
    ) -> bool:
        """Hold one conversation; whether it came to its end."""
        room = await self._deployment.hub.open_by_id(stored.id)
        own = next(n for n, who in stored.people.items() if who == assignment.id)
        page = SimulatedPage(room, own, self._repertoire.thread(rng))
        room.attach(page, after=0)
        try:
            if not room.dialogue.is_over:
                async with asyncio.timeout(PATIENCE_SECONDS):
                    await page.over.wait()
        finally:
            room.detach(page)
        return room.dialogue.reason in HELD

    async def _vote(
        self, assignment: Assignment, dialogues: Sequence[StoredDialogue], rng: random.Random
    ) -> None:
        a, b = (dialogue_unit(stored.key) for stored in dialogues)
        strengths = [self._terms.strengths[_system(stored)] for stored in dialogues]
        preferred = draw_preference(rng, strengths[0], strengths[1], self._terms.ties)
        pair, now = pair_unit(a, b), self._deployment.clock.now()
        submission = Submission(
            study_id=self._study.id,
            question=self._question,
            unit=pair,
            members=(a, b),
            rater=assignment.alias,
            rater_kind="simulated",
            participant_id=assignment.participant_id,
            assignment_id=assignment.id,
            answer=self._answer(preferred, rng),
            shown=Shown(order=SIDES if pair.members == (a.key, b.key) else SIDES[::-1]),
            client_id=f"{assignment.key}:{self._question.name}",
            time=now,
            study_version=self._current.version,
        )
        await submit_answers(self._deployment.store, [submission])
        await self._deployment.store.write(lambda c: self._leave(c, assignment, now))

    def _answer(self, preferred: str, rng: random.Random) -> str:
        """What a page would send; how much better is drawn where it is asked."""
        answer = {"first": "a", "second": "b", "tie": "tie"}[preferred]
        degrees = getattr(self._question, "degrees", ())
        return f"{rng.randint(1, len(degrees))}{answer}" if degrees and len(answer) == 1 else answer

    def _leave(self, connection: Connection, assignment: Assignment, now: float) -> None:
        participation.end(
            connection, self._study.definition, assignment, reason="complete", now=now
        )

    def _plan(self) -> ChatPlan:
        """The chat stage, limited to the conditions whose truth is known."""
        plan = next(plan for plan in self._current.plans.values() if not plan.practice)
        known = self._terms.strengths.keys()
        return replace(
            plan, conditions=tuple(c for c in plan.conditions if known >= set(c.systems))
        )


async def seat_visitor(deployment: Deployment, plan: ChatPlan, assignment: Assignment) -> Seating:
    """Seat a simulated visitor as anybody is seated, and let the systems at the table drive."""
    person = SeatSeeker(assignment.id, assignment.participant_id, assignment.key)
    holder, now = deployment.store.holder, deployment.clock.now()
    outcome = await deployment.store.write(lambda c: seat(c, plan, person, holder=holder, now=now))
    for lease in outcome.leases if isinstance(outcome, Seated) else ():
        await deployment.driver.drive(lease)
    return outcome


def _system(stored: StoredDialogue) -> str:
    return next(s.occupant for s in stored.dialogue.seats if s.kind == "system")
