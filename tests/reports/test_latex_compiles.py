"""Every table of a shared task, compiled by pdflatex with no package: it runs through, and it fits."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from palaver.reports.latex import latex_table
from palaver.reports.standing_tables import write_board_tables
from support.standings import ROUGH, rough_board

pytestmark = [pytest.mark.long, pytest.mark.latex]

OVERFULL = re.compile(r"Overfull \\hbox \(([\d.]+)pt too wide\).*")
# What nobody sees, in points.
TOLERATED = 5.0


def compiled(folder: Path, body: str) -> str:
    """The log of a document in the plainest class; what LaTeX refused is a failure."""
    if shutil.which("pdflatex") is None:
        pytest.skip("There is no pdflatex; make test-long installs texlive-latex-base.")
    text = f"\\documentclass{{article}}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
    (folder / "paper.tex").write_text(text, encoding="utf-8")
    ran = subprocess.run(
        ["pdflatex", "-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        cwd=folder,
        capture_output=True,
        timeout=120,
    )
    log = (folder / "paper.log").read_text(encoding="utf-8", errors="replace")
    assert ran.returncode == 0, re.findall(r"^! .*(?:\n.*){3}", log, re.MULTILINE)
    return log


def assert_fits(log: str) -> None:
    wide = [found.group() for found in OVERFULL.finditer(log) if float(found[1]) > TOLERATED]
    assert wide == []
    assert "Float too large" not in log


@pytest.mark.parametrize(("runs", "measures"), [(2, 2), (10, 6), (24, 8), (200, 8)])
def test_every_table_of_a_board_fits_a_page(tmp_path: Path, runs: int, measures: int) -> None:
    board = rough_board(runs, measures=measures, items=20, trials=50)

    files = write_board_tables(board, tmp_path)

    assert len(files) == 4 + 2 * measures
    log = compiled(tmp_path, "\n".join(f"\\input{{{file}}}\n\\clearpage" for file in files))
    assert_fits(log)


def test_any_text_in_any_place(tmp_path: Path) -> None:
    rows = [
        {text[:30] or "x": text for text in [name, *ROUGH[:3]]} | {"n": 0.5, "both": (-0.1, None)}
        for name in ROUGH
    ]
    tables = [
        latex_table(rows, caption=" ".join(ROUGH), label=ROUGH[2]),
        latex_table(rows),
        latex_table([{ROUGH[1]: 1}], caption="中"),
        latex_table([], columns={"a": "A"}, caption="Nothing"),
        latex_table([{"words": "word " * 400}], caption="Long"),
    ]

    log = compiled(tmp_path, "\\listoftables\n" + "\n\n".join(tables))
    again = compiled(tmp_path, "\\listoftables\n" + "\n\n".join(tables))

    assert_fits(log)
    assert "multiply" not in again


def test_a_raw_letter_that_the_fonts_do_not_hold_would_stop_it(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="Unicode character"):
        compiled(tmp_path, "A raw τ.")
