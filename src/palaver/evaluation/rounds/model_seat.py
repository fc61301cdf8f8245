"""The model's seat in a session: each try is put to the model, and what came back to the writer.

A model that is late, away or answers nonsense costs the writer no try: the reason is recorded and told.
A session can be rebuilt from its events, so that another process can go on with it.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from palaver.core.errors import AnswerError, InputError, SystemFailureError
from palaver.core.evaluation.rounds import Round, RoundModel
from palaver.core.events import Event, Move
from palaver.core.logs import get_log
from palaver.core.protocols import DraftListener, Place, Predictor, Session
from palaver.core.tasks import Answer, Example, Task
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.jobs.calls import ItemAsker, Manner
from palaver.evaluation.models.predictors import build_model
from palaver.evaluation.scoring.answers import model_wrong
from palaver.evaluation.submissions.endpoints import check_addresses, strangers_options
from palaver.games.model_in_the_loop.moves import ANSWER, UNANSWERED
from palaver.games.model_in_the_loop.writing import Writing, WritingBrief, fold_events
from palaver.storage.evaluation.models import find_model_version, submitter_of

log = get_log(__name__)

# What a writer reads where no answer came, by kind of failure.
SENTENCES: Mapping[str, str] = {
    "timeout": "The model did not answer in time. It cost you no try; ask it again.",
    "garbage": "The model answered something that is no answer. It cost you no try.",
}
OTHERWISE = "The model cannot be reached now. It cost you no try; ask it again in a while."


@dataclass(slots=True)
class _Started:
    """A model of the round while this process asks it; `turns` keeps to what it takes at once."""

    asking: ItemAsker
    predictor: Predictor
    turns: asyncio.Semaphore


@dataclass(slots=True)
class LoopSeat:
    """The system behind the model's seat of a stage: the models of its rounds, by version."""

    home: EvaluationHome
    task: Task
    rounds: Mapping[int, Round]
    answer_within: float = 20.0
    _started: dict[int, "asyncio.Future[_Started]"] = field(default_factory=dict)

    def new_session(self, place: Place) -> Session:
        """A session that has seen nothing yet."""
        return _LoopSession(self, Writing(asked=WritingBrief.of(place.scenario)), place.dialogue)

    async def answer(self, round_: int, dialogue: str, uid: str, values: Mapping[str, Any]) -> Move:
        """What the model of a session says to a try, as its move."""
        began = time.perf_counter()
        model = self.rounds[round_].model_of(dialogue)
        try:
            async with asyncio.timeout(self.answer_within):
                answer = await self._ask(model, Example(uid=uid, values=dict(values)))
        except TimeoutError:
            return _unanswered("timeout", model, f"no answer within {self.answer_within:g} s")
        except AnswerError as error:
            return _unanswered("garbage", model, str(error))
        except SystemFailureError as error:
            return _unanswered(error.kind, model, str(error))
        except InputError as error:
            return _unanswered("error", model, str(error))
        example = Example(uid=uid, values=dict(values))
        seconds = round(time.perf_counter() - began, 4)
        said = {
            "values": answer.values,
            "wrong": self._is_wrong(answer, example),
            "seconds": seconds,
        }
        return Move(action=ANSWER, data=said)

    async def close(self) -> None:
        """Let go of the models."""
        started, self._started = self._started, {}
        for each in started.values():
            if each.done() and not each.cancelled() and each.exception() is None:
                await each.result().predictor.close()
            else:
                each.cancel()

    def _is_wrong(self, answer: Answer, example: Example) -> bool | None:
        given = all(kept in example.values for kept in self.task.gold.values())
        return model_wrong(self.task, answer, example) if given else None

    async def _ask(self, model: RoundModel, example: Example) -> Answer:
        started = await self._model(model)
        async with started.turns:
            return await started.asking.ask_one(example)

    async def _model(self, model: RoundModel) -> _Started:
        """The model, started once; after a failure it is started anew."""
        known = self._started.get(model.version_id)
        if known is None or (known.done() and (known.cancelled() or known.exception())):
            starting = asyncio.ensure_future(self._start(model))
            known = self._started[model.version_id] = starting
        # Whoever gives up waiting must not stop the start for the others.
        return await asyncio.shield(known)

    async def _start(self, model: RoundModel) -> _Started:
        version = await self.home.store.read(
            partial(find_model_version, version_id=model.version_id)
        )
        private = self.home.settings.private_endpoints
        if await self.home.store.read(partial(submitter_of, model_id=version.model_id)) is not None:
            await asyncio.to_thread(check_addresses, version.options, private=private)
            version = replace(version, options=strangers_options(version.options, private=private))
        predictor = await asyncio.to_thread(build_model, self.home, version)
        await predictor.start()
        manner = Manner(
            task=self.task,
            folder=self.home.folder,
            secret=str(version.options.get("secret", "")),
            inside=private,
        )
        calls = max(1, predictor.concurrency)
        return _Started(ItemAsker(manner, predictor), predictor, asyncio.Semaphore(calls))


def _unanswered(kind: str, model: RoundModel, detail: str) -> Move:
    log.warning("model_did_not_answer", model=model.system, kind=kind, detail=detail)
    return Move(action=UNANSWERED, data={"kind": kind, "text": SENTENCES.get(kind, OTHERWISE)})


@dataclass(slots=True)
class _LoopSession:
    """The model's side of one dialogue."""

    seat: LoopSeat
    writing: Writing
    dialogue: str

    def receive(self, event: Event) -> None:
        """Take note of an event."""
        self.writing = fold_events(self.writing, [event])

    async def send(self, draft: DraftListener | None = None) -> Sequence[Move]:
        """The answer to the try that waits for one."""
        last, asked = self.writing.last, self.writing.asked
        if last is None or not last.is_waiting:
            return ()
        values = {**asked.context, **last.values}
        uid = f"{self.dialogue}-{last.seq}"
        return (await self.seat.answer(asked.round, self.dialogue, uid, values),)
