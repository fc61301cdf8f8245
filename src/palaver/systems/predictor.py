"""The guard around every kind of model: patience, batches taken apart, and one kind of failure.

A batch that fails for good is asked again in smaller parts, so that a question the model cannot take
does not cost its neighbours their answers: first one question at a time until one is answered, then the
rest in halves, because some models take minutes for a call, however few questions it has.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence

from palaver.core.errors import SystemFailureError
from palaver.core.protocols import Reply
from palaver.core.raw_answers import RawAnswer, raw_answer
from palaver.core.words import counted, listed
from palaver.systems.attempt import AttemptError, FailureKind, without_quotes
from palaver.systems.options import PredictorOptions, WebOptions
from palaver.systems.patience import Patience, Turnstile, may_pass
from palaver.systems.registry import Question, Respondent

# How many questions a failure names.
_NAMED = 3
LONGEST_WAIT = 120.0
# A model that fails this many single questions before it answers one fails all of them.
HOPELESS = 2
# A model that fails this many parts of a batch and answers none is asked one question at a time.
IN_VAIN = 4
# Failures that are about the way to the model, not about a question.
_ABOUT_THE_WAY: frozenset[FailureKind] = frozenset({"unreachable", "timeout"})


def _is_on_the_way(error: AttemptError) -> bool:
    """Whether the question may not have been worked on: nobody heard it, or nobody had time."""
    return error.may_pass and (error.kind == "unreachable" or error.is_busy)


class QuestionFailureError(SystemFailureError):
    """One call failed for good; the text names its questions."""

    def __init__(
        self,
        error: AttemptError,
        questions: Sequence[Question],
        *,
        attempts: int,
        raw: RawAnswer | None = None,
    ) -> None:
        often = f" ({counted(attempts, 'attempt')})" if attempts > 1 else ""
        told = f"{_asked(questions)}: {error}{often}"
        super().__init__(error.kind, told, attempts=attempts, raw=raw)
        self.uids = tuple(str(question.get("uid")) for question in questions)
        self.is_final = error.is_final
        self.is_busy = error.is_busy


class StartFailureError(SystemFailureError):
    """A model did not become ready."""

    def __init__(self, error: AttemptError, *, raw: RawAnswer | None) -> None:
        told = f"The model did not start: {error}"
        super().__init__(error.kind, told, attempts=error.attempts, raw=raw)
        self.is_busy = error.is_busy


class BatchFailureError(SystemFailureError):
    """A batch failed, and some of its questions fail by themselves too.

    `answered` holds the replies to the others, by their place in the batch: they are good.
    """

    def __init__(
        self,
        whole: QuestionFailureError,
        failures: Sequence[QuestionFailureError],
        answered: Mapping[int, Reply],
        *,
        asked: int,
    ) -> None:
        told = " ".join(str(failure) for failure in failures[:_NAMED])
        more = len(failures) - _NAMED
        rest = f" And {counted(more, 'more question')}." if more > 0 else ""
        first = "" if answered else f"The batch failed too: {whole}"
        parts = [
            f"{told}{rest}",
            f"{len(answered)} of the {asked} questions of the batch were answered.",
            first,
        ]
        super().__init__(
            failures[0].kind,
            " ".join(filter(None, parts)),
            attempts=failures[0].attempts,
            raw=failures[0].raw,
        )
        self.uids = tuple(uid for failure in failures for uid in failure.uids)
        self.answered = dict(answered)


class GuardedPredictor:
    """A `core.protocols.Predictor` out of a respondent and its options."""

    def __init__(
        self, respondent: Respondent, options: PredictorOptions, *, pace: Turnstile | None = None
    ) -> None:
        self.respondent = respondent
        self.options = options
        self.batch = options.batch
        self.concurrency = options.concurrency
        self._patience = Patience(options, longest=LONGEST_WAIT, pace=pace)

    @property
    def is_service(self) -> bool:
        """Whether it is asked over the network; else it runs here."""
        return isinstance(self.options, WebOptions)

    async def start(self) -> None:
        """Connect or load; StartFailureError if that does not come about."""
        try:
            await self._patience.persist(self._start)
        except AttemptError as failure:
            error = self._told(failure)
            raise StartFailureError(error, raw=self._raw(error)) from failure

    async def probe(self, question: Question) -> Reply:
        """The reply to one question, asked again only where nobody is there or somebody is busy."""
        return (await self._persist([question], again=_is_on_the_way))[0]

    async def predict(self, questions: Sequence[Question]) -> Sequence[Reply]:
        """One reply per question, in their order; SystemFailureError once no retry helps.

        The seconds of a batch are shared out equally, so that they add up to the model's time.
        """
        if not questions:
            return []
        try:
            return await self._persist(questions)
        except QuestionFailureError as error:
            if len(questions) == 1 or error.kind == "unreachable" or error.is_final:
                raise
            whole = error
        return await self._taken_apart(questions, whole)

    def memory(self) -> float | None:
        """GiB that the model takes now, where that can be measured."""
        return self.respondent.memory()

    def hide(self, text: str) -> str:
        """`text` without the secrets that the model is sent, where its kind knows of any."""
        hide = getattr(self.respondent, "hide", str)
        return str(hide(text))

    async def close(self) -> None:
        """Let go of connections and processes; closing twice does no harm."""
        await self.respondent.close()

    async def _taken_apart(
        self, questions: Sequence[Question], whole: QuestionFailureError
    ) -> Sequence[Reply]:
        parts = _Parts(len(questions))
        failures: list[QuestionFailureError] = []
        while part := parts.next():
            try:
                found = await self._persist([questions[number] for number in part])
            except QuestionFailureError as error:
                if len(part) > 1 and not _ends(error):
                    parts.fail(part)
                    continue
                failures.append(error)
                if _ends(error) or (not parts.answered and len(failures) >= HOPELESS):
                    break
            else:
                parts.answer(part, found)
        replies = parts.answered
        if not failures:
            return [replies[number] for number in range(len(questions))]
        raise BatchFailureError(whole, failures, replies, asked=len(questions))

    async def _persist(
        self, questions: Sequence[Question], *, again: Callable[[AttemptError], bool] = may_pass
    ) -> Sequence[Reply]:
        try:
            return await self._patience.persist(lambda: self._attempt(questions), again=again)
        except AttemptError as failure:
            error = self._told(failure)
            raise QuestionFailureError(
                error, questions, attempts=error.attempts, raw=self._raw(error)
            ) from failure

    async def _start(self) -> None:
        limit = self.options.start_timeout
        try:
            async with asyncio.timeout(limit):
                await self.respondent.start()
        except TimeoutError:
            told = f"The model was not ready within {limit:g} s (option 'start_timeout')."
            raise AttemptError("timeout", told, may_pass=False) from None

    async def _attempt(self, questions: Sequence[Question]) -> Sequence[Reply]:
        async with self._patience.slots:
            if not self.respondent.ready:
                # A process ended: what it takes to start is not answering.
                await self._start()
            async with self._patience.call():
                began = time.perf_counter()
                records = await self.respondent.answer(questions)
            each = (time.perf_counter() - began) / len(questions)
        return [Reply(record, each) for record in records]

    def _told(self, failure: AttemptError) -> AttemptError:
        """What is said of a failure: for a stranger's model, nothing that it sent."""
        return failure if getattr(self.options, "quoted", True) else without_quotes(failure)

    def _raw(self, error: AttemptError) -> RawAnswer | None:
        return None if error.came is None else raw_answer(error.came, hide=self.hide)


