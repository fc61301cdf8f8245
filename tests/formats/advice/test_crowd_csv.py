"""The rows that a crowd service is handed."""

import csv
import io
from collections import Counter, defaultdict

import pytest

from palaver.core.situations import Advice, Situation
from palaver.formats.advice.crowd_csv import COLUMNS, crowd_rows, pairs_of, write_rows
from palaver.formats.advice.crowd_text import named_emoji, text_cell, title_cell


def situations(count):
    return [
        Situation(
            id=f"s{n}",
            title=f"# Title {n}",
            text="One\n\ntwo",
            subreddit="techsupport",
            permalink=f"/r/techsupport/{n}" if n else "",
            advice=(
                Advice(id="1", body="second", score=1),
                Advice(id="2", body="**best**", score=9),
            ),
        )
        for n in range(count)
    ]


def pairs(count, raters=3, control=False):
    answers = {"m": {f"s{n}": "- mine" for n in range(count)}}
    return list(pairs_of(situations(count), answers, raters=raters, control=control))


def test_the_columns_are_those_of_the_form():
    (row, *_) = crowd_rows(pairs(1))
    assert " ".join(COLUMNS) == (
        "permalink title selftext human_label machine qtype advicea adviceb"
    )
    assert (row.permalink, row.title, row.machine, row.qtype) == (
        "s0",
        "# Title 0",
        "m",
        "Technology",
    )
    assert row.selftext == "<p>One</p><p>two</p>"
    people, model = "<p><strong>best</strong></p>", "<ul><li>mine</li></ul>"
    shown = (people, model) if row.human_label == "a" else (model, people)
    assert (row.advicea, row.adviceb) == shown


@pytest.mark.parametrize("raters", [1, 2, 3, 4, 5])
def test_orders_are_balanced_for_each_pair_and_over_all(raters):
    rows = list(crowd_rows(pairs(20, raters), seed=4))
    by_pair = defaultdict(Counter)
    for row in rows:
        by_pair[row.permalink][row.human_label] += 1
    assert all(abs(count["a"] - count["b"]) <= 1 for count in by_pair.values())
    assert Counter(row.human_label for row in rows) == {"a": 10 * raters, "b": 10 * raters}


def test_the_seed_decides_and_legacy_has_one_row():
    given = pairs(30)
    assert list(crowd_rows(given, seed=1)) == list(crowd_rows(given, seed=1))
    assert list(crowd_rows(given, seed=1)) != list(crowd_rows(given, seed=2))
    legacy = list(crowd_rows(given, legacy=True))
    assert len(legacy) == 30
    assert {row.human_label for row in legacy} == {"a", "b"}


def test_the_control_is_peoples_second_advice():
    assert [pair.model for pair in pairs(1, control=True)] == ["m", "people-2"]
    assert pairs(1, control=True)[1].advice == "second"
    lonely = [Situation(id="s", title="t", text="x")]
    assert list(pairs_of(lonely, {"m": {"s": "y"}})) == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("🔥🔥", "[FIRE-EMOJI][FIRE-EMOJI]"),
        ("👍🏽 ok", "[THUMBS-UP-SIGN-EMOJI] ok"),
        ("❤️", "[HEAVY-BLACK-HEART-EMOJI]"),
        ("café – 1 + 1", "café – 1 + 1"),
    ],
)
def test_emoji_are_named(text, shown):
    assert named_emoji(text) == shown


def test_cells_do_nothing_but_show_words():
    given = "<img src=x onerror=alert(1)> [x](javascript:alert(1)) ![p](http://a/b.png)\n\n```\na\nb\n```"
    cell = text_cell(given)
    assert "<img" not in cell
    assert 'href="javascript' not in cell
    assert "\n" not in cell
    assert "a<br />b" in cell
    assert title_cell("- a list?\nof *two*") == "&#45; a list? of *two*"
    assert title_cell("") == ""


def test_no_cell_is_a_formula():
    (pair,) = pairs(1, raters=1)
    odd = Situation(id="=HYPERLINK()", title="@SUM(1)", text="-1", advice=pair.situation.advice)
    stream = io.StringIO()
    made = pairs_of([odd], {"=m": {odd.id: "=1"}}, raters=1, control=False)
    assert write_rows(crowd_rows(list(made)), stream) == 1
    _, cells = csv.reader(io.StringIO(stream.getvalue()))
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells)
