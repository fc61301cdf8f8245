"""Which answers stand, what each rater did, and where labels belong, on both databases."""

from collections import Counter

import pytest

from palaver.storage import Store
from palaver.storage.dialogues.dialogues import load_dialogue
from palaver.storage.judging import slot_returns, slots
from palaver.storage.judging.answer_counts import StudyAnswerCounts, count_answers
from palaver.storage.judging.exclusions import exclude, exclusion_notes
from palaver.storage.judging.ratings import standing_ratings, turn_texts, unit_places
from palaver.storage.judging.screenings import settle_attempt, start_attempt
from palaver.storage.judging.tidy import labels_in_place
from palaver.storage.people.erasure import erase_assignment
from palaver.storage.people.rater_work import find_rater, rater_work, raters_of
from palaver.storage.studies.studies import register_study
from support.reviewing import STUDY, Judging
from support.seeding import NOW


@pytest.fixture
def judging(store: Store) -> Judging:
    """An empty study beside another one that must not be counted."""
    ids = [
        store.write_now(
            lambda c, name=name: register_study(
                c, name=name, title=name, digest="d", definition=STUDY, now=NOW
            )
        )
        for name in ("other", "judged")
    ]
    elsewhere = Judging(store, ids[0])
    elsewhere.say("quality", elsewhere.dialogue(), "sim:other", 1)
    return Judging(store, ids[1])


def standing(judging: Judging, **given: object) -> list[tuple[str, int, object]]:
    found = judging.store.read_now(
        lambda c: standing_ratings(c, judging.study_id, **given)  # type: ignore[arg-type]
    )
    if not given:
        counted = judging.store.read_now(
            lambda c: count_answers(c, [judging.study_id]).get(
                judging.study_id, StudyAnswerCounts()
            )
        )
        # What is counted is what is read, however the two find it.
        assert counted.by_question == Counter(rating.question for rating in found)
        assert counted.raters == len({rating.rater_id for rating in found})
    return [(rating.question, rating.rater_id, rating.value) for rating in found]


def rater_id(judging: Judging, key: str) -> int:
    found = judging.store.read_now(lambda c: find_rater(c, key))
    assert found is not None
    return found.id


def leave_out(judging: Judging, key: str, *, excluded: bool = True) -> None:
    rater = rater_id(judging, key)
    judging.store.write_now(
        lambda c: exclude(
            c,
            study_id=judging.study_id,
            rater_id=rater,
            excluded=excluded,
            account="olga",
            reason="too fast",
            now=NOW,
        )
    )


def test_only_the_last_answer_of_a_rater_stands(judging: Judging) -> None:
    key = judging.dialogue()
    judging.say("quality", key, "sim:1", 2)
    judging.say("quality", key, "sim:1", 4)
    judging.say("remarks", key, "sim:1", None)
    judging.say("quality", key, "sim:1", 1, purpose="attention")
    rater = rater_id(judging, "sim:1")
    assert standing(judging) == [("quality", rater, 4)]
    assert standing(judging, question="remarks") == []


def test_raters_can_be_taken_by_kind(judging: Judging) -> None:
    key = judging.dialogue()
    judging.say("quality", key, "sim:1", 2)
    judging.say("quality", key, "model:judge", 5, kind="model")
    model = rater_id(judging, "model:judge")
    assert standing(judging, kind="model") == [("quality", model, 5)]
    assert standing(judging, kind="person") == []
    assert len(standing(judging)) == 2


def test_an_excluded_rater_is_left_out_until_taken_back_in(judging: Judging) -> None:
    key = judging.dialogue()
    judging.say("quality", key, "sim:1", 2)
    judging.say("quality", key, "sim:2", 3)
    leave_out(judging, "sim:1")
    assert [value for _, _, value in standing(judging)] == [3]
    assert len(standing(judging, with_excluded=True)) == 2
    leave_out(judging, "sim:1", excluded=False)
    assert len(standing(judging)) == 2
    notes = judging.store.read_now(lambda c: exclusion_notes(c, study_id=judging.study_id))
    assert [(note.excluded, note.account, note.reason) for note in notes] == [
        (True, "olga", "too fast"),
        (False, "olga", "too fast"),
    ]


def test_what_was_said_under_an_abandoned_slot_does_not_stand(judging: Judging) -> None:
    key = judging.dialogue()
    kept, gone = judging.sheet("ann", key), judging.sheet("bob", key, took=None)
    kept.say("quality", key, 5)
    gone.say("quality", key, 1)
    assert len(standing(judging)) == 2
    judging.store.write_now(
        lambda c: slot_returns.abandon_stale(
            c, now=NOW + 9999, limits={(judging.study_id, 1): 60.0}
        )
    )
    assert [value for _, _, value in standing(judging)] == [5]


