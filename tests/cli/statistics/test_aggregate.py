"""`palaver aggregate` on tables and on a study."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from palaver.cli.statistics.aggregate_command import command
from palaver.core.errors import InputError
from palaver.storage import Store
from palaver.storage.studies.studies import register_study
from support.databases import new_sqlite
from support.reviewing import STUDY, Judging
from support.seeding import NOW

TABLE = """unit,rater,value
1,a,yes
1,b,yes
1,c,no
2,a,no
2,b,yes
3,a,no
3,b,no
3,c,NA
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "answers.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "home"
    folder.mkdir()
    store = Store(new_sqlite(folder / "palaver.db"))
    judging = Judging(
        store,
        store.write_now(
            lambda c: register_study(
                c, name="judged", title="Judged", digest="d", definition=STUDY, now=NOW
            )
        ),
    )
    key = judging.dialogue("Hello", "I see.")
    for rater, points in (("ann", 4), ("bo", 4), ("cy", 2)):
        judging.say("quality", key, rater, points)
    judging.say("polite", key, "ann", "yes", seq=3)
    yield folder
    store.close()


def run(*arguments: object) -> str:
    done = CliRunner().invoke(command, [str(each) for each in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_majority_of_a_table(table: Path) -> None:
    found = json.loads(run(table, "--json"))
    assert [unit["label"] for unit in found["units"]] == ["yes", None, "no"]
    assert found["units"][1]["tied"] == ["no", "yes"]
    assert found["missing"] == 1
    assert [rater["n"] for rater in found["raters"]] == [3, 3, 1]
    assert found["warnings"]


@pytest.mark.parametrize("method", ["majority", "dawid-skene", "mace"])
def test_every_method_prints_units_raters_and_how(table: Path, method: str) -> None:
    said = run(table, "--method", method)
    assert "competence" in said
    assert "unit" in said
    assert "Warning:" in said
    assert json.loads(run(table, "--method", method, "--json"))["method"] == method


def test_soft_labels_at_an_order(table: Path) -> None:
    found = json.loads(run(table, "--soft", "--level", "ordinal", "--order", "no,yes", "--json"))
    assert found["units"][0]["counts"] == {"no": 1, "yes": 2}
    assert found["units"][0]["variance"] == pytest.approx(2 / 9)


def test_numbers_are_the_same_number_however_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("unit,rater,value\nd,a,1\nd,b,1.0\nd,c,2\n", encoding="utf-8")
    found = json.loads(run(path, "--soft", "--level", "interval", "--json"))
    assert found["units"][0]["counts"] == {"1": 2, "2": 1}


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_all_units_are_written(table: Path, tmp_path: Path, ending: str) -> None:
    target = tmp_path / f"labels.{ending}"
    assert f"Written to {target}" in run(table, "-o", target)
    lines = target.read_text(encoding="utf-8").splitlines()
    assert len(lines) == (4 if ending == "csv" else 3)
    assert "p(yes)" in lines[0]


def test_only_the_surest_are_labelled(table: Path) -> None:
    found = json.loads(run(table, "--keep", 0.34, "--json"))
    assert found["kept"] == ["3"]


def test_long_tables_are_cut_short_on_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    rows = "".join(f"{n},a,x\n" for n in range(50))
    path.write_text("unit,rater,value\n" + rows, encoding="utf-8")
    assert "and 30 more units" in run(path)


def test_a_question_of_a_study(home: Path) -> None:
    found = json.loads(run(home, "--question", "quality", "--json"))
    assert [unit["label"] for unit in found["units"]] == [4]
    soft = json.loads(run(home, "--question", "quality", "--soft", "--json"))
    assert soft["labels"] == [1, 2, 3, 4, 5]
    assert soft["units"][0]["variance"] == pytest.approx(8 / 9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Name one question with --question: polite, quality"),
        (["--question", "qualty"], "No answered question 'qualty'. Near: 'quality'"),
    ],
)
def test_a_study_needs_a_question(home: Path, arguments: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        CliRunner().invoke(command, [str(home), *arguments], catch_exceptions=False)


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("unit,rater,value\n", [], "no answer"),
        ("unit,rater,score\nd,a,1\n", [], "no column 'value'"),
        ("unit,rater,value\nd,a,1\nd,a,2\n", [], "twice"),
        ("unit,rater,value\n,a,1\n", [], "row 2: the column 'unit' is empty"),
        ("unit,rater,value\nd,a,good\n", ["--level", "ordinal"], "--order"),
        ("unit,rater,value\nd,a,x\n", ["--order", "y,z"], "'x' was given"),
        ("unit,rater,value\nd,a,x\n", ["--soft", "--smoothing", "-1"], "got -1"),
    ],
)
def test_bad_tables_are_named(
    tmp_path: Path, text: str, arguments: list[str], message: str
) -> None:
    path = tmp_path / "answers.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        CliRunner().invoke(command, [str(path), *arguments], catch_exceptions=False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--soft", "--keep", "0.5"], "--keep"),
        (["-o", "labels.xlsx"], ".csv or .jsonl"),
        (["--level", "interval", "--order", "1,2"], "--order is for"),
    ],
)
def test_usage_errors(tmp_path: Path, arguments: list[str], message: str) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("unit,rater,value\nd,a,1\n", encoding="utf-8")
    said = CliRunner().invoke(command, [str(path), *arguments])
    assert said.exit_code == 2
    assert message in said.output
