"""Figures: the data they show, valid SVG and PNG, colours for light, dark and a page."""

import math
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.analysis.figures import (
    Figure,
    ForestRow,
    GridPoint,
    HeatCell,
    answer_times,
    distribution,
    dot_grid,
    forest,
    heat_map,
    rank_plot,
    stacked_shares,
)
from palaver.analysis.figures.distribution import MOST_ANSWERS, OTHERS
from palaver.analysis.figures.figure import ACCENT, INK, NARROW, WIDE, distinct, shortened
from palaver.analysis.ranking import SystemStanding
from palaver.core.errors import InputError
from palaver.core.estimates import Interval

AWKWARD = 'it\'s <b>"a" & \\b\\</b>\nlong-name-of-a-system-that-does-not-end-v2'


def standing(
    system: str,
    strength: float,
    interval: Interval | None = None,
    ranks: tuple[int, int] | None = None,
) -> SystemStanding:
    return SystemStanding(system=system, strength=strength, interval=interval, rank_interval=ranks)


def figures() -> list[Figure]:
    """One of each kind, with an awkward name and an undefined number in it."""
    return [
        rank_plot(
            [
                standing(AWKWARD, 0.8, Interval(0.4, 1.2), (1, 1)),
                standing("b", -0.2, Interval(-0.6, math.inf), (2, 3)),
                standing("c", math.nan),
            ],
            title="It leads",
            axis="Strength",
        ),
        distribution(
            {AWKWARD: {"1": 3, "2": 0}, "b": {"it's": 4}},
            name="answers",
            title="Answers",
            answers=["1", "2", "3"],
        ),
        heat_map(
            [
                HeatCell("x", "x", math.nan),
                HeatCell("x", AWKWARD, 0.25),
                HeatCell(AWKWARD, "x", 1.0),
            ],
            name="map",
            title="Who agrees",
        ),
        forest(
            [ForestRow("q", 0.5, Interval(0.25, 0.75), "note")],
            name="shares",
            title="Shares",
            axis="Share",
            ends=(0, 1),
            reference=0.5,
            percent=True,
        ),
        answer_times([ForestRow("q", 4.0, Interval(3, 8))], title="Four seconds"),
        stacked_shares(
            {AWKWARD: {"p": 0.25, "q": 0.75}, "b": {"q": 1.0}},
            ("p", "q"),
            name="stacked",
            title="Why",
            axis="Share",
            notes={"b": "n = 3"},
        ),
    ]


KINDS = [figure.name for figure in figures()]


@pytest.mark.parametrize("name", KINDS)
def test_every_figure_is_valid_svg_with_a_description_and_a_view_box(name: str) -> None:
    figure = next(each for each in figures() if each.name == name)
    for narrow, width in ((False, WIDE), (True, NARROW)):
        root = ElementTree.fromstring(figure.to_svg(narrow=narrow))
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert root.get("role") == "img"
        assert root.get("aria-label") == figure.alt
        assert float((root.get("viewBox") or "").split()[2]) == pytest.approx(width, abs=12)


@pytest.mark.parametrize("name", KINDS)
def test_nothing_outside_is_needed_and_nothing_is_scripted(name: str) -> None:
    svg = next(each for each in figures() if each.name == name).to_svg()
    assert "<script" not in svg
    assert "<style" not in svg
    assert " style=" not in svg
    assert not re.search(r'(href|src)="', svg)


def test_png_is_png() -> None:
    assert figures()[3].to_png(scale=1).startswith(b"\x89PNG")


def test_the_palettes_differ_in_colours_alone() -> None:
    figure = figures()[0]
    light, dark, page = (figure.to_svg(palette=each) for each in ("light", "dark", "page"))
    assert f'"{INK}"' in light
    assert INK not in dark
    assert f"var(--accent, {ACCENT})" in page
    plain = [re.sub(r'"(#[0-9a-f]{6}|var\([^"]*\))"', '"x"', each) for each in (light, dark, page)]
    assert plain[0] == plain[1] == plain[2]


