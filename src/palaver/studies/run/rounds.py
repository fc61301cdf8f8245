"""Rounds of writing as a deployment runs them: opened when a study is first served, seated while they
are open.

The study's file says what a round is to be; the round in the store says what it is. A round that is
stopped, closed or followed by another one changes who is seated at once, on every process.
"""

import asyncio
import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from palaver.collection.limits import Limits
from palaver.collection.plan import ChatPlan, ConditionPlan
from palaver.core.audit import SERVER, Actor
from palaver.core.errors import ConflictError, InputError, StoreUnavailableError
from palaver.core.evaluation.rounds import Round, RoundContext
from palaver.core.logs import get_log
from palaver.core.protocols import System
from palaver.core.scenario import Scenario
from palaver.core.tasks import Task
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.rounds.context_files import contexts_of_file
from palaver.evaluation.rounds.contexts import contexts_of_dataset, contexts_of_round
from palaver.evaluation.rounds.model_seat import LoopSeat
from palaver.evaluation.rounds.opening import open_round
from palaver.evaluation.rounds.sessions import RoundSessions
from palaver.evaluation.rounds.shares import draw_session_key
from palaver.evaluation.tasks import ensure_task, stored_task
from palaver.games.model_in_the_loop.form import form_of
from palaver.storage.evaluation.rounds import rounds_of_study
from palaver.storage.evaluation.tasks import find_task
from palaver.storage.studies.studies import list_studies
from palaver.studies.file.definition import Study
from palaver.studies.run.writing_visit import WritingTerms
from palaver.studies.stages.write import IN_THE_LOOP, DatasetContexts, WriteStage

if TYPE_CHECKING:
    from palaver.studies.run.deployment import Deployment, RunningStudy

log = get_log(__name__)

# How often the rounds are looked at: so long after `palaver round stop` somebody may be seated.
LOOK_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Loop:
    """A write stage of a study that is served: its rounds, and the one that is open."""

    study_id: int
    stage: int
    rounds: Mapping[int, Round]

    @property
    def open_round(self) -> Round | None:
        return next((each for each in self.rounds.values() if each.is_open), None)

    @property
    def mark(self) -> tuple[tuple[int, str], ...]:
        """What changes when somebody opens, stops or closes a round."""
        return tuple((each.id, each.state) for each in self.rounds.values())


def read_loop(connection: Connection, study_id: int, stage: int) -> Loop:
    found = rounds_of_study(connection, study_id)
    return Loop(study_id, stage, {each.number: each for each in found if each.stage == stage})


def write_stage(study: Study) -> tuple[int, WriteStage]:
    """The place of a study's write stage; InputError where it has none."""
    found = ((n, stage) for n, stage in enumerate(study.stages) if isinstance(stage, WriteStage))
    place = next(found, None)
    if place is None:
        raise InputError(
            f"The study '{study.name}' has no write stage. See docs/model-in-the-loop.md."
        )
    return place


def open_study_round(
    home: EvaluationHome, study: Study, *, study_id: int, now: float, by: Actor
) -> Round:
    """Open the next round of a study as its file says now."""
    index, stage = write_stage(study)
    return open_round(
        home,
        task=stage.task,
        study_id=study_id,
        stage=index,
        terms=stage.terms,
        models=stage.models,
        contexts=_contexts(home, study.folder, stage, now=now),
        now=now,
        by=by,
    )


def stored_study_id(home: EvaluationHome, study: Study) -> int:
    """The number of a study that was served in this home; InputError where it was not."""
    stored = {each.name: each.id for each in home.store.read_now(list_studies)}
    if study.name not in stored:
        raise InputError(
            f"The study '{study.name}' was never served in this home. Serving it opens its first "
            f"round: palaver serve {study.folder}"
        )
    return stored[study.name]


