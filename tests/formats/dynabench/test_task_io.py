"""Modules of dynalab that say what a model answers: read from their syntax, run only when asked."""

import sys
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import AnswerError, BrokenCheckError, InputError
from palaver.core.tasks import Task
from palaver.evaluation.models.probes import make_probes
from palaver.evaluation.tasks import load_task, task_from_data
from palaver.evaluation.tasks.definition import task_yaml
from palaver.formats.dynabench import TaskDraft, check_module, convert, read_sources

# In the shape of such modules: probes with ids made as they are loaded, asserts, a helper, a signature.
PAIRS = '''
import uuid

from dynalab.tasks.common import BaseTaskIO

LABELS = {"entailed", "neutral", "contradictory"}
SHORT = "The bakery opens " + "at six."

data = [
    {"uid": str(uuid.uuid4()), "context": SHORT, "hypothesis": "It opens early."},
    {"uid": str(uuid.uuid4()), "context": "Zażółć gęślą jaźń", "hypothesis": "東京 ☔"},
    {
        "uid": str(uuid.uuid4()),
        "context": " ".join([str(n) + "_" for n in range(513)]),
        "hypothesis": "la " * 3,
    },
    {"uid": "4", "context": unread(), "hypothesis": "Never read."},
    {"uid": "5", "context": "Nothing is asked of it."},
]


class TaskIO(BaseTaskIO):
    def __init__(self):
        BaseTaskIO.__init__(self)

    def verify_response(self, response, data):
        """What an answer must hold."""
        assert "id" in response and response["id"] == data["uid"]
        assert "label" in response and response["label"] in {
            "entailed",
            "neutral",
            "contradictory",
        }
        assert response["signed"] == self.generate_response_signature(response, data)
        keys = 3
        if "prob" in response:
            assert self._verify_prob(response["prob"])
            keys += 1
        assert keys == len(response), f"other keys: {response.keys()}"
        assert response["label"] != "neutral" or len(data["context"]) > 9

    def _verify_prob(self, prob):
        message = "one number per label"
        assert isinstance(prob, dict), message
        assert len(prob) == 3 and "entailed" in prob and "neutral" in prob, message
        assert "contradictory" in prob
        for key in prob:
            assert prob[key] >= 0 and prob[key] <= 1, f"{key} is not between 0 and 1"
        return True

    def parse_signature_input(self, response, data):
        task = "pairs"
        inputs = {key: data[key] for key in ["context", "hypothesis"]}
        outputs = {key: response[key] for key in ["label"]}
        return task, inputs, outputs
'''
# The older shape: one probe, and the question in the object.
SPANS = """
import uuid
from dynalab.tasks.common import BaseTaskIO

data = {"uid": str(uuid.uuid4()), "context": "Ada wrote it in 1843.", "question": "When?"}

class TaskIO(BaseTaskIO):
    def __init__(self, data=data):
        BaseTaskIO.__init__(self, data)

    def verify_response(self, response):
        assert "id" in response and response["id"] == self.data["uid"]
        assert "answer" in response and response["answer"] in self.data["context"]
        assert response["signed"] == self.generate_response_signature(response)
        if "conf" in response:
            assert 0 <= response["conf"] <= 1
        assert len(response["answer"]) < 6, "six characters are too many"

    def parse_signature_input(self, response):
        return "spans", {}, {}
"""
TRANSLATIONS = """
from dynalab.tasks.common import BaseTaskIO

data = [{"uid": "1", "sourceLanguage": "eng", "targetLanguage": "hrv", "sourceText": "Hello"}]

class TaskIO(BaseTaskIO):
    def verify_response(self, response, data):
        assert response.keys() == {"id", "translatedText", "signed"}, response.keys()
        assert response["id"] == data["uid"]
        assert isinstance(response["translatedText"], str)

    def parse_signature_input(self, response, data):
        task = "flores"
        inputs = {key: data[key] for key in ["sourceLanguage", "targetLanguage", "sourceText"]}
        outputs = {"translatedText": response["translatedText"]}
        return task, inputs, outputs
"""
TAGS = """
KINDS = ("rude", "kind")
data = [{"uid": "1", "text": "x"}]

class TaskIO:
    def verify_response(self, response, data):
        assert isinstance(response["kinds"], list) and all(k in KINDS for k in response["kinds"])
        self._further(response)

    def _further(self, answer):
        if not answer["why"]:
            raise ValueError("say why")
"""


