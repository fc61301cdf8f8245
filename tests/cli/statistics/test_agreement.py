"""`palaver agreement` on tables and on a study."""

import json
import re
from pathlib import Path

import polars
import pytest
from click.testing import CliRunner, Result

from palaver.analysis.agreement import Judgement, agreement
from palaver.cli.statistics.agreement_command import command
from palaver.core.errors import InputError
from support.raters import FOUR_OBSERVERS, read
from support.reviewing import judged_home

COLUMNS = ("--unit", "unit", "--rater", "rater", "--value", "value")
ROWS = [
    {"unit": said.unit, "rater": said.rater, "value": said.value, "dialogue": f"d{said.unit // 3}"}
    for said in read(FOUR_OBSERVERS)
]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(each) for each in arguments], catch_exceptions=False)


def as_json(*arguments: object):
    found = run(*arguments, "--json")
    assert found.exit_code == 0, found.output
    return json.loads(found.stdout)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    polars.DataFrame(ROWS).write_csv(tmp_path / "ratings.csv")
    return tmp_path / "ratings.csv"


@pytest.mark.parametrize(
    ("level", "published"),
    [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)],
)
def test_the_published_table(table: Path, level: str, published: float) -> None:
    found = as_json(table, *COLUMNS, "--level", level)

    assert round(found["alpha"], 3) == published
    assert (found["units"], found["raters"], found["level"]) == (11, 4, level)
    assert found["interval"][0] < found["alpha"] < found["interval"][1]
    assert found["reason"] is None
    assert ("ac1" in found) == (level == "nominal")


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet", "jsonl", "json"])
def test_every_kind_of_table_gives_the_same(tmp_path: Path, table: Path, kind: str) -> None:
    frame, file = polars.DataFrame(ROWS), tmp_path / f"other.{kind}"
    if kind == "tsv":
        frame.write_csv(file, separator="\t")
    elif kind == "jsonl":
        frame.write_ndjson(file)
    else:
        getattr(frame, f"write_{kind}")(file)

    assert as_json(file, *COLUMNS, "--level", "interval") == as_json(
        table, *COLUMNS, "--level", "interval"
    )


def test_in_words(table: Path) -> None:
    said = run(table, *COLUMNS, "--level", "nominal", "--pairwise", "--raters").stdout

    assert re.search(r"^Krippendorff's α +0\.743 \[", said, re.MULTILINE)
    assert re.search(r"^percent agreement +\d\d\.\d % \[", said, re.MULTILINE)
    assert "11 units judged by two or more of 4 raters, 1 more by one; 55 pairs of values." in said
    assert "95 % BCa bootstrap, 1,000 draws of units" in said
    assert "No Cohen's κ: it needs exactly two raters" in said
    assert "Warning: There are only 11 units" in said
    assert "each pair of raters\nrater " in said
    assert "rater 0  rater 1          9     88.9 %  0.845  0.852" in said
    assert "each rater against the rest" in said


def test_by_a_column(tmp_path: Path) -> None:
    rows = [{**row, "q": name} for name in ("one", "two") for row in ROWS]
    rows += [{"unit": 1, "rater": "A", "value": 1, "dialogue": "d", "q": "three"}]
    polars.DataFrame(rows).write_csv(tmp_path / "t.csv")

    found = as_json(tmp_path / "t.csv", *COLUMNS, "--level", "ordinal", "--by", "q")

    assert [each["by"] for each in found] == ["one", "two", "three"]
    assert found[0]["alpha"] == found[1]["alpha"] == pytest.approx(0.815, abs=5e-4)
    assert (found[2]["alpha"], found[2]["reason"]) == (
        None,
        "nothing has been judged by two raters",
    )
    words = run(tmp_path / "t.csv", *COLUMNS, "--level", "ordinal", "--by", "q").stdout
    assert "three: no α, because nothing has been judged by two raters." in words
    # One value of the column is a list all the same.
    polars.DataFrame(rows[:41]).write_csv(tmp_path / "t.csv")
    assert len(as_json(tmp_path / "t.csv", *COLUMNS, "--level", "ordinal", "--by", "q")) == 1


