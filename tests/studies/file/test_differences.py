"""What changed between two study files: in words, key by key, and line by line."""

import pytest

from palaver.studies.file.differences import difference, difference_words

BEFORE = """\
title: Pilot
pay: {amount: 1, currency: GBP}
stages:
  - chat: {conditions: [{systems: [a], needed: 3}]}
  - rate: {ask: [good], raters: 3}
"""


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("raters: 3", "raters: 5", "stages › 2 › rate › raters: 3 → 5"),
        ("amount: 1,", "amount: 1, early: 0.5,", "pay › early: added (0.5)"),
        (", currency: GBP", "", "pay › currency: taken out (was GBP)"),
        ("title: Pilot", 'title: "3"', "title: Pilot → 3"),
        ("ask: [good]", "ask: [good, kind]", "stages › 2 › rate › ask › 2: added (kind)"),
        ("title: Pilot", "title: Pilot # 2", "Only comments or the way it is written changed."),
        (
            "{systems: [a], needed: 3}",
            "{systems: [b]}, {systems: [a], needed: 3}",
            "stages › 1 › chat › conditions › 1: added (systems: b)",
        ),
    ],
)
def test_each_change_is_one_sentence(old: str, new: str, words: str) -> None:
    assert difference_words(BEFORE, BEFORE.replace(old, new)) == (words,)


def test_long_texts_are_counted_and_lines_told() -> None:
    after = BEFORE.replace("Pilot", "word " * 20)
    told = difference(BEFORE, after, before=1, after=2)
    assert told.words == ("title: text changed (1 word → 20 words)",)
    assert told.lines.splitlines()[:2] == ["--- version 1", "+++ version 2"]
    assert "-title: Pilot" in told.lines


def test_the_same_file_differs_in_nothing() -> None:
    told = difference(BEFORE, BEFORE, before=1, after=1)
    assert (told.words, told.lines) == ((), "")
    assert difference_words("a: [", BEFORE) == ()