def draft(folder: Path, text: str, name: str = "pairs") -> TaskDraft:
    (folder / f"{name}.py").write_text(text, encoding="utf-8")
    (source,) = read_sources(folder / f"{name}.py")
    return convert(source)


def task(found: TaskDraft) -> Task:
    return task_from_data(found.data, folder="", source=found.name)


def test_fields_labels_and_probes_are_read(tmp_path: Path) -> None:
    found = draft(tmp_path, PAIRS)
    labels = ["entailed", "neutral", "contradictory"]
    assert found.data["name"] == "pairs"
    assert found.data["context"] == [{"name": "context", "type": "string"}]
    assert found.data["input"] == [
        {"name": "hypothesis", "type": "string"},
        {"name": "label", "type": "multiclass", "labels": labels},
    ]
    prob = {"name": "prob", "type": "prob", "labels": labels, "normalised": False}
    assert found.data["output"] == ["label", prob]
    first, foreign, long = found.data["probes"]
    assert first == {"context": "The bakery opens at six.", "hypothesis": "It opens early."}
    assert foreign["hypothesis"] == "東京 ☔"
    assert long["context"].split() == [f"{n}_" for n in range(513)]
    assert long["hypothesis"] == "la la la "
    assert [each.name for each in make_probes(task(found))][:4] == [
        "own-1",
        "own-2",
        "own-3",
        "short",
    ]


def test_what_was_not_read_is_named_with_its_line(tmp_path: Path) -> None:
    found = draft(tmp_path, PAIRS)
    assert found.left_out == [
        "Probe 4 of 'data', line 17: 'unread()' is not a plain value.",
        "Probe 5 of 'data', line 18: it has no text for hypothesis.",
        "verify_response, line 40: response['label'] != 'neutral' or len(data['context']) > 9: no "
        "field says this.",
        "verify_response itself: it was read and is not run. With --verify it checks every answer, "
        "which runs this Python wherever answers are checked.",
    ]
    assert "'accuracy' was written" in found.look_at[0]
    assert "verify" not in found.data


def test_an_older_module_has_one_probe_and_finds_the_question_in_itself(tmp_path: Path) -> None:
    found = draft(tmp_path, SPANS, "spans")
    assert found.data["input"] == [
        {"name": "question", "type": "string"},
        {"name": "answer", "type": "context_string_selection", "reference": "context"},
    ]
    assert found.data["output"] == ["answer", {"name": "conf", "type": "prob"}]
    assert found.data["perf_metric"]["metric"] == "squad_f1"
    assert found.data["probes"] == [{"context": "Ada wrote it in 1843.", "question": "When?"}]
    task(found)


def test_a_translation_keeps_its_gold_and_its_signature(tmp_path: Path) -> None:
    found = draft(tmp_path, TRANSLATIONS, "flores_small1")
    assert found.data["output"] == ["translatedText"]
    assert found.data["gold"] == {"translatedText": "targetText"}
    assert found.data["perf_metric"]["metric"] == "sp_bleu"
    assert any("signed as 'flores'" in line for line in found.changed)
    assert [line for line in found.left_out if "no field" in line] == []


