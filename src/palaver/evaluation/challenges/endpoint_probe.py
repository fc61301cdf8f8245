"""A look at an endpoint before it takes part: made-up questions of the task, asked at once.

Whoever registered it reads whether it was reached, what it was sent, and what is wrong in plain words:
the kind of a failure and its status, and of what came only what is an answer to the question.
"""

import asyncio
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

from palaver.core.errors import AnswerError, InputError, SystemFailureError
from palaver.core.evaluation.challenge_entries import ProbedEndpoint, ProbedQuestion
from palaver.core.protocols import Predictor, Reply
from palaver.core.tasks import Task
from palaver.core.words import shortened
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.models.advice import mend_answer, mend_failure
from palaver.evaluation.models.probes import Probe, make_probes
from palaver.evaluation.submissions.endpoints import (
    check_endpoint,
    check_patience,
    strangers_options,
)
from palaver.systems.build import build_predictor

# How long an endpoint may take over all questions, and how many they are.
PROBE_SECONDS = 60.0
QUESTIONS = 2
# The longest text of an answer that is shown.
MOST_SHOWN = 600

# Failures after which nobody can say whether there was anybody at the address.
_AWAY = ("unreachable", "timeout")
_REFUSED = (
    "The address, the name of the model or the key may be wrong, or the model does not take this "
    "question."
)


# Which of the made-up questions it was is of no use to anybody.
_ASKED = re.compile(r"^Questions? '[^:]*: ")


class ProbeError(InputError):
    """An endpoint did not answer as the task asks; `probed` says what came of asking it."""

    def __init__(self, probed: ProbedEndpoint) -> None:
        super().__init__(f"{probed.problem} {probed.mend}".strip())
        self.probed = probed


async def probe_endpoint(
    home: EvaluationHome,
    task: Task,
    kind: str,
    options: Mapping[str, Any],
    *,
    seconds: float = PROBE_SECONDS,
) -> ProbedEndpoint:
    """What an endpoint answers to made-up questions of a task within so many seconds.

    InputError if it may not be asked at all, or its options are wrong.
    """
    private = home.settings.private_endpoints
    await asyncio.to_thread(check_endpoint, kind, options, private=private)
    check_patience(options)
    asked_with = {**strangers_options(options, private=private), **_impatient(options, seconds)}
    predictor = build_predictor(kind, asked_with, folder=home.folder)
    probes = make_probes(task)[:QUESTIONS]
    sent = [task.question(probe.example) for probe in probes]
    began = time.perf_counter()
    try:
        async with asyncio.timeout(seconds):
            await predictor.start()
            replies = await _asked(predictor, sent)
    except TimeoutError:
        return _failed(
            kind, sent, began, f"The endpoint did not answer within {seconds:g} seconds.", _SLOW
        )
    except SystemFailureError as error:
        mend = _REFUSED if error.kind == "refused" else mend_failure(error)
        reached = error.kind not in _AWAY
        return _failed(kind, sent, began, _sentence(error), mend, reached=reached)
    finally:
        await predictor.close()
    return _checked(task, kind, probes, sent, replies, time.perf_counter() - began)


_SLOW = (
    "Two short questions are asked here. If the model must load first, ask it once yourself and try "
    "again."
)


def _impatient(options: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """Options for a look: one attempt, no longer than the whole look may take."""
    given = options.get("timeout")
    timeout = min(float(given), seconds) if isinstance(given, int | float) else seconds
    return {"timeout": timeout, "start_timeout": seconds, "retries": 0}


async def _asked(predictor: Predictor, questions: Sequence[Mapping[str, Any]]) -> list[Reply]:
    """The replies, asked together where a call takes several questions."""
    size = max(1, predictor.batch)
    replies: list[Reply] = []
    for start in range(0, len(questions), size):
        replies += await predictor.predict(questions[start : start + size])
    return replies


def _checked(
    task: Task,
    kind: str,
    probes: Sequence[Probe],
    sent: Sequence[Mapping[str, Any]],
    replies: Sequence[Reply],
    seconds: float,
) -> ProbedEndpoint:
    shown, mend = [], ""
    for probe, question, reply in zip(probes, sent, replies, strict=True):
        try:
            answer = task.read_answer(reply.record, probe.example)
        except AnswerError:
            mend = mend or mend_answer(task, reply.record, probe.example)
            told = "What came is not an answer to this question."
            shown.append(ProbedQuestion(sent=question, problem=told))
        else:
            shown.append(ProbedQuestion(sent=question, came=_short(answer.values)))
    return ProbedEndpoint(
        kind=kind,
        reached=True,
        seconds=seconds,
        questions=tuple(shown),
        problem="The endpoint answered, but not as the task asks." if mend else "",
        mend=mend,
    )


def _failed(
    kind: str,
    sent: Sequence[Mapping[str, Any]],
    began: float,
    problem: str,
    mend: str,
    *,
    reached: bool = False,
) -> ProbedEndpoint:
    return ProbedEndpoint(
        kind=kind,
        reached=reached,
        seconds=time.perf_counter() - began,
        questions=tuple(ProbedQuestion(sent=question) for question in sent),
        problem=problem,
        mend=mend,
    )


def _sentence(error: SystemFailureError) -> str:
    told = _ASKED.sub("", str(error).strip())
    return told if told.endswith((".", "!", "?")) else f"{told}."


def _short(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: shortened(value, MOST_SHOWN) if isinstance(value, str) else value
        for name, value in values.items()
    }