def test_the_title_is_drawn_unless_the_page_writes_it() -> None:
    figure = figures()[4]
    assert "Four seconds" in re.sub(r'aria-label="[^"]*"', "", figure.to_svg())
    assert "Four seconds" not in re.sub(r'aria-label="[^"]*"', "", figure.to_svg(titled=False))


def test_a_notebook_shows_it() -> None:
    bundle = figures()[4]._repr_mimebundle_()
    assert bundle["image/svg+xml"].startswith("<svg")
    assert "Four seconds" in bundle["text/plain"]


def test_drawing_twice_gives_the_same_bytes() -> None:
    assert figures()[2].to_svg() == figures()[2].to_svg()
    assert figures()[3].to_png() == figures()[3].to_png()


def test_an_undefined_value_keeps_its_row_and_says_so() -> None:
    figure = figures()[0]
    row = figure.spec["data"]["values"][2]
    assert row["value"] is None
    assert row["missing"] == "undefined"
    assert "c undefined" in figure.alt


def test_an_end_that_leaves_the_axis_is_drawn_up_to_its_border() -> None:
    figure = forest(
        [ForestRow("q", 0.5, Interval(-3, 9))], name="x", title="t", axis="a", ends=(0, 1)
    )
    (row,) = figure.spec["data"]["values"]
    assert (row["low"], row["high"]) == (0, 1)
    assert "(-3 to 9)" in figure.alt


def test_bars_are_shares_of_their_group() -> None:
    figure = distribution(
        {"a": {"1": 1, "2": 3}, "b": {"2": 2}}, name="x", title="t", answers=["1", "2"]
    )
    assert figure.alt == "t. a: 1 25 %, 2 75 %; b: 1 0 %, 2 100 %."
    tallest = max(row["to"] - row["from"] for row in figure.spec["data"]["values"])
    by_words = {
        row["words"]: (row["to"] - row["from"]) / tallest for row in figure.spec["data"]["values"]
    }
    assert by_words["25 %"] == pytest.approx(0.25)
    assert by_words["100 %"] == pytest.approx(1.0)


def test_rare_answers_beyond_eleven_are_counted_together() -> None:
    counts = {str(n): 100 - n for n in range(20)}
    figure = distribution({"a": counts}, name="x", title="t")
    shown = [row["answer"] for row in figure.spec["data"]["values"]]
    assert len(shown) == MOST_ANSWERS
    assert shown[-1] == OTHERS
    assert "0" in shown
    assert "19" not in shown


def test_an_empty_group_has_no_bars() -> None:
    figure = distribution({"a": {}}, name="x", title="t", answers=["1"])
    assert figure.spec["data"]["values"][0]["words"] == "0"
    ElementTree.fromstring(figure.to_svg())


def test_a_heat_map_of_too_many_names_is_refused() -> None:
    cells = [HeatCell(str(n), "x", 0.5) for n in range(41)]
    with pytest.raises(InputError, match="at most 40 names"):
        heat_map(cells, name="x", title="t")


def test_shades_follow_the_values() -> None:
    figure = heat_map(
        [HeatCell("a", "b", 0.25), HeatCell("b", "a", math.nan)], name="x", title="t", ends=(0, 1)
    )
    first, second = figure.spec["data"]["values"]
    assert (first["value"], first["shown"]) == (0.25, "0.25")
    assert (second["value"], second["shown"]) == (0, "–")


@given(st.lists(st.text(max_size=30), max_size=12), st.integers(min_value=6, max_value=20))
@settings(max_examples=50, deadline=None)
def test_short_names_stay_distinct(names: list[str], letters: int) -> None:
    found = distinct(names, letters)
    assert set(found) == set(names)
    assert len(set(found.values())) == len(found)


