"""Trying a model before it is added: probes are asked and every answer is checked as in a run.

Asked one by one, one of them twice, then all of them together as a run would ask. What breaks a run
is a violation; what merely makes its numbers less sure is a note.
"""

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from palaver.core.errors import (
    AnswerError,
    BrokenCheckError,
    InputError,
    PalaverError,
    SystemFailureError,
)
from palaver.core.protocols import Predictor, Reply
from palaver.core.tasks import Answer, Task
from palaver.evaluation.models.advice import (
    MEND_CHECK,
    OTHERWISE,
    mend_answer,
    mend_failure,
    mend_start,
)
from palaver.evaluation.models.probes import Probe
from palaver.evaluation.tasks.samples import answer_to
from palaver.systems.signatures import signature_holds


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """Something that would fail a run: what was sent, came back, was expected, and the remedy."""

    probe: str
    problem: str
    sent: Any = None
    got: Any = None
    expected: Any = None
    mend: str

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One probe that was asked: how long it took, and what came of it."""

    probe: str
    seconds: float
    answer: Answer | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What came of trying a model; `ready_seconds` is None if it did not start."""

    ready_seconds: float | None
    tried: tuple[Tried, ...] = ()
    violations: tuple[Violation, ...] = ()
    notes: tuple[str, ...] = ()
    memory: float | None = None

    @property
    def seconds(self) -> float | None:
        """The median time per answer; None if there was no answer."""
        times = [each.seconds for each in self.tried if each.answer is not None]
        return statistics.median(times) if times else None

    def as_json(self) -> dict[str, Any]:
        return {
            "ok": not self.violations,
            "ready_seconds": self.ready_seconds,
            "seconds_per_answer": self.seconds,
            "memory_gib": self.memory,
            "probes": [
                {
                    "probe": each.probe,
                    "seconds": each.seconds,
                    "answer": None if each.answer is None else each.answer.values,
                }
                for each in self.tried
            ],
            "violations": [violation.as_json() for violation in self.violations],
            "notes": list(self.notes),
        }


# Numbers that differ by less are taken for the same: a batch adds up in another order.
TOLERANCE = 1e-3

Question = Mapping[str, Any]


async def try_model(
    predictor: Predictor,
    task: Task,
    probes: Sequence[Probe],
    *,
    secret: str = "",
    prepare: Callable[[Question], Awaitable[Question]] | None = None,
) -> Trial:
    """Start the model, ask it every probe, and close it.

    With `secret` every answer must be signed with it. `prepare` is applied to each question before
    it is sent: images become base64.
    """
    questions: dict[str, Question] = {}
    for probe in probes:
        question = task.question(probe.example)
        questions[probe.name] = question if prepare is None else await prepare(question)
    trying = _Trying(predictor, task, questions, secret)
    begun = time.perf_counter()
    ready, memory = None, None
    try:
        await predictor.start()
        ready = time.perf_counter() - begun
        for probe in probes:
            await trying.alone(probe)
        await trying.again(probes)
        await trying.together(probes)
        memory = predictor.memory()
    except (SystemFailureError, InputError) as error:
        violation = Violation(probe="start", problem=str(error), mend=mend_start(error))
        trying.violations.append(violation)
    finally:
        await predictor.close()
    return Trial(
        ready_seconds=ready,
        tried=tuple(trying.tried.values()),
        violations=tuple(trying.violations),
        notes=tuple(trying.notes),
        memory=memory,
    )