class _Parts:
    """Which parts of a batch that failed are asked next: places of its questions.

    The first questions are asked alone until one is answered: only then is there hope for the rest,
    which is halved again and again. A model that answers no part at all takes single questions only.
    """

    def __init__(self, size: int) -> None:
        self.answered: dict[int, Reply] = {}
        self._waiting: deque[Sequence[int]] = deque()
        self._untried: Sequence[int] = range(size)
        self._failed = 0
        self._is_halved = False

    def next(self) -> Sequence[int]:
        """The next part; empty at the end."""
        if self._untried and not self.answered:
            first, self._untried = self._untried[:1], self._untried[1:]
            return first
        if self._untried:
            self._divide(self._untried)
            self._untried = ()
        return self._waiting.popleft() if self._waiting else ()

    def fail(self, part: Sequence[int]) -> None:
        """Note that a part of several questions failed."""
        self._failed += 1
        self._divide(part)

    def answer(self, part: Sequence[int], replies: Sequence[Reply]) -> None:
        """Note what a part was answered with."""
        self._is_halved |= len(part) > 1
        self.answered.update(zip(part, replies, strict=True))

    def _divide(self, part: Sequence[int]) -> None:
        size = (len(part) + 1) // 2
        if self._failed >= IN_VAIN and not self._is_halved:
            size = 1
        self._waiting += [part[start : start + size] for start in range(0, len(part), size)]


def _ends(error: QuestionFailureError) -> bool:
    """Whether it would be the same with any other question."""
    return error.is_final or error.kind in _ABOUT_THE_WAY


def _asked(questions: Sequence[Question]) -> str:
    uids = [f"'{question.get('uid')}'" for question in questions]
    if len(uids) == 1:
        return f"Question {uids[0]}"
    if len(uids) <= _NAMED:
        return f"Questions {listed(uids)}"
    return f"{len(uids)} questions, {uids[0]} to {uids[-1]}"
