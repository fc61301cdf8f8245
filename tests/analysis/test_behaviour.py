"""How raters worked: too fast, straight-lining, pasted; numbers worked by hand, and a crowd."""

from collections.abc import Collection

import pytest
from scipy import stats

from palaver.analysis.behaviour import Flag, Pasted, ReadSheet, hurried, pasted, unread
from palaver.analysis.straight_lines import Chosen, at_least, straight_lines
from support.rater_crowd import crowd

ANN, BOB, CLEO, DAN = 1, 2, 3, 4


Taken = list[tuple[int, str, float]]


def times(rater: int, *seconds: float, question: str = "quality") -> Taken:
    return [(rater, question, each) for each in seconds]


def too_fast(taken: Taken, excluded: Collection[int] = ()) -> dict[int, Flag]:
    found: dict[str, dict[int, list[float]]] = {}
    for rater, question, seconds in taken:
        found.setdefault(question, {}).setdefault(rater, []).append(seconds)
    return hurried(found, excluded=excluded)


def said(rater: int, answers: str, question: str = "quality") -> list[Chosen]:
    return [Chosen(rater, question, unit, each) for unit, each in enumerate(answers)]


def test_the_binomial_tail_is_that_of_scipy() -> None:
    for k, n, share in ((9, 10, 0.5), (38, 40, 0.75), (2900, 3000, 0.9), (0, 5, 0.2), (5, 5, 1.0)):
        assert at_least(k, n, share) == pytest.approx(stats.binom.sf(k - 1, n, share), rel=1e-9)


def test_too_fast_is_less_than_a_quarter_of_what_others_take() -> None:
    others = times(ANN, *[8.0] * 10) + times(BOB, *[10.0] * 10)
    flag = too_fast(others + times(CLEO, *[2.0] * 6, *[12.0] * 4))[CLEO]
    # Others take 9 seconds, so less than 2.25 is hurried.
    assert (flag.count, flag.n, flag.own, flag.others) == (6, 10, 2.0, 9.0)
    assert flag.evidence == (
        "6 of 10 answers in less than a quarter of the others' time: 2.0 s each; others take 9.0 s"
    )
    assert too_fast(others + times(CLEO, *[2.3] * 10)) == {}
    assert too_fast(others + times(CLEO, *[2.0] * 4, *[12.0] * 6)) == {}


def test_speed_needs_ten_answers_and_two_others_who_count() -> None:
    others = times(ANN, *[9.0] * 10) + times(BOB, *[9.0] * 10)
    assert too_fast(others + times(CLEO, *[1.0] * 9)) == {}
    assert too_fast(times(ANN, *[9.0] * 10) + times(CLEO, *[1.0] * 10)) == {}
    quick = others + times(CLEO, *[1.0] * 10)
    assert set(too_fast(quick)) == {CLEO}
    assert too_fast(quick, excluded={BOB}) == {}
    # Who is excluded is still measured.
    assert set(too_fast(quick, excluded={CLEO})) == {CLEO}


def test_each_question_is_compared_with_itself() -> None:
    answers = [
        *times(ANN, *[20.0] * 10),
        *times(BOB, *[20.0] * 10),
        *times(ANN, *[1.0] * 10, question="greeted"),
        *times(BOB, *[1.0] * 10, question="greeted"),
        *times(CLEO, *[1.0] * 10, question="greeted"),
    ]
    assert too_fast(answers) == {}


def test_a_sheet_is_unread_when_its_words_take_longer_at_600_a_minute() -> None:
    sheets = [ReadSheet(ANN, 14.9, 150)] * 3 + [ReadSheet(ANN, 15.1, 150)] * 3
    flag = unread(sheets)[ANN]
    assert (flag.count, flag.n, flag.others) == (3, 6, 15.0)
    assert flag.evidence == (
        "3 of 6 items sent before they can be read: 15 s each; "
        "reading takes 15 s at 600 words a minute"
    )
    assert unread(sheets[2:]) == {}, "most of them can be read"
    assert unread([ReadSheet(ANN, 1.0, 150)] * 4) == {}, "too few sheets"
    assert unread([ReadSheet(ANN, 1.0, 0)] * 9) == {}, "nothing new to read"


def test_the_same_answer_throughout_is_flagged_where_others_vary() -> None:
    varied = "12345" * 6
    flag = straight_lines(said(ANN, varied) + said(BOB, varied[1:] + "1") + said(CLEO, "4" * 30))[
        CLEO
    ]
    assert (flag.count, flag.n, flag.about, flag.longest) == (30, 30, "4", 30)
    # Both others say 4 about every fifth unit; with the prior the mean stays one in five.
    assert flag.others == pytest.approx(0.2)
    assert flag.evidence == "30 of 30 answers to “quality” are “4”; others give it in 20 %"


