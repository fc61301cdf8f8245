"""Simulated writers of a round: they try sentences of a list, keep what fools the model, and leave.

They sit in the same rooms as everybody, so the model answers them as it answers people. One in four is
careless and says of a sentence what is not so; what becomes of it is for validators to find out.
"""

import asyncio
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ruamel.yaml import YAML

from palaver.collection.pairing import Seated
from palaver.collection.plan import ChatPlan
from palaver.collection.room import Room
from palaver.core.errors import MoveError, StoreUnavailableError
from palaver.core.events import END, Event, Move
from palaver.core.logs import get_log
from palaver.core.studies.visits import ACTIVE
from palaver.games.model_in_the_loop.moves import ANSWER, KEEP, SKIP, STOP, TRY, UNANSWERED, WRITER
from palaver.games.model_in_the_loop.writing import Writing, WritingBrief, fold_writing
from palaver.storage.dialogues.dialogues import StoredDialogue, dialogues_of_assignment
from palaver.storage.people.participants import Assignment, enter
from palaver.studies.file.terms import Simulated
from palaver.studies.run import participation
from palaver.studies.run.deployment import Deployment, RunningStudy
from palaver.studies.run.rounds import write_stage
from palaver.studies.run.simulation import CROWD, PATIENCE_SECONDS, seat_visitor

log = get_log(__name__)

# Every so many writers one is careless.
CARELESS = 4
# How many texts one takes at most.
MOST_TEXTS = 3
_BACK = frozenset({ANSWER, UNANSWERED, END})


@dataclass(frozen=True, slots=True)
class SentenceDraft:
    """A sentence about a text: the label that it has, and why."""

    text: str
    label: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Drafts:
    """The sentences that writers know, by the text that they are about."""

    by_context: Mapping[str, Sequence[SentenceDraft]]

    def of(self, asked: WritingBrief, *, careless: bool, rng: random.Random) -> list[SentenceDraft]:
        """What a writer tries on a text, in an order of their own; the careless take another label's."""
        known = self.by_context.get(asked.context_id, ())
        wanted = next(iter(asked.goal.values()), "")
        fitting = [each for each in known if not wanted or (each.label == wanted) is not careless]
        return rng.sample(fitting, len(fitting))

    def label_of(self, text: str) -> str | None:
        """The label that a sentence has; None where it is nobody's here."""
        every = (draft for drafts in self.by_context.values() for draft in drafts)
        return next((draft.label for draft in every if draft.text == text), None)


def read_drafts(file: Path) -> Drafts:
    """The sentences in a YAML file: text → label → sentences, each with its reason or without."""
    data = YAML(typ="safe").load(file.read_text(encoding="utf-8"))
    return Drafts(
        {
            context: tuple(
                _draft(each, label) for label, drafts in labels.items() for each in drafts
            )
            for context, labels in data.items()
        }
    )


def _draft(given: str | Mapping[str, str], label: str) -> SentenceDraft:
    if isinstance(given, str):
        return SentenceDraft(given, label)
    return SentenceDraft(given["say"], label, given.get("why", ""))


class WriterPage:
    """A writer's page without a browser: it waits for what comes back."""

    def __init__(self, room: Room) -> None:
        self.seat = WRITER
        self.room = room
        self._back = asyncio.Event()

    def deliver(self, frame: bytes) -> None:
        """Note that something came back."""
        content = json.loads(frame)
        if content["type"] == "event" and content["action"] in _BACK:
            self._back.set()

    def replace(self) -> None:
        """Another page took this seat."""
        self._back.set()

    def dismiss(self) -> None:
        """A system took this seat."""
        self._back.set()

    async def tries(self, draft: SentenceDraft, goal: str) -> Writing:
        """Send a sentence and wait for the model; the session after it."""
        form = self.writing.asked.form
        values = {each.name: draft.text for each in form.texts}
        if form.goal_field is not None:
            values[form.goal_field.name] = goal or draft.label
        self._back.clear()
        await self.does(TRY, values=values)
        async with asyncio.timeout(PATIENCE_SECONDS):
            await self._back.wait()
        return self.writing

    async def does(self, action: str, **data: object) -> Sequence[Event]:
        """Make a move."""
        return await self.room.move(self.seat, Move(action=action, data=data))

    @property
    def writing(self) -> Writing:
        """The session so far."""
        return fold_writing(self.room.dialogue)


