"""Standings: a record across studies that is only ever appended to."""

import pytest

from palaver.core.studies.raters import QualificationEntry
from palaver.storage import Store
from palaver.storage.people import rater_work
from palaver.storage.people.rater_work import verdict
from support.sheets import add_study, visitor


def entry(state: str, name: str = "apt") -> QualificationEntry:
    return QualificationEntry(name, state, 1, "", 0.0)


def test_the_newest_state_of_each_name_holds_across_studies(store: Store) -> None:
    first, second = add_study(store, "first"), add_study(store, "second")
    ann = visitor(store, first, "ann").rater.participant_id
    ben = visitor(store, first, "ben").rater.participant_id

    def note(study_id: int, name: str, state: str, time: float) -> None:
        store.write_now(
            lambda c: rater_work.record(
                c,
                participant_id=ann,
                name=name,
                state=state,
                study_id=study_id,
                reason="why",
                now=time,
            )
        )

    note(first, "apt", "passed", 1.0)
    note(first, "kind", "failed", 2.0)
    note(second, "apt", "barred", 3.0)

    def newest(person: int, name: str) -> str | None:
        return store.read_now(lambda c: rater_work.standing(c, person, name))

    assert (newest(ann, "apt"), newest(ann, "kind")) == ("barred", "failed")
    assert (newest(ann, "other"), newest(ben, "apt")) == (None, None)
    assert store.read_now(lambda c: rater_work.entries_of(c, ann)) == [
        QualificationEntry("apt", "passed", first, "why", 1.0),
        QualificationEntry("kind", "failed", first, "why", 2.0),
        QualificationEntry("apt", "barred", second, "why", 3.0),
    ]


@pytest.mark.parametrize(
    ("states", "held"),
    [
        ([], None),
        (["passed"], "passed"),
        (["passed", "warned"], "passed"),
        (["warned"], None),
        (["passed", "warned", "barred"], "barred"),
        (["passed", "barred", "lifted"], "passed"),
        (["failed", "lifted"], None),
        (["failed", "lifted", "passed"], "passed"),
    ],
)
def test_a_warning_changes_nothing_and_lifting_takes_back(
    states: list[str], held: str | None
) -> None:
    found = verdict([entry("failed", "another"), *map(entry, states)], "apt")
    assert (None if found is None else found.state) == held
