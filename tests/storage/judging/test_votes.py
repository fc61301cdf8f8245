"""Votes that are kept are the votes as they stand, whatever happened since."""

from collections.abc import Callable

import pytest
from sqlalchemy import func, select, update

from palaver.storage import Store
from palaver.storage.judging import votes
from palaver.storage.judging.evidence import count_preferences
from palaver.storage.judging.exclusions import exclude
from palaver.storage.judging.summaries import keep_summary
from palaver.storage.judging.votes import read_votes, summary_of, votes_name
from palaver.storage.people.erasure import erase_assignment
from palaver.storage.people.rater_work import find_rater
from palaver.storage.schema import labels
from palaver.storage.studies.studies import register_study
from support.reviewing import STUDY, Judging
from support.seeding import NOW

QUESTION = "preference"


@pytest.fixture
def judging(store: Store, monkeypatch: pytest.MonkeyPatch) -> Judging:
    """A study with three votes, of which what was counted is kept."""
    monkeypatch.setattr(votes, "FEW", 1)
    study_id = store.write_now(
        lambda c: register_study(
            c, name="judged", title="Judged", digest="", definition=STUDY, now=NOW
        )
    )
    found = Judging(store, study_id)
    for number in range(3):
        vote(found, f"sim:{number}")
    assert keep(found)
    return found


def vote(judging: Judging, rater: str) -> tuple[str, str]:
    one, other = judging.dialogue(system="terse"), judging.dialogue(system="chatty")
    judging.prefer(one, one, other, rater)
    return one, other


def keep(judging: Judging) -> bool:
    """Keep what is due; whether anything was."""
    found = judging.store.read_now(lambda c: read_votes(c, judging.study_id, "judged", QUESTION))
    if not found.keep:
        return False
    judging.store.write_now(
        lambda c: keep_summary(c, judging.study_id, votes_name(QUESTION), summary_of(found, NOW))
    )
    return True


def total(judging: Judging) -> int:
    """How many votes there are: what is read is what a recount finds."""
    found = judging.store.read_now(lambda c: read_votes(c, judging.study_id, "judged", QUESTION))
    counted = judging.store.read_now(lambda c: count_preferences(c, "judged", QUESTION))
    assert found.preferences == counted
    return sum(each.count for each in counted)


def test_what_is_kept_is_read_without_counting(
    judging: Judging, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = judging.store.read_now(lambda c: count_preferences(c, "judged", QUESTION))

    def refuse(*given: object, **also: object) -> None:
        raise AssertionError("counted again")

    monkeypatch.setattr(votes, "count_preferences", refuse)
    found = judging.store.read_now(lambda c: read_votes(c, judging.study_id, "judged", QUESTION))
    assert found.preferences == counted
    assert not keep(judging)


def test_new_votes_are_added_and_kept_once_there_are_many(
    judging: Judging, monkeypatch: pytest.MonkeyPatch
) -> None:
    vote(judging, "sim:0")
    assert total(judging) == 4
    assert not keep(judging)
    monkeypatch.setattr(votes, "MANY", 0)
    assert keep(judging)
    assert total(judging) == 4


def _exclude(judging: Judging) -> None:
    rater = judging.store.read_now(lambda c: find_rater(c, "sim:1"))
    assert rater is not None
    judging.store.write_now(
        lambda c: exclude(c, study_id=judging.study_id, rater_id=rater.id, excluded=True, now=NOW)
    )


def _correct(judging: Judging) -> None:
    one, other = vote(judging, "sim:0")
    judging.prefer(other, one, other, "sim:0")


def _erase(judging: Judging) -> None:
    ann = judging.seeder.visit("ann")
    first = select(func.min(labels.c.id)).scalar_subquery()
    judging.store.write_now(
        lambda c: c.execute(update(labels).where(labels.c.id == first).values(assignment_id=ann.id))
    )
    judging.store.write_now(lambda c: erase_assignment(c, ann.id, now=NOW))


@pytest.mark.parametrize(
    ("change", "left"), [(_exclude, 2), (_correct, 4), (_erase, 2)], ids=["out", "anew", "erased"]
)
def test_whatever_happens_the_votes_are_those_that_stand(
    judging: Judging, change: Callable[[Judging], None], left: int
) -> None:
    change(judging)
    assert total(judging) == left
    assert keep(judging)
    assert total(judging) == left