def test_what_was_erased_does_not_stand(judging: Judging) -> None:
    key = judging.dialogue()
    ann = judging.sheet("ann", key)
    ann.say("quality", key, 5)
    judging.store.write_now(lambda c: erase_assignment(c, ann.assignment_id, now=NOW))
    assert standing(judging) == []


def test_a_rater_is_summed_up(judging: Judging) -> None:
    key, other = judging.dialogue(), judging.dialogue()
    ann = judging.sheet("ann", key, took=90.0)
    for n, (dialogue, seconds) in enumerate([(key, 4.0), (other, 10.0)]):
        ann.say("quality", dialogue, 4, seconds=seconds)
        ann.say("warmth", dialogue, n, seconds=None)
    ann.say("remarks", key, None)
    judging.store.write_now(
        lambda c: settle_attempt(
            c,
            start_attempt(
                c,
                study_id=judging.study_id,
                stage=0,
                participant_id=ann.participant_id,
                assignment_id=ann.assignment_id,
                attempt=1,
                now=NOW,
            ).id,
            passed=True,
            mistakes=[[2]],
            now=NOW,
        )
    )
    (work,) = judging.store.read_now(lambda c: rater_work(c, study_id=judging.study_id))
    assert (work.labels, work.abstained, work.sheets) == (4, 1, 1)
    assert sorted(work.label_seconds) == [4.0, 10.0]
    assert work.sheet_seconds == [pytest.approx(90.0)]
    assert (work.attempts, work.passed) == (1, True)
    assert (work.gold, work.checks) == (0, 0)
    mine = rater_id(judging, ann.alias)
    assert judging.store.read_now(lambda c: rater_work(c, rater_id=mine)) == [work]


def test_a_missed_attention_check_stands_with_its_sheet(judging: Judging) -> None:
    key = judging.dialogue()
    ann = judging.sheet("ann", key, took=None)
    ann.say("quality", key, 4)
    judging.store.write_now(lambda c: slots.complete(c, ann.slot_id, mistakes=1, now=NOW + 5))
    (work,) = judging.store.read_now(lambda c: rater_work(c, study_id=judging.study_id))
    assert (work.sheets, work.checks, work.missed) == (1, 1, 1)


def test_raters_of_another_study_are_not_among_them(judging: Judging) -> None:
    judging.say("quality", judging.dialogue(), "sim:1", 4)
    found = judging.store.read_now(lambda c: raters_of(c, judging.study_id))
    assert [rater.key for rater in found.values()] == ["sim:1"]


def test_units_know_their_place_and_their_words(judging: Judging) -> None:
    one, other = judging.dialogue("Hello", "I see."), judging.dialogue()
    judging.say("polite", one, "sim:1", "yes", seq=3)
    judging.prefer(one, one, other, "sim:1")
    ratings = judging.store.read_now(lambda c: standing_ratings(c, judging.study_id))
    places = judging.store.read_now(lambda c: unit_places(c, {r.unit_id for r in ratings}))
    turn, pair = (next(p for p in places.values() if p.kind == kind) for kind in ("event", "pair"))
    assert (turn.dialogue, turn.first_seq, turn.sides) == (one, 3, None)
    assert (pair.dialogue, set(pair.sides or ())) == (None, {one, other})
    texts = judging.store.read_now(lambda c: turn_texts(c, places))
    assert texts == {turn.id: "I see."}


def test_the_labels_of_a_dialogue_come_with_their_history(judging: Judging) -> None:
    one, other = judging.dialogue(), judging.dialogue()
    judging.say("polite", one, "sim:1", "no", seq=3)
    judging.say("polite", one, "sim:1", "yes", seq=3)
    judging.say("quality", one, "sim:2", 3)
    judging.say("quality", other, "sim:2", 1)
    judging.prefer(other, one, other, "sim:2")
    leave_out(judging, "sim:2")
    number = judging.store.read_now(lambda c: load_dialogue(c, one).id)
    found = judging.store.read_now(lambda c: labels_in_place(c, number))
    told = [(label.question, label.value, label.superseded, label.excluded) for label in found]
    assert told == [
        ("polite", "no", True, False),
        ("polite", "yes", False, False),
        ("preference", found[2].value, False, True),
        ("quality", 3, False, True),
    ]
    assert found[1].supersedes == found[0].id
    assert set(found[2].place.sides or ()) == {one, other}