def test_where_nearly_all_say_none_saying_none_is_no_line() -> None:
    mostly = ("n" * 19 + "y") * 3
    answers = said(ANN, mostly) + said(BOB, "y" + mostly[:-1]) + said(CLEO, "n" * 60)
    assert straight_lines(answers) == {}


def test_what_others_say_of_the_same_units_counts_more_than_what_they_say_elsewhere() -> None:
    # Half of all units are good, and Cleo was given exactly those.
    good = [Chosen(rater, "quality", unit, "5") for rater in (ANN, BOB) for unit in range(40)]
    bad = [Chosen(rater, "quality", unit, "1") for rater in (ANN, BOB) for unit in range(40, 80)]
    mixed = [each for pair in zip(good, bad, strict=True) for each in pair]
    assert straight_lines(mixed + said(CLEO, "5" * 40)) == {}


def test_a_long_row_is_flagged_even_if_the_beginning_was_honest() -> None:
    others = said(ANN, "12345" * 12) + said(BOB, "23451" * 12)
    flag = straight_lines(others + said(CLEO, "12345" * 6 + "3" * 30))[CLEO]
    assert (flag.count, flag.n, flag.longest) == (30, 60, 30)
    assert "30 of 60 answers to “quality” are “3”, all in a row" in flag.evidence


def test_who_likes_an_answer_has_rows_of_it_without_being_flagged() -> None:
    others = said(ANN, "12345" * 20) + said(BOB, "23451" * 20)
    often = ("5" * 9 + "4") * 3 + "5" * 25 + ("4" + "5" * 9) * 4 + "55544"
    assert len(often) == 100
    assert straight_lines(others + said(CLEO, often)) == {}


def test_the_same_point_in_many_questions_is_one_line() -> None:
    def scales(rater: int, answers: str) -> list[Chosen]:
        return [
            Chosen(rater, f"scale {n % 5}", n // 5, f"{each} of scale {n % 5}", each, 5)
            for n, each in enumerate(answers)
        ]

    others = scales(ANN, "12345" * 8 + "1") + scales(BOB, "5432154" * 6)
    flag = straight_lines(others + scales(CLEO, "3" * 40))[CLEO]
    assert (flag.count, flag.n, flag.question) == (40, 40, "")
    assert flag.evidence.startswith("40 of 40 answers, whatever the question, are “3”; others")


def test_without_others_nobody_is_flagged() -> None:
    assert straight_lines(said(CLEO, "4" * 50)) == {}
    assert straight_lines(said(CLEO, "4" * 50) + said(ANN, "12345" * 10), excluded={ANN}) == {}


def test_pasted_text_is_flagged_unless_everybody_pastes() -> None:
    typed = [Pasted(rater, 200, 0) for rater in (ANN, BOB) for _ in range(5)]
    mine = [Pasted(CLEO, 200, 180)] * 4 + [Pasted(CLEO, 200, 30)]
    flag = pasted(typed + mine)[CLEO]
    assert (flag.count, flag.n, flag.own, flag.others) == (4, 5, 0.8, 0.0)
    assert flag.evidence == (
        "4 of 5 texts are pasted for the most part; of the others' texts 0 % are"
    )
    assert pasted(typed + mine[:4]) == {}, "too few texts"
    assert pasted([Pasted(CLEO, 30, 30)] * 9) == {}, "a pasted name is no pasted text"
    assert pasted([Pasted(rater, 200, 190) for rater in (ANN, BOB, CLEO) for _ in range(9)]) == {}


WHO = {
    **{"honest": 30, "quick reader": 4, "lenient": 4, "severe": 4},
    **{"clicker": 2, "slow clicker": 2, "random": 2, "tired": 2},
}


def test_a_crowd_of_all_kinds_is_told_apart() -> None:
    found = [crowd(seed, WHO, sheets=16).rates() for seed in range(5)]

    def share(kind: str, flag: str) -> float:
        return sum(each[kind][flag] for each in found) / len(found)

    for honest in ("honest", "quick reader", "severe"):
        assert share(honest, "too fast") == 0
        assert share(honest, "straight-lining") == 0
    assert share("lenient", "straight-lining") <= 0.1
    assert share("clicker", "too fast") >= 0.9
    assert share("random", "too fast") >= 0.9
    assert share("clicker", "straight-lining") == share("slow clicker", "straight-lining") == 1
    assert share("tired", "straight-lining") >= 0.8
    assert share("slow clicker", "too fast") == 0, "they take their time"
