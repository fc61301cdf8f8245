"""Every kind of question with its keys, and every built-in question, is in docs/questions.md."""

import re
from typing import Any

import msgspec
import pytest

from palaver.core.questions import QUESTION_KINDS, Question, QuestionExample
from palaver.core.questions.flow_tree import Step, StepAnswer
from palaver.core.questions.options import Option
from palaver.core.questions.question import Stem
from palaver.studies import library
from palaver.studies.file.questions import find_built_in
from palaver.web.api.models import NewLabel

from .defaults import says
from .reading import CODE, own_section, page, rows, section

PAGE = page("questions.md")
KINDS = QUESTION_KINDS.names()
BUILT_IN = rows(section(PAGE, "Built-in questions"))


def _fields(struct: type[msgspec.Struct]) -> dict[str, msgspec.structs.FieldInfo]:
    return {field.encode_name: field for field in msgspec.structs.fields(struct)}


def _check(described: dict[str, list[str]], fields: dict[str, Any]) -> None:
    assert set(described) == set(fields)
    for name, field in fields.items():
        if field.required:
            assert described[name][2] == "required", name
        elif field.default is not msgspec.NODEFAULT:
            assert says(described[name][2], field.default), name


def test_the_keys_of_every_question() -> None:
    fields = _fields(Stem)
    del fields["name"]
    described = rows(own_section(PAGE, "Keys of every question"))
    assert described.pop("kind")[2] == "required"
    _check(described, fields)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_with_its_own_keys(kind: str) -> None:
    own = {n: f for n, f in _fields(QUESTION_KINDS.get(kind)).items() if n not in _fields(Stem)}
    points = own.pop("points", None)
    described = rows(section(PAGE, kind))
    if points is not None:
        assert points.default == (1, 2, 3, 4, 5)
        assert described.pop("points")[2] == "1 to 5"
    _check(described, own)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_in_the_overview_and_has_a_picture(kind: str) -> None:
    overview = rows(own_section(PAGE, "Questions"))
    assert set(overview) == set(KINDS)
    text = section(PAGE, kind)
    assert f"](images/questions/{kind}.png)" in text
    assert "Stored: " in text
    assert "Keyboard: " in text


@pytest.mark.parametrize("kind", KINDS)
def test_the_level_is_the_one_of_the_kind(kind: str) -> None:
    asked = [find_built_in(name) for name in library.question_names()]
    levels = {question.level for question in asked if question.kind == kind}
    assert all(level in rows(own_section(PAGE, "Questions"))[kind][2] for level in levels)


def test_examples_and_options() -> None:
    _check(rows(own_section(PAGE, "Examples")), _fields(QuestionExample))
    assert set(rows(own_section(PAGE, "Options"))) == set(_fields(Option))
    named = set(CODE.findall(section(PAGE, "flow")))
    assert {*_fields(Step), *_fields(StepAnswer)} <= named


@pytest.mark.parametrize("name", library.question_names())
def test_every_built_in_question_with_its_labels(name: str) -> None:
    cells, question = BUILT_IN[name], find_built_in(name)
    assert cells[1].startswith(question.kind)
    assert {"pair": "pair", "turn": "turn", "dialogue": "dialogue"}[question.about] in cells[2]
    assert _labels(question) <= set(
        re.findall(r"[A-Z*a-z][\w *]*", cells[3].replace(" for the", ","))
    )


def test_no_question_that_is_not_built_in() -> None:
    assert set(BUILT_IN) == set(library.question_names())


def test_the_forty_labels_are_forty() -> None:
    papers = ("behaviours", "likert_turn", "likert_dialogue", "comparative")
    by_file = library.questions_by_file()
    labels = [_labels(find_built_in(name)) for file in papers for name in by_file[file]]
    assert sum(map(len, labels)) == 40


def test_the_keys_of_a_label_that_a_judge_sends() -> None:
    assert set(rows(section(PAGE, "Answers of a model judge"))) == set(NewLabel.model_fields)


def _labels(question: Question) -> set[str]:
    label = getattr(question, "label", "")
    return {*question.label_names, *([label] if label else [])}
