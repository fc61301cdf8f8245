"""Asking a model: as many calls in flight as it takes, every reply checked by the task.

This is the part that runs wherever the model is asked from: in the worker's own process, or in a
process of a cluster. It stores nothing; checked answers are handed on as they come.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from palaver.core.characters import REFUSAL, has_null
from palaver.core.errors import AnswerError, SystemFailureError
from palaver.core.evaluation.runs import Prediction
from palaver.core.protocols import Predictor, Reply
from palaver.core.raw_answers import raw_answer
from palaver.core.tasks import Answer, Example, Task
from palaver.evaluation.models.advice import mend_answer
from palaver.systems.images import embed_images
from palaver.systems.predictor import BatchFailureError, GuardedPredictor
from palaver.systems.signatures import signature_holds
from palaver.systems.web.destinations import Inside
from palaver.systems.web.endpoint import expand

# So many refused answers before the first accepted one: the model does not speak the task.
MOST_REFUSED = 50
# So many calls failed one after the other: the next would, too.
MOST_IN_A_ROW = 3
# Failures that are about the way to the model: no other question would get there.
AWAY = ("unreachable", "timeout")

Item = tuple[int, Example]
Take = Callable[[Sequence[Prediction]], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How the items of a data set are put to a model, and its answers read."""

    task: Task
    # Where the files lie that a field of the data set names.
    folder: Path
    # What answers must be signed with, as `${VARIABLE}`: it is read where the model is asked.
    secret: str = ""
    # Whether images may be fetched from inside this network, or from which hosts.
    inside: Inside = False

    @property
    def images(self) -> tuple[str, ...]:
        """The fields that hold images, of which a model is sent the bytes."""
        return tuple(each.name for each in self.task.asked if each.kind == "image")


class BusyTime:
    """How long a model was being asked: the time with at least one call in flight."""

    def __init__(self) -> None:
        self._calls = 0
        self._since = 0.0
        self._seconds = 0.0

    def __enter__(self) -> None:
        if not self._calls:
            self._since = time.perf_counter()
        self._calls += 1

    def __exit__(self, *failure: object) -> None:
        self._calls -= 1
        if not self._calls:
            self._seconds += time.perf_counter() - self._since

    def take(self) -> float:
        """The seconds since the last time they were taken."""
        now = time.perf_counter()
        if self._calls:
            self._seconds += now - self._since
            self._since = now
        seconds, self._seconds = self._seconds, 0.0
        return seconds


