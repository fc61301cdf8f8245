"""Votes that are kept in memory are the votes as they stand, whatever happened since."""

from collections import Counter
from collections.abc import Callable

import pytest
from sqlalchemy import func, select, update

from palaver.storage import Store
from palaver.storage.judging import votes
from palaver.storage.judging.evidence import count_preferences
from palaver.storage.judging.exclusions import exclude
from palaver.storage.judging.votes import OUTCOMES, VoteRows, read_votes
from palaver.storage.people.erasure import erase_assignment
from palaver.storage.people.participants import finish
from palaver.storage.people.rater_work import find_rater
from palaver.storage.schema import labels
from palaver.storage.studies.studies import register_study
from support.reviewing import STUDY, Judging
from support.seeding import NOW

QUESTION = "preference"


class Polled:
    """A study with votes, and what was read of them so far."""

    def __init__(self, store: Store) -> None:
        study_id = store.write_now(
            lambda c: register_study(
                c, name="judged", title="Judged", digest="", definition=STUDY, now=NOW
            )
        )
        self.judging = Judging(store, study_id)
        self.rows = VoteRows()

    def vote(self, rater: str) -> tuple[str, str]:
        judging = self.judging
        one, other = judging.dialogue(system="terse"), judging.dialogue(system="chatty")
        judging.prefer(one, one, other, rater)
        return one, other

    def read(self) -> VoteRows:
        self.rows = self.judging.store.read_now(
            lambda c: read_votes(c, self.judging.study_id, QUESTION, self.rows)
        )
        return self.rows

    def total(self) -> int:
        """How many votes there are: what is read is what a count of all of them finds."""
        rows = self.read()
        counted = self.judging.store.read_now(lambda c: count_preferences(c, "judged", QUESTION))
        names, kinds = list(rows.systems), list(rows.kinds)
        read = Counter(
            (names[one], names[other], OUTCOMES[outcome], kinds[kind])
            for one, other, outcome, kind in zip(
                rows.first, rows.second, rows.outcome, rows.kind, strict=True
            )
        )
        assert read == {
            (each.first, each.second, each.value, each.rater_kind): each.count for each in counted
        }
        return len(rows)


@pytest.fixture
def polled(store: Store) -> Polled:
    """Three votes, which have been read."""
    found = Polled(store)
    for number in range(3):
        found.vote(f"sim:{number}")
    assert found.total() == 3
    return found


def test_what_is_known_is_not_read_again(polled: Polled, monkeypatch: pytest.MonkeyPatch) -> None:
    version, read = polled.rows.version, []
    add = votes._add

    def noted(connection, rows, study_id, question, after):
        read.append(after)
        add(connection, rows, study_id, question, after)

    monkeypatch.setattr(votes, "_add", noted)
    assert polled.read().version == version
    assert read == []
    newest = polled.rows.mark.newest
    polled.vote("sim:0")
    assert polled.total() == 4
    assert read == [newest]
    assert polled.rows.version == version + 1


def _exclude(polled: Polled) -> None:
    store = polled.judging.store
    rater = store.read_now(lambda c: find_rater(c, "sim:1"))
    assert rater is not None
    store.write_now(
        lambda c: exclude(
            c, study_id=polled.judging.study_id, rater_id=rater.id, excluded=True, now=NOW
        )
    )


def _correct(polled: Polled) -> None:
    one, other = polled.vote("sim:0")
    polled.judging.prefer(other, one, other, "sim:0")


def _into_visit(polled: Polled, **given) -> int:
    """The first vote was given in a visit."""
    ann = polled.judging.seeder.visit("ann", **given)
    first = select(func.min(labels.c.id)).scalar_subquery()
    polled.judging.store.write_now(
        lambda c: c.execute(update(labels).where(labels.c.id == first).values(assignment_id=ann.id))
    )
    return ann.id


def _erase(polled: Polled) -> None:
    visit = _into_visit(polled)
    polled.judging.store.write_now(lambda c: erase_assignment(c, visit, now=NOW))


@pytest.mark.parametrize(
    ("change", "left"), [(_exclude, 2), (_correct, 4), (_erase, 2)], ids=["out", "anew", "erased"]
)
def test_whatever_happens_the_votes_are_those_that_stand(
    polled: Polled, change: Callable[[Polled], None], left: int
) -> None:
    version = polled.rows.version
    change(polled)
    assert polled.total() == left
    assert polled.rows.version > version
    assert polled.total() == left


def test_a_visit_is_under_way_until_it_ends(polled: Polled) -> None:
    visit = _into_visit(polled, state=None)
    polled.rows = VoteRows()
    assert polled.read().under_way == {visit}
    version = polled.rows.version
    polled.judging.store.write_now(
        lambda c: finish(c, visit, state="finished", reason="complete", code=None, now=NOW + 7)
    )
    rows = polled.read()
    assert (rows.under_way, rows.ended) == (set(), {visit: NOW + 7})
    assert rows.version == version + 1
