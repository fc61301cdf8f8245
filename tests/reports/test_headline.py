"""The headline: one finding, how sure, what next, from frames that are made up here."""

import random
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from palaver.analysis.planning import continuation
from palaver.core.studies.headline import Headline
from palaver.formats.frames import Frame
from palaver.reports.report.answers import rate_systems
from palaver.reports.report.headline import headline_of, measure
from palaver.reports.report.more_answers import roughly
from palaver.reports.report.ranking import rank_votes
from palaver.reports.report.subject import (
    RATING_COLUMNS,
    VOTE_COLUMNS,
    QuestionRatings,
    QuestionVotes,
    ReportSettings,
    Subject,
)

SETTINGS = ReportSettings(resamples=200)
Vote = tuple[str, str, str]


def votes(
    rows: Iterable[Vote],
    *,
    raters: int = 24,
    planned: int | None = None,
    systems: tuple[str, ...] = (),
) -> QuestionVotes:
    """Votes of first, second and winner; raters take them in turn."""
    cells = [
        (f"p{n}", a, b, winner, f"r{n % raters}", f"p{n}", None)
        for n, (a, b, winner) in enumerate(rows)
    ]
    columns = {name: [row[n] for row in cells] for n, name in enumerate(VOTE_COLUMNS)}
    return QuestionVotes(
        name="better",
        slug="better",
        text="",
        frame=Frame("better", columns),
        planned=planned,
        systems=systems,
    )


def rated(
    name: str, values: dict[str, list[float]], *, presence: bool = False, raters: int = 6
) -> QuestionRatings:
    """One answer per dialogue; each system has its own dialogues."""
    cells = [
        (f"{system}{n}", f"r{n % raters}", value, f"{value:g}", f"{system}{n}", system, None)
        for system, of in values.items()
        for n, value in enumerate(of)
    ]
    columns = {key: [row[n] for row in cells] for n, key in enumerate(RATING_COLUMNS)}
    return QuestionRatings(
        name=name,
        slug=name,
        text="",
        question=name.partition(": ")[0],
        frame=Frame(name, columns),
        level="nominal" if presence else "interval",
        answers=(),
        is_presence=presence,
    )


def headline(*tables: QuestionVotes | QuestionRatings, **given: Any) -> Headline:
    subject = Subject(
        title="Made up",
        kind="study",
        name="made",
        votes=tuple(each for each in tables if isinstance(each, QuestionVotes)),
        ratings=tuple(each for each in tables if isinstance(each, QuestionRatings)),
        **given,
    )
    return headline_of(subject, measure(subject, SETTINGS))


def duel(a: str, b: str, won: int, lost: int, ties: int = 0) -> list[Vote]:
    """Votes in an order that gives every rater some of each."""
    rows = [(a, b, a)] * won + [(a, b, b)] * lost + [(a, b, "tie")] * ties
    random.Random(2).shuffle(rows)
    return rows


def likert(mean: float, count: int, seed: int) -> list[float]:
    dice = random.Random(seed)
    return [float(min(5, max(1, round(dice.gauss(mean, 0.9))))) for _ in range(count)]


def share(rate: float, count: int) -> list[float]:
    found = [float(n < rate * count) for n in range(count)]
    random.Random(round(1000 * rate)).shuffle(found)
    return found


def test_nothing() -> None:
    found = headline()
    assert found.finding == "There are no answers yet, so there is nothing to report."
    assert found.certainty == ""
    assert found.next.startswith("Serve the study")


def test_a_clear_lead_needs_no_more() -> None:
    found = headline(votes(duel("calm", "brisk", 90, 30)))
    assert found.finding == "calm leads; brisk follows."
    # Wilson's interval of 90 of 120 is 67 to 82; these raters differ a little.
    assert found.certainty == (
        "calm wins 75 % (95 % interval 64 to 84 %) of its comparisons; 120 votes by 24 raters."
    )
    assert found.next == "No more votes are needed: all systems are told apart."


def test_a_system_without_votes_is_named_and_what_to_do() -> None:
    found = headline(votes(duel("calm", "brisk", 90, 30), systems=("brisk", "calm", "smollm2")))
    assert found.finding == "calm leads; brisk follows; smollm2 has no votes yet."
    assert found.next == (
        "Have smollm2 compared with the others: it has no votes yet, and needs 20 or more. "
        "The others need no more: they are told apart."
    )


def test_several_systems_without_votes() -> None:
    found = headline(votes([("a", "b", "a")] * 3, systems=("a", "b", "c", "d")))
    assert found.finding.endswith("; c and d have no votes yet.")
    assert "they have no votes yet, and each needs 20 or more" in found.next