def test_lists_of_labels_and_parts_that_nothing_is_said_of(tmp_path: Path) -> None:
    found = draft(tmp_path, TAGS, "tags")
    assert found.data["input"][1:] == [
        {"name": "kinds", "type": "multilabel", "labels": ["rude", "kind"]},
        {"name": "why", "type": "string"},
    ]
    assert (
        found.look_at[0] == "'verify_response' does not say what 'why' holds; it became a string."
    )
    assert any("if not answer['why']: raise ValueError" in line for line in found.left_out)
    task(found)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1", "has neither a table 'tasks_config' nor a class 'TaskIO' with a method"),
        ("def verify_response(): pass", "nor a class 'TaskIO'"),
        ("from a import TaskIO\ndata = []", "nor a class 'TaskIO'"),
        (
            "class TaskIO:\n  def verify_response(self, r, d): pass",
            "neither 'data' nor 'verify_response' nor 'parse_signature_input' says what a model is",
        ),
        (
            "data = [{'text': 'x'}]\nclass TaskIO:\n  def verify_response(self): pass",
            "says what it must answer. Write a task file of your own: palaver task init NAME",
        ),
    ],
)
def test_a_module_that_says_too_little(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        draft(tmp_path, text)
    assert message in str(refused.value)
    assert "pairs.py" in str(refused.value)


def test_huge_texts_and_deep_nesting_are_not_made(tmp_path: Path) -> None:
    many = PAIRS.replace('"la " * 3', '"la " * 10**9').replace("SHORT,", "SHORT * 10**6,")
    assert len(draft(tmp_path, many).data["probes"]) == 1
    with pytest.raises(InputError, match="nested too deeply"):
        draft(tmp_path, PAIRS + "LONG = " + " + ".join(['"a"'] * 900))


def checked(folder: Path, text: str, name: str = "pairs") -> Task:
    """The task whose answers the module checks itself, as --verify makes it."""
    (folder / f"{name}.py").write_text(text.replace("unread()", "'x'"), encoding="utf-8")
    (folder / "own.py").write_text(check_module(f"{name}.py"))
    (source,) = read_sources(folder / f"{name}.py")
    file = folder / "task.yaml"
    file.write_text(task_yaml(convert(source, verify="own:verify").data), encoding="utf-8")
    return load_task(file)


def read(task: Task, record: dict[str, Any], **answer: Any) -> dict[str, Any]:
    example = task.read_example({"uid": "7", **record})
    return dict(task.read_answer({"id": "7", **answer}, example).values)


def test_the_check_of_a_module_is_run_without_its_package(tmp_path: Path) -> None:
    found = checked(tmp_path, PAIRS)
    pair = {"context": "A long context.", "hypothesis": "x", "label": "neutral"}
    assert read(found, pair, label="neutral") == {"label": "neutral"}
    shares = {"entailed": 0.5, "neutral": 1, "contradictory": 0}
    assert read(found, pair, label="neutral", prob=shares)["prob"] == shares
    for answer, reason in (
        ({"prob": {**shares, "neutral": 1.5}}, "neutral is not between 0 and 1"),
        ({}, "this does not hold: response['label'] != 'neutral' or len(data['context']) > 9"),
    ):
        with pytest.raises(AnswerError) as refused:
            read(found, {**pair, "context": "Short."}, label="neutral", **answer)
        assert str(refused.value) == f"Answer to 7: {reason}."
    assert not [name for name in sys.modules if name.startswith("dynalab")]


def test_the_check_of_an_older_module_is_run(tmp_path: Path) -> None:
    found = checked(tmp_path, SPANS, "spans")
    item = {"context": "Ada wrote it in 1843.", "question": "When?", "answer": "1843"}
    assert read(found, item, answer="1843", conf=0.5) == {"answer": "1843", "conf": 0.5}
    with pytest.raises(AnswerError, match=r"Answer to 7: six characters are too many\."):
        read(found, item, answer="Ada wrote")


def test_what_a_module_raises_besides_is_a_fault_of_it(tmp_path: Path) -> None:
    found = checked(tmp_path, TAGS, "tags")
    item = {"text": "x", "kinds": ["rude"], "why": "so"}
    assert read(found, item, kinds=["kind"], why="because") == {"kinds": ["kind"], "why": "because"}
    with pytest.raises(BrokenCheckError, match="it raised ValueError: say why"):
        read(found, item, kinds=["kind"], why="")


def test_a_module_that_cannot_be_imported_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"task\.yaml:.*Importing 'pairs' failed: No module named"):
        checked(tmp_path, f"import no_such_package\n{PAIRS}")
