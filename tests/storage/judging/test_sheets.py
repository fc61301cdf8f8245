"""Sheets in the store: taken in once, with as many slots as they need, in the order asked for."""

from collections import Counter
from dataclasses import replace

import pytest
from sqlalchemy import select

from palaver.core.errors import InputError
from palaver.core.sheets import RightAnswer, Truth
from palaver.storage import Store
from palaver.storage.judging import slots
from palaver.storage.judging.sheets import add_sheets, count_sheets, rank, sheets_of
from palaver.storage.schema import sheet_people
from palaver.storage.schema import sheets as sheet_rows
from palaver.storage.schema import slots as slot_rows
from support.sheets import STAGE, add_real, add_study, new_sheet, visitor


@pytest.fixture
def study_id(store: Store) -> int:
    return add_study(store)


def slots_by_rank(store: Store) -> list[tuple[str, int]]:
    """The name of each slot's sheet and its number, in the order of handing out."""
    statement = (
        select(sheet_rows.c.name, slot_rows.c.number)
        .join(sheet_rows, sheet_rows.c.id == slot_rows.c.sheet_id)
        .order_by(slot_rows.c.rank)
    )
    return [tuple(row) for row in store.read_now(lambda c: c.execute(statement).all())]


def states(store: Store) -> Counter[str]:
    rows = store.read_now(lambda c: c.execute(select(slot_rows.c.state)).scalars().all())
    return Counter(rows)


def test_a_sheet_comes_back_as_it_went_in(store: Store, study_id: int) -> None:
    truth = Truth(answers=(RightAnswer(unit="event:d:2", question="apt", any_of=("yes", ["a"])),))
    new = new_sheet("one", 7, group="g", truth=truth, people=("ann", "ben", "ann"))

    added = store.write_now(
        lambda c: add_sheets(c, study_id, STAGE, "gold", [new], order="file", seed=1)
    )

    [found] = store.read_now(lambda c: sheets_of(c, study_id, STAGE, "gold"))
    assert added == 1
    assert (found.name, found.group, found.position) == ("one", "g", 7)
    assert (found.content, found.truth) == (new.content, truth)
    people = store.read_now(lambda c: c.execute(select(sheet_people.c.person)).scalars().all())
    assert sorted(people) == ["ann", "ben"]
    assert states(store) == {}


def test_sheets_are_taken_in_once(store: Store, study_id: int) -> None:
    assert add_real(store, study_id, 3, needed=2) == 3
    assert add_real(store, study_id, 5, needed=2) == 2
    assert store.read_now(lambda c: count_sheets(c, study_id, STAGE, "real")) == 5
    assert states(store) == {"free": 10}


def test_slots_follow_what_is_needed(store: Store, study_id: int) -> None:
    add_real(store, study_id, 2, needed=1)
    add_real(store, study_id, 2, needed=3)
    assert states(store) == {"free": 6}

    add_real(store, study_id, 2, needed=2)
    assert states(store) == {"free": 4}


def test_what_is_held_stays_when_less_is_needed(store: Store, study_id: int) -> None:
    add_real(store, study_id, 1, needed=3)
    for name in ("ann", "ben"):
        rater = visitor(store, study_id, name).rater
        store.write_now(
            lambda c, rater=rater: slots.claim(
                c,
                study_id=study_id,
                stage=STAGE,
                participant_id=rater.participant_id,
                assignment_id=rater.assignment_id,
                people=rater.names,
                now=1.0,
            )
        )

    add_real(store, study_id, 1, needed=1)
    assert states(store) == {"held": 2}

    add_real(store, study_id, 1, needed=4)
    assert states(store) == {"held": 2, "free": 2}


def test_in_file_order_one_sheet_is_finished_after_the_other(store: Store, study_id: int) -> None:
    add_real(store, study_id, 3, needed=2, order="file")

    assert slots_by_rank(store) == [
        *(("t0", 1), ("t0", 2)),
        *(("t1", 1), ("t1", 2)),
        *(("t2", 1), ("t2", 2)),
    ]


def test_in_balanced_order_every_sheet_gets_its_first_rater_first(
    store: Store, study_id: int
) -> None:
    add_real(store, study_id, 20, needed=3)

    order = slots_by_rank(store)
    assert [number for _, number in order] == [1] * 20 + [2] * 20 + [3] * 20
    rounds = [[name for name, _ in order[n : n + 20]] for n in (0, 20, 40)]
    assert len({tuple(names) for names in rounds}) == 3
    assert [f"t{n}" for n in range(20)] not in rounds


def test_a_slot_added_later_stands_where_it_would_have_stood(store: Store, study_id: int) -> None:
    add_real(store, study_id, 20, needed=1)
    add_real(store, study_id, 20, needed=3)
    grown = slots_by_rank(store)
    other = add_study(store, "other")
    store.write_now(lambda c: c.execute(slot_rows.delete()))
    add_real(store, other, 20, needed=3)

    assert slots_by_rank(store) == grown


def test_random_order_is_drawn_anew_with_another_seed() -> None:
    sheets = [new_sheet(f"t{n}", n) for n in range(50)]

    def drawn(seed: int) -> list[str]:
        ranks = {s.name: rank("random", seed=seed, sheet=s, turn=1) for s in sheets}
        return sorted(ranks, key=lambda name: ranks[name])

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)
    assert drawn(1) != [sheet.name for sheet in sheets]


@pytest.mark.parametrize("order", ["balanced", "file", "random"])
def test_ranks_fit_the_column_and_are_never_negative(order: str) -> None:
    last = replace(new_sheet("last"), position=2**31 - 1)
    ranks = [
        rank(order, seed=seed, sheet=last, turn=turn) for seed in range(50) for turn in (1, 5000)
    ]
    assert all(0 <= each < 2**63 for each in ranks)


def test_an_unknown_order_is_refused(store: Store, study_id: int) -> None:
    with pytest.raises(InputError, match="must be one of balanced, file, random; got 'upwards'"):
        add_real(store, study_id, 1, order="upwards")


def test_a_large_file_is_taken_in_by_chunks(store: Store, study_id: int) -> None:
    assert add_real(store, study_id, 12_000, needed=2) == 12_000
    assert states(store) == {"free": 24_000}
