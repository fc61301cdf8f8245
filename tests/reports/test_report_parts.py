"""The pieces of a report by themselves: cells, classes of numbers, sentences, addresses."""

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.core.errors import InputError
from palaver.core.estimates import Interval
from palaver.core.words import listed
from palaver.formats.frames import Frame
from palaver.reports.report.agreement_figures import confusion_maps
from palaver.reports.report.answers import shown_counts
from palaver.reports.report.comparisons import compared
from palaver.reports.report.evidence import Places, evidence_page
from palaver.reports.report.parts import EVIDENCE, MOST_SHOWN, ReportColumn, ResultTable, written
from palaver.reports.report.subject import QuestionRatings, ReportSettings, Slugs
from palaver.reports.report.transcripts import ReportTranscript, TranscriptMessage, TranscriptPlaces

SETTINGS = ReportSettings(resamples=100)


def ratings(rows: list[tuple[str, str, float, str | None]], **given: Any) -> QuestionRatings:
    """Rows of unit, rater, value and system."""
    columns: dict[str, list[Any]] = {
        "unit": [row[0] for row in rows],
        "rater": [row[1] for row in rows],
        "value": [row[2] for row in rows],
        "answer": [f"{row[2]:g}" for row in rows],
        "dialogue": [row[0] for row in rows],
        "system": [row[3] for row in rows],
        "seconds": [None] * len(rows),
    }
    known: dict[str, Any] = {"level": "interval", "answers": (), "text": ""}
    return QuestionRatings(
        name="warmth", slug="warmth", frame=Frame("warmth", columns), **known | given
    )


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        (None, "number", "–"),
        (math.nan, "percent", "–"),
        (math.inf, "number", "–"),
        (-0.00001, "number", "0.000"),
        (-0.5, "number", "−0.500"),
        (1234.56, "number", "1,234.6"),
        (0.0004, "p", "< 0.001"),
        (0.04, "p", "0.040"),
        ((1, 1), "whole", "1"),
        ((1, 3), "whole", "1–3"),
        (Interval(-0.1, math.nan), "number", "[−0.100, –]"),
        (0.0025, "money", "0.0025"),
        ("name", "number", "name"),
    ],
)
def test_cells_as_they_are_read(value: Any, form: Any, text: str) -> None:
    assert written(value, form) == text


@given(
    st.lists(
        st.tuples(st.floats(-1e6, 1e6).map(lambda x: round(x, 3)), st.sampled_from("ab")),
        min_size=1,
        max_size=60,
    )
)
@settings(max_examples=50, deadline=None)
def test_classes_hold_every_answer_once(given_values: list[tuple[float, str]]) -> None:
    rows = [(f"u{n}", "r", value, system) for n, (value, system) in enumerate(given_values)]
    counts, answers = shown_counts(ratings(rows))
    for system in {system for _, system in given_values}:
        mine = [value for value, of in given_values if of == system]
        assert sum(counts[system].values()) == len(mine)
        assert set(counts[system]) <= set(answers)
    assert len(answers) <= 11


def test_many_numbers_are_counted_in_round_classes() -> None:
    counts, answers = shown_counts(ratings([(f"u{n}", "r", float(n), "a") for n in range(81)]))
    assert answers == ("0–10", "10–20", "20–30", "30–40", "40–50", "50–60", "60–70", "70–80")
    assert counts["a"]["0–10"] == 10
    assert counts["a"]["70–80"] == 11


@pytest.mark.parametrize(
    ("high", "presence", "answer"),
    [
        (5.0, False, "a is above b in warmth."),
        (1.0, False, "a and b cannot be distinguished on warmth."),
        (1.0, True, "a and b cannot be distinguished on warmth."),
    ],
)
def test_the_sentence_says_what_the_corrected_test_says(
    high: float, presence: bool, answer: str
) -> None:
    rows = [(f"a{n}", "r", high - n % 2 * 0.5 * (not presence), "a") for n in range(12)]
    rows += [(f"b{n}", "r", 1.0 - n % 2 * 0.5 * (not presence), "b") for n in range(12)]
    found = compared(ratings(rows, is_presence=presence), SETTINGS)
    assert found is not None
    assert found.answer == answer


