"""A study as a Label Studio project, held against the shape that its documentation gives."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema_rs
import pytest

from palaver.core.questions import QUESTION_KINDS
from palaver.formats.label_studio_config import config
from palaver.reports.export import Exported, export_study
from palaver.storage import Store
from palaver.storage.schema import labels as label_table
from palaver.studies import library
from palaver.studies.file.questions import find_built_in
from support.databases import new_sqlite
from support.verdicts import Judged

# From https://labelstud.io/guide/task_format.html and the tags' pages; `start` and `end` of a
# paragraph are text in what Label Studio's own editor writes.
PARAGRAPHS = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["author", "text"],
        "properties": {"author": {"type": "string"}, "text": {"type": "string"}},
    },
}
VALUES: dict[str, dict[str, Any]] = {
    "rating": {"type": "integer", "minimum": 1},
    "number": {"type": "number"},
    "choices": {"type": "array", "items": {"type": "string"}},
    "text": {"type": ["array", "string"]},
    "paragraphlabels": {"type": "array", "items": {"type": "string"}, "minItems": 1},
    "start": {"type": "string", "pattern": "^[0-9]+$"},
    "end": {"type": "string", "pattern": "^[0-9]+$"},
    "startOffset": {"type": "integer", "minimum": 0},
    "endOffset": {"type": "integer", "minimum": 0},
}
KEYS = {
    **{"rating": "rating", "number": "number", "choices": "choices", "textarea": "text"},
    "paragraphlabels": "paragraphlabels",
}
RESULT = {
    "type": "object",
    "required": ["id", "from_name", "to_name", "type", "value"],
    "properties": {
        "id": {"type": "string"},
        "from_name": {"type": "string"},
        "to_name": {"const": "dialogue"},
        "type": {"enum": list(KEYS)},
        "value": {"type": "object", "properties": VALUES, "additionalProperties": False},
    },
    "allOf": [
        {
            "if": {"properties": {"type": {"const": kind}}},
            "then": {"properties": {"value": {"required": [key]}}},
        }
        for kind, key in KEYS.items()
    ],
}
MOMENT = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$"}
ANNOTATION = {
    "type": "object",
    "required": [
        *("id", "result", "was_cancelled", "ground_truth", "lead_time", "completed_by"),
        *("created_at", "updated_at"),
    ],
    "properties": {
        "id": {"type": "integer"},
        "result": {"type": "array", "items": RESULT},
        "was_cancelled": {"type": "boolean"},
        "ground_truth": {"type": "boolean"},
        "lead_time": {"type": ["number", "null"]},
        "completed_by": {"type": "object", "required": ["id", "email"]},
        "created_at": MOMENT,
        "updated_at": MOMENT,
    },
}
TASKS = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["id", "data", "annotations", "predictions"],
        "properties": {
            "id": {"type": "integer"},
            "data": {
                "type": "object",
                "required": ["dialogue"],
                "properties": {"dialogue": PARAGRAPHS, "second": PARAGRAPHS},
            },
            "annotations": {"type": "array", "items": ANNOTATION},
            "predictions": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["model_version", "result"],
                    "properties": {
                        "model_version": {"type": "string"},
                        "result": {"type": "array", "items": RESULT},
                    },
                },
            },
        },
    },
}
SAID = [(0, "Hi"), (1, "Hello 🙂 you there"), (0, "So?"), (1, "Well"), (1, "yes")]


@pytest.fixture
def store(tmp_path: Path) -> Any:
    store = Store(new_sqlite(tmp_path / "palaver.db"))
    yield store
    store.close()


@pytest.fixture
def judged(store: Store) -> Judged:
    return Judged.register(store)


def export(judged: Judged, folder: Path, *, mask: bool = False) -> tuple[list[Any], Exported]:
    made = export_study(
        judged.store, study="judged", format="label-studio", destination=folder, mask=mask
    )
    tasks = json.loads((folder / "tasks.json").read_text(encoding="utf-8"))
    jsonschema_rs.validate(TASKS, tasks)
    _check_controls(tasks, folder / "config.xml")
    return tasks, made


def _check_controls(tasks: list[Any], file: Path) -> None:
    """Every result comes from a control of the configuration and holds what it offers."""
    controls = {e.get("name"): e for e in ElementTree.parse(file).iter() if e.get("name")}
    tags = {
        **{"rating": "Rating", "number": "Number", "choices": "Choices", "textarea": "TextArea"},
        "paragraphlabels": "ParagraphLabels",
    }
    for task in tasks:
        for given in (*task["annotations"], *task["predictions"]):
            regions = {r["id"] for r in given["result"] if r["type"] == "paragraphlabels"}
            for result in given["result"]:
                control = controls[result["from_name"]]
                assert control.tag == tags[result["type"]]
                offered = {child.get("alias") or child.get("value") for child in control}
                if offered:
                    assert set(result["value"][result["type"]]) <= offered
                if control.get("perRegion"):
                    assert result["id"] in regions


def answer_everything(judged: Judged, key: str, other: str, **rater: Any) -> None:
    whole = {
        **{"clear": 4, "score": 55, "topic": "work", "traits": ["kind"], "order": ["y", "x"]},
        **{"sides": {"wit": 2, "care": 5}, "remark": "Nice."},
    }
    for question, answer in whole.items():
        judged.say(key, question, answer, **rater)
    judged.say(key, "tone", -1, turn=2, **rater)
    judged.say(key, "liked", "up", turn=1, **rater)
    judged.say(key, "places", [{"start": 6, "end": 11, "label": "slip"}], turn=1, **rater)
    judged.say(key, "what_happens", {"seen": "yes", "which": ["odd"]}, turn=1, **rater)
    judged.say(key, "better", "a", other=other, **rater)


def test_every_kind_of_answer_has_its_place(judged: Judged, tmp_path: Path) -> None:
    key, other = judged.dialogue(*SAID), judged.dialogue((0, "Hi"), (1, "Ho"))
    answer_everything(judged, key, other, seconds=2.0)
    assert {question.kind for question in judged.questions.values()} == set(QUESTION_KINDS.names())
    tasks, made = export(judged, tmp_path / "out")
    assert made.counts == {
        **{"dialogues": 2, "pairs": 1, "annotations": 2},
        **{"predictions": 0, "labels_left_out": 0},
    }
    (annotation,) = tasks[0]["annotations"]
    said = {(r["from_name"], r["id"]): (r["type"], r["value"]) for r in annotation["result"]}
    whole = {name: value for (name, _), value in said.items()}
    assert whole["clear"] == ("rating", {"rating": 4})
    assert whole["score"] == ("number", {"number": 55})
    assert whole["topic"] == ("choices", {"choices": ["work"]})
    assert whole["traits"] == ("choices", {"choices": ["kind"]})
    assert whole["order"] == ("textarea", {"text": ['["y","x"]']})
    assert whole["sides.care"] == ("rating", {"rating": 5})
    assert whole["remark"] == ("textarea", {"text": ["Nice."]})
    turn = {"start": "3", "end": "3", "startOffset": 0, "endOffset": 8}
    assert said["tone", "t3"] == ("number", {**turn, "number": -1})
    second = {"start": "1", "end": "1", "startOffset": 0, "endOffset": 18}
    assert said["what_happens.which", "t1"] == ("choices", {**second, "choices": ["odd"]})
    assert whole["places"] == (
        "paragraphlabels",
        # "Hello 🙂 you": the face is one code point and two UTF-16 units.
        {
            **{"start": "1", "end": "1", "startOffset": 6, "endOffset": 12},
            **{"text": "🙂 you", "paragraphlabels": ["slip"]},
        },
    )
    assert annotation["lead_time"] == 22.0
    assert annotation["completed_by"] == {"id": 1, "email": "sim:ann@raters.invalid"}


def test_a_dialogue_is_paragraphs_and_a_pair_two_of_them(judged: Judged, tmp_path: Path) -> None:
    one, other = judged.dialogue(*SAID), judged.dialogue((0, "Hi"), (1, "Ho"))
    judged.say(one, "better", "b", other=other)
    tasks, _ = export(judged, tmp_path / "out")
    assert tasks[0]["data"]["dialogue"] == [
        {"author": "user", "text": "Hi", "seq": 2},
        {"author": "system", "text": "Hello 🙂 you there", "seq": 3},
        {"author": "user", "text": "So?", "seq": 4},
        {"author": "system", "text": "Well\nyes", "seq": 5},
    ]
    assert tasks[0]["data"]["second"] == []
    pair = tasks[2]
    sides = dict(zip(("first", "second"), pair["data"]["meta"]["dialogues"], strict=True))
    (chosen,) = pair["annotations"][0]["result"]
    assert sides[chosen["value"]["choices"][0]] == other
    shown = {"first": pair["data"]["dialogue"], "second": pair["data"]["second"]}
    assert shown[chosen["value"]["choices"][0]][1]["text"] == "Ho"


def test_raters_never_read_which_system_it_was(judged: Judged, tmp_path: Path) -> None:
    judged.dialogue(*SAID)
    (task,), _ = export(judged, tmp_path / "out")
    assert "parrot" not in json.dumps(task["data"])
    assert task["meta"]["conditions"] == ["parrot"]


def test_model_judges_give_predictions(judged: Judged, tmp_path: Path) -> None:
    key = judged.dialogue(*SAID)
    judged.say(key, "clear", 2, rater="model:judge-7b", kind="model")
    judged.say(key, "clear", 3, rater="sim:ann")
    (task,), made = export(judged, tmp_path / "out")
    assert [each["model_version"] for each in task["predictions"]] == ["model:judge-7b"]
    assert task["predictions"][0]["result"][0]["value"] == {"rating": 2}
    assert len(task["annotations"]) == 1
    assert (made.counts["annotations"], made.counts["predictions"]) == (1, 1)


def test_what_is_left_out_is_counted(judged: Judged, tmp_path: Path) -> None:
    key = judged.dialogue(*SAID)
    judged.say(key, "clear", 2)
    judged.say(key, "clear", 3)  # replaces it
    judged.say(key, "remark", None)
    judged.say(key, "remark", None, rater="sim:bo")
    judged.say(key, "clear", 1, rater="sim:cy", purpose="gold")
    judged.say(key, "clear", 5, rater="sim:di")
    gone = label_table.update().where(label_table.c.value == "5").values(value=None, erased=1.0)
    judged.store.write_now(lambda c: c.execute(gone))
    (task,), made = export(judged, tmp_path / "out")
    ann, bo = task["annotations"]
    assert [r["value"] for r in ann["result"]] == [{"rating": 3}]
    assert (ann["was_cancelled"], bo["was_cancelled"], bo["result"]) == (False, True, [])
    assert made.counts["labels_left_out"] == 5


def test_marks_move_with_the_words_that_masking_changed(judged: Judged, tmp_path: Path) -> None:
    key = judged.dialogue((0, "Hi"), (1, "Write to ann@example.org now"), (0, "Why"), (1, "So"))
    behind = {"start": 25, "end": 28, "label": "slip"}
    across = {"start": 6, "end": 12, "label": "slip"}
    judged.say(key, "places", [across, behind], turn=1)
    judged.say(key, "places", [{"start": 0, "end": 2, "label": "slip"}], turn=2)
    (task,), made = export(judged, tmp_path / "masked", mask=True)
    marked = [r["value"]["text"] for r in task["annotations"][0]["result"]]
    assert marked == ["to [email]", "now", "So"]
    assert made.counts["labels_left_out"] == 0
    (task,), made = export(judged, tmp_path / "plain")
    marked = [r["value"]["text"] for r in task["annotations"][0]["result"]]
    assert marked == ["to ann", "now", "So"]


def test_the_configuration_has_the_words_of_the_study(judged: Judged, tmp_path: Path) -> None:
    judged.dialogue(*SAID)
    export(judged, tmp_path / "out")
    view = ElementTree.parse(tmp_path / "out" / "config.xml").getroot()
    assert {e.get("name"): e.get("value") for e in view.iter("Paragraphs")} == {
        "dialogue": "$dialogue",
        "second": "$second",
    }
    headers = [element.get("value") for element in view.iter("Header")]
    assert "Where does the speaker err?" in headers
    choices = {e.get("name"): e.get("choice") for e in view.iter("Choices")}
    assert (choices["traits"], choices["what_happens.which"]) == ("multiple", "multiple")
    number = next(e for e in view.iter("Number") if e.get("name") == "tone")
    assert (number.get("min"), number.get("max"), number.get("perRegion")) == ("-1", "1", "true")


def test_every_built_in_question_has_controls_of_its_own() -> None:
    asked = [find_built_in(name) for name in library.question_names()]
    view = ElementTree.fromstring(config(asked))
    names = [e.get("name", "") for e in view.iter() if e.get("toName") and e.get("name") != "turn"]
    assert len(set(names)) == len(names)
    assert {name.partition(".")[0] for name in names} == {question.name for question in asked}


def test_questions_that_cannot_be_read_leave_answers_as_text(store: Store, tmp_path: Path) -> None:
    judged = Judged.register(store)
    key = judged.dialogue(*SAID)
    judged.say(key, "sides", {"wit": 2, "care": 5})
    Judged.register(store, text="title: [")
    made = export_study(
        store, study="judged", format="label-studio", destination=tmp_path / "out", mask=False
    )
    (task,) = json.loads((tmp_path / "out" / "tasks.json").read_text())
    (result,) = task["annotations"][0]["result"]
    assert result["value"] == {"text": ['{"wit":2,"care":5}']}
    assert made.counts["labels_left_out"] == 0


def test_several_studies_have_a_folder_each(store: Store, tmp_path: Path) -> None:
    for name in ("one", "two"):
        Judged.register(store, name=name).dialogue(*SAID)
    made = export_study(
        store, study=None, format="label-studio", destination=tmp_path / "out", mask=False
    )
    assert made.counts["dialogues"] == 2
    assert sorted(str(p.relative_to(tmp_path / "out")) for p in made.paths) == [
        *("DICTIONARY.md", "dictionary.json"),
        *("manifest.json", "one/config.xml", "one/tasks.json", "two/config.xml", "two/tasks.json"),
    ]