def test_clusters(table: Path) -> None:
    one = as_json(table, *COLUMNS, "--level", "nominal", "--cluster", "dialogue")
    two = as_json(
        table, *COLUMNS, "--level", "nominal", "--cluster", "dialogue", "--cluster", "unit"
    )

    assert (one["clusters"], one["cluster_columns"]) == (4, ["dialogue"])
    assert "whole clusters" in one["method"]
    assert two["clusters"] == [4, 11]
    assert "pigeonhole" in two["method"]


def test_options_of_the_bootstrap(table: Path) -> None:
    given = (table, *COLUMNS, "--level", "nominal")
    plain = as_json(*given)

    assert as_json(*given) == plain
    assert as_json(*given, "--seed", "2")["interval"] != plain["interval"]
    narrow = as_json(*given, "--confidence", "0.5", "--interval", "percentile")
    assert narrow["method"].startswith("50 % percentile")
    low, high = narrow["interval"]
    assert high - low < plain["interval"][1] - plain["interval"][0]
    assert as_json(*given, "--bootstrap", "0")["interval"] is None


def test_pairs_and_raters_in_json(table: Path) -> None:
    found = as_json(table, *COLUMNS, "--level", "nominal", "--pairwise", "--raters")

    assert found["raters"] == 4
    assert len(found["pairwise"]["pairs"]) == 6
    assert [each["rater"] for each in found["per_rater"]] == [f"rater {n}" for n in range(4)]


def test_names_in_an_order(tmp_path: Path) -> None:
    words = {1: "bad", 2: "poor", 3: "fair", 4: "good", 5: "superb"}
    polars.DataFrame([{**row, "value": words[row["value"]]} for row in ROWS]).write_csv(
        tmp_path / "t.csv"
    )
    given = (tmp_path / "t.csv", *COLUMNS, "--level", "ordinal")

    found = as_json(*given, "--order", "bad, poor,fair,good,superb", "--weights", "linear")

    assert found["alpha"] == pytest.approx(0.815, abs=5e-4)
    assert found["weights"] == "linear"
    with pytest.raises(InputError, match="--order"):
        run(*given)


def test_rows_without_a_value_are_counted(tmp_path: Path) -> None:
    polars.DataFrame([*ROWS, {**ROWS[0], "unit": 99, "value": None}]).write_csv(tmp_path / "t.csv")

    found = as_json(tmp_path / "t.csv", *COLUMNS, "--level", "nominal")

    assert "Rows without a value, left out: 1." in found["warnings"]