def test_a_system_without_ratings_is_named_and_what_to_do() -> None:
    table = replace(
        rated("quality", {"a": likert(4.4, 40, 1), "b": likert(2.1, 40, 2)}),
        systems=("a", "b", "c"),
    )
    found = headline(table)
    assert found.finding == "a is above b in quality; c has no answers yet."
    assert found.next.startswith("Have c rated: it has no answers yet, and needs 20 dialogues or")


def test_who_won_everything_leads_though_its_strength_has_no_bound() -> None:
    rows = [*duel("best", "a", 30, 0), *duel("best", "b", 30, 0), *duel("a", "b", 24, 6)]
    found = headline(votes(rows))
    assert found.finding == "best leads; a and b follow, in this order."
    assert found.certainty.startswith("best wins 100 % (95 % interval 93 to 100 %)")
    assert found.next == "No more votes are needed to say that best is the best."


def test_many_votes_of_two_who_differ_name_no_leader() -> None:
    # One rater always votes for a; the other, nearly as often, for b: 28 of 38 votes are for a.
    one = [("a", "b", "a")] * 19
    other = [("a", "b", "a")] * 9 + [("a", "b", "b")] * 10
    found = headline(
        votes([vote for both in zip(one, other, strict=True) for vote in both], raters=2)
    )
    assert found.finding == "No system leads; a and b cannot be distinguished."
    assert found.next.endswith("Have more people vote: 2 say little about others.")


def test_six_who_all_agree_name_a_leader() -> None:
    found = headline(votes([("a", "b", "a")] * 24, raters=6))
    assert found.finding == "a leads; b follows."
    assert headline(votes([("a", "b", "a")] * 24, raters=5)).finding.startswith("No system leads")


def test_an_exact_tie_names_both_and_no_number() -> None:
    found = headline(votes(duel("friendly", "terse", 40, 40)))
    assert found.finding == "No system leads; friendly and terse cannot be distinguished."
    assert found.certainty.startswith("Win rates: friendly 50 % (95 % interval 38 to 62 %), terse")
    assert found.next == (
        "friendly and terse are exactly even so far: no number of votes can be given."
    )


def test_all_ties() -> None:
    found = headline(votes(duel("a", "b", 0, 0, 12)))
    assert found.finding == "No system leads: all 12 votes are ties."
    assert "More of the same would not tell" in found.next


def test_how_many_more_votes_would_tell() -> None:
    table = votes(duel("a", "b", 66, 54), raters=120)
    found = headline(table)
    assert found.finding == "No system leads; a and b cannot be distinguished."
    ranking = rank_votes(table, SETTINGS).found
    wanted = continuation(120, ranking.gaps["a", "b"], ranking.critical)
    assert wanted.more is not None
    assert found.next.startswith(
        f"About {roughly(wanted.more or 0)} more votes would tell a from b (80 % power"
    )
    # By the textbook, 0.25 (2.8 / 0.05)² votes of 55 to 45.
    assert wanted.needed == pytest.approx(0.25 * (2.8 / 0.05) ** 2, rel=0.25)


def test_what_is_far_too_close_is_said_to_be() -> None:
    found = headline(votes(duel("a", "b", 61, 60)))
    assert "a and b are too close for more votes of this kind" in found.next
    assert "more than 20 times the 121 there are" in found.next


def test_the_planned_votes_may_do() -> None:
    found = headline(votes(duel("a", "b", 66, 40), planned=400))
    assert found.finding.startswith(("a leads", "No system leads yet"))
    assert "106 of 400 planned votes are in: provisional." in found.certainty
    if found.finding.startswith("No system"):
        assert found.next.startswith("The 294 planned votes that are missing should tell a from b")


def test_of_three_two_are_tied_behind_the_leader() -> None:
    rows = duel("a", "b", 60, 15) + duel("a", "c", 60, 15) + duel("b", "c", 40, 35)
    found = headline(votes(rows))
    assert found.finding == "a leads; b and c cannot be distinguished."
    assert "All 3 pairs are compared at once." in found.certainty
    assert found.next.startswith("No more votes are needed to name the best.")


def test_of_three_two_are_tied_in_front() -> None:
    rows = duel("a", "b", 40, 36) + duel("a", "c", 62, 14) + duel("b", "c", 62, 14)
    found = headline(votes(rows))
    assert found.finding == "No system leads; a and b cannot be distinguished; c follows."
    assert "a from b" in found.next or "a and b are too close" in found.next


