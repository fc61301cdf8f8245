"""What the researcher's pages count and list, on both databases."""

import pytest
from sqlalchemy import update

from palaver.core.events import END, Event
from palaver.core.listings import Window
from palaver.core.studies.dialogues import DialogueFilter, Use
from palaver.core.studies.visits import FailureCount, Tally
from palaver.storage import Store
from palaver.storage.dialogues.lists import list_dialogues, neighbours, read_choices, siblings
from palaver.storage.dialogues.summaries import (
    count_failures,
    count_places,
    count_studies,
    count_visits,
    ended_visits,
    running_dialogues,
)
from palaver.storage.engine.appends import Append, append
from palaver.storage.people.erasure import erase_assignment
from palaver.storage.people.participants import enter
from palaver.storage.people.raters import list_raters
from palaver.storage.people.visits import list_visits
from palaver.storage.schema import dialogues
from palaver.storage.studies import quotas
from palaver.storage.studies.studies import register_study
from support.seeding import NOW, Seeder


@pytest.fixture
def study(store: Store) -> Seeder:
    """An empty study beside another one that must not be counted."""
    ids = [
        store.write_now(
            lambda c, name=name: register_study(
                c, name=name, title=name, digest="d", definition="", now=NOW
            )
        )
        for name in ("other", "pilot")
    ]
    other = Seeder(store, ids[0])
    other.dialogue(other.visit("elsewhere"), "not counted", reason="quit", failures=1)
    return Seeder(store, ids[1])


def endings(store: Store) -> list[Tally]:
    (count,) = store.read_now(lambda c: count_studies(c, "pilot"))
    return list(count.endings)


def test_a_study_counts_its_own_dialogues_and_visits(store: Store, study: Seeder) -> None:
    ann = study.visit("ann")
    study.visit("bob", state=None)
    study.dialogue(ann, "hello", "I see.")
    study.dialogue(ann, "still here", reason=None)
    (count,) = store.read_now(lambda c: count_studies(c, "pilot"))
    assert (count.dialogues, count.running, count.visits, count.finished) == (2, 1, 2, 1)
    assert len(store.read_now(count_studies)) == 2


def test_somebody_who_comes_again_is_one_person_in_two_visits(store: Store, study: Seeder) -> None:
    for work in ("monday", "tuesday"):
        store.write_now(
            lambda c, work=work: enter(
                c,
                study_id=study.study_id,
                crowd="prolific",
                person="ann",
                assignment=work,
                first_step="consent",
                now=NOW,
            )
        )
    study.visit("bob")
    (count,) = store.read_now(lambda c: count_studies(c, "pilot"))
    assert (count.people, count.visits, count.finished) == (2, 3, 1)


def test_practice_and_checks_are_counted_apart_from_data(store: Store, study: Seeder) -> None:
    ann = study.visit("ann")
    for purpose in ("real", "training", "gold", "attention"):
        dialogue, _ = study.dialogue(ann, "hello", failures=1, reason=purpose)
        store.write_now(
            lambda c, dialogue=dialogue, purpose=purpose: c.execute(
                update(dialogues).where(dialogues.c.id == dialogue).values(purpose=purpose)
            )
        )
    (count,) = store.read_now(lambda c: count_studies(c, "pilot"))
    assert (count.dialogues, count.running, count.practice, count.checks) == (1, 0, 1, 2)
    assert endings(store) == [Tally("real", 1)]
    (failed,) = store.read_now(lambda c: count_failures(c, study.study_id))
    assert (failed.count, failed.dialogues) == (1, 1)


def test_practice_and_checks_are_listed_where_they_are_asked_for(
    store: Store, study: Seeder
) -> None:
    ann = study.visit("ann")
    keys = {}
    for purpose in ("real", "training", "gold", "attention"):
        dialogue, keys[purpose] = study.dialogue(ann, purpose, condition=f"c-{purpose}")
        store.write_now(
            lambda c, dialogue=dialogue, purpose=purpose: c.execute(
                update(dialogues).where(dialogues.c.id == dialogue).values(purpose=purpose)
            )
        )

    def listed(use: Use) -> list[str]:
        wanted = DialogueFilter(study="pilot", use=use)
        return [
            row.id for row in store.read_now(lambda c: list_dialogues(c, wanted, Window())).rows
        ]

    assert listed("data") == [keys["real"]]
    assert listed("practice") == [keys["training"]]
    assert listed("checks") == [keys["attention"], keys["gold"]]
    choices = store.read_now(lambda c: read_choices(c, "pilot", "checks"))
    assert (choices.conditions, choices.uses) == (
        ("c-attention", "c-gold"),
        ("practice", "checks"),
    )
    assert store.read_now(lambda c: read_choices(c, "other")).uses == ()
    assert store.read_now(lambda c: neighbours(c, keys["gold"])) == (None, None)


