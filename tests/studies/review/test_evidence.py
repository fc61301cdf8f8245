"""A study's answers as the tables that the statistics read."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import update

from palaver.storage import Store
from palaver.storage.judging.evidence import count_preferences
from palaver.storage.judging.exclusions import exclude
from palaver.storage.people.rater_work import find_rater
from palaver.storage.schema import labels, slots
from palaver.storage.studies.studies import register_study
from palaver.studies.review.evidence import (
    RATING_COLUMNS,
    VOTE_COLUMNS,
    StudyEvidence,
    study_evidence,
)
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


def evidence(judging: Judging, *, kind: str | None = None) -> StudyEvidence:
    return judging.store.read_now(
        lambda c: study_evidence(
            c, study_id=judging.study_id, name="judged", questions=QUESTIONS, kind=kind
        )
    )


def rows(found: StudyEvidence, name: str) -> list[tuple[object, ...]]:
    table = next(each for each in found.measured if each.name == name).ratings
    return list(zip(*(table.column(column) for column in RATING_COLUMNS), strict=True))


def test_nothing_was_said(judging: Judging) -> None:
    found = evidence(judging)
    assert found.study == "judged"
    assert found.measured == ()
    assert found.votes == {}


def test_a_rating_knows_its_dialogue_system_and_rater(judging: Judging) -> None:
    one, other = judging.dialogue(system="terse"), judging.dialogue(system="chatty")
    judging.say("quality", one, "ann", 4, seconds=5.0)
    judging.say("quality", other, "bo", 2, kind="model", seconds=None)
    # An ordinal value is its place on the scale from 1 to 5.
    assert rows(evidence(judging), "quality") == [
        (f"dialogue:{one}", "ann", "simulated", 3, one, "terse", 5.0, None),
        (f"dialogue:{other}", "bo", "model", 1, other, "chatty", None, None),
    ]


def test_the_turns_of_a_dialogue_share_its_name(judging: Judging) -> None:
    key = judging.dialogue("Hello", "I see.", "Yes", "I see.")
    judging.say("polite", key, "ann", "yes", seq=3)
    judging.say("polite", key, "ann", "no", seq=5)
    found = rows(evidence(judging), "polite")
    assert len({row[0] for row in found}) == 2
    assert {row[4] for row in found} == {key}
    assert [row[3] for row in found] == ["yes", "no"]
    # The system spoke in both.
    assert {row[-1] for row in found} == {"system"}


def test_a_set_of_labels_is_one_table_for_each(judging: Judging) -> None:
    key = judging.dialogue()
    judging.say("faults", key, "ann", ["dull"], seq=3)
    judging.say("faults", key, "bo", [], seq=3)
    found = evidence(judging)
    assert [each.name for each in found.named("faults")] == [
        "faults: dull",
        "faults: wrong",
    ]
    assert [row[3] for row in rows(found, "faults: dull")] == [True, False]
    assert [row[3] for row in rows(found, "faults: wrong")] == [False, False]


def test_what_was_changed_practised_or_excluded_does_not_count(judging: Judging) -> None:
    key = judging.dialogue()
    judging.say("quality", key, "ann", 1)
    judging.say("quality", key, "ann", 5)
    judging.say("quality", key, "cy", 2)
    judging.say("quality", key, "trainee", 3, purpose="training")
    rater = judging.store.read_now(lambda c: find_rater(c, "cy"))
    assert rater is not None
    judging.store.write_now(
        lambda c: exclude(
            c, study_id=judging.study_id, rater_id=rater.id, excluded=True, account="o", now=NOW
        )
    )
    assert [row[1:4] for row in rows(evidence(judging), "quality")] == [("ann", "simulated", 4)]


def test_one_kind_of_rater(judging: Judging) -> None:
    key = judging.dialogue()
    judging.say("quality", key, "ann", 1)
    judging.say("quality", key, "gpt", 5, kind="model")
    assert [row[1] for row in rows(evidence(judging, kind="model"), "quality")] == ["gpt"]


def test_words_are_not_measured(judging: Judging) -> None:
    judging.say("remarks", judging.dialogue(), "ann", "It was fine.")
    assert evidence(judging).measured == ()


def test_votes_name_the_systems_and_agree_with_the_board(judging: Judging) -> None:
    terse = [judging.dialogue(system="terse") for _ in range(4)]
    chatty = [judging.dialogue(system="chatty") for _ in range(4)]
    for number, (one, other) in enumerate(zip(terse, chatty, strict=True)):
        better = [one, one, other, None][number]
        judging.prefer(better, one, other, f"rater {number}")
    table = evidence(judging).votes["preference"].columns
    assert tuple(table) == VOTE_COLUMNS
    words = {"first": "model_a", "second": "model_b", "tie": "tie"}
    counted = judging.store.read_now(lambda c: count_preferences(c, "judged", "preference"))
    votes = list(zip(table["model_a"], table["model_b"], table["winner"], strict=True))
    assert Counter(votes) == {
        (each.first, each.second, words[each.value]): each.count for each in counted
    }
    won = Counter({"model_a": a, "model_b": b}.get(winner, winner) for a, b, winner in votes)
    assert won == {"terse": 2, "chatty": 1, "tie": 1}


def test_a_pair_has_no_system_of_its_own(judging: Judging) -> None:
    one, other = judging.dialogue(system="terse"), judging.dialogue(system="chatty")
    judging.prefer(one, one, other, "ann")
    (row,) = rows(evidence(judging), "preference")
    assert row[5] is None
    assert row[4] == row[0]


def test_what_was_said_on_a_sheet_that_was_given_up_does_not_count(judging: Judging) -> None:
    key = judging.dialogue()
    held = judging.sheet("person", key, took=None)
    held.say("quality", key, 3)
    assert len(rows(evidence(judging), "quality")) == 1
    judging.store.write_now(
        lambda c: c.execute(
            update(slots).where(slots.c.id == held.slot_id).values(state="abandoned")
        )
    )
    assert evidence(judging).measured == ()


def test_a_vote_on_a_sheet_that_was_given_up_is_on_no_board(judging: Judging) -> None:
    one, other = judging.dialogue(system="terse"), judging.dialogue(system="chatty")
    held = judging.sheet("person", one, took=None)
    judging.prefer(one, one, other, "ann")
    judging.store.write_now(lambda c: c.execute(update(labels).values(slot_id=held.slot_id)))
    counted = judging.store.read_now(lambda c: count_preferences(c, "judged", "preference"))
    assert sum(each.count for each in counted) == 1
    judging.store.write_now(lambda c: c.execute(update(slots).values(state="abandoned")))
    assert judging.store.read_now(lambda c: count_preferences(c, "judged", "preference")) == []
