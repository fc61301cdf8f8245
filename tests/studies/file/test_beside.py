"""Questions beside a comparison in a study file: found, of the right kind, asked together."""

from pathlib import Path

import pytest

from palaver.studies.file.reader import read_study

STUDY = """\
title: Which is better?
questions:
  which: {kind: comparative, text: Which?, degrees: [slightly, definitely]}
  point: {kind: likert, text: How good?}
  why: {kind: text, beside: %s, text: "What is wrong with {worse}?"}
stages:
  - rate:
      data: pairs.jsonl
      ask: [%s]
"""


@pytest.mark.parametrize(
    ("beside", "ask", "column", "words"),
    [
        ("which", "why", 13, "is not asked in this stage"),
        ("wich", "which, why", 20, "Near: 'which'"),
        ("point", "which, point, why", 27, "compares nothing: it is likert"),
        ("which", "why, which", 13, "Name 'which' first"),
    ],
)
def test_a_question_beside_something_else_is_named_with_its_place(
    tmp_path: Path, beside: str, ask: str, column: int, words: str
) -> None:
    (tmp_path / "study.yaml").write_text(STUDY % (beside, ask), encoding="utf-8")
    found = [each for each in read_study(tmp_path).problems if "stands beside" in each.message]
    assert [(each.line, each.column) for each in found] == [(9, column)]
    assert words in found[0].message


def test_a_question_beside_the_comparison_of_its_stage(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(STUDY % ("which", "which, why"), encoding="utf-8")
    reading = read_study(tmp_path)
    assert reading.study is not None
    assert not [each for each in reading.problems if "beside" in each.message]
    assert reading.study.board_question == "which"
    assert "how long each answer takes" in reading.study.counted[0]


def test_degrees_that_are_none_and_beside_of_a_turn(tmp_path: Path) -> None:
    text = STUDY.replace("[slightly, definitely]", "[slightly]") % (
        "which, speaker: system",
        "which",
    )
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    said = " ".join(each.message for each in read_study(tmp_path).problems)
    assert "two or more different words" in said
    assert "'beside' asks about two dialogues" in said