def test_one_rater_says_nothing_about_others() -> None:
    found = headline(votes(duel("a", "b", 30, 10), raters=1))
    assert found.finding == (
        "No system leads: all votes are by one rater; a has the highest win rate so far."
    )
    assert found.next.endswith("Have several people vote: one says nothing about others.")
    even = headline(votes(duel("a", "b", 20, 20), raters=1))
    assert even.finding == (
        "No system leads: all votes are by one rater; a and b have the same win rate."
    )


def test_one_vote() -> None:
    found = headline(votes([("a", "b", "a")]))
    assert found.finding.startswith("No system leads: there is one vote only")
    assert found.next.startswith("Collect 19 more votes, so that every system has 20")


def test_whoever_won_everything_leads_by_win_rate() -> None:
    found = headline(votes(duel("a", "b", 30, 0)))
    assert found.finding == "a leads; b follows."
    assert found.next == "No more votes are needed to say that a is the best."


def test_ratings_alone() -> None:
    table = rated("quality", {"a": likert(4.2, 60, 1), "b": likert(2.5, 60, 2)})
    found = headline(table)
    assert found.finding == "a is above b in quality."
    assert found.certainty.startswith("Mean of quality: a 4.")
    assert found.certainty.endswith("120 answers by 6 raters on 120 dialogues.")
    assert found.next == "No more rated dialogues are needed: all systems are told apart."


def test_equal_means_have_no_first() -> None:
    same = likert(3.0, 30, 1)
    found = headline(rated("quality", {"a": same, "b": list(same)}))
    assert found.finding == "a and b cannot be distinguished on quality."
    assert "exactly even" in found.next


def test_two_that_are_equal_stand_above_the_third_together() -> None:
    top = likert(4.5, 60, 1)
    found = headline(
        rated("quality", {"a": top, "b": list(top), "c": likert(1.8, 60, 2)}),
    )
    assert found.finding == "a and b are above c in quality."


def test_how_many_more_rated_dialogues_would_tell() -> None:
    table = rated("quality", {"a": likert(3.3, 40, 3), "b": likert(3.0, 40, 4)})
    found = headline(table)
    (pair,) = (rate_systems(table, SETTINGS).found or pytest.fail("compared")).pairs
    ends = pair.difference.interval
    assert ends is not None
    error = (ends.high - ends.low) / 2 / 1.959964
    wanted = continuation(80, pair.difference.value / error, 1.959964)
    if wanted.is_far:
        assert "too close" in found.next
    else:
        assert f"About {roughly(wanted.more or 0)} more rated dialogues would tell" in found.next


def test_votes_come_first_and_ratings_follow() -> None:
    found = headline(
        votes(duel("a", "b", 90, 30)),
        rated("quality", {"a": likert(4.2, 60, 1), "b": likert(2.5, 60, 2)}),
    )
    assert found.finding == "a leads; b follows. a is above b in quality."
    assert found.certainty.index("votes") < found.certainty.index("Mean of quality")


def behaviours(**rates: tuple[float, float]) -> list[QuestionRatings]:
    return [
        rated(
            f"behaviours: {name}",
            {"a": share(one, 60), "b": share(other, 60)},
            presence=True,
            raters=60,
        )
        for name, (one, other) in rates.items()
    ]


def test_behaviours_are_summed_up_and_not_the_first_of_the_alphabet() -> None:
    tables = behaviours(
        antisocial=(0.1, 0.1), empathetic=(0.8, 0.2), ignores=(0.1, 0.6), unclear=(0.2, 0.2)
    )
    found = headline(*tables)
    assert found.finding == "Systems can be told apart on 2 of 4 labels: empathetic and ignores."
    assert "240 answers" not in found.certainty
    assert "120 answers by 60 raters on 120 dialogues." in found.certainty
    assert "corrected for all pairs of systems on all 4 labels (Holm)" in found.certainty
    assert "more than 20 times what was collected" in found.next


def test_behaviours_that_tell_nothing() -> None:
    found = headline(*behaviours(one=(0.1, 0.1), two=(0.3, 0.3)))
    assert found.finding == "No two systems can be distinguished on any of 2 labels."


def test_a_label_that_seems_to_differ_alone_is_not_named_among_many() -> None:
    alone = behaviours(near=(0.4, 0.2))
    assert headline(*alone).finding == "behaviours: near is given more often to a than to b."
    many = behaviours(near=(0.4, 0.2), one=(0.1, 0.1), two=(0.2, 0.2), three=(0.3, 0.3))
    assert headline(*many).finding == "No two systems can be distinguished on any of 4 labels."


def test_the_next_label_to_tell_is_named() -> None:
    found = headline(*behaviours(clear=(0.9, 0.1), near=(0.4, 0.25)))
    assert "more rated dialogues would tell systems apart on near, too" in found.next