class ItemAsker:
    """Puts items to a model that has been started."""

    def __init__(self, manner: Manner, predictor: Predictor, *, accepted: int = 0) -> None:
        self.busy = BusyTime()
        self._manner = manner
        self._predictor = predictor
        self._images = manner.images
        self._secret = expand(manner.secret, option="secret", secrets=set())
        # Some services echo the keys that they are sent.
        self._hide: Callable[[str], str] = getattr(predictor, "hide", str)
        # Whether failures may say what the model sent, and how to mend its first refused answer.
        self.is_quoted = bool(getattr(getattr(predictor, "options", None), "quoted", True))
        self.mend = ""
        self._accepted = accepted
        self._refused = 0
        self._failure: Exception | None = None
        self._in_a_row = 0
        self._is_over = False

    async def ask(self, items: Iterable[Item], take: Take) -> None:
        """Ask every item and hand the answers to `take`.

        A call that fails for good is passed over, so that the others are answered, and its failure
        is raised in the end. Where the model is away or late, or one call after the other fails, what
        is in flight is still answered and handed on, and nothing more is asked.
        """
        batches = _batches(items, max(1, self._predictor.batch))
        calls = max(1, self._predictor.concurrency)
        async with asyncio.TaskGroup() as group:
            for _ in range(calls):
                group.create_task(self._keep_asking(batches, take))
        if self._failure is not None:
            raise self._failure

    async def probe(self, item: Item, predictor: GuardedPredictor) -> Prediction:
        """The answer to one item that is asked by itself, with no more patience than it takes to see
        whether somebody is there.
        """
        position, example = item
        question = await self._question(example)
        with self.busy:
            reply = await predictor.probe(question)
        return self._checked(position, example, reply)

    @property
    def has_accepted(self) -> bool:
        """Whether the task has taken an answer of the model to any item of the run."""
        return self._accepted > 0

    @property
    def is_hopeless(self) -> bool:
        """Whether nothing but refused answers came, and enough of them."""
        return not self._accepted and self._refused >= MOST_REFUSED

    async def ask_one(self, example: Example) -> Answer:
        """The checked answer to one example; AnswerError where it is none."""
        answers, failure = await self._answers([(0, example)])
        if failure is not None:
            raise failure
        (said,) = answers
        if said.answer is None:
            raise AnswerError(said.problem or f"Answer to {example.uid}: there is none.")
        return Answer(uid=example.uid, values=dict(said.answer))

    async def _keep_asking(self, batches: Iterator[list[Item]], take: Take) -> None:
        for batch in batches:
            try:
                answers, failure = await self._answers(batch)
                await take(answers)
            except Exception as error:  # noqa: BLE001  raised once the other calls have ended
                failure = error
            self._note(failure)
            if self._is_over or self.is_hopeless:
                return

    def _note(self, failure: Exception | None) -> None:
        """Keep the first failure, and whether it is of any use to go on."""
        if failure is None:
            self._in_a_row = 0
            return
        self._failure = self._failure or failure
        self._in_a_row += 1
        is_a_call = isinstance(failure, SystemFailureError) and failure.kind not in AWAY
        if not is_a_call or self._in_a_row >= MOST_IN_A_ROW:
            self._is_over = True

    async def _answers(self, batch: list[Item]) -> tuple[list[Prediction], Exception | None]:
        """The answers to a batch, and what went wrong with those that are missing."""
        questions = [await self._question(example) for _, example in batch]
        try:
            with self.busy:
                replies = await self._predictor.predict(questions)
        except BatchFailureError as error:
            return self._read(batch, error.answered), error
        if len(replies) != len(batch):
            raise SystemFailureError(
                "garbage",
                f"The model gave {len(replies)} answers to {len(batch)} questions (starting with "
                f"'{batch[0][1].uid}').",
            )
        return self._read(batch, dict(enumerate(replies))), None

    def _read(self, batch: list[Item], replies: Mapping[int, Reply]) -> list[Prediction]:
        """What came back for the items of a batch, checked."""
        return [self._checked(*batch[n], reply) for n, reply in sorted(replies.items())]

    def _checked(self, position: int, example: Example, reply: Reply) -> Prediction:
        answer, problem, raw = None, None, None
        manner = self._manner
        try:
            read = manner.task.read_answer(reply.record, example)
            self._check_signature(example, reply.record)
            if has_null(read.values):
                raise AnswerError(f"Answer to {example.uid}: {REFUSAL}")
            answer = read.values
            self._accepted += 1
        except AnswerError as error:
            problem, raw = str(error), raw_answer(reply.record, hide=self._hide)
            self.mend = self.mend or mend_answer(manner.task, reply.record, example)
            self._refused += 1
        return Prediction(
            position=position,
            uid=example.uid,
            answer=answer,
            problem=problem,
            raw=raw,
            seconds=reply.seconds,
        )

    def _check_signature(self, example: Example, record: Mapping[str, Any]) -> None:
        """Raise AnswerError where answers are signed and this one is not, or by somebody else."""
        if not self._secret:
            return
        task = self._manner.task
        holds = signature_holds(self._secret, task, task.question(example), record)
        if not holds:
            wrong = "it has no signature" if holds is None else "its signature is not valid"
            raise AnswerError(
                f"Answer to {example.uid}: {wrong}. The model has a 'secret': every answer must be "
                "signed with it."
            )

    async def _question(self, example: Example) -> dict[str, Any]:
        """What the model is sent: images as their bytes."""
        manner = self._manner
        question = manner.task.question(example)
        if not self._images:
            return question
        return await embed_images(question, self._images, manner.folder, inside=manner.inside)


def _batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch
