"""Who is given which condition, and with whom: on a real store."""

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaver.collection.pairing import (
    Full,
    Seated,
    SeatSeeker,
    Waiting,
    _seatings,
    estimate,
    rank_conditions,
    seat,
    seat_with_system,
)
from palaver.collection.plan import ChatPlan, ConditionPlan
from palaver.core.scenario import Scenario
from palaver.core.studies.progress import ConditionProgress
from palaver.games.open_chat.rules import OpenChat
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import load_dialogue_by_id
from palaver.storage.people.participants import enter
from palaver.storage.studies import quotas
from palaver.storage.studies.studies import register_study
from support.databases import new_sqlite


def ranked(done: dict[str, int], *progress: ConditionProgress, lot: int = 1) -> list[str]:
    return rank_conditions(done, progress, random.Random(lot))


def test_the_condition_a_person_had_least_comes_first_then_the_one_most_needed() -> None:
    a, b = ConditionProgress("a", 5, 0, 0), ConditionProgress("b", 9, 0, 0)

    assert ranked({}, a, b) == ["b", "a"]
    assert ranked({"b": 1}, a, b) == ["a", "b"]
    assert ranked({}, a, replace(b, done=8)) == ["a", "b"]
    assert ranked({}, a, replace(b, held=8)) == ["a", "b"]
    assert ranked({"b": 3}, replace(a, done=5), b) == ["b"]
    assert ranked({}, replace(a, done=5), replace(b, held=9)) == []


def test_ties_are_drawn_by_lot() -> None:
    a, b = ConditionProgress("a", 5, 0, 0), ConditionProgress("b", 5, 0, 0)

    assert {ranked({}, a, b, lot=lot)[0] for lot in range(20)} == {"a", "b"}


def test_a_condition_without_a_quota_stays_open_and_the_least_served_goes_first() -> None:
    full, one, two = (
        ConditionProgress("a", 2, 0, 2),
        ConditionProgress("b", None, 3, 6),
        ConditionProgress("c", None, 0, 1),
    )

    assert ranked({}, full, one, two) == ["c", "b"]


@given(
    done=st.dictionaries(st.sampled_from("abcd"), st.integers(0, 5)),
    rows=st.lists(
        st.tuples(st.none() | st.integers(1, 9), st.integers(0, 9), st.integers(0, 9)),
        min_size=1,
        max_size=4,
    ),
    lot=st.integers(),
)
def test_whatever_the_numbers_only_open_conditions_are_named_least_done_first(
    done: dict[str, int], rows: list[tuple[Any, int, int]], lot: int
) -> None:
    progress = [ConditionProgress(name, *row) for name, row in zip("abcd", rows, strict=False)]

    order = ranked(done, *progress, lot=lot)

    assert set(order) == {p.condition for p in progress if p.free is None or p.free > 0}
    assert [done.get(name, 0) for name in order] == sorted(done.get(name, 0) for name in order)


@pytest.mark.parametrize(
    ("waits", "waited", "says"),
    [
        ([], 0, "you are among the first"),
        ([10, 20], 0, "you are among the first"),
        ([10, 20, 30], 5, "less than a minute"),
        ([100, 130, 400], 5, "Half of the last 3 people waited less than 2 min."),
        ([10, 20, 30], 31, "longer than usual"),
    ],
)
def test_the_estimate_is_honest(waits: list[float], waited: float, says: str) -> None:
    assert says in estimate(waits, waited)


# Seating, on a real store.


