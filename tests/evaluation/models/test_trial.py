"""Trying a model: what it does wrong is found and explained."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaver.core.errors import SystemFailureError
from palaver.core.protocols import Reply
from palaver.core.tasks import Task
from palaver.evaluation.models.probes import make_probes
from palaver.evaluation.models.trial import Trial, alike, try_model
from palaver.systems.signatures import signature_of

Question = Mapping[str, Any]
PROBS = {"entailed": 0.5, "neutral": 0.25, "contradictory": 0.25}


class Scripted:
    """A predictor that answers with a function."""

    def __init__(
        self,
        answer: Callable[[Question], Any],
        *,
        batch: int = 1,
        concurrency: int = 1,
        fails: Exception | None = None,
    ) -> None:
        self.batch = batch
        self.concurrency = concurrency
        self.closed = 0
        self.calls: list[int] = []
        self._answer = answer
        self._fails = fails

    async def start(self) -> None:
        if self._fails:
            raise self._fails

    async def predict(self, questions: Sequence[Question]) -> Sequence[Reply]:
        self.calls.append(len(questions))
        return [Reply(self._answer(question), 0.002) for question in questions]

    def memory(self) -> float | None:
        return 1.5

    async def close(self) -> None:
        self.closed += 1


def good(question: Question) -> dict[str, Any]:
    return {"id": question["uid"], "label": "neutral", "prob": PROBS}


def tried(predictor: Scripted, task: Task, **given: Any) -> Trial:
    trial = asyncio.run(try_model(predictor, task, make_probes(task), **given))
    assert predictor.closed == 1
    return trial


def test_a_good_model_has_nothing_against_it(nli: Task) -> None:
    trial = tried(Scripted(good, batch=2, concurrency=3), nli)

    assert trial.violations == ()
    assert trial.notes == ()
    assert trial.seconds == 0.002
    assert trial.memory == 1.5
    assert trial.as_json()["ok"] is True


@pytest.mark.parametrize(
    ("change", "problem", "mend"),
    [
        ({"label": "Entailment"}, "expected one of entailed", "written exactly like this"),
        ({"prob": {**PROBS, "neutral": 0.5}}, "add up to 1.25", "softmax"),
        ({"prob": {"entailed": 1.0}}, "missing: neutral", "exactly the task's labels"),
        ({"id": "other"}, "its 'id' is 'other'", "Copy the 'uid'"),
        ({"extra": 1}, "unexpected extra", "Leave out extra"),
        ({"label": None}, "expected one of", "written exactly like this"),
    ],
)
def test_a_wrong_answer_is_explained(
    nli: Task, change: dict[str, Any], problem: str, mend: str
) -> None:
    trial = tried(Scripted(lambda question: {**good(question), **change}), nli)

    violation = trial.violations[0]
    assert len(trial.violations) == len(make_probes(nli))
    assert problem in violation.problem
    assert mend in violation.mend
    assert violation.sent["uid"] == "probe-1"
    assert violation.got == {**good(violation.sent), **change}
    assert violation.expected["id"] == "probe-1"
    nli.read_answer(violation.expected, make_probes(nli)[0].example, strict=True)


def test_an_answer_without_its_target(nli: Task) -> None:
    trial = tried(Scripted(lambda question: {"id": question["uid"]}), nli)

    assert "it has no 'label'" in trial.violations[0].problem
    assert "Put 'label' into every answer" in trial.violations[0].mend


def test_what_is_no_object(nli: Task) -> None:
    trial = tried(Scripted(lambda question: "entailed"), nli)

    assert "expected a JSON object" in trial.violations[0].problem
    assert "one JSON object" in trial.violations[0].mend


def test_a_model_that_fails_on_long_input_only(nli: Task) -> None:
    def answer(question: Question) -> Any:
        if len(question["context"]) > 1000:
            raise SystemFailureError("timeout", "No answer within 30 s.")
        return good(question)

    trial = tried(Scripted(answer), nli)

    assert [each.probe for each in trial.violations] == ["long-context"]
    assert "raise the option 'timeout'" in trial.violations[0].mend
    assert [each.probe for each in trial.tried if each.answer is None] == ["long-context"]


def test_a_model_that_does_not_start(nli: Task) -> None:
    failure = SystemFailureError("unreachable", "Nobody listens on port 1.")

    trial = tried(Scripted(good, fails=failure), nli)

    assert trial.ready_seconds is None
    assert [(each.probe, each.problem) for each in trial.violations] == [
        ("start", "Nobody listens on port 1.")
    ]


def test_a_model_that_answers_differently_each_time_gets_a_note(nli: Task) -> None:
    labels = iter(["neutral", "entailed", "contradictory"] * 9)

    trial = tried(
        Scripted(lambda question: {**good(question), "label": next(labels)}, concurrency=4), nli
    )

    assert trial.violations == ()
    assert len(trial.notes) == 1
    assert "answered differently" in trial.notes[0]


def test_a_batch_that_mixes_its_neighbours_up_is_a_violation(nli: Task) -> None:
    class Leaking(Scripted):
        async def predict(self, questions: Sequence[Question]) -> Sequence[Reply]:
            label = "entailed" if len(questions) > 1 else "neutral"
            return [Reply({**good(each), "label": label}, 0.0) for each in questions]

    trial = tried(Leaking(good, batch=8), nli)

    assert len(trial.violations) == len(make_probes(nli))
    assert "together with other questions" in trial.violations[0].problem
    assert trial.violations[0].got["label"] == "entailed"
    assert trial.violations[0].expected["label"] == "neutral"


def test_rounding_in_a_batch_is_no_violation(nli: Task) -> None:
    class Rounding(Scripted):
        async def predict(self, questions: Sequence[Question]) -> Sequence[Reply]:
            moved = 1e-5 * len(questions)
            prob = {**PROBS, "entailed": 0.5 + moved, "neutral": 0.25 - moved}
            return [Reply({**good(each), "prob": prob}, 0.0) for each in questions]

    assert tried(Rounding(good, batch=8), nli).violations == ()


def test_signatures_are_checked_where_there_is_a_secret(nli: Task) -> None:
    def signed(question: Question) -> dict[str, Any]:
        answer = good(question)
        return {**answer, "signature": signature_of("s3cr3t", nli, question, answer)}

    right = tried(Scripted(signed), nli, secret="s3cr3t")
    forged = tried(Scripted(signed), nli, secret="another")
    missing = tried(Scripted(good), nli, secret="s3cr3t")

    assert right.violations == ()
    assert "signature is not valid" in forged.violations[0].problem
    assert "not signed" in missing.violations[0].problem


@given(
    st.recursive(st.floats(0, 1) | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x))
)
def test_everything_is_like_itself(value: Any) -> None:
    assert alike(value, value)


def test_what_is_not_alike() -> None:
    assert not alike({"a": 0.5}, {"a": 0.6})
    assert not alike({"a": 0.5}, {"b": 0.5})
    assert not alike([1.0], [1.0, 1.0])
    assert not alike("a", "A")
    assert alike({"a": [0.5, "x"]}, {"a": [0.50001, "x"]})
