"""Tables for papers and spreadsheets: escaping, precision, undefined cells."""

import csv
import io
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.core.estimates import Interval
from palaver.formats.frames import read_frame
from palaver.reports.latex import latex_table
from palaver.reports.latex_text import escaped
from palaver.reports.tables import cell_texts, csv_table, csv_texts

# Letters that LaTeX reads as commands, and how each is written to be seen.
SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


@pytest.mark.parametrize(("letter", "written"), SPECIAL.items())
def test_each_special_letter_is_escaped(letter: str, written: str) -> None:
    assert escaped(f"a{letter}b") == f"a{written}b"


@given(st.text(alphabet="".join(SPECIAL) + "ab c", max_size=30))
@settings(max_examples=50, deadline=None)
def test_escaping_can_be_undone(text: str) -> None:
    found = escaped(text)
    for letter, written in sorted(SPECIAL.items(), key=lambda item: -len(item[1])):
        if letter not in "{}\\":
            found = found.replace(written, letter)
    found = found.replace(r"\textbackslash{}", "\0").replace(r"\{", "{").replace(r"\}", "}")
    assert found.replace("\0", "\\") == text


def test_a_latex_table() -> None:
    rows = [
        {"system": "a_b", "strength": 0.123456, "interval": (-0.5, math.nan), "n": 1200},
        {"system": "c&d", "strength": -0.00001, "interval": None, "n": 3},
    ]
    assert latex_table(
        rows,
        columns={"system": "System", "strength": "$\\theta$", "interval": "95 %", "n": "n"},
        caption="All systems & more",
        label="tab:all systems",
        digits=3,
    ) == (
        "\\begin{table}[htbp]\n\\centering\n\\caption{All systems \\& more}\n"
        "\\label{tab:all-systems}\n\\begin{tabular}{lrlr}\n\\hline\n"
        "System & \\$\\textbackslash{}theta\\$ & 95 \\% & n \\\\\n\\hline\n"
        "a\\_b & 0.123 & [$-0.500$, --] & 1200 \\\\\n"
        "c\\&d & 0.000 & -- & 3 \\\\\n\\hline\n\\end{tabular}\n\\end{table}\n"
    )


def test_without_caption_it_is_a_bare_tabular_of_all_cells() -> None:
    found = latex_table([{"a": 1}, {"b": True}])
    assert found.startswith("\\begin{tabular}{rl}")
    assert "a & b \\\\" in found
    assert "-- & yes \\\\" in found


def test_an_interval_is_one_cell_in_a_paper_and_two_in_a_spreadsheet() -> None:
    rows = [
        {"name": "x", "interval": Interval(0.25, math.inf), "ranks": (1, 3)},
        {"name": "y", "interval": None, "ranks": None},
    ]
    stream = io.StringIO()
    csv_table(rows, stream, columns={"name": "Name", "interval": "95 %", "ranks": "Ranks"})
    assert stream.getvalue() == (
        'Name,"95 %, low","95 %, high","Ranks, low","Ranks, high"\nx,0.25,,1,3\ny,,,,\n'
    )
    assert "x & [0.2500, --] & [1, 3] \\\\" in latex_table(rows)


@given(st.floats(allow_nan=False, allow_infinity=False))
@settings(max_examples=50, deadline=None)
def test_csv_keeps_every_digit(value: float) -> None:
    stream = io.StringIO()
    csv_table([{"x": value}], stream)
    assert float(stream.getvalue().splitlines()[1]) == value


def test_csv_of_undefined_cells_and_headings(tmp_path: Path) -> None:
    file = tmp_path / "new" / "table.csv"
    rows = [{"a": math.nan, "b": None, "c": 'x "y", z', "d": True}]
    csv_table(rows, file, columns={"c": "Said", "a": "A", "b": "B", "d": "D"})
    with file.open(newline="") as stream:
        assert list(csv.reader(stream)) == [["Said", "A", "B", "D"], ['x "y", z', "", "", "true"]]


ANY_CELL = st.one_of(
    st.none(),
    st.text(alphabet='a",\r\n é', max_size=4),
    st.integers(),
    st.floats(),
    st.booleans(),
)


@given(st.lists(st.tuples(ANY_CELL, ANY_CELL), max_size=6))
@settings(max_examples=100, deadline=None)
def test_columns_are_read_as_the_texts_they_were_written_from(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[object, object]]
) -> None:
    file = tmp_path_factory.mktemp("texts") / "cells.csv"
    columns = {name: cell_texts([row[n] for row in rows]) for n, name in enumerate("xy")}
    half = len(rows) // 2

    csv_texts(
        columns, [[c[:half] for c in columns.values()], [c[half:] for c in columns.values()]], file
    )

    assert read_frame(file).columns == columns
    for n, name in enumerate("xy"):
        assert [text or "" for text in columns[name]] == [_as_cell(row[n]) for row in rows]


def _as_cell(cell: object) -> str:
    if cell is None or cell != cell or cell in (math.inf, -math.inf):
        return ""
    return str(cell).lower() if isinstance(cell, bool) else str(cell)


def test_no_rows_is_a_table_with_headings_alone() -> None:
    stream = io.StringIO()
    csv_table([], stream, columns=["a", "b"])
    assert stream.getvalue() == "a,b\n"
    assert latex_table([], columns={"a": "A"}).count("\\\\") == 1
