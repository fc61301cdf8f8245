"""The board of models against people, beside numbers that others computed."""

import math
from dataclasses import replace

import pytest

from palaver.analysis.advice import preference_board
from palaver.core.serial import plain
from palaver.core.situations import CONTROL, AdviceJudgement


def said(situation, rater, prefers_model, model="m", **more):
    return AdviceJudgement(
        situation=situation, model=model, rater=rater, prefers_model=prefers_model, **more
    )


def judged(patterns, model="m", raters="abcdefgh"):
    """One situation per pattern: "110" is two of three for the model."""
    return [
        said(f"s{n}", raters[place], mark == "1", model=model)
        for n, pattern in enumerate(patterns)
        for place, mark in enumerate(pattern)
    ]


def one_each(preferred, n, model="m"):
    return [said(f"s{k}", "", k < preferred, model=model) for k in range(n)]


@pytest.mark.parametrize(
    ("preferred", "low", "high"), [(28, 0.0987, 0.1949), (18, 0.0577, 0.1378), (8, 0.0204, 0.0769)]
)
def test_one_judgement_per_situation_without_raters_has_wilsons_interval(preferred, low, high):
    (row,) = preference_board(one_each(preferred, 200)).rows
    assert row.rate == preferred / 200
    assert (row.low, row.high) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))
    assert row.votes.interval.low == pytest.approx(row.low)


def test_two_of_three_is_preferred_and_an_even_split_counts_half():
    board = preference_board(judged(["110", "100", "111", "1100", "10", "0"]))
    (row,) = board.rows
    assert [each.score for each in row.by_situation] == [1, 0, 1, 0.5, 0.5, 0]
    assert (row.preferred, row.even, row.situations) == (2, 2, 6)
    assert row.rate == 3 / 6
    assert "each counts half" in " ".join(board.warnings)
    assert [e.is_preferred for e in row.by_situation] == [True, False, True, False, False, False]


def test_our_continuous_preference_weighs_by_degree():
    judgements = [
        said("s1", "a", True, degree=2),
        said("s1", "b", False, degree=1),
        said("s1", "c", False, degree=1),
        said("s2", "a", False, degree=2),
        said("s2", "b", True, degree=1),
    ]
    (row,) = preference_board(judgements).rows
    assert [each.degree_share for each in row.by_situation] == [2 / 4, 1 / 3]
    assert row.degree_share.value == pytest.approx((2 / 4 + 1 / 3) / 2)
    assert row.votes.value == 2 / 5


@pytest.mark.parametrize("pattern", ["000", "111", "0", "1", "01"])
def test_an_interval_is_never_a_point(pattern):
    (row,) = preference_board(judged([pattern] * 200)).rows
    assert row.low < row.high
    for share in (row.votes, row.degree_share):
        assert share.interval.low < share.interval.high
    assert all(topic.low < topic.high for topic in row.topics)


def test_the_control_stands_apart_and_is_never_the_best():
    board = preference_board([*judged(["111"] * 9 + ["000"], CONTROL), *judged(["100"] * 10)])
    assert [row.model for row in board.rows] == ["m"]
    assert board.control.rate == 0.9
    assert board.control.against_best is None


def test_differences_are_on_common_situations_and_adjusted_over_all_pairs():
    good = judged(["110"] * 90 + ["000"] * 10, "good")
    bad = judged(["100"] * 90 + ["110"] * 10, "bad")
    few = [replace(each, situation=f"t{each.situation}") for each in judged(["100"] * 5, "few")]
    fair = judged(["110"] * 60 + ["000"] * 40, "fair")
    rows = {row.model: row for row in preference_board([*good, *bad, *fair, *few]).rows}
    test = rows["bad"].against_best
    assert (test.other, test.situations, test.difference) == ("good", 100, pytest.approx(-0.8))
    assert test.p < 0.05 < test.adjusted
    assert not test.is_significant()
    assert rows["good"].against_best is None
    lost = rows["few"].against_best
    assert math.isnan(lost.p)
    assert lost.reason == "fewer than two situations were judged for both"
    assert not lost.is_significant()


def test_a_rate_differs_from_people_where_its_interval_excludes_one_half():
    for preferred in range(70, 131, 3):
        (row,) = preference_board(one_each(preferred, 200)).rows
        assert (row.against_people.p < 0.05) == (not row.low <= 0.5 <= row.high)


def test_topics_reasons_and_agreement():
    judgements = [
        said("s1", "a", False, worse="dangerous", reason="neutral", topic="Legal"),
        said("s1", "b", False, worse="dangerous", reason="contradiction", topic="Legal"),
        said("s1", "c", False, worse="helpful", reason="writing", topic="Legal"),
        said("s2", "a", True, worse="nothelpful", reason="neutral", topic="Life"),
        said("s2", "b", True, topic="Life"),
        said("s2", "c", False, worse="helpful", topic="Life"),
    ]
    (row,) = preference_board(judgements).rows
    assert [(t.topic, t.preferred, t.situations) for t in row.topics] == [
        ("Legal", 0, 1),
        ("Life", 1, 1),
    ]
    assert row.lost.judgements == 4
    assert {name: share.value for name, share in row.lost.still.items()} == {
        "helpful": 0.5,
        "nothelpful": 0.0,
        "dangerous": 0.5,
    }
    assert row.lost.reasons["writing"].n == 3
    assert row.lost.why == {
        "dangerous:contradiction": 1,
        "dangerous:neutral": 1,
        "helpful": 1,
        "helpful:writing": 1,
    }
    assert row.won.still["nothelpful"].value == 1.0
    assert row.won.still["nothelpful"].n == 1
    assert (row.sides.units, row.sides.raters) == (2, 3)
    assert row.grades.level == "ordinal"


def test_warnings_are_said_in_words():
    board = preference_board([*judged(["110", "10"]), said("s0", "a", False), *one_each(1, 3, "n")])
    words = " ".join(board.warnings)
    for part in (
        "do not say whose they are",
        "were not judged on the same situations",
        "judgements are missing",
        "judged the same advice again",
    ):
        assert part in words
    (row,) = (row for row in board.rows if row.model == "m")
    assert row.by_situation[0].chosen == 1
    few, much = preference_board(judged(["110"] * 9)).warnings
    assert few.startswith("Only 3 raters")
    assert much.startswith("One rater gave 33 %")
    assert "situations alone" in preference_board(judged(["1"] * 9)).warnings[0]
    made = [replace(each, rater_kind="simulated") for each in judged(["110"] * 9)]
    assert preference_board(made).warnings[0].startswith("All judgements are simulated")


def test_raters_with_tastes_widen_an_interval_and_one_judgement_each_does_not():
    tasteful = judged(["110"] * 30 + ["100"] * 30)
    strangers = [replace(each, rater=f"r{n}") for n, each in enumerate(tasteful)]
    wide, plain_one = (preference_board(given).rows[0] for given in (tasteful, strangers))
    assert wide.rate == plain_one.rate == 0.5
    assert wide.high - wide.low > 1.5 * (plain_one.high - plain_one.low)


def test_one_rater_says_nothing_of_others():
    alone = [replace(each, rater="a") for each in one_each(28, 200)]
    board = preference_board(alone)
    (row,) = board.rows
    assert (row.low, row.high) == (pytest.approx(0.0987, abs=5e-5), pytest.approx(0.1949, abs=5e-5))
    assert "nothing is known of how others would judge" in board.warnings[0]


def test_a_board_is_plain_data_and_does_not_depend_on_order():
    judgements = judged(["110", "100", "011", "000"])
    board = preference_board(judgements)
    assert plain(board)["rows"][0]["model"] == "m"
    turned = preference_board(judgements[::-1])
    assert turned.rows[0].low == pytest.approx(board.rows[0].low)
    assert preference_board([]).rows == ()
