"""Raters whose work stands out: listed by a command, named in a report, left out where asked."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from support.made_home import run_palaver
from support.reporting import reported_study

HASTY = ("zed", "zoe", "zac")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of two systems: five raters prefer the second, three answer without reading."""
    folder = tmp_path_factory.mktemp("studies") / "judged"
    return reported_study(folder, systems=("terse", "chatty"), hasty=HASTY)


def report(home: Path, folder: Path, *words: str) -> tuple[str, str]:
    """What the command prints, and the page."""
    said = run_palaver(
        *("report", home, "-o", folder, "--bootstrap", "200", "--question", "quality"), *words
    )
    return said, (folder / "index.html").read_text(encoding="utf-8")


def rows(file: Path) -> list[dict[str, Any]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def test_the_command_lists_who_judged_and_who_is_flagged(home: Path) -> None:
    said = run_palaver("raters", home)
    assert "8 raters, 3 flagged." in said
    assert "32 of 40 answers in less than a quarter of the others' time: 0.5 s each" in said
    assert said.endswith("read their answers, then decide at the desk.\n")
    assert [line.split()[0] for line in said.splitlines()[3:11]] == [
        *("ann", "bo", "cy", "di", "ed"),
        *HASTY,
    ]


def test_the_command_tells_programs_of_the_flagged_alone(home: Path) -> None:
    told = json.loads(run_palaver("raters", home, "--flagged", "--json"))
    assert [each["rater"] for each in told["raters"]] == [*HASTY]
    [flag] = told["raters"][0]["flags"]
    assert (flag["name"], flag["count"], flag["n"], flag["own"]) == ("too fast", 32, 40, 0.5)


def test_a_table_has_no_raters_to_list(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("unit,rater,value\na,b,1\n", encoding="utf-8")
    run_palaver("raters", tmp_path / "table.csv", status=1)


def test_a_report_names_them_and_counts_them(home: Path, tmp_path: Path) -> None:
    _, page = report(home, tmp_path / "all")
    assert "Flagged raters" in page
    assert "3 raters may have worked without reading." in page
    assert "3 raters were flagged (3 too fast) and were kept." in page
    assert [row["Rater"] for row in rows(tmp_path / "all" / "tables" / "flagged.csv")] == [*HASTY]
    given = rows(tmp_path / "all" / "tables" / "labels-quality.csv")
    assert {row["rater"] for row in given} >= {*HASTY}


def test_a_report_without_them_says_so(home: Path, tmp_path: Path) -> None:
    _, page = report(home, tmp_path / "some", "--without-flagged")
    assert "3 flagged raters left out." in page
    assert "3 raters were flagged (3 too fast) and were left out." in page
    given = rows(tmp_path / "some" / "tables" / "labels-quality.csv")
    assert not {row["rater"] for row in given} & {*HASTY}
    manifest = json.loads((tmp_path / "some" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["command"].endswith("--without-flagged")
    again = run_palaver("report", tmp_path / "some" / "manifest.json", "-o", tmp_path / "again")
    assert "The answers are those of the earlier report." in again


def test_the_finding_without_them_stands_beside_the_finding(home: Path, tmp_path: Path) -> None:
    said, page = report(home, tmp_path / "all")
    [line] = [line for line in said.splitlines() if line.startswith("Without ")]
    # Three raters with 16 answers each, of eight raters.
    assert line.startswith("Without 3 flagged raters (48 of 128 answers): ")
    alone, _ = report(home, tmp_path / "some", "--without-flagged")
    finding = alone.splitlines()[0]
    assert finding in line, "the same function found it"
    assert finding not in said.splitlines()[0]
    assert line.endswith(
        "The order of the systems changes: chatty, terse instead of terse, chatty."
    )
    assert "Without 3 flagged raters (48 of 128 answers)" in page
    assert "Without" not in alone


def test_a_report_of_votes_and_ratings_says_where_the_order_changes(
    home: Path, tmp_path: Path
) -> None:
    said = run_palaver(
        *("report", home, "-o", tmp_path / "both", "--bootstrap", "200"),
        *("--question", "preference", "--question", "quality"),
    )
    [line] = [line for line in said.splitlines() if line.startswith("Without ")]
    assert line.endswith("The order of the systems changes in 1 of 2 questions: quality.")


def test_nobody_flagged_nothing_said(tmp_path: Path) -> None:
    home = reported_study(tmp_path / "judged", systems=("terse", "chatty"), dialogues=4)
    said, page = report(home, tmp_path / "report")
    assert "Without" not in said
    assert "flagged" not in page
