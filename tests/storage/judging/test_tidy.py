"""The tidy table: turns, labels in words, raters; on both databases."""

import pytest
from sqlalchemy import event

from palaver.annotation.submission import Submission, submit
from palaver.core.units import Unit, event_unit, seat_unit
from palaver.storage import Store
from palaver.storage.judging.exclusions import exclude
from palaver.storage.judging.tidy import (
    borrowed_dialogues,
    label_records,
    labelled_pairs,
    labels_of_dialogues,
    rater_records,
    tidy_page,
    turns_of,
)
from palaver.storage.people.raters import ensure_rater
from palaver.storage.schema import labels as label_table
from support.verdicts import Judged


@pytest.fixture
def judged(store: Store) -> Judged:
    return Judged.register(store)


SAID = [(0, "hi"), (0, "there"), (1, "hello"), (0, "so"), (1, "yes"), (1, "indeed")]


def test_a_turn_is_counted_as_the_dialogue_counts_it(judged: Judged) -> None:
    key = judged.dialogue(*SAID)
    (found,) = judged.store.read_now(lambda c: turns_of(c, [1])).values()
    counted = {
        entry.seq: number
        for number, turn in enumerate(judged.load(key).turns(), start=1)
        for entry in turn.events
    }
    assert found == counted
    assert found == {2: 1, 3: 1, 4: 2, 5: 3, 6: 4, 7: 4}  # neither join, notice nor end


def test_labels_have_the_number_of_their_turn(judged: Judged) -> None:
    one, other = judged.dialogue(*SAID), judged.dialogue((1, "good day"), (0, "hi"))
    for turn in (1, 2, 3, 4):
        judged.say(one, "liked", "up", turn=turn)
    judged.say(other, "tone", 1, turn=1)
    judged.say(one, "clear", 3)
    judged.say(one, "better", "a", other=other)
    rows = judged.store.read_now(lambda c: list(label_records(c, "judged")))
    assert [(r.question, r.dialogue, r.seq, r.turn) for r in rows] == [
        ("liked", one, 2, 1),
        ("liked", one, 4, 2),
        ("liked", one, 5, 3),
        ("liked", one, 6, 4),
        ("tone", other, 2, 1),
        ("clear", one, None, None),
        ("better", None, None, None),
    ]


def test_a_seat_and_an_event_of_the_house_have_no_turn(judged: Judged) -> None:
    key = judged.dialogue(*SAID)
    for unit in (seat_unit(key, 1), event_unit(key, 1)):
        _say_of_unit(judged, unit)
    rows = judged.store.read_now(lambda c: list(label_records(c)))
    assert [(r.seq, r.turn) for r in rows] == [(None, None), (1, None)]


def test_dialogues_are_looked_at_once_however_many_labels_they_have(judged: Judged) -> None:
    keys = [judged.dialogue(*SAID) for _ in range(3)]
    for rater in range(4):
        for key in keys:
            judged.say(key, "liked", "down", turn=1, rater=f"sim:{rater}")
    statements: list[str] = []

    def read(connection: object) -> int:
        event.listen(
            connection,
            "before_cursor_execute",
            lambda *given: statements.append(given[2]),
        )
        return len(list(label_records(connection, batch=3)))  # type: ignore[arg-type]

    assert judged.store.read_now(read) == 12
    assert sum("FROM events" in statement for statement in statements) == 1


def test_a_label_says_what_the_value_means(judged: Judged) -> None:
    key = judged.dialogue(*SAID)
    judged.say(key, "topic", "work")
    judged.say(key, "traits", ["kind", "curt"])
    judged.say(key, "traits", [], rater="sim:bo")
    judged.say(key, "score", 40)
    judged.say(key, "remark", None)
    rows = judged.store.read_now(lambda c: list(label_records(c)))
    assert [(r.value, r.label) for r in rows] == [
        ("work", "about work"),
        (["kind", "curt"], "kind|curt"),
        ([], ""),
        (40, None),
        (None, "abstained"),
    ]


