"""What a new file would spoil, stage by stage and question by question; all else is allowed."""

from pathlib import Path

import pytest

from palaver.core.studies.versions import StageWork, StudyWork
from palaver.studies.file.reader import load_study_text
from palaver.studies.run.spoilt import refusals

BEFORE = """\
title: Pilot
name: pilot
systems:
  one: {kind: scripted, lines: [Hi]}
  two: {kind: scripted, lines: [Ho]}
questions:
  good: {kind: likert, points: [1, 2, 3], text: Good?}
  why: {kind: choice, text: Why?, options: [{id: a, text: A}, {id: b, text: B}]}
stages:
  - screen: {training: abc-eval-ignore, qualification: q}
  - chat:
      turns: {exactly: 2}
      conditions: [{systems: [one], needed: 4}, {systems: [two], needed: 4}]
  - rate: {data: said.jsonl, ask: [good], raters: 3}
  - rate: {ask: [why]}
"""
TALK = StageWork(
    dialogues={"one": 3}, places={("one", None): 3, ("two", None): 1}, sheets={}, visits=1
)
WORK = StudyWork(
    stages={
        0: StageWork(dialogues={}, places={}, sheets={}, screenings=2),
        1: TALK,
        2: StageWork(dialogues={}, places={}, sheets={2: 5, 3: 1}),
    },
    answers={"good": 13, "why": 2},
    visits=4,
    speaking={"one": 1},
)


def told(*changes: tuple[str, str], work: StudyWork = WORK) -> list[str]:
    file = Path("study.yaml")
    after = BEFORE
    for old, new in changes:
        assert old in after
        after = after.replace(old, new)
    return list(refusals(load_study_text(BEFORE, file), load_study_text(after, file), work))


@pytest.mark.parametrize(
    "changes",
    [
        [("title: Pilot", "title: Other")],
        [("text: Good?", "text: How good was it?")],
        [("{id: b, text: B}]", "{id: b, text: B}, {id: c, text: C}]")],
        [("needed: 4}, {systems: [two]", "needed: 3}, {systems: [two]")],
        [("raters: 3", "raters: 5")],
        [("lines: [Hi]", "lines: [Hello]")],
        [("  - rate: {ask: [why]}\n", "  - rate: {ask: [why]}\n  - rate: {ask: [good]}\n")],
        [("  - rate: {ask: [why]}\n", "")],
        [(", {systems: [two], needed: 4}", ", {systems: [two]}")],
    ],
)
def test_what_adds_or_words_anew_is_allowed(changes: list[tuple[str, str]]) -> None:
    assert told(*changes) == []


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "needed: 4}, {",
            "needed: 2}, {",
            "'needed' of 'one' is 2, and 3 are held or done already",
        ),
        ("{systems: [one], needed: 4}, ", "", "the condition 'one' is taken out, and it has 3"),
        ("raters: 3", "raters: 2", "'raters' is 2, and 1 sheet has up to 3 held or done already"),
        ("data: said.jsonl,", "from: other,", "'from' is 'other'; it was left out"),
        ("qualification: q", "qualification: r", "another 'qualification', and it has 2 practices"),
        ("points: [1, 2, 3]", "points: [1, 2, 3, 4]", "Question 'good' has another scale"),
        (
            "kind: likert, points: [1, 2, 3]",
            "kind: text",
            "of kind 'text' about a dialogue; it was",
        ),
        (", {id: b, text: B}]", ", {id: c, text: C}]", "Question 'why' no longer offers b"),
        (
            "  - screen: {training: abc-eval-ignore, qualification: q}\n",
            "",
            "Stage 1 is a chat stage",
        ),
        ("name: pilot", "name: other", "'name' is 'other'; the study is 'pilot'"),
    ],
)
def test_what_takes_meaning_from_data_is_refused(old: str, new: str, words: str) -> None:
    assert words in told((old, new))[0]


def test_nothing_is_spoilt_where_nothing_was_collected() -> None:
    nothing = StudyWork(stages={}, answers={}, visits=0, speaking={})
    bare = "stages:\n  - chat: {turns: {exactly: 2}, conditions: two}\n"
    start = BEFORE[BEFORE.index("stages:") :]
    assert told((start, bare), work=nothing) == []


def test_a_stage_that_somebody_is_in_stays() -> None:
    here = StageWork(dialogues={}, places={}, sheets={}, visits=2)
    work = StudyWork(stages={3: here}, answers={}, visits=2, speaking={})
    told_now = told(("  - rate: {ask: [why]}\n", ""), work=work)
    assert told_now == ["Stage 4 (rate) is taken out, and it has 2 people in it now. Leave it."]