def test_why_a_dialogue_ended_is_forgotten_with_the_person_who_ended_it(
    store: Store, study: Seeder
) -> None:
    ann = study.visit("ann", state="withdrawn", reason="withdrawn")
    dialogue, _ = study.dialogue(ann, "bye", reason=None)
    by_ann = Event(seq=3, seat=0, action=END, data={"reason": "quit"}, time=NOW)
    store.write_now(lambda c: append(c, Append(dialogue, [by_ann])))
    assert endings(store) == [Tally("quit", 1)]

    store.write_now(lambda c: erase_assignment(c, ann.id, now=NOW))

    assert endings(store) == [Tally("", 1)]
    assert store.read_now(lambda c: running_dialogues(c, study.study_id)) == []


def test_places_are_counted_by_condition_and_state(store: Store, study: Seeder) -> None:
    store.write_now(lambda c: quotas.set_quotas(c, study.study_id, 0, {"a": 2, "b": 1}))
    study.place("g1", condition="a")
    found = store.read_now(lambda c: count_places(c, study.study_id))
    assert {(p.condition, p.state): p.count for p in found} == {
        ("a", "done"): 1,
        ("a", "free"): 1,
        ("b", "free"): 1,
    }


def test_running_dialogues_come_newest_first_with_their_size(store: Store, study: Seeder) -> None:
    ann = study.visit("ann")
    _, first = study.dialogue(ann, "one", reason=None, ago=100)
    _, second = study.dialogue(ann, "one", "two", "three", reason=None, ago=50)
    study.dialogue(ann, "over")
    found = store.read_now(lambda c: running_dialogues(c, study.study_id))
    assert [(d.key, d.messages, d.last) for d in found] == [
        (second, 3, NOW - 20),
        (first, 1, NOW - 90),
    ]


def test_endings_and_failures_are_tallied(store: Store, study: Seeder) -> None:
    ann = study.visit("ann")
    study.dialogue(ann, "a", failures=2)
    study.dialogue(ann, "b", failures=1)
    study.dialogue(ann, "c", reason="idle")
    study.dialogue(ann, "d", reason=None)
    assert endings(store) == [
        Tally("complete", 2),
        Tally("idle", 1),
    ]
    assert store.read_now(lambda c: count_failures(c, study.study_id)) == [
        FailureCount("terse", "timeout", 3, 2)
    ]


def test_visits_are_counted_by_how_far_they_came(store: Store, study: Seeder) -> None:
    study.dialogue(study.visit("ann"), "a")
    study.visit("bob", state="declined", reason="declined", consented=False)
    study.visit("cem", state="declined", reason="declined", consented=False)
    found = store.read_now(lambda c: count_visits(c, study.study_id))
    assert {(v.state, v.consented, v.seated): v.count for v in found} == {
        ("declined", False, False): 2,
        ("finished", True, True): 1,
    }


def test_ended_visits_have_their_length_and_wait(store: Store, study: Seeder) -> None:
    study.visit("ann", minutes=5, waited=90)
    study.visit("bob", state=None)
    (visit,) = store.read_now(lambda c: ended_visits(c, study.study_id))
    assert visit.seconds == pytest.approx(300)
    assert visit.waited == 90


def test_dialogues_are_read_a_page_at_a_time_in_both_directions(
    store: Store, study: Seeder
) -> None:
    ann = study.visit("ann")
    keys = [study.dialogue(ann, f"message {n}")[1] for n in range(5)][::-1]
    wanted = DialogueFilter(study="pilot")

    def page(**place: str) -> list[str]:
        window = Window(size=2, **place)
        found = store.read_now(lambda c: list_dialogues(c, wanted, window))
        return [row.id for row in found.rows] + ["…"] * found.has_next

    assert page() == [*keys[:2], "…"]
    assert page(after=keys[1]) == [*keys[2:4], "…"]
    assert page(after=keys[3]) == [keys[4]]
    assert page(before=keys[4]) == [*keys[2:4], "…"]
    assert page(before=keys[2]) == [*keys[:2], "…"]
    assert page(after="d_nothing") == []


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (DialogueFilter(study="pilot", status="running"), ["run"]),
        (DialogueFilter(study="pilot", status="ended"), ["lost", "done"]),
        (DialogueFilter(study="pilot", status="idle"), ["lost"]),
        (DialogueFilter(study="pilot", condition="b"), ["lost"]),
        (DialogueFilter(study="pilot", system="chatty"), ["done"]),
        (DialogueFilter(study="pilot", text="APPLES"), ["done"]),
        (DialogueFilter(study="pilot", text="100%"), ["lost"]),
        (DialogueFilter(study="pilot", text='"quoted"'), ["run"]),
        (DialogueFilter(study="pilot", text="text"), []),
        (DialogueFilter(study="nowhere"), []),
    ],
)
def test_dialogues_are_filtered(
    store: Store, study: Seeder, wanted: DialogueFilter, expected: list[str]
) -> None:
    ann = study.visit("ann")
    names = {
        study.dialogue(ann, "I like apples", system="chatty")[1]: "done",
        study.dialogue(ann, "100% sure", condition="b", reason="idle")[1]: "lost",
        study.dialogue(ann, 'she said "quoted"', reason=None)[1]: "run",
    }
    found = store.read_now(lambda c: list_dialogues(c, wanted, Window()))
    assert [names[row.id] for row in found.rows] == expected


