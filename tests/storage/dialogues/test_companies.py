"""Who hangs together through the dialogues they shared, on both databases."""

import pytest

from palaver.core.scenario import Scenario
from palaver.storage import Store
from palaver.storage.dialogues.companies import companies
from palaver.storage.dialogues.dialogues import Occupant, create_dialogue
from palaver.storage.people.participants import Assignment
from palaver.storage.studies.studies import register_study
from support.seeding import NOW, Seeder


@pytest.fixture
def study(store: Store) -> Seeder:
    return Seeder(
        store,
        store.write_now(
            lambda c: register_study(
                c, name="pilot", title="Pilot", digest="d", definition="", now=NOW
            )
        ),
    )


def together(study: Seeder, *people: Assignment) -> None:
    study.store.write_now(
        lambda c: create_dialogue(
            c,
            study_id=study.study_id,
            stage=0,
            condition="people",
            scenario=Scenario(),
            occupants=[Occupant(assignment_id=each.id) for each in people],
            now=NOW,
        )
    )


def test_whoever_shared_a_dialogue_is_one_company_by_way_of_others_too(
    store: Store, study: Seeder
) -> None:
    ann, bob, cem, dot, eve, fay = (study.visit(each) for each in "abcdef")
    together(study, cem, dot)
    together(study, ann, bob)
    together(study, dot, ann)
    study.dialogue(eve, "hello", "I see.")
    found = store.read_now(lambda c: companies(c, study.study_id))
    assert found == {ann.id: ann.id, bob.id: ann.id, cem.id: ann.id, dot.id: ann.id, eve.id: eve.id}
    assert fay.id not in found


def test_people_of_another_study_are_left_out(store: Store, study: Seeder) -> None:
    together(study, study.visit("ann"), study.visit("bob"))
    assert store.read_now(lambda c: companies(c, study.study_id + 1)) == {}
