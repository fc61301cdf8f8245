"""Batches as a crowd service sends them back."""

import csv

import pytest

from palaver.core.errors import InputError
from palaver.formats.advice.crowd_batch import read_batch

HEAD = [
    *("HITId", "Reward", "AssignmentId", "WorkerId", "AssignmentStatus", "SubmitTime"),
    *("Input.permalink", "Input.title", "Input.human_label", "Input.machine", "Input.qtype"),
    *("Answer.commentbox", "Answer.q0", "Answer.q1", "Answer.q2", "Answer.te", "Approve", "Reject"),
]
USUAL = {
    "AssignmentId": "3A1",
    "WorkerId": "W1",
    "AssignmentStatus": "Approved",
    "Input.permalink": "/r/dating/1",
    "Input.title": "two\nlines",
    "Input.human_label": "a",
    "Input.machine": "t5",
    "Input.qtype": "Relationship",
    "Answer.q0": "2b",
    "Answer.q1": "helpful",
    "Answer.q2": "writing",
    "Answer.te": "73.5",
}


def batch(tmp_path, *rows, head=HEAD):
    path = tmp_path / "batch.csv"
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        out = csv.DictWriter(stream, head, extrasaction="ignore")
        out.writeheader()
        out.writerows({**USUAL, **row} for row in rows)
    return read_batch(path)


@pytest.mark.parametrize(
    ("human", "code", "prefers", "degree"),
    [("a", "2b", True, 2), ("a", "1a", False, 1), ("b", "1b", False, 1), ("b", "2a", True, 2)],
)
def test_a_side_of_the_screen_becomes_a_preference(tmp_path, human, code, prefers, degree):
    found = batch(tmp_path, {"Input.human_label": human, "Answer.q0": code})
    (judgement,) = [each.judgement for each in found.answers]
    assert (judgement.prefers_model, judgement.degree) == (prefers, degree)
    assert (judgement.worse, judgement.reason, judgement.seconds) == ("helpful", "writing", 73.5)
    assert (judgement.situation, judgement.model, judgement.rater, judgement.topic) == (
        *("/r/dating/1", "t5"),
        *("W1", "Relationship"),
    )
    assert found.problems == []


def test_every_bad_row_is_reported_by_its_line(tmp_path):
    found = batch(
        tmp_path,
        {},
        {"Answer.q0": ""},
        {"Answer.q0": "3a"},
        {"Answer.q1": "great"},
        {"Answer.q1": "dangerous", "Answer.q2": "writing"},
        {"Answer.te": "-1"},
        {"Answer.q2": ""},
        {"Input.human_label": "c"},
        {"WorkerId": ""},
        {"AssignmentStatus": "Rejected"},
        {"AssignmentStatus": "Submitted", "Reject": "x"},
    )
    assert (len(found.answers), found.rejected, found.left_out) == (5, 2, 4)
    # Each row takes two lines: its title has a newline.
    told = [(each.line, each.warning, each.message) for each in found.problems]
    assert told == [
        (4, False, "'q0' takes 2a, 1a, 1b or 2b; it is missing. The row is left out."),
        (6, False, "'q0' takes 2a, 1a, 1b or 2b; got '3a'. The row is left out."),
        (
            8,
            True,
            "'q1' takes helpful, nothelpful or dangerous; got 'great'. Taken without it and 'q2'.",
        ),
        (
            10,
            True,
            "'q2' takes neutral or contradiction after 'dangerous'; got 'writing'. "
            "Taken without it.",
        ),
        (12, True, "'te' is -1: the page measured no time. Taken without it."),
        (
            14,
            True,
            "'q2' takes writing or meaning after 'helpful'; it is missing. Taken without it.",
        ),
        (16, False, "'Input.human_label' takes a or b; got 'c'. The row is left out."),
        (18, False, "'WorkerId' is empty. The row is left out."),
    ]
    assert [each.worse for each in found.answers] == [
        "helpful",
        None,
        "dangerous",
        "helpful",
        "helpful",
    ]
    assert [each.seconds for each in found.answers][3] is None


@pytest.mark.parametrize(
    "given",
    [
        '[{"q0":"2a","q1":"nothelpful","q2":"neutral","te":12}]',
        '[{"q0":{"1a":false,"2a":true},"q1":{"nothelpful":true},"q2":{"neutral":true},"te":"12"}]',
    ],
)
def test_answers_in_one_column_of_json_are_read(tmp_path, given):
    head = [name for name in HEAD if not name.startswith("Answer.")] + ["Answer.taskAnswers"]
    found = batch(tmp_path, {"Answer.taskAnswers": given}, head=head)
    (answer,) = found.answers
    assert (answer.code, answer.worse, answer.reason, answer.seconds) == (
        *("2a", "nothelpful"),
        *("neutral", 12.0),
    )


def test_what_is_no_batch_is_refused(tmp_path):
    with pytest.raises(InputError, match="lacks the columns WorkerId and Answer"):
        batch(tmp_path, {}, head=["Input.permalink", "Input.machine", "Input.human_label"])
    path = tmp_path / "picture.csv"
    path.write_bytes(b"\x89PNG\xff\xfe")
    with pytest.raises(InputError, match="is not CSV in UTF-8"):
        read_batch(path)