def test_a_label_that_one_system_gets_more_often() -> None:
    rows = [(f"a{n}", "r", float(n > 0), "a") for n in range(12)]
    rows += [(f"b{n}", "r", float(n == 0), "b") for n in range(12)]
    found = compared(ratings(rows, is_presence=True), SETTINGS)
    assert found is not None
    assert found.answer == "warmth is given more often to a than to b."
    assert found.tables[0].rows[0]["mean"] == pytest.approx(11 / 12)


def test_one_system_has_a_mean_and_nothing_to_be_compared_with() -> None:
    found = compared(ratings([("u", "r", 2.0, "a"), ("v", "r", 4.0, "a")]), SETTINGS)
    assert found is not None
    assert [table.slug for table in found.tables] == ["means-warmth"]
    assert found.systems["a"].value == 3.0
    assert compared(ratings([("u", "r", 2.0, None)]), SETTINGS) is None


def test_confusion_counts_every_two_raters_of_a_unit_in_both_orders() -> None:
    said = {"u": (1.0, 1.0, 2.0), "v": (2.0, 2.0), "w": (3.0,)}
    rows = [
        (u, f"r{n}", value, "a") for u, values in said.items() for n, value in enumerate(values)
    ]
    (figure,) = confusion_maps(ratings(rows, level="ordinal", answers=("1", "2", "3")))
    cells = {(c["row"], c["column"]): c["shown"] for c in figure.spec["data"]["values"]}
    # Of the answer 1 there are four ordered pairs: two with the other 1, two with the 2.
    assert [cells["1", other] for other in "123"] == ["0.50", "0.50", "0.00"]
    assert [cells["2", other] for other in "123"] == ["0.50", "0.50", "0.00"]
    assert [cells["3", other] for other in "123"] == ["–", "–", "–"]


def test_the_first_number_of_a_row_leads_to_its_labels_and_long_tables_are_cut() -> None:
    table = ResultTable(
        slug="x",
        title="X",
        columns=(
            ReportColumn("name", "Name"),
            ReportColumn("n", "N", "whole"),
            ReportColumn("m", "M", "whole"),
        ),
        rows=[{"name": "a", "n": 1, "m": 2, EVIDENCE: "there#a"}] * (MOST_SHOWN + 3),
    )
    name, first, second = table.shown[0]
    assert (name.link, first.link, second.link) == ("", "there#a", "")
    assert len(table.shown) == MOST_SHOWN
    assert table.hidden == 3


def test_rows_are_listed_with_their_system_and_lead_to_their_dialogue() -> None:
    table = ratings([("d1", "r", 2.0, "a"), ("d2", "r", 4.0, "b"), ("d3", "r", 1.0, None)])
    places = TranscriptPlaces(
        [ReportTranscript("d1", ("a",), (TranscriptMessage("a", "Hi"),), "d01 (yours: 7)")]
    )
    page = evidence_page(table, places)
    assert [(group.anchor, group.name, group.total) for group in page.groups] == [
        ("system-1", "a", 1),
        ("system-2", "b", 1),
        ("all", "All answers", 1),
    ]
    assert page.groups[0].rows[0].dialogues[0].link == "dialogues.html#dialogue-1"
    assert page.groups[1].rows[0].dialogues[0].link == ""
    assert Places(table).of("b") == "evidence/labels-warmth.html#system-2"
    pair = TranscriptPlaces(
        [ReportTranscript("x", (), (), "d02"), ReportTranscript("y", (), (), "d03")]
    )
    assert [cell.text for cell in pair.cells("pair:dialogue:x|dialogue:y")] == ["d02", "d03"]


@given(st.lists(st.text(max_size=80), max_size=12))
@settings(max_examples=50, deadline=None)
def test_slugs_are_distinct_and_safe_in_paths(names: list[str]) -> None:
    slugs = Slugs()
    found = [slugs.of(name) for name in names]
    assert len(set(found)) == len(found)
    assert all(set(slug) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") and slug for slug in found)


@pytest.mark.parametrize(
    ("names", "text"),
    [([], ""), (["A"], "A"), (["A", "B"], "A and B"), (list("ABC"), "A, B and C")],
)
def test_names_in_a_sentence(names: list[str], text: str) -> None:
    assert listed(names) == text


@pytest.mark.parametrize("given_settings", [{"seed": -1}, {"resamples": 99}, {"pay": math.inf}])
def test_settings_that_make_no_report(given_settings: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        ReportSettings(**given_settings)
