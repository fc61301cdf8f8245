"""Records of data sets and answers of models, read by a task."""

import pickle
from typing import Any

import pytest

from palaver.core.errors import AnswerError, InputError
from palaver.core.tasks import (
    Answer,
    ContextStringSelection,
    Example,
    MetricChoice,
    Multiclass,
    Prob,
    String,
    Task,
)

LABELS = ("entailed", "neutral", "contradictory")
LABEL = Multiclass(name="label", labels=LABELS)
NLI = Task(
    name="nli",
    title="NLI",
    context=(String(name="context"),),
    inputs=(String(name="hypothesis"), LABEL),
    outputs=(LABEL, Prob(name="prob", labels=LABELS)),
    gold={"label": "label"},
    metrics=(MetricChoice(metric="accuracy", fields=("label",)),),
    codes={"e": "entailed"},
)
SPAN = ContextStringSelection(name="answer", reference="context")
QA = Task(
    name="qa",
    title="QA",
    context=(String(name="context"),),
    inputs=(String(name="question"), SPAN),
    outputs=(SPAN,),
    gold={"answer": "answer"},
    metrics=(MetricChoice(metric="squad_f1", fields=("answer",)),),
)
TEXT = String(name="translatedText")
FLORES = Task(
    name="flores",
    title="Translation",
    inputs=(String(name="sourceText"), TEXT),
    outputs=(TEXT,),
    gold={"translatedText": "targetText"},
    metrics=(MetricChoice(metric="bleu", fields=("translatedText",)),),
)
RECORD = {"uid": 7, "context": "It rains.", "hypothesis": "It is wet.", "label": "e", "tags": ["a"]}


def example(task: Task = NLI, **values: Any) -> Example:
    return task.read_example({**RECORD, **values})


def test_an_item_is_read_and_its_question_holds_no_gold() -> None:
    found = example(other="ignored", input_id=3)
    assert found == Example(
        uid="7",
        values={"context": "It rains.", "hypothesis": "It is wet.", "label": "entailed"},
        tags=("a",),
        input_id="3",
    )
    assert NLI.question(found) == {"uid": "7", "context": "It rains.", "hypothesis": "It is wet."}
    assert [each.name for each in NLI.asked] == ["context", "hypothesis"]
    assert [each.name for each in NLI.targets] == ["label"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"uid": None}, "has no 'uid'"),
        ({"uid": ""}, "has no 'uid'"),
        ({"uid": 1.5}, "a text or a whole number; got 1.5"),
        ({"uid": True}, "a text or a whole number"),
        ({"label": "maybe"}, "Item 7: 'label': expected one of"),
        ({"hypothesis": None}, "Item 7: 'hypothesis': expected a text; got None"),
        ({"tags": "easy"}, "Item 7: 'tags' must be a list of texts"),
        ({"tags": 3}, "Item 7: 'tags' must be a list of texts"),
        ({"tags": [1]}, "Item 7: 'tags' must be a list of texts"),
    ],
)
def test_a_bad_item_is_named(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as refused:
        example(**changed)
    assert message in str(refused.value)


def test_a_missing_field_is_named() -> None:
    with pytest.raises(InputError, match="Item 7: 'context': it is missing"):
        NLI.read_example({key: value for key, value in RECORD.items() if key != "context"})


def test_the_id_may_be_called_id() -> None:
    assert NLI.read_example({**RECORD, "uid": None, "id": 0}).uid == "0"


def test_gold_under_another_name_is_read_and_stays_hidden() -> None:
    kept = {"uid": "1", "sourceText": "Hallo", "targetText": ["Hello", "Hi"]}
    found = FLORES.read_example(kept)
    assert FLORES.gold_of(found, "translatedText") == ["Hello", "Hi"]
    assert FLORES.question(found) == {"uid": "1", "sourceText": "Hallo"}
    older = FLORES.read_example({"uid": "1", "sourceText": "Hallo", "translatedText": "Hello"})
    assert older.values == {"sourceText": "Hallo", "targetText": "Hello"}


def test_an_answer_is_read() -> None:
    prob = {"e": 0.5, "neutral": 0.25, "contradictory": 0.25}
    record = {"id": 7, "label": "e", "prob": prob, "signed": "abc"}
    found = NLI.read_answer(record, example(), strict=True)
    assert found == Answer(
        uid="7",
        values={"label": "entailed", "prob": dict(zip(LABELS, (0.5, 0.25, 0.25), strict=True))},
        signature="abc",
    )
    assert NLI.predicted(found, "prob") == [0.5, 0.25, 0.25]
    assert NLI.predicted(NLI.read_answer({"id": "7", "label": "e"}, example()), "prob") is None


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("text", "expected a JSON object; got 'text'"),
        ({"label": "e"}, "it has no 'id'; expected '7'"),
        ({"id": 8, "label": "e"}, "its 'id' is '8'; expected '7'"),
        ({"id": 7}, "it has no 'label'"),
        ({"id": 7, "label": "x"}, "'label': expected one of"),
        ({"id": 7, "label": "e", "prob": {"e": 1}}, "missing: neutral, contradictory"),
        ({"id": 7, "label": "e", "more": 1}, "unexpected more; expected label, prob"),
    ],
)
def test_a_bad_answer_is_named(record: Any, message: str) -> None:
    with pytest.raises(AnswerError) as refused:
        NLI.read_answer(record, example(), strict=True)
    assert str(refused.value).startswith("Answer to 7: ")
    assert message in str(refused.value)


def test_a_field_nobody_asked_for_is_let_pass_unless_strict() -> None:
    assert NLI.read_answer({"id": 7, "label": "e", "more": 1}, example()).values == {
        "label": "entailed"
    }


def test_an_answer_cannot_bring_its_own_context() -> None:
    record = {"uid": 1, "context": "A cat.", "question": "Who?", "answer": "cat"}
    found = QA.read_example(record)
    lie = {"id": 1, "answer": "dog", "context": "A dog."}
    with pytest.raises(AnswerError, match="'dog' is not in 'context'"):
        QA.read_answer(lie, found)
    assert QA.read_answer(lie, found, uploaded=True).values == {"answer": "dog"}


def test_a_task_travels_to_other_machines() -> None:
    sent = pickle.loads(pickle.dumps(NLI))
    assert sent == NLI
    assert sent.asked == NLI.asked
