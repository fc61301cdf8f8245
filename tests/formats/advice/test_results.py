"""Result files read and written as they are."""

import json

import pytest

from palaver.analysis.advice import preference_board
from palaver.core.errors import InputError
from palaver.core.situations import Advice, AdviceJudgement, Situation
from palaver.formats.advice.results import (
    judgements_in,
    read_results,
    results_of,
    told_in,
    write_results,
)


def foreign(n, preferred, **more):
    return {
        "situation": {
            "score": 51,
            "num_comments": 7,
            "upvote_ratio": 0.93,
            "submitted_time": "2020-02-01T10:00:00",
            "extracted_time": 1581700000.25,
            "seconds_elapsed": 12345.5,
            "title": "Should I? 🙂",
            "selftext": "Two\n\nparagraphs",
            "permalink": f"/r/legaladvice/{n}",
            "id": f"s{n}",
            "subreddit": "legaladvice",
            "op": None,
        },
        "best_advice": {
            "bestadvice_id": f"c{n}",
            "bestadvice_score": 40,
            "bestadvice_submitted_time": "2020-02-01T11:00:00",
            "bestadvice_body": "Ask a lawyer.",
            "bestadvice_author": "a",
        },
        "model_advice": {"t5-11b": "Do it."},
        "turk_ratings": {
            "t5-11b": {
                "is_preferred": preferred,
                "is_preferred_continuous": 0.1 + n / 7,
                "diagnostics": [
                    {
                        "q1_intensifier": 2,
                        "q2_helpful_or_not": "slightlyhelpful",
                        "q3_justification": "meaning",
                    }
                ],
            }
        },
        "else": [1, None],
        **more,
    }


def write(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_a_foreign_file_comes_back_with_every_value(tmp_path):
    lines = [foreign(n, n < 28) for n in range(200)]
    path = write(tmp_path / "given.jsonl", lines)
    found = list(read_results(path))
    assert write_results(tmp_path / "again.jsonl", found) == 200
    again = [
        json.loads(line) for line in (tmp_path / "again.jsonl").read_text("utf-8").splitlines()
    ]
    assert again == lines
    assert [list(line) for line in again] == [list(line) for line in lines]
    assert found[0].ratings["t5-11b"].continuous == 0.1
    assert found[0].situation.author is None


def test_a_board_of_who_is_preferred_alone_has_wilsons_interval(tmp_path):
    path = write(tmp_path / "given.jsonl", [foreign(n, n < 28) for n in range(200)])
    found = list(read_results(path))
    board = preference_board(judgements_in(found), told=told_in(found))
    (row,) = board.rows
    assert (row.rate, row.situations, row.judgements) == (0.14, 200, 200)
    assert (row.low, row.high) == (pytest.approx(0.0987, abs=5e-5), pytest.approx(0.1949, abs=5e-5))
    assert row.topics[0].topic == "Legal"
    assert row.lost.judgements == 172
    assert row.lost.still["helpful"].value == 1.0
    assert "do not say whose they are" in board.warnings[0]


def made():
    situation = Situation(
        id="s1",
        title="T",
        text="X",
        subreddit="techsupport",
        score=3,
        created=1.5,
        advice=(Advice(id="c1", body="best", score=9), Advice(id="c2", body="second", score=4)),
    )
    said = [
        ("a", True, 2, "helpful", "writing"),
        ("b", True, 1, "dangerous", "neutral"),
        ("c", False, 2, "helpful", "meaning"),
    ]
    judgements = [
        AdviceJudgement(
            situation="s1",
            model="m",
            rater=rater,
            prefers_model=prefers,
            degree=degree,
            worse=worse,
            reason=reason,
        )
        for rater, prefers, degree, worse, reason in said
    ]
    return [situation], {"m": {"s1": "mine"}}, judgements


def test_our_own_file_comes_back_byte_for_byte(tmp_path):
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    write_results(first, results_of(*made()))
    found = list(read_results(first))
    write_results(second, found)
    assert second.read_bytes() == first.read_bytes()
    (row,) = preference_board(judgements_in(found)).rows
    assert (row.preferred, row.judgements, row.votes.value) == (1, 3, pytest.approx(2 / 3))


def test_only_the_majority_is_diagnosed_and_the_legacy_value_is_not_made_up():
    (result,) = results_of(*made())
    rating = result.line["turk_ratings"]["m"]
    assert rating["is_preferred"] is True
    assert rating["is_preferred_continuous"] is None
    assert rating["degree_share"] == 3 / 5
    assert [each["q2_helpful_or_not"] for each in rating["diagnostics"]] == [
        "slightlyhelpful",
        "dangerous",
    ]
    assert result.line["best_advice"]["bestadvice_body"] == "best"
    assert result.line["situation"]["submitted_time"] == 1.5


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda line: line.pop("turk_ratings"), "'turk_ratings' must be a mapping"),
        (lambda line: line["situation"].pop("id"), "'id' of the situation must be a text"),
        (
            lambda line: line["turk_ratings"]["t5-11b"].update(is_preferred="yes"),
            "'is_preferred' of 't5-11b' must be true or false; got 'yes'",
        ),
        (
            lambda line: line["turk_ratings"]["t5-11b"]["diagnostics"][0].update(q1_intensifier=3),
            "must be 1 or 2; got 3",
        ),
        (
            lambda line: line["turk_ratings"]["t5-11b"].update(judgements=3, chosen=1),
            "preferred, but 1 of 3 chose it",
        ),
    ],
)
def test_a_line_that_is_no_result_is_named(tmp_path, spoil, words):
    wrong = foreign(2, True)
    spoil(wrong)
    path = write(tmp_path / "given.jsonl", [foreign(1, True), wrong])
    with pytest.raises(InputError, match=r"given\.jsonl, line 2: ") as raised:
        list(read_results(path))
    assert words in str(raised.value)
