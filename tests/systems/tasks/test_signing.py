"""Signatures, against the vector of the evaluation server that wrote them first."""

import hashlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.core.tasks import MetricChoice, Multiclass, Prob, String, Task
from palaver.systems.signatures import (
    secret_of_environment,
    sign,
    signature_holds,
    signature_of,
    signed_of,
    verify,
)

LABELS = ("entailed", "neutral", "contradictory")
INPUTS = {"context": "It is raining", "hypothesis": "It is wet"}
OUTPUTS: dict[str, Any] = {
    "label": "entailed",
    "prob": {"entailed": 0.5, "neutral": 0.25, "contradictory": 0.25},
}
VECTOR = "292c6e0795b77b685de82a82228d3c47c9baa089"


def nli(name: str = "nli") -> Task:
    return Task(
        name=name,
        title="NLI",
        context=(String(name="context"),),
        inputs=(String(name="hypothesis"), Multiclass(name="label", labels=LABELS)),
        outputs=(
            Multiclass(name="label", labels=LABELS),
            Prob(name="prob", labels=LABELS),
        ),
        gold={"label": "label"},
        metrics=(MetricChoice(metric="accuracy", fields=("label",)),),
    )


def test_the_vector_holds() -> None:
    assert sign("s3cr3t", "nli", INPUTS, OUTPUTS) == VECTOR
    assert verify(VECTOR, "s3cr3t", "nli", INPUTS, OUTPUTS)


@pytest.mark.parametrize(
    ("secret", "task", "changed"),
    [("other", "nli", {}), ("s3cr3t", "qa", {}), ("s3cr3t", "nli", {"label": "neutral"})],
)
def test_any_change_breaks_it(secret: str, task: str, changed: dict[str, Any]) -> None:
    assert not verify(VECTOR, secret, task, INPUTS, {**OUTPUTS, **changed})


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(st.text(), st.text()), st.randoms())
def test_the_order_of_fields_does_not_matter(values: dict[str, str], rng: Any) -> None:
    items = list(values.items())
    rng.shuffle(items)

    assert sign("s", "t", dict(items), {}) == sign("s", "t", values, {})


def test_a_record_is_signed_over_what_was_asked_and_all_outputs() -> None:
    question = {"uid": "7", **INPUTS}
    record = {"id": "7", **OUTPUTS, "note": "not signed"}

    assert signature_of("s3cr3t", nli(), question, record) == VECTOR


def test_the_older_dialect_signs_the_first_target_alone() -> None:
    question = {"uid": "7", **INPUTS}
    expected = hashlib.sha1(b"s3cr3tnliIt is rainingIt is wetentailed").hexdigest()

    assert signed_of("s3cr3t", nli(), question, {"id": "7", **OUTPUTS}) == expected


@pytest.mark.parametrize("name", ["flores", "flores_full", "flores_small1"])
def test_every_translation_task_signed_as_flores(name: str) -> None:
    task = Task(
        name=name,
        title="",
        inputs=(String(name="sourceText"),),
        outputs=(String(name="translatedText"),),
        gold={"translatedText": "targetText"},
        metrics=(MetricChoice(metric="bleu", fields=("translatedText",)),),
    )
    expected = hashlib.sha1(b"sfloreshellohallo").hexdigest()

    assert signed_of("s", task, {"sourceText": "hello"}, {"translatedText": "hallo"}) == expected


def test_a_record_says_whether_its_signature_holds() -> None:
    question = {"uid": "7", **INPUTS}
    record = {"id": "7", **OUTPUTS}
    old = signed_of("s3cr3t", nli(), question, record)

    assert signature_holds("s3cr3t", nli(), question, record) is None
    assert signature_holds("s3cr3t", nli(), question, {**record, "signature": VECTOR}) is True
    assert signature_holds("s3cr3t", nli(), question, {**record, "signed": VECTOR}) is True
    assert signature_holds("s3cr3t", nli(), question, {**record, "signed": old}) is True
    assert signature_holds("s3cr3t", nli(), question, {**record, "signature": old}) is False
    assert signature_holds("s3cr3t", nli(), question, {**record, "signed": "ü"}) is False


def test_the_secret_stands_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_SECRET", "s3cr3t")
    assert secret_of_environment() == "s3cr3t"
    monkeypatch.delenv("MY_SECRET")
    assert secret_of_environment() is None
