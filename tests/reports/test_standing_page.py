"""A board as a page: the grid of p-values, the picture of significance, marks and places."""

import re

import pytest

from palaver.evaluation.standings.boards import TaskBoard
from palaver.reports.shared_task import TaskResults, results_page
from palaver.reports.standing_page import p_grid, significance_figure, standing_lines
from palaver.reports.standing_tables import MOST_IN_GRID, number_ranges, pair_matrix
from support.standings import rough_board


@pytest.fixture(scope="module")
def small() -> TaskBoard:
    return rough_board(5, measures=1, items=40)


@pytest.fixture(scope="module")
def large() -> TaskBoard:
    return rough_board(MOST_IN_GRID + 5, measures=1, items=12, trials=40)


def page(*boards: TaskBoard) -> str:
    return results_page(
        TaskResults(title="Cup", lead="", boards=boards, teams=[], trials=200, seed=1)
    )


def test_a_grid_has_the_p_value_of_each_pair_twice_and_says_it_whole(small: TaskBoard) -> None:
    measured = small.measures[0]
    grid = p_grid(measured)
    assert grid is not None
    assert measured.tukey is not None
    assert [row.run for row in grid.rows] == [result.run for result in measured.results]
    values = pair_matrix(measured, "p")
    for n, row in enumerate(grid.rows):
        assert (row.cells[n].text, row.cells[n].level) == ("", -1)
        for m, cell in enumerate(row.cells):
            value = values[n][m]
            if value is not None:
                assert cell == type(cell)(
                    cell.text, sum(value < e for e in (0.05, 0.01, 0.001)), cell.said
                )
                assert cell.said == f"{row.run} and {grid.rows[m].run}: p = {value:.4f}"
                assert cell.text == grid.rows[m].cells[n].text


def test_a_large_grid_has_each_pair_once_and_an_overview(large: TaskBoard) -> None:
    grid = p_grid(large.measures[0])
    assert grid is not None
    assert grid.is_large
    count = len(large.runs)
    assert [len(row.cells) for row in grid.rows] == list(range(count - 1, -1, -1))
    shaded = sum(band.width for band in grid.bands) // 4
    told_apart = sum(cell.level > 0 for row in grid.rows for cell in row.cells)
    assert shaded == 2 * told_apart > 0
    text = page(large)
    assert text.count("<summary>Every p-value</summary>") == 1
    assert f"<summary>All {count} runs</summary>" in text


def test_places_that_a_run_is_not_told_apart_from(small: TaskBoard) -> None:
    measured = small.measures[0]
    lines = standing_lines(measured)
    for n, line in enumerate(lines):
        near = [m + 1 for m, p in enumerate(pair_matrix(measured, "p")[n]) if p and p >= 0.05]
        assert (line.place, line.near) == (n + 1, number_ranges(near) or "none")
    assert number_ranges([1, 2, 3, 7]) == "1–3, 7"


def test_the_picture_has_a_bar_for_each_set_of_more_than_one(large: TaskBoard) -> None:
    measured = large.measures[0]
    figure = significance_figure(large, measured)
    bars = [
        layer["data"]["values"]
        for layer in figure.spec["layer"]
        if layer["mark"]["type"] == "rule" and "y2" in layer["encoding"]
    ]
    places = {result.run: n for n, result in enumerate(measured.results)}
    assert sorted(bar["members"] for bar in bars[0]) == sorted(
        sorted(places[name] for name in names) for names in measured.sets if len(names) > 1
    )
    assert measured.answer in figure.alt
    assert figure.to_svg(palette="page").startswith("<svg")


def test_marks_and_the_verdict_are_on_the_page(small: TaskBoard) -> None:
    text = page(small)
    for mark in ("oracle", "late", "baseline"):
        assert f'</bdi> <span class="tag">{mark}</span>' in text
    assert "<script" not in text
    body = text.partition("<body")[2]
    assert not re.search(r"(?<![-\w(])--[a-z]", re.sub(r"var\(--[^)]*\)", "", body))


def test_a_board_without_runs_says_so() -> None:
    empty = TaskBoard(
        key="nugget", title="Nuggets", ids=(), runs=(), measures=(), taus=(), warnings=()
    )
    text = page(empty)
    assert "No runs were submitted here." in text
    assert "there is nothing to compare" in text