class SimulatedWriters:
    """The simulated writers of one study, one after the other."""

    def __init__(self, deployment: Deployment, study: RunningStudy, drafts: Drafts) -> None:
        self._deployment = deployment
        self._study = study
        self._drafts = drafts
        self._terms = study.definition.simulated or Simulated(visitors=1, strengths={})
        self._index, self._stage = write_stage(study.definition)

    async def run(self) -> int:
        """Send the writers, so many a second; how many sessions were written."""
        written = 0
        for number in range(1, self._terms.visitors + 1):
            try:
                written += await self._visit(number)
            except (MoveError, TimeoutError, StoreUnavailableError) as error:
                log.warning("simulated_writer_stopped", writer=number, error=str(error))
            await asyncio.sleep(1 / self._terms.per_second)
        return written

    async def _visit(self, number: int) -> int:
        """One writer's visit; a text that they have nothing to say about is given back."""
        rng = random.Random(f"{self._terms.seed}:{number}")
        assignment = await self._enter(number)
        written = 0
        for _ in range(rng.randint(1, min(MOST_TEXTS, self._stage.per_visit))):
            stored = await self._seat(assignment)
            if stored is None:
                break
            written += await self._write(stored, rng, careless=number % CARELESS == 0)
        if assignment.state == ACTIVE:
            await self._leave(assignment)
        return written

    async def _write(self, stored: StoredDialogue, rng: random.Random, *, careless: bool) -> bool:
        """One session; whether something was tried."""
        room = await self._deployment.hub.open_by_id(stored.id)
        page = WriterPage(room)
        room.attach(page, after=0)
        try:
            return await _outwit(page, self._drafts, rng, careless=careless)
        finally:
            room.detach(page)

    async def _enter(self, number: int) -> Assignment:
        study, now = self._study, self._deployment.clock.now()
        return await self._deployment.store.write(
            lambda c: enter(
                c,
                study_id=study.id,
                crowd=CROWD,
                person=f"{study.name}:{self._terms.seed}:{number}",
                assignment="1",
                first_step=f"stage:{self._index}",
                now=now,
                version=study.version,
            )
        )

    async def _seat(self, assignment: Assignment) -> StoredDialogue | None:
        """The session that they write now, or None where there is no place."""
        if assignment.state != ACTIVE:
            return None
        outcome = await seat_visitor(self._deployment, self._plan, assignment)
        if not isinstance(outcome, Seated):
            return None
        held = await self._deployment.store.read(
            lambda c: dialogues_of_assignment(c, assignment.id)
        )
        return next((each for each in held if not each.dialogue.is_over), None)

    async def _leave(self, assignment: Assignment) -> None:
        definition, now = self._study.definition, self._deployment.clock.now()
        await self._deployment.store.write(
            lambda c: participation.end(c, definition, assignment, reason="complete", now=now)
        )

    @property
    def _plan(self) -> ChatPlan:
        """The stage as it seats people now: a round may be stopped meanwhile."""
        return self._study.plans[self._index]


async def _outwit(page: WriterPage, drafts: Drafts, rng: random.Random, *, careless: bool) -> bool:
    """Try what one knows of a text until something fools the model; whether anything was tried."""
    asked = page.writing.asked
    known = drafts.of(asked, careless=careless, rng=rng)
    if not known:
        await page.does(SKIP)
        return False
    goal = next(iter(asked.goal.values()), "")
    for draft in known[: asked.tries]:
        last = (await page.tries(draft, goal)).last
        if last is not None and last.wrong:
            await page.does(KEEP, **({"why": draft.why} if draft.why else {}))
            return True
    if not page.room.dialogue.is_over:
        await page.does(STOP)
    return True
