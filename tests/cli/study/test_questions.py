"""`palaver questions`: what is built in, one of them in full, and as text to copy."""

import pytest

from palaver.formats.marked_yaml import parse_marked
from palaver.reports.source import question_record
from palaver.studies import library
from palaver.studies.file.questions import (
    build_questions,
    built_in_groups,
    entry_text,
    find_built_in,
)

from ..conftest import Palaver


def test_the_list_has_every_question_and_training_set(palaver: Palaver) -> None:
    said = palaver("questions")
    assert said.status == 0, said.err
    words = said.out.replace(",", " ").split()
    assert {*library.question_names(), *library.training_names()} <= set(words)
    lines = {line.split()[0]: line for line in said.out.splitlines() if line.startswith("  ")}
    assert lines["empathy"].split() == [
        *("empathy", "flow", "nominal", "turn", "(system)", "empathetic,", "lack", "of", "empathy")
    ]
    assert lines["quality_comparative"].split()[1:] == [
        *("comparative", "pairwise", "pair", "quality")
    ]
    assert "likert_turn: Ratings from 1 to 5 of one reply at a time" in said.out


def test_questions_are_grouped_as_they_stand_in_their_files() -> None:
    by_file = {group.name: [q.name for q in group.questions] for group in built_in_groups()}
    assert list(by_file) == sorted(by_file)
    assert by_file["dialeval"] == ["nuggets", "accomplishment", "satisfaction", "effectiveness"]


def test_one_question_in_full(palaver: Palaver) -> None:
    said = palaver("questions", "accomplishment").out
    assert said.startswith("accomplishment: Was the problem of the customer solved")
    assert "kind likert, level ordinal, about dialogue, must be answered, version " in said
    assert "Judge the result only" in said
    assert "  - -2\n" in said
    assert "Example 2: it does not apply\n    Sam: My card does not work in the shop." in said
    assert "training set: empathy" in palaver("questions", "empathy").out


@pytest.mark.parametrize("name", library.question_names())
def test_the_entry_to_copy_is_the_same_question(name: str) -> None:
    declared = parse_marked(entry_text(name).encode(), file="copied").data["questions"]
    asked = build_questions(declared)
    assert asked.key_problems == []
    assert question_record("s", asked.questions[name]) == question_record("s", find_built_in(name))


def test_yaml_alone(palaver: Palaver) -> None:
    said = palaver("questions", "thumbs", "--yaml")
    assert said.out.startswith("questions:\n  thumbs:\n    kind: thumbs\n")
    without = palaver("questions", "--yaml")
    assert (without.status, without.out) == (2, "")
    assert "--yaml needs the NAME of a question." in without.err


def test_a_name_that_is_none(palaver: Palaver) -> None:
    said = palaver("questions", "emphaty")
    assert (said.status, said.err) == (
        1,
        "palaver: No built-in question 'emphaty'. Near: 'empathy'. See: palaver questions.\n",
    )
