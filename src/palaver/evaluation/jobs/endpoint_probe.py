"""A look at an endpoint before it takes part: made-up questions of the task, asked at once.

Whoever adds it reads whether it was reached, what it was sent, and what is wrong in plain words. It is
asked as a run asks it. Of what a team's endpoint sent only what is an answer to the question is shown.
"""

import asyncio
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from palaver.core.errors import InputError, SystemFailureError
from palaver.core.evaluation.models import ProbedEndpoint, ProbedQuestion
from palaver.core.evaluation.runs import Prediction
from palaver.core.tasks import Task
from palaver.core.words import shortened
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.jobs.calls import AWAY, ItemAsker, Manner
from palaver.evaluation.models.advice import mend_failure
from palaver.evaluation.models.probes import Probe, make_probes
from palaver.systems.build import build_predictor
from palaver.systems.predictor import GuardedPredictor
from palaver.systems.web.destinations import Inside

# How long an endpoint may take over all questions, and how many they are.
PROBE_SECONDS = 60.0
QUESTIONS = 2
# The longest text of an answer that is shown.
MOST_SHOWN = 600

_SLOW = (
    "Two short questions are asked here. If the model must load first, ask it once yourself and try "
    "again."
)
# Which of the made-up questions it was is of no use to anybody.
_ASKED = re.compile(r"^(Questions? '[^:]*|Answer to [^:]*): ")


class ProbeError(InputError):
    """An endpoint did not answer as the task asks; `probed` says what came of asking it."""

    def __init__(self, probed: ProbedEndpoint) -> None:
        super().__init__(f"{probed.problem} {probed.mend}".strip())
        self.probed = probed


async def probe_model(
    home: EvaluationHome,
    task: Task,
    kind: str,
    options: Mapping[str, Any],
    *,
    inside: Inside = True,
    seconds: float = PROBE_SECONDS,
) -> ProbedEndpoint:
    """What an endpoint answers to made-up questions of a task within so many seconds.

    Whether it may be asked at all was decided before. InputError if its options are wrong.
    """
    asked_with = {**options, **_impatient(options, seconds)}
    predictor = build_predictor(kind, asked_with, folder=home.folder)
    manner = Manner(
        task=task, folder=home.folder, secret=str(options.get("secret", "")), inside=inside
    )
    look = _Look(kind, task, make_probes(task)[:QUESTIONS], ItemAsker(manner, predictor))
    try:
        async with asyncio.timeout(seconds):
            return await look.take(predictor)
    except TimeoutError:
        return look.failed(f"The endpoint did not answer within {seconds:g} seconds.", _SLOW)
    finally:
        await predictor.close()


def _impatient(options: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """Options for a look: one attempt, no longer than the whole look may take."""
    given = options.get("timeout")
    timeout = min(float(given), seconds) if isinstance(given, int | float) else seconds
    return {"timeout": timeout, "start_timeout": seconds, "retries": 0}


class _Look:
    """The questions of one look, and what came."""

    def __init__(self, kind: str, task: Task, probes: Sequence[Probe], asking: ItemAsker) -> None:
        self._kind = kind
        self._probes = probes
        self._asking = asking
        self._sent = [task.question(probe.example) for probe in probes]
        self._began = time.perf_counter()

    async def take(self, predictor: GuardedPredictor) -> ProbedEndpoint:
        try:
            await predictor.start()
            answers = [
                await self._asking.probe((n, probe.example), predictor)
                for n, probe in enumerate(self._probes)
            ]
        except SystemFailureError as error:
            return self.failed(
                _sentence(str(error)), mend_failure(error), reached=error.kind not in AWAY
            )
        return self._answered(answers)

    def failed(self, problem: str, mend: str, *, reached: bool = False) -> ProbedEndpoint:
        return ProbedEndpoint(
            kind=self._kind,
            reached=reached,
            seconds=time.perf_counter() - self._began,
            questions=tuple(ProbedQuestion(sent=question) for question in self._sent),
            problem=problem,
            mend=mend,
        )

    def _answered(self, answers: Sequence[Prediction]) -> ProbedEndpoint:
        questions = tuple(map(self._question, self._sent, answers))
        wrong = any(answer.answer is None for answer in answers)
        found = self.failed(_NOT_SO if wrong else "", self._asking.mend, reached=True)
        return replace(found, questions=questions)

    def _question(self, sent: Mapping[str, Any], answer: Prediction) -> ProbedQuestion:
        if answer.answer is not None:
            return ProbedQuestion(sent=sent, came=_short(answer.answer))
        told = "What came is not an answer to this question."
        if self._asking.is_quoted and answer.problem and answer.raw:
            wrong = _sentence(answer.problem)
            sent_back = shortened(answer.raw.text, MOST_SHOWN)
            told = f"{wrong[:1].upper()}{wrong[1:]} It sent: {sent_back}"
        return ProbedQuestion(sent=sent, problem=told)


_NOT_SO = "The endpoint answered, but not as the task asks."


def _sentence(said: str) -> str:
    told = _ASKED.sub("", said.strip())
    return told if told.endswith((".", "!", "?")) else f"{told}."


def _short(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: shortened(value, MOST_SHOWN) if isinstance(value, str) else value
        for name, value in values.items()
    }