@pytest.mark.parametrize(
    ("text", "arguments", "said"),
    [
        ("unit,rater,value\n", ("--level", "nominal"), "has no rows"),
        ("unit,rater,value\n1,A,x\n1,A,x\n", ("--level", "nominal"), "row 3.*before, in row 2"),
        ("unit,rater,value\n1,A,x\n", ("--level", "ratio"), "row 2.*finite numbers; got 'x'"),
        ("unit,rater,score\n1,A,x\n", ("--level", "nominal"), "no column 'value'"),
        ("unit,rater,value\n1,A,1\n", ("--level", "ratio", "--bootstrap", "-1"), "0 or more draws"),
    ],
)
def test_bad_tables_are_refused(tmp_path: Path, text: str, arguments: tuple, said: str) -> None:
    (tmp_path / "t.csv").write_text(text)

    with pytest.raises(InputError, match=said):
        run(tmp_path / "t.csv", *COLUMNS, *arguments)


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("t.csv", (), "add --level"),
        ("t.csv", ("--level", "nominal", "--question", "q"), "--question is for studies"),
        ("none.csv", ("--level", "nominal"), "none.csv' does not exist"),
        ("", ("--level", "nominal"), "--unit is for tables; a study says this itself"),
    ],
)
def test_usage_errors(tmp_path: Path, name: str, arguments: tuple, said: str) -> None:
    (tmp_path / "t.csv").write_text("unit,rater,value\n1,A,x\n")

    found = run(tmp_path / name, *COLUMNS, *arguments)

    assert found.exit_code == 2
    assert said in " ".join(found.output.split())


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder of a study whose answers are the published table."""
    with judged_home(tmp_path) as (folder, _, judging):
        keys = [judging.dialogue("a", "b", "c", "d") for _ in range(12)]
        for said in read(FOUR_OBSERVERS):
            judging.say("quality", keys[said.unit], said.rater, said.value)
            judging.say(
                "warmth", keys[said.unit], f"person {said.rater}", said.value, kind="person"
            )
        for rater in "AB":
            for n, key in enumerate(keys):
                for seq in (3, 5):
                    answer = "yes" if (n + seq + (rater == "B" and n == 3)) % 4 else "no"
                    judging.say("polite", key, rater, answer, seq=seq)
        judging.say("remarks", keys[0], "A", "Nice.")
    return folder


def test_a_study_gives_its_questions(home: Path) -> None:
    given = (home, "--home", home.parent / "home")

    found = {each["question"]: each for each in as_json(*given)}

    assert set(found) == {"quality", "warmth", "polite"}
    assert found["quality"]["alpha"] == pytest.approx(0.815, abs=5e-4)
    assert found["warmth"]["alpha"] == pytest.approx(0.849, abs=5e-4)
    assert (found["quality"]["level"], found["warmth"]["level"]) == ("ordinal", "interval")
    assert (found["polite"]["units"], found["polite"]["clusters"]) == (24, 12)
    assert found["polite"]["cluster_columns"] == ["dialogue"]
    words = run(*given).stdout
    assert "Clusters: dialogue." in words
    assert re.search(r"^quality +ordinal +0\.815 \[", words, re.MULTILINE)


def test_one_question_and_one_kind_of_rater(home: Path) -> None:
    given = (home, "--home", home.parent / "home")

    (found,) = as_json(*given, "--question", "polite", "--cluster", "unit")
    assert (found["question"], found["by"]) == ("polite", "polite")
    assert found["cluster_columns"] == ["unit"]
    people = as_json(*given, "--raters-kind", "person")
    assert [each["question"] for each in people] == ["warmth"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--question", "qualty"), "Near: 'quality'"),
        (("--cluster", "topic"), "no column 'topic'"),
        (("--study", "other"), "no study 'other'"),
        (("--raters-kind", "model"), "has no answers"),
    ],
)
def test_what_a_study_does_not_have(home: Path, arguments: tuple, said: str) -> None:
    with pytest.raises(InputError, match=said):
        run(home, "--home", home.parent / "home", *arguments)


def test_a_study_and_a_file_with_the_same_answers_agree(home: Path, table: Path) -> None:
    (study,) = as_json(home, "--home", home.parent / "home", "--question", "warmth")

    file = as_json(table, *COLUMNS, "--level", "interval")

    alone = agreement(
        [Judgement(row["unit"], row["rater"], row["value"]) for row in ROWS], level="interval"
    )
    assert study["alpha"] == pytest.approx(file["alpha"], abs=1e-12)
    assert study["alpha"] == pytest.approx(alone.alpha, abs=1e-12)


def test_for_these_raters_or_for_raters_like_these(table: Path) -> None:
    these = as_json(table, *COLUMNS, "--level", "ordinal")
    others = as_json(table, *COLUMNS, "--level", "ordinal", "--draw", "raters")
    said = run(table, *COLUMNS, "--level", "ordinal").stdout
    drawn = run(table, *COLUMNS, "--level", "ordinal", "--draw", "raters").stdout

    assert (these["holds_for"], others["holds_for"]) == ("these raters", "raters like these")
    assert others["alpha"] == these["alpha"]
    assert others["interval"][0] < these["interval"][0]
    assert "The intervals are for these raters" in said
    assert "For raters like these: --draw raters." in said
    assert "The intervals are for raters like these" in drawn


def test_why_there_is_no_interval_is_said(tmp_path: Path) -> None:
    alike = [{**row, "value": row["unit"] % 3} for row in ROWS]
    polars.DataFrame(alike).write_csv(tmp_path / "alike.csv")

    said = run(tmp_path / "alike.csv", *COLUMNS, "--level", "nominal").stdout

    assert "No interval of Krippendorff's α: no draw differs from the others" in said
    assert re.search(r"^percent agreement +100\.0 % \[\d\d\.\d %, 100\.0 %\]", said, re.MULTILINE)


def test_people_beside_a_judge_are_taken_as_they_are(table: Path) -> None:
    refused = run(table, *COLUMNS, "--judge", "A", "--positive", "1", "--draw", "raters")

    assert refused.exit_code == 2
    assert "--draw raters cannot be used with --judge" in refused.output