class LoopKeeper:
    """The write stages that a deployment serves: their seats, and plans that follow their rounds."""

    def __init__(self, deployment: "Deployment") -> None:
        self._deployment = deployment
        self._seats: dict[tuple[str, int], LoopSeat] = {}
        self._marks: dict[tuple[str, int], object] = {}

    async def add(self, study: "RunningStudy", index: int, stage: WriteStage) -> ChatPlan:
        """The plan of a stage that is served from now on; its first round is opened."""
        home, store = self._deployment.evaluation, self._deployment.store
        loop = await store.read(partial(read_loop, study_id=study.id, stage=index))
        if not loop.rounds:
            await asyncio.to_thread(self._open_first, study)
        return await asyncio.to_thread(self._plan, home, study, index, stage)

    async def watch(self) -> None:
        """Follow what becomes of rounds, for as long as there are any to follow."""
        while self._seats:
            await asyncio.sleep(LOOK_SECONDS)
            for name, index in list(self._seats):
                study = self._deployment.studies[name]
                stages = study.definition.stages
                if index >= len(stages) or not isinstance(stages[index], WriteStage):
                    continue  # a new version of the file took it out before anybody wrote
                try:
                    await self._look(study, index)
                except StoreUnavailableError as error:
                    log.warning("rounds_wait_for_store", error=str(error))
                except InputError as error:
                    log.error("round_not_served", study=name, error=str(error))

    async def close(self) -> None:
        """Let go of the models."""
        for seat in self._seats.values():
            await seat.close()

    async def _look(self, study: "RunningStudy", index: int) -> None:
        loop = await self._deployment.store.read(partial(read_loop, study_id=study.id, stage=index))
        if loop.mark == self._marks[study.name, index]:
            return
        stage = study.definition.stages[index]
        assert isinstance(stage, WriteStage)
        home = self._deployment.evaluation
        plan = await asyncio.to_thread(self._plan, home, study, index, stage)
        await self._deployment.follow_plan(study, index, plan)

    def _open_first(self, study: "RunningStudy") -> None:
        deployment, definition = self._deployment, study.definition
        now = deployment.clock.now()
        try:
            opened = open_study_round(
                deployment.evaluation, definition, study_id=study.id, now=now, by=SERVER
            )
            log.info("round_opened", study=study.name, round=opened.number)
        except (InputError, ConflictError):
            # Another process that starts with this one may have been faster.
            if not deployment.store.read_now(lambda c: rounds_of_study(c, study.id)):
                raise

    def _plan(
        self, home: EvaluationHome, study: "RunningStudy", index: int, stage: WriteStage
    ) -> ChatPlan:
        loop = home.store.read_now(partial(read_loop, study_id=study.id, stage=index))
        task = _task(home, stage.task)
        seat = self._seats.get((study.name, index))
        if seat is None:
            seat = LoopSeat(
                home=home, task=task, rounds=loop.rounds, answer_within=stage.answer_within
            )
            self._seats[study.name, index] = seat
        seat.rounds, seat.task = loop.rounds, task
        seat.answer_within = stage.answer_within
        self._marks[study.name, index] = loop.mark
        study.writing[index] = _terms(task, loop)
        sessions = _sessions(home, study.definition, stage, task, loop.open_round)
        return _loop_plan(study, index, stage, sessions, {**study.systems, IN_THE_LOOP: seat})


def _loop_plan(
    study: "RunningStudy",
    index: int,
    stage: WriteStage,
    sessions: RoundSessions | None,
    systems: Mapping[str, System],
) -> ChatPlan:
    """What live collection needs to know of a write stage: the sessions of the round that is open."""
    definition = study.definition
    rules = stage.game_rules(definition.folder)
    quotas = {} if sessions is None else sessions.quotas

    def make_scenario(name: str, rng: random.Random) -> Scenario:
        if sessions is None:
            raise InputError(f"No round of '{stage.task}' is open.")
        return sessions.scenario(name)

    return ChatPlan(
        study=study.name,
        study_id=study.id,
        stage=index,
        rules=rules,
        conditions=tuple(
            ConditionPlan(c.name, c.systems, needed=sum(quotas.values()), each=quotas)
            for c in stage.conditions
        ),
        draw_scenario=partial(stage.draw_scenario, rules),
        make_scenario=make_scenario,
        draw_key=None if sessions is None else partial(draw_session_key, round_=sessions.round),
        systems=systems,
        limits=Limits(**stage.limits.model_dump()),
        blind=False,
        in_sessions=True,
        rich_seats=stage.seats_of_systems if definition.render == "markdown" else frozenset(),
    )


def _sessions(
    home: EvaluationHome, study: Study, stage: WriteStage, task: Task, round_: Round | None
) -> RoundSessions | None:
    """The sessions of the round that is open; None where none is."""
    if round_ is None:
        return None
    terms = round_.terms
    form = form_of(
        task,
        language=study.language,
        talks=bool(terms.talk),
        faults=tuple(terms.goals) if terms.talk else (),
    )
    return RoundSessions(round_, form, contexts_of_round(home, round_))


def _terms(task: Task, loop: Loop) -> WritingTerms:
    """What writers are told of a task and of its rounds."""
    return WritingTerms(
        content_warning=task.content_warning,
        instructions=task.instructions,
        rounds={number: each.terms for number, each in loop.rounds.items()},
    )


def _contexts(
    home: EvaluationHome, folder: Path, stage: WriteStage, *, now: float
) -> tuple[RoundContext, ...]:
    if stage.contexts is None:
        return ()
    row = home.store.write_now(lambda c: ensure_task(c, stage.task, now=now))
    task = stored_task(row)
    if isinstance(stage.contexts, DatasetContexts):
        chosen = stage.contexts
        return contexts_of_dataset(
            home, row.id, task, chosen.dataset, sample=chosen.sample, seed=f"{stage.task}:{now}"
        )
    return contexts_of_file(folder / stage.contexts, task, talks=stage.talk is not None)


def _task(home: EvaluationHome, name: str) -> Task:
    return stored_task(home.store.read_now(lambda c: find_task(c, name)))