class _Trying:
    """The trial under way."""

    def __init__(
        self, predictor: Predictor, task: Task, questions: Mapping[str, Question], secret: str
    ) -> None:
        self._predictor = predictor
        self._task = task
        self._questions = questions
        self._secret = secret
        self.tried: dict[str, Tried] = {}
        self.violations: list[Violation] = []
        self.notes: list[str] = []

    async def alone(self, probe: Probe) -> None:
        begun = time.perf_counter()
        reply = await self._ask(probe)
        answer = None if reply is None else self._checked(probe, reply.record)
        seconds = time.perf_counter() - begun if reply is None else reply.seconds
        self.tried[probe.name] = Tried(probe=probe.name, seconds=seconds, answer=answer)

    async def again(self, probes: Sequence[Probe]) -> None:
        """Ask the first probe that was answered a second time: the same should come back."""
        probe = next((each for each in probes if self._answer(each) is not None), None)
        if probe is None:
            return
        reply = await self._ask(probe)
        second = None if reply is None else self._checked(probe, reply.record)
        first = self._answer(probe)
        if second is not None and first is not None and not alike(first.values, second.values):
            self.notes.append(
                f"Asked '{probe.name}' twice, it answered differently: first {first.values}, then "
                f"{second.values}. Scores will vary from run to run; set the temperature to 0, or "
                "fix the seed, if that is not intended."
            )

    async def together(self, probes: Sequence[Probe]) -> None:
        """Ask all probes that were answered as a run would: in batches, several at a time."""
        answered = [probe for probe in probes if self._answer(probe) is not None]
        size, at_once = self._predictor.batch, self._predictor.concurrency
        if len(answered) < 2 or (size == 1 and at_once == 1) or self.notes:
            return
        places = asyncio.Semaphore(at_once)
        batches = [answered[start : start + size] for start in range(0, len(answered), size)]

        async def ask(batch: Sequence[Probe]) -> None:
            async with places:
                await self._ask_batch(batch)

        await asyncio.gather(*map(ask, batches))

    async def _ask_batch(self, batch: Sequence[Probe]) -> None:
        questions = [self._questions[each.name] for each in batch]
        try:
            replies = await self._predictor.predict(questions)
        except (SystemFailureError, InputError) as error:
            names = ", ".join(each.name for each in batch)
            self.fail(names, f"Asked together with others: {error}", error, sent=questions)
            return
        for probe, reply in zip(batch, replies, strict=True):
            alone, joint = self._answer(probe), self._checked(probe, reply.record)
            if alone is None or joint is None or alike(alone.values, joint.values):
                continue
            self.violations.append(
                Violation(
                    probe=probe.name,
                    problem="Asked together with other questions, it answers differently.",
                    sent=self._questions[probe.name],
                    got=joint.values,
                    expected=alone.values,
                    mend=(
                        "An answer must not depend on its neighbours. Look at padding and masks, "
                        "at state that is shared between calls, and at the order of a batch; or "
                        "set 'concurrency: 1' and 'batch: 1'."
                    ),
                )
            )

    async def _ask(self, probe: Probe) -> Reply | None:
        question = self._questions[probe.name]
        try:
            return (await self._predictor.predict([question]))[0]
        except (SystemFailureError, InputError) as error:
            self.fail(probe.name, str(error), error, sent=question)
            return None

    def _checked(self, probe: Probe, record: Any) -> Answer | None:
        """The answer if the task takes it and it is signed; else it is noted as a violation."""
        example, task = probe.example, self._task
        expected = answer_to(task, task.question(example))
        try:
            answer = task.read_answer(record, example, strict=True)
        except AnswerError as error:
            problem, mend = str(error), mend_answer(task, record, example)
        except BrokenCheckError as error:
            problem, mend = str(error), MEND_CHECK
        else:
            problem, mend = self._signature_problem(probe, record)
            if not problem:
                return answer
        self.violations.append(
            Violation(
                probe=probe.name,
                problem=problem,
                sent=self._questions[probe.name],
                got=record,
                expected=expected,
                mend=mend,
            )
        )
        return None

    def _signature_problem(self, probe: Probe, record: Mapping[str, Any]) -> tuple[str, str]:
        """What is wrong with the signature of an answer, and how to mend it; empty: nothing."""
        if not self._secret:
            return "", ""
        holds = signature_holds(self._secret, self._task, self._questions[probe.name], record)
        if holds is None:
            return (
                f"Answer to {probe.example.uid}: it is not signed, and MY_SECRET is set.",
                "Sign it (docs/models.md, Signatures), serve it with palaver model serve, which "
                "signs, or unset MY_SECRET.",
            )
        if not holds:
            return (
                f"Answer to {probe.example.uid}: its signature is not valid.",
                "Both sides need the same MY_SECRET and task, and the values must be signed exactly "
                "as they are sent (docs/models.md, Signatures).",
            )
        return "", ""

    def fail(self, probe: str, problem: str, error: PalaverError, *, sent: Any = None) -> None:
        mend = mend_failure(error) if isinstance(error, SystemFailureError) else OTHERWISE
        self.violations.append(Violation(probe=probe, problem=problem, sent=sent, mend=mend))

    def _answer(self, probe: Probe) -> Answer | None:
        tried = self.tried.get(probe.name)
        return None if tried is None else tried.answer


def alike(one: Any, other: Any) -> bool:
    """Whether two values are the same, numbers up to a small difference."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= TOLERANCE
    return bool(one == other)
