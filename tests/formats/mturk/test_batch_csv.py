"""Batches of Mechanical Turk: read with their pseudonyms and times, written back with decisions."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError
from palaver.core.money import Money
from palaver.formats.advice.crowd_batch import read_batch
from palaver.formats.mturk.batch_csv import read_turk_csv
from palaver.formats.mturk.review_csv import APPROVED, write_review
from palaver.formats.mturk.times import turk_moment
from palaver.formats.pseudonyms import origin_pseudonym
from support.shared import SHARED

# The columns in the order in which the site wrote them.
COLUMNS = (
    *("HITId", "HITTypeId", "Title", "Description", "Keywords", "Reward", "CreationTime"),
    *("MaxAssignments", "RequesterAnnotation", "AssignmentDurationInSeconds"),
    *("AutoApprovalDelayInSeconds", "Expiration", "NumberOfSimilarHITs", "LifetimeInSeconds"),
    *("AssignmentId", "WorkerId", "AssignmentStatus", "AcceptTime", "SubmitTime"),
    *("AutoApprovalTime", "ApprovalTime", "RejectionTime", "RequesterFeedback"),
    *("WorkTimeInSeconds", "LifetimeApprovalRate", "Last30DaysApprovalRate"),
    *("Last7DaysApprovalRate", "Input.dialogue", "Answer.rating", "Answer.taskAnswers"),
    *("Approve", "Reject"),
)
ROW = {
    "HITId": "3ABC",
    "HITTypeId": "3TYPE",
    "Title": "Rate a chat",
    "Reward": "$0.52",
    "RequesterAnnotation": "BatchId:415;OriginalHitTemplateId:921;",
    "AssignmentId": "A1",
    "WorkerId": "AWORKER1",
    "AssignmentStatus": "Submitted",
    "AcceptTime": "Mon Feb 03 11:22:33 PST 2020",
    "SubmitTime": "Mon Feb 03 11:32:33 PST 2020",
    "WorkTimeInSeconds": "600",
    "Input.dialogue": "d1",
    "Answer.rating": "4",
}


def batch(folder: Path, *rows: dict[str, str], columns: tuple[str, ...] = COLUMNS) -> Path:
    file = folder / "Batch_415_batch_results.csv"
    with file.open("w", encoding="utf-8", newline="") as stream:
        out = csv.DictWriter(stream, columns, quoting=csv.QUOTE_ALL)
        out.writeheader()
        out.writerows({**ROW, **row} for row in rows)
    return file


def test_an_assignment_is_read_and_its_worker_is_not(tmp_path: Path) -> None:
    file = batch(tmp_path, {})

    (one,) = read_turk_csv(file, salt="pepper").assignments

    assert one.worker == origin_pseudonym("pepper", "AWORKER1")
    assert "AWORKER1" not in repr(one)
    assert (one.hit, one.batch, one.reward) == ("3ABC", "415", Money(52, "USD"))
    # 3 February 2020, 11:22:33 in Pacific standard time, is 19:22:33 in Greenwich.
    assert (one.accepted, one.submitted, one.seconds) == (1580757753.0, 1580758353.0, 600.0)
    assert (one.inputs, one.answers) == ({"dialogue": "d1"}, {"rating": "4"})
    assert (one.approved, one.line, one.status) == (None, 2, "Submitted")


@pytest.mark.parametrize(
    ("together", "answers"),
    [
        ([{"q1": {"yes": True}, "te": 3.5}], {"rating": "4", "q1": {"yes": True}, "te": 3.5}),
        ({"q1": "x"}, {"rating": "4", "q1": "x"}),
        ([], {"rating": "4", "taskAnswers": []}),
        ([{"q": 1}, {"q": 2}], {"rating": "4", "taskAnswers": [{"q": 1}, {"q": 2}]}),
    ],
)
def test_answers_in_one_column_are_spread(
    tmp_path: Path, together: Any, answers: dict[str, Any]
) -> None:
    file = batch(tmp_path, {"Answer.taskAnswers": json.dumps(together)})

    assert read_turk_csv(file, salt="s").assignments[0].answers == answers


def test_what_cannot_be_read_is_reported_with_its_line(tmp_path: Path) -> None:
    file = batch(
        tmp_path,
        {"Input.dialogue": "two\nlines"},
        {"AssignmentId": "A2", "AssignmentStatus": "Lost"},
        {"AssignmentId": ""},
        {},
        {"AssignmentId": "A3", "SubmitTime": "soon", "Answer.taskAnswers": "{"},
    )

    read = read_turk_csv(file, salt="s")

    assert [each.assignment for each in read.assignments] == ["A1", "A3"]
    assert read.rows == 5
    assert [(each.line, each.warning) for each in read.problems] == [
        (4, False),
        (5, False),
        (6, False),
        (7, True),
        (7, True),
    ]
    assert "stands here twice" in read.problems[2].message


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="lacks the columns AssignmentId and WorkerId"):
        read_turk_csv(
            batch(tmp_path, columns=("HITId", "AssignmentStatus")),
            salt="s",
        )
    odd = tmp_path / "odd.csv"
    odd.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not CSV in UTF-8"):
        read_turk_csv(odd, salt="s")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Mon Feb 03 11:22:33 PST 2020", 1580757753.0),
        ("Sun Jul 05 12:22:33 PDT 2020", 1593976953.0),
        ("Mon Feb 03 19:22:33 UTC 2020", 1580757753.0),
        ("2020-02-03T19:22:33Z", 1580757753.0),
        ("Mon Feb 31 11:22:33 PST 2020", None),
        ("Mon Foo 03 11:22:33 PST 2020", None),
        ("Mon Feb 03 11:22:33 XST 2020", None),
        ("", None),
    ],
)
def test_times_are_those_of_their_zone(written: str, read: float | None) -> None:
    assert turk_moment(written) == read


def test_decisions_go_back_and_formulas_do_not_run(tmp_path: Path) -> None:
    file = batch(
        tmp_path,
        {"Answer.rating": "=cmd|' /C calc'!A0"},
        {"AssignmentId": "A2"},
        {"AssignmentId": "A3"},
    )
    out = tmp_path / "review.csv"

    assert write_review(file, {"A1": APPROVED, "A2": "+ every answer is the same"}, out) == 2

    with out.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert list(rows[0]) == list(COLUMNS)
    assert [(row["Approve"], row["Reject"]) for row in rows] == [
        ("x", ""),
        ("", "'+ every answer is the same"),
        ("", ""),
    ]
    assert rows[0]["Answer.rating"] == "'=cmd|' /C calc'!A0"
    assert rows[0]["WorkerId"] == "AWORKER1"
    back = read_turk_csv(out, salt="s").assignments
    assert back[0].answers["rating"] == "=cmd|' /C calc'!A0"


@pytest.mark.parametrize(
    ("decisions", "said"), [({"A9": ""}, "A9"), ({"A2": ""}, "Decided before")]
)
def test_no_file_is_written_where_a_decision_is_wrong(
    tmp_path: Path, decisions: dict[str, str], said: str
) -> None:
    file = batch(tmp_path, {}, {"AssignmentId": "A2", "AssignmentStatus": "Approved"})
    out = tmp_path / "review.csv"

    with pytest.raises(InputError, match=said):
        write_review(file, decisions, out)
    assert not out.exists()


REAL = sorted((SHARED / "data").rglob("*[Bb]atch*results*.csv"))


@pytest.mark.skipif(not REAL, reason="no batch of Mechanical Turk is among the shared files")
@pytest.mark.parametrize("file", REAL, ids=lambda file: file.name)
def test_real_batches_are_read_whole(file: Path) -> None:
    read = read_turk_csv(file, salt="s")

    assert read.assignments
    assert not [each for each in read.problems if not each.warning]


def test_a_batch_of_advice_is_a_batch_too(tmp_path: Path) -> None:
    columns = (*COLUMNS[:28], "Input.permalink", "Input.machine", "Input.human_label", "Answer.q0")
    more = {"Input.permalink": "l", "Input.machine": "m", "Input.human_label": "a"}
    file = batch(tmp_path, {**more, "Answer.q0": "1a"}, columns=(*columns, "Answer.rating"))

    assert len(read_batch(file).answers) == len(read_turk_csv(file, salt="s").assignments) == 1