@given(st.text(max_size=60), st.integers(min_value=3, max_value=40))
@settings(max_examples=50, deadline=None)
def test_a_shortened_name_is_short_and_keeps_its_ends(name: str, letters: int) -> None:
    found = shortened(name, letters)
    assert len(found) <= max(letters, 3)
    if len(name) > letters:
        assert found[0] == name[0]
        assert found[-1] == name[-1]
    else:
        assert found == name


def _grid(questions: int, systems: int) -> dict[str, dict[str, GridPoint]]:
    return {
        f"label {q}": {
            f"s{s:02}": GridPoint(0.1 + 0.01 * s, Interval(0.05, 0.2 + 0.01 * s))
            for s in range(systems)
        }
        for q in range(questions)
    }


def test_a_grid_gives_every_system_its_mark_in_every_row():
    names = ["s00", "s01", "s02"]
    figure = dot_grid(_grid(4, 3), names, name="g", title="Rates", axis="Share", percent=True)
    points = figure.spec["layer"][-1]["encoding"]
    assert points["shape"]["scale"] == {"domain": names, "range": ["circle", "square", "diamond"]}
    rows = figure.spec["data"]["values"]
    assert len(rows) == 12
    # A system has the same lane in each row, and no two points share a place.
    step = {round(b["y"] - a["y"], 6) for a, b in zip(rows[::3], rows[3::3], strict=False)}
    assert len(step) == 1
    assert len({row["y"] for row in rows}) == 12
    svg = figure.to_svg(palette="page")
    assert "var(--mark-1, #0072b2)" in svg
    assert "label 3, s02 12%" in figure.alt


def test_a_system_keeps_its_mark_where_another_is_missing():
    rows = _grid(2, 3)
    del rows["label 0"]["s00"]
    figure = dot_grid(rows, ["s00", "s01", "s02"], name="g", title="t", axis="a")
    colours = figure.spec["layer"][-1]["encoding"]["color"]["scale"]
    assert colours["domain"].index("s01") == 1
    assert colours["range"][1] == "#b34700"


def test_one_question_has_a_named_line_for_each_system_best_first():
    figure = dot_grid(_grid(1, 40), [f"s{n:02}" for n in range(40)], name="g", title="t", axis="a")
    rows = figure.spec["data"]["values"]
    assert [row["system"] for row in rows][:2] == ["s39", "s38"]
    svg = figure.to_svg()
    assert "s00" in svg
    assert "s39" in svg


def test_many_systems_on_many_labels_are_bands_from_low_to_high():
    figure = dot_grid(_grid(25, 40), [f"s{n:02}" for n in range(40)], name="g", title="t", axis="a")
    assert figure.spec["height"] == 25 * (40 * 4 + 16)
    assert "25 rows" in figure.alt
    for spec in (figure.spec, figure.narrow):
        first = [row["value"] for row in spec["data"]["values"][:40]]
        assert first == sorted(first)
    figure.to_svg(narrow=True)


def test_an_odd_name_stands_in_a_grid_as_it_is():
    rows = {"it's \\ “odd”\n<b>": {"a'b": GridPoint(0.5)}, "plain": {"a'b": GridPoint(0.4)}}
    svg = dot_grid(rows, ["a'b"], name="g", title="t", axis="a").to_svg()
    assert "it's" in svg
    assert "<b>" not in svg


def test_stacked_parts_follow_each_other_and_are_said() -> None:
    figure = figures()[-1]
    rows = figure.spec["data"]["values"]
    assert [(row["from"], row["to"]) for row in rows] == [(0, 0.25), (0.25, 1), (0, 0), (0, 1)]
    assert [row["words"] for row in rows] == ["25 %", "75 %", "", "100 %"]
    assert "b: p 0 %, q 100 %" in figure.alt
    with pytest.raises(InputError, match="at most 6 parts; got 7"):
        stacked_shares({}, [*"abcdefg"], name="n", title="t", axis="a")
