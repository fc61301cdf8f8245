"""`palaver import mturk`: a table of batches and of the API's answers, and decisions written back."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from palaver.cli.main import palaver
from palaver.cli.study.import_command import command
from palaver.core.errors import InputError

COLUMNS = (
    *("HITId", "RequesterAnnotation", "AssignmentId", "WorkerId", "AssignmentStatus"),
    *("SubmitTime", "WorkTimeInSeconds", "Input.dialogue", "Answer.rating", "Answer.taskAnswers"),
)
ROW = {
    "HITId": "H1",
    "RequesterAnnotation": "BatchId:415;",
    "AssignmentStatus": "Submitted",
    "SubmitTime": "Mon Feb 03 11:32:33 PST 2020",
    "WorkTimeInSeconds": "600",
    "Input.dialogue": "d1",
}
XML = (
    '<QuestionFormAnswers xmlns="http://mechanicalturk.example/answers.xsd"><Answer>'
    "<QuestionIdentifier>rating</QuestionIdentifier><FreeText>5</FreeText></Answer>"
    "</QuestionFormAnswers>"
)


def batch(folder: Path, *rows: dict[str, str], name: str = "batch.csv") -> Path:
    with (folder / name).open("w", encoding="utf-8", newline="") as stream:
        out = csv.DictWriter(stream, COLUMNS)
        out.writeheader()
        out.writerows({**ROW, **row} for row in rows)
    return folder / name


def run(*arguments: object) -> Result:
    told = [str(each) for each in arguments]
    return CliRunner().invoke(command, told, catch_exceptions=False)


def table(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_a_batch_and_answers_of_the_api_become_one_table(tmp_path: Path) -> None:
    first = batch(
        tmp_path,
        {"AssignmentId": "A1", "WorkerId": "ANN", "Answer.rating": "4"},
        {
            "AssignmentId": "A2",
            "WorkerId": "BEN",
            "Answer.taskAnswers": json.dumps([{"rating": 2, "kind": {"y": True, "n": False}}]),
        },
    )
    kept: dict[str, Any] = {
        "Assignments": [
            {
                "AssignmentId": "A3",
                "WorkerId": "ANN",
                "HITId": "H2",
                "AssignmentStatus": "Approved",
                "AcceptTime": "2020-02-03 11:22:33-08:00",
                "SubmitTime": "2020-02-03 11:32:33-08:00",
                "Answer": XML,
            }
        ]
    }
    (tmp_path / "kept.json").write_text(json.dumps(kept), encoding="utf-8")
    out = tmp_path / "answers.csv"
    done = run("mturk", first, first, tmp_path / "kept.json", "-o", out, "--salt", "s")
    assert "3 assignments of 2 workers" in done.output
    assert "2 assignments in several files" in done.output
    rows = table(out)
    assert [(r["assignment"], r["Answer.rating"], r["Answer.kind"]) for r in rows] == [
        ("A1", "4", ""),
        ("A2", "2", "y"),
        ("A3", "5", ""),
    ]
    assert rows[0]["worker"] == rows[2]["worker"] != rows[1]["worker"]
    assert "ANN" not in out.read_text(encoding="utf-8")
    assert (rows[0]["batch"], rows[0]["submitted"], rows[0]["Input.dialogue"]) == (
        "415",
        "2020-02-03T19:32:33+00:00",
        "d1",
    )


def test_the_statistics_read_it_and_a_spreadsheet_runs_nothing(tmp_path: Path) -> None:
    rows = [
        {
            "HITId": f"H{unit}",
            "AssignmentId": f"A{unit}{worker}",
            "WorkerId": worker,
            "Answer.rating": rating,
            "Input.dialogue": '=HYPERLINK("x")',
        }
        for unit in range(6)
        for worker, rating in (("ANN", str(unit % 3)), ("BEN", str(unit % 3)))
    ]
    out = tmp_path / "answers.csv"
    run("mturk", batch(tmp_path, *rows), "-o", out)
    assert table(out)[0]["Input.dialogue"].startswith("'=")
    asked = ["--unit", "hit", "--rater", "worker", "--value", "Answer.rating"]
    found = CliRunner().invoke(
        palaver,
        ["agreement", str(out), *asked, "--level", "nominal", "--bootstrap", "0", "--json"],
        catch_exceptions=False,
    )
    assert found.exit_code == 0
    assert '"alpha"' in found.output


def test_decisions_are_written_back_into_the_batch(tmp_path: Path) -> None:
    file = batch(
        tmp_path,
        {"AssignmentId": "A1", "WorkerId": "ANN"},
        {"AssignmentId": "A2", "WorkerId": "BEN"},
        {"AssignmentId": "A3", "WorkerId": "CY"},
    )
    (tmp_path / "yes").write_text("A1\n", encoding="utf-8")
    (tmp_path / "no").write_text("A2\t=The answer is empty\n", encoding="utf-8")
    out = tmp_path / "review.csv"
    done = run(
        "mturk-review", file, "--approve", tmp_path / "yes", "--reject", tmp_path / "no", "-o", out
    )
    assert "2 assignments decided" in done.output
    told = [(r["WorkerId"], r["Approve"], r["Reject"]) for r in table(out)]
    assert told == [("ANN", "x", ""), ("BEN", "", "'=The answer is empty"), ("CY", "", "")]


@pytest.mark.parametrize(
    ("yes", "no", "words"),
    [
        ("", "", "Nothing is decided"),
        ("A1", "A1\tbad", "is approved and rejected"),
        ("", "A1", "rejected without a reason"),
        ("A9", "", "has no assignment A9"),
    ],
)
def test_decisions_that_make_no_sense_write_nothing(
    tmp_path: Path, yes: str, no: str, words: str
) -> None:
    file = batch(tmp_path, {"AssignmentId": "A1", "WorkerId": "ANN"})
    (tmp_path / "yes").write_text(yes, encoding="utf-8")
    (tmp_path / "no").write_text(no, encoding="utf-8")
    out = tmp_path / "review.csv"
    with pytest.raises(InputError, match=words):
        run(
            *("mturk-review", file, "--approve", tmp_path / "yes"),
            *("--reject", tmp_path / "no", "-o", out),
        )
    assert not out.exists()