def test_a_listed_dialogue_knows_its_size_and_seats(store: Store, study: Seeder) -> None:
    ann = study.visit("ann")
    study.dialogue(ann, "hello", "I see.", failures=1)
    found = store.read_now(lambda c: list_dialogues(c, DialogueFilter(study="pilot"), Window()))
    (row,) = found.rows
    assert (row.size.messages, row.size.failures, row.seconds) == (2, 1, 50.0)
    assert [(o.kind, o.occupant) for o in row.seats] == [
        ("person", ann.alias),
        ("system", "terse"),
    ]


def test_neighbours_siblings_and_choices(store: Store, study: Seeder) -> None:
    ann = study.visit("ann")
    _, first = study.dialogue(ann, "a", group="g", position=0)
    _, second = study.dialogue(ann, "b", group="g", position=1, system="chatty")
    _, third = study.dialogue(ann, "c")
    assert store.read_now(lambda c: neighbours(c, second)) == (first, third)
    assert store.read_now(lambda c: neighbours(c, first)) == (None, second)
    assert store.read_now(lambda c: siblings(c, "g")) == [first, second]
    choices = store.read_now(lambda c: read_choices(c, "pilot"))
    assert choices.systems == ("chatty", "terse")
    assert choices.conditions == ("terse|chatty",)


def test_visits_are_listed_with_their_dialogues(store: Store, study: Seeder) -> None:
    ann = study.visit("ann")
    _, key = study.dialogue(ann, "a")
    bob = study.visit("bob", state=None)
    found = store.read_now(lambda c: list_visits(c, study.study_id, Window(size=1)))
    assert [visit.alias for visit in found.rows] == [bob.alias]
    assert found.has_next
    window = Window(size=1, after=found.rows[-1].id)
    (visit,) = store.read_now(lambda c: list_visits(c, study.study_id, window)).rows
    assert (visit.panel_id, visit.dialogues) == ("ann", ((key, "terse|chatty"),))


def test_raters_have_the_median_of_their_times(store: Store, study: Seeder) -> None:
    ann = study.visit("ann")
    times = {"sim:1": (20.0, 4.0, 6.0), "sim:2": (None, 9.0, 2.0, 5.0, 3.0), "sim:3": (None,)}
    for rater, each in times.items():
        for n, seconds in enumerate(each):
            _, one = study.dialogue(ann, "a", group=f"{rater}{n}")
            _, other = study.dialogue(ann, "b", group=f"{rater}{n}", position=1)
            study.preference(one, other, "first", rater=rater, seconds=seconds)
    found = store.read_now(lambda c: list_raters(c, Window())).rows
    assert [(each.key, each.labels, each.timed, each.median_seconds) for each in found] == [
        ("sim:3", 1, 0, None),
        ("sim:2", 5, 4, 4.0),
        ("sim:1", 3, 3, 6.0),
    ]
    (_, pilot) = store.read_now(count_studies)
    assert (pilot.labels, pilot.raters) == (9, 3)


def test_what_was_erased_is_listed_without_words_or_identity(store: Store, study: Seeder) -> None:
    ann = study.visit("ann", state="withdrawn", reason="withdrawn")
    study.dialogue(ann, "my secret", "I see.", reason="withdrawn")
    store.write_now(lambda c: erase_assignment(c, ann.id, now=NOW))
    wanted = DialogueFilter(study="pilot", text="secret")
    assert store.read_now(lambda c: list_dialogues(c, wanted, Window())).rows == []
    (visit,) = store.read_now(lambda c: list_visits(c, study.study_id, Window())).rows
    assert (visit.panel_id, visit.erased) == (None, True)
    (row,) = store.read_now(
        lambda c: list_dialogues(c, DialogueFilter(study="pilot"), Window())
    ).rows
    assert (row.size.messages, row.size.erased, row.reason) == (2, 1, "withdrawn")