class Table:
    """A store with one study and people who come to it."""

    def __init__(self, store: Store, *conditions: ConditionPlan, **plan: Any) -> None:
        self.store = store
        study_id = store.write_now(
            lambda c: register_study(c, name="s", title="S", digest="", definition="", now=0.0)
        )
        self.plan = ChatPlan(
            study="s",
            study_id=study_id,
            stage=0,
            rules=OpenChat(exactly=4),
            conditions=conditions,
            draw_scenario=lambda rng: Scenario(),
            systems={},
            **plan,
        )
        needed = self.plan.quotas
        store.write_now(lambda c: quotas.set_quotas(c, study_id, 0, needed))

    def person(self, name: str, assignment: str = "1") -> SeatSeeker:
        entered = self.store.write_now(
            lambda c: enter(
                c,
                study_id=self.plan.study_id,
                crowd="link",
                person=name,
                assignment=assignment,
                first_step="stage:0",
                now=0.0,
            )
        )
        return SeatSeeker(entered.id, entered.participant_id, entered.key)

    def seat(self, person: SeatSeeker, now: float = 10.0) -> Any:
        return self.store.write_now(lambda c: seat(c, self.plan, person, holder="me", now=now))

    def systems(self, seated: Seated) -> list[str | None]:
        """Who sits opposite, dialogue by dialogue."""
        found = [
            self.store.read_now(lambda c, i=lease.dialogue_id: load_dialogue_by_id(c, i))
            for lease in seated.leases
        ]
        return [
            next((s.occupant for s in stored.dialogue.seats if s.kind == "system"), None)
            for stored in found
        ]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(new_sqlite(tmp_path / "palaver.db"))
    yield opened
    opened.close()


def test_a_person_who_comes_often_goes_round_the_conditions(store: Store) -> None:
    table = Table(store, ConditionPlan("a", ("a",), needed=9), ConditionPlan("b", ("b",), needed=2))

    met = [table.systems(table.seat(table.person("ann", str(n))))[0] for n in range(4)]

    assert met == ["a", "b", "a", "b"]


def test_asking_twice_gives_the_same_seat(store: Store) -> None:
    table = Table(store, ConditionPlan("a", ("a",), needed=2))
    ann = table.person("ann")

    first, again = table.seat(ann), table.seat(ann)

    assert again == Seated(first.group, ())
    assert isinstance(table.seat(table.person("ben")), Seated)
    assert table.seat(table.person("cem")) == Full(final=False)


def test_a_pair_of_systems_is_met_in_random_order(store: Store) -> None:
    table = Table(store, ConditionPlan("a|b", ("a", "b")))

    orders = {tuple(table.systems(table.seat(table.person(str(n))))) for n in range(20)}

    assert orders == {("a", "b"), ("b", "a")}


def test_two_people_are_brought_together_and_nobody_with_themselves(store: Store) -> None:
    table = Table(store, ConditionPlan("people", people=True))
    ann, twin, ben = table.person("ann"), table.person("ann", "2"), table.person("ben")

    assert table.seat(ann) == Waiting(10.0)
    assert table.seat(twin, now=11.0) == Waiting(11.0)
    seated = table.seat(ben, now=12.0)
    assert isinstance(seated, Seated)
    assert table.seat(ann, now=12.5) == Seated(seated.group, ())
    assert table.seat(twin, now=12.5) == Waiting(11.0)


def test_somebody_whose_page_is_gone_is_not_a_partner(store: Store) -> None:
    table = Table(store, ConditionPlan("people", people=True))
    table.seat(table.person("ann"), now=10.0)

    assert table.seat(table.person("ben"), now=20.0) == Waiting(20.0)


def test_a_stand_in_is_seated_only_for_somebody_who_still_waits(store: Store) -> None:
    table = Table(store, ConditionPlan("people", people=True), nobody_comes="bot")
    ann, ben, cem = (table.person(name) for name in ("ann", "ben", "cem"))

    def stand_in(person: SeatSeeker) -> Seated | None:
        return store.write_now(
            lambda c: seat_with_system(c, table.plan, person, holder="me", now=20.0)
        )

    table.seat(cem)
    alone = stand_in(cem)
    assert alone is not None
    assert table.systems(alone) == ["bot"]
    table.seat(ann)
    together = table.seat(ben)
    assert stand_in(ann) == Seated(together.group, ())


def test_which_of_two_systems_comes_first_is_drawn_by_lot() -> None:
    condition = ConditionPlan("a|b", ("a", "b"), needed=1)

    firsts = [_seatings(condition, [1], f"g_{n}", None)[0][1].system for n in range(1000)]

    # A fair coin gives between 430 and 570 heads in a thousand with probability 0.99999.
    assert 430 < firsts.count("a") < 570