def test_what_was_erased_has_neither_value_nor_label(judged: Judged) -> None:
    key = judged.dialogue(*SAID)
    judged.say(key, "topic", "work")
    judged.say(key, "remark", None)
    erased = label_table.update().values(value=None, label=None, erased=5.0)
    judged.store.write_now(lambda c: c.execute(erased))
    page = judged.store.read_now(lambda c: tidy_page(c, judged.study_id))
    assert [(row.value, row.label, row.erased) for row in page] == [
        (None, None, True),
        (None, None, True),
    ]


def test_a_page_begins_behind_a_label(judged: Judged) -> None:
    key = judged.dialogue(*SAID)
    for turn in (1, 2, 3):
        judged.say(key, "liked", "up", turn=turn)
    first = judged.store.read_now(lambda c: tidy_page(c, judged.study_id, limit=2))
    rest = judged.store.read_now(lambda c: tidy_page(c, judged.study_id, after=first[-1].id))
    assert [row.turn for row in (*first, *rest)] == [1, 2, 3]


def test_labels_by_dialogue_and_by_pair(judged: Judged) -> None:
    one, other = judged.dialogue(*SAID), judged.dialogue(*SAID)
    judged.say(one, "clear", 2)
    judged.say(one, "liked", "up", turn=2)
    judged.say(one, "better", "b", other=other)
    found = judged.store.read_now(lambda c: labels_of_dialogues(c, "judged", [other, one]))
    assert {key: [row.question for row in rows] for key, rows in found.items()} == {
        one: ["clear", "liked"],
        other: [],
    }
    (pair,) = judged.store.read_now(lambda c: list(labelled_pairs(c, "judged", batch=1)))
    assert pair.dialogues == tuple(sorted((one, other)))
    chosen = {"first": pair.dialogues[0], "second": pair.dialogues[1]}
    assert chosen[pair.labels[0].value] == other


def test_dialogues_that_another_study_holds(judged: Judged) -> None:
    elsewhere = Judged.register(judged.store, name="elsewhere", text="title: Elsewhere\n")
    own, theirs = judged.dialogue(*SAID), elsewhere.dialogue(*SAID)
    judged.say(own, "clear", 2)
    judged.say(theirs, "clear", 3)
    assert judged.store.read_now(lambda c: borrowed_dialogues(c, "judged")) == [theirs]
    assert judged.store.read_now(lambda c: borrowed_dialogues(c, "elsewhere")) == []


def test_raters_with_how_much_they_did_and_whether_it_counts(judged: Judged) -> None:
    key = judged.dialogue(*SAID)
    judged.say(key, "clear", 2)
    judged.say(key, "clear", 3)
    judged.say(key, "clear", 4, rater="model:judge", kind="model")
    ids = {
        name: judged.store.write_now(
            lambda c, name=name, kind=kind: ensure_rater(c, key=name, kind=kind, now=1.0)
        )
        for name, kind in (("sim:ann", "simulated"), ("model:judge", "model"))
    }

    def set_aside(name: str, excluded: bool) -> None:
        judged.store.write_now(
            lambda c: exclude(
                c, study_id=judged.study_id, rater_id=ids[name], excluded=excluded, now=9.0
            )
        )

    set_aside("sim:ann", True)
    set_aside("model:judge", True)
    set_aside("model:judge", False)
    rows = judged.store.read_now(lambda c: list(rater_records(c, "judged")))
    assert [
        (r.rater, r.rater_kind, r.labels, r.excluded, r.first_time, r.last_time) for r in rows
    ] == [
        ("sim:ann", "simulated", 2, True, 101.0, 102.0),
        ("model:judge", "model", 1, False, 103.0, 103.0),
    ]


def _say_of_unit(judged: Judged, unit: Unit) -> None:
    submission = Submission(
        study_id=judged.study_id,
        question=judged.questions["clear"],
        unit=unit,
        rater="sim:ann",
        rater_kind="simulated",
        answer=3,
        time=1.0,
    )
    judged.store.write_now(lambda c: submit(c, submission))