def test_one_system_has_a_mean_and_nothing_to_compare() -> None:
    found = headline(rated("quality", {"a": likert(3.0, 30, 1)}))
    assert found.finding.endswith("on average for a, the only system.")
    assert found.next == "To compare, have dialogues of a second system rated."


def test_simulated_raters_and_kinds_are_said() -> None:
    found = headline(votes(duel("a", "b", 40, 40)), simulated=True, raters="simulated")
    assert found.certainty.endswith("Only answers of simulated raters. All raters are simulated.")


def test_raters_who_are_all_exactly_even() -> None:
    # Each of ten raters votes once for either: nothing varies between raters.
    rows = [("a", "b", "a")] * 10 + [("a", "b", "b")] * 10
    found = headline(votes(rows, raters=10))
    assert found.finding == "No system leads; a and b cannot be distinguished."
    assert found.next == "a and b are exactly even so far: no number of votes can be given."


def test_a_system_with_few_votes_gets_as_many_as_it_lacks() -> None:
    rows = [*duel("a", "b", 40, 20), *duel("c", "a", 2, 1)]
    found = headline(votes(rows))
    # Each vote on c is a vote on another system as well, which has enough: c lacks 17.
    assert found.next.startswith("Collect 17 more votes on c, so that it has 20")


def test_many_votes_of_one_rater_ask_for_people_and_not_for_votes() -> None:
    found = headline(votes(duel("a", "b", 22, 3), raters=1))
    assert found.finding.startswith("No system leads: all votes are by one rater")
    assert found.next == "Have several people vote: one says nothing about others."


def test_ratings_of_one_rater_ask_for_people() -> None:
    table = rated("quality", {"a": likert(4.4, 40, 1), "b": likert(2.1, 40, 2)}, raters=1)
    assert headline(table).next.endswith("Have several people rate: one says nothing about others.")


def test_ratings_that_are_all_the_same_have_no_interval() -> None:
    found = headline(rated("quality", {"a": [5.0] * 30, "b": [5.0] * 30}))
    assert found.finding == "All answers to quality are “5”, so nothing distinguishes a and b."
    assert found.certainty == "60 answers by 6 raters on 60 dialogues."
    assert found.next.startswith("More of the same would not tell")


def test_labels_that_nobody_gave_and_everybody_gave() -> None:
    none = rated("faults: dull", {"a": [0.0] * 30, "b": [0.0] * 30}, presence=True)
    found = headline(none)
    assert found.finding == "No answer gives dull, so nothing distinguishes a and b."
    all_of = rated("faults: wrong", {"a": [1.0] * 30, "b": [1.0] * 30}, presence=True)
    found = headline(none, all_of)
    assert found.finding == "No two systems can be distinguished on any of 2 labels."
    assert found.next.startswith("On every label all answers are the same.")
    # A share of none of 30 is not known to be none: Wilson's interval goes to 11 %.
    compared = rate_systems(none, SETTINGS).found
    assert compared is not None
    interval = compared.systems["a"].interval
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((0.0, 0.1135), abs=1e-3)
    assert [pair.difference.interval for pair in compared.pairs] == [None]


def test_a_system_with_few_dialogues_comes_first() -> None:
    few = {"a": likert(3.6, 80, 1), "b": likert(3.0, 80, 2), "c": likert(3.1, 3, 3)}
    found = headline(rated("quality", few))
    assert found.next == "Have more dialogues of c rated: there are 3, and each system needs 20."


def test_what_the_only_system_got_on_several_questions() -> None:
    found = headline(
        rated("quality", {"a": [4.0, 5.0] * 10}), rated("warmth", {"a": [6.0, 8.0] * 9})
    )
    assert found.finding == (
        "quality is 4.50 on average and warmth is 7.00 on average for a, the only system."
    )
    assert found.certainty.startswith("quality 4.50 (95 % interval 3.9")
    assert found.next == "To compare, have dialogues of a second system rated."


def test_a_number_that_nobody_collects_is_said_to_be_one() -> None:
    even = [*duel("a", "b", 20_100, 20_000)]
    found = headline(votes(even, raters=400))
    assert "(more than 100,000 of them)" in found.next


def test_one_dialogue_of_each_system_gives_no_number() -> None:
    one = rated("quality", {"a": [3.0], "b": [4.0]})
    found = headline(one, rated("warmth", {"a": [2.0], "b": [5.0]}))
    assert found.next.startswith("On 2 questions there are too few rated dialogues for a number")
    assert "20 times" not in found.next
