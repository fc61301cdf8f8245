"""What raters said, measured: per question, per rater, and unit by unit."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.analysis.agreement import NO_PAIRS, Judgement, agreement
from palaver.storage import Store
from palaver.storage.judging.exclusions import exclude
from palaver.storage.judging.ratings import Rating, unit_places
from palaver.storage.people.rater_work import find_rater
from palaver.storage.studies.studies import register_study
from palaver.studies.review.answers import facets_of
from palaver.studies.review.question_overview import QuestionOverview
from palaver.studies.review.questions import (
    NO_ANSWERS,
    UNKNOWN,
    WORDS,
    DisagreementMap,
    StandingAnswers,
    disagreement_map,
    question_overviews,
    read_answers,
    stored_questions,
)
from palaver.studies.review.raters import RaterOverview, majority_agreement, rater_overviews
from support.databases import new_sqlite
from support.reviewing import QUESTIONS, STUDY, Judging
from support.seeding import NOW


@pytest.fixture
def judging(tmp_path: Path) -> Iterator[Judging]:
    store = Store(new_sqlite(tmp_path / "palaver.db"))
    study_id = store.write_now(
        lambda c: register_study(
            c, name="judged", title="Judged", digest="d", definition=STUDY, now=NOW
        )
    )
    yield Judging(store, study_id)
    store.close()


def overview(judging: Judging, name: str, *, raters: str = "all") -> QuestionOverview:
    answers = judging.store.read_now(
        lambda c: read_answers(c, judging.study_id, raters=raters, questions=QUESTIONS)
    )
    found = question_overviews(QUESTIONS, answers, asked=QUESTIONS)
    return next(each for each in found if each.name == name)


def rater_table(judging: Judging, *, raters: str = "all") -> dict[str, RaterOverview]:
    found = judging.store.read_now(
        lambda c: rater_overviews(c, judging.study_id, QUESTIONS, raters=raters)
    )
    return {each.rater: each for each in found}


def map_of(judging: Judging, name: str) -> DisagreementMap:
    answers = judging.store.read_now(lambda c: read_answers(c, judging.study_id, question=name))
    return disagreement_map(name, QUESTIONS[name], answers)


def leave_out(judging: Judging, key: str) -> None:
    rater = judging.store.read_now(lambda c: find_rater(c, key))
    assert rater is not None
    judging.store.write_now(
        lambda c: exclude(
            c, study_id=judging.study_id, rater_id=rater.id, excluded=True, account="o", now=NOW
        )
    )


def test_the_level_of_the_question_chooses_the_coefficient(judging: Judging) -> None:
    points = {"A": "123321412...", "B": "1233224125.3", "C": ".3332342251.", "D": "12332441251."}
    keys = [judging.dialogue() for _ in range(12)]
    for rater, row in points.items():
        for key, point in zip(keys, row, strict=True):
            if point != ".":
                judging.say("quality", key, rater, int(point))
                judging.say("warmth", key, rater, int(point))
    # K. Krippendorff (2011): ordinal 0.815, interval 0.849.
    for name, level, published in [("quality", "ordinal", 0.815), ("warmth", "interval", 0.849)]:
        (facet,) = overview(judging, name).facets
        assert facet.agreement.level == level
        assert facet.agreement.alpha is not None
        assert round(facet.agreement.alpha, 3) == published
        assert facet.agreement.interval is not None
    quality = overview(judging, "quality")
    assert (quality.labels, quality.units, quality.shared, quality.raters) == (41, 12, 11, 4)
    # Codes of ordinal answers are places on the scale: the point 2 was given 13 times.
    assert quality.facets[0].tally[1] == 13
    assert quality.older == 0


def test_sets_of_labels_have_one_coefficient_per_label(judging: Judging) -> None:
    key = judging.dialogue("a", "b", "c", "d", "e", "f")
    said = {"A": [["dull"], ["dull"], []], "B": [["dull", "wrong"], ["dull"], []]}
    for rater, answers in said.items():
        for seq, answer in zip((3, 5, 7), answers, strict=True):
            judging.say("faults", key, rater, answer, seq=seq)
    dull, wrong = overview(judging, "faults").facets
    assert (dull.facet.name, wrong.facet.name) == ("dull", "wrong")
    assert dull.agreement.alpha == pytest.approx(1.0)
    # One of six answers has it: n D_o = 2, n (n − 1) D_e = 2 · 1 · 5, α = 1 − 5 · 2 / 10.
    assert wrong.agreement.alpha == pytest.approx(0.0)
    assert dull.tally == {True: 4, False: 2}


def test_aspects_and_places_are_measured_one_by_one(judging: Judging) -> None:
    key = judging.dialogue()
    for rater, kind, order in [
        ("A", 4, ["wit", "care", "speed"]),
        ("B", 5, ["care", "wit", "speed"]),
    ]:
        judging.say("traits", key, rater, {"kind": kind, "clever": 2})
        judging.say("order", key, rater, order)
    assert [(f.facet.name, f.tally) for f in overview(judging, "traits").facets] == [
        ("kind", {3: 1, 4: 1}),
        ("clever", {1: 2}),
    ]
    places = {f.facet.name: f.tally for f in overview(judging, "order").facets}
    assert places == {"wit": {0: 1, 1: 1}, "care": {1: 1, 0: 1}, "speed": {2: 2}}


def test_comparisons_are_names_with_the_sides_of_the_unit(judging: Judging) -> None:
    one, other = judging.dialogue(), judging.dialogue()
    judging.prefer(one, one, other, "A")
    judging.prefer(one, other, one, "B")
    judging.prefer(None, one, other, "C")
    (facet,) = overview(judging, "preference").facets
    assert facet.facet.scale == ("first", "tie", "second")
    assert sorted(facet.tally.values()) == [1, 2]
    assert facet.agreement.units == 1


def test_what_cannot_be_measured_says_why(judging: Judging) -> None:
    judging.say("remarks", judging.dialogue(), "A", "Nice.")
    judging.say("quality", judging.dialogue(), "A", 3)
    assert overview(judging, "remarks").reason == WORDS
    assert overview(judging, "remarks").labels == 1
    assert overview(judging, "polite").reason == NO_ANSWERS
    (facet,) = overview(judging, "quality").facets
    assert (facet.agreement.alpha, facet.agreement.reason) == (None, NO_PAIRS)
    answers = judging.store.read_now(lambda c: read_answers(c, judging.study_id))
    assert {each.reason for each in question_overviews({}, answers)} == {UNKNOWN}


def test_every_number_is_computed_without_an_excluded_rater(judging: Judging) -> None:
    keys = [judging.dialogue() for _ in range(4)]
    for n, key in enumerate(keys):
        for rater in ("A", "B"):
            judging.say("quality", key, rater, n + 1)
        judging.say("quality", key, "spam", 5 - n)
    before = overview(judging, "quality").facets[0].agreement
    leave_out(judging, "spam")
    after = overview(judging, "quality")
    assert before.alpha is not None
    assert before.alpha < 0.5
    assert after.facets[0].agreement.alpha == pytest.approx(1.0)
    assert (after.labels, after.raters) == (8, 2)
    assert judging.store.read_now(lambda c: read_answers(c, judging.study_id)).excluded == 1


def test_a_rater_is_held_against_the_majority_of_the_others(judging: Judging) -> None:
    keys = [judging.dialogue() for _ in range(3)]
    # Unit 1: all alike. Unit 2: D is alone. Unit 3: the others of A are divided.
    for key, points in zip(keys, ["3333", "2224", "1122"], strict=True):
        for rater, point in zip("ABCD", points, strict=True):
            judging.say("quality", key, rater, int(point))
    judging.say("quality", judging.dialogue(), "A", 5)
    found = rater_table(judging)
    assert (found["A"].alike, found["A"].compared) == (2, 3)
    assert (found["C"].alike, found["C"].compared) == (2, 3)
    assert (found["D"].alike, found["D"].compared) == (1, 3)
    assert found["D"].share == pytest.approx(1 / 3)


def test_where_the_others_are_divided_nothing_is_compared() -> None:
    ratings = [
        Rating("quality", "v", 1, rater, value, None)
        for rater, value in [(1, 3), (2, 3), (3, 4), (4, 4), (5, 5)]
    ]
    found = majority_agreement(QUESTIONS, ratings)
    # For rater 5 the others are two against two; for rater 1 they are one, two and one.
    assert 5 not in found
    assert found[1] == (0, 1)


def test_an_excluded_rater_is_compared_but_is_nobodys_other(judging: Judging) -> None:
    key = judging.dialogue()
    for rater, point in [("A", 3), ("B", 3), ("spam", 1)]:
        judging.say("quality", key, rater, point)
    leave_out(judging, "spam")
    found = rater_table(judging)
    assert (found["spam"].alike, found["spam"].compared, found["spam"].excluded) == (0, 1, True)
    assert (found["A"].alike, found["A"].compared) == (1, 1)


def test_kinds_of_raters_can_be_told_apart(judging: Judging) -> None:
    key = judging.dialogue()
    judging.say("quality", key, "sim", 3)
    judging.say("quality", key, "judge", 5, kind="model")
    assert list(rater_table(judging, raters="model")) == ["judge"]
    assert overview(judging, "quality", raters="model").labels == 1
    assert overview(judging, "quality").labels == 2


def test_the_map_leads_to_the_turns_that_split_raters(judging: Judging) -> None:
    key = judging.dialogue("a", "b", "c", "d", "e", "f")
    for seq, answers in [(3, "yyy"), (5, "yyn"), (7, "y")]:
        for rater, letter in zip("ABC", answers, strict=False):
            judging.say("polite", key, rater, "yes" if letter == "y" else "no", seq=seq)
    found = map_of(judging, "polite")
    places = judging.store.read_now(
        lambda c: unit_places(c, [unit.unit_id for unit in found.units])
    )
    told = [(places[unit.unit_id].first_seq, round(unit.split, 3), unit.n) for unit in found.units]
    assert told == [(5, 0.918, 3), (3, 0.0, 3)]
    assert found.units[0].counts == ({"yes": 2, "no": 1},)
    assert found.overview.facets[0].tally == {"yes": 6, "no": 1}


def test_of_several_labels_the_most_split_one_decides(judging: Judging) -> None:
    key = judging.dialogue("a", "b")
    judging.say("faults", key, "A", ["dull"], seq=3)
    judging.say("faults", key, "B", ["dull", "wrong"], seq=3)
    (unit,) = map_of(judging, "faults").units
    assert (unit.split, unit.widest) == (1.0, "wrong")
    assert unit.counts == ({True: 2}, {False: 1, True: 1})


def test_answers_to_an_older_wording_are_counted_and_said() -> None:
    old = [Rating("quality", "old", unit, rater, 3, None) for unit in (1, 2) for rater in (1, 2)]
    new = [
        Rating("quality", QUESTIONS["quality"].version, 3, rater, rater, None) for rater in (1, 2)
    ]
    odd = [Rating("quality", "older", 4, 1, "splendid", None)]
    given = [*old, *new, *odd]
    answers = StandingAnswers(given, 0, {"quality": given})
    found = disagreement_map("quality", QUESTIONS["quality"], answers)
    assert (found.overview.older, found.overview.unread) == (5, 1)
    expected = agreement(
        [Judgement(r.unit_id, r.rater_id, r.value) for r in [*old, *new]], level="ordinal"
    )
    assert found.overview.facets[0].agreement.alpha == expected.alpha


def test_the_labels_of_an_older_set_are_read_as_they_were_stored() -> None:
    faults = QUESTIONS["faults"]
    ratings = [Rating("faults", "old", 1, rater, {"odd": 1}, "dull|gone") for rater in (1, 2)]
    facets = facets_of(faults, ratings)
    assert [facet.name for facet in facets] == ["dull", "wrong"]
    overview = question_overviews(
        QUESTIONS, StandingAnswers(ratings, 0, {"faults": ratings}), asked=["faults"]
    )[0]
    assert [each.tally for each in overview.facets] == [{True: 2}, {False: 2}]


def test_the_questions_of_a_study_that_is_not_served_come_from_its_stored_file() -> None:
    assert list(stored_questions(STUDY)) == list(QUESTIONS)
    assert stored_questions("just: [text") == {}
    assert stored_questions("") == {}


def test_the_interval_draws_whole_dialogues(judging: Judging) -> None:
    said: list[Judgement] = []
    dialogue_of: dict[tuple[int, int], int] = {}
    for n in range(6):
        key = judging.dialogue("Hello", "I see.", "Really?", "Yes, really.")
        for seq in (3, 5):
            for rater in ("A", "B", "C"):
                # All turns of a dialogue are alike, and in every third dialogue one rater differs.
                answer = "yes" if (n % 2) != (n % 3 == 0 and rater == "C") else "no"
                judging.say("polite", key, rater, answer, seq=seq)
                said.append(Judgement((n, seq), rater, answer))
                dialogue_of[n, seq] = n
    found = overview(judging, "polite").facets[0].agreement
    clustered = agreement(said, level="nominal", clusters=[dialogue_of], method="bca").interval
    alone = agreement(said, level="nominal", method="bca").interval
    assert found.interval is not None
    assert clustered is not None
    assert alone is not None
    # The order of dialogues decides what a seed draws: they are numbered here as they are stored.
    assert found.interval.low == pytest.approx(clustered.low)
    assert found.interval.low < alone.low - 0.2


def test_a_comparison_is_counted_by_the_systems_that_were_preferred(judging: Judging) -> None:
    for n, better in enumerate(["terse", "terse", "chatty", None]):
        # The pair is stored in the order of its keys: either system may be the first.
        by_system = {
            system: judging.dialogue("Hi", "I see.", system=system)
            for system in ("terse", "chatty")
        }
        chosen = None if better is None else by_system[better]
        judging.prefer(chosen, by_system["terse"], by_system["chatty"], f"rater {n}")
    (facet,) = overview(judging, "preference").facets
    assert [(each.answer, each.count) for each in facet.counts] == [
        ("chatty", 1),
        ("terse", 2),
        ("No difference", 1),
    ]


def test_ties_alone_name_the_systems_that_tied(judging: Judging) -> None:
    pair = [judging.dialogue("Hi", "I see.", system=system) for system in ("terse", "chatty")]
    judging.prefer(None, pair[0], pair[1], "A")
    (facet,) = overview(judging, "preference").facets
    assert [(each.answer, each.count) for each in facet.counts] == [
        ("chatty", 0),
        ("terse", 0),
        ("No difference", 1),
    ]


def test_what_gives_no_label_is_counted(judging: Judging) -> None:
    key = judging.dialogue("Hello", "I see.")
    judging.say("faults", key, "A", [], seq=3)
    judging.say("faults", key, "B", ["dull"], seq=3)
    found = overview(judging, "faults")
    assert [(each.answer, each.count) for each in found.unlabelled] == [("none of these", 1)]
    assert (found.labels, found.left_out) == (2, 0)


def test_what_was_left_out_is_counted_for_the_raters_asked_about(judging: Judging) -> None:
    key = judging.dialogue("Hello", "I see.")
    judging.say("remarks", key, "A", "Fine.")
    judging.say("remarks", key, "B", None)
    judging.say("remarks", key, "C", None, kind="model")
    assert overview(judging, "remarks").left_out == 2
    assert overview(judging, "remarks", raters="model").left_out == 1
    leave_out(judging, "B")
    assert overview(judging, "remarks").left_out == 1


def test_ones_own_conversation_has_one_judge_by_design(judging: Judging) -> None:
    judging.say("quality", judging.dialogue(), "A", 3)
    judging.say("quality", judging.dialogue(), "B", 5)
    answers = judging.store.read_now(lambda c: read_answers(c, judging.study_id))

    def single(own: set[str]) -> bool:
        found = question_overviews(QUESTIONS, answers, own=own)
        return next(each for each in found if each.name == "quality").single

    assert single({"quality"})
    assert not single(set())
