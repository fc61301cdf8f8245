"""Seals: made for one holder and one content, and read as nothing else."""

from hypothesis import given
from hypothesis import strategies as st

from palaver.core.seals import Seals

SEALS = Seals("key of a home")
parts = st.lists(st.text(max_size=12), min_size=2, max_size=4)


@given(parts, parts)
def test_no_two_contents_have_one_seal(one: list[str], other: list[str]) -> None:
    assert (SEALS.seal(*one) == SEALS.seal(*other)) == (one == other)
    assert SEALS.is_seal(SEALS.seal(*one), *other) == (one == other)


@given(st.integers(0, 10**18))
def test_a_seal_is_as_long_whatever_it_seals(number: int) -> None:
    assert len(SEALS.seal("work", "ann", f"sheet-{number}")) == 22


@given(st.text(max_size=60))
def test_what_was_not_made_here_is_not_a_seal(said: str) -> None:
    assert not SEALS.is_seal(said, "work", "ann", "sheet-7")
    assert SEALS.stamped(said, "shown", "ann", "sheet-7") is None


def test_another_home_has_other_seals() -> None:
    elsewhere = Seals("key of another home")
    assert not SEALS.is_seal(elsewhere.seal("work", "ann", "7"), "work", "ann", "7")


def test_a_stamp_is_for_one_kind_holder_and_content_and_never_ahead_of_its_time() -> None:
    stamp = SEALS.stamp(1_700_000_000.0009, "shown", "ann", "sheet-7", "0")
    assert SEALS.stamped(stamp, "shown", "ann", "sheet-7", "0") == 1_700_000_000.0
    assert SEALS.stamped(stamp, "shown", "bob", "sheet-7", "0") is None
    assert SEALS.stamped(stamp, "shown", "ann", "sheet-8", "0") is None
    assert SEALS.stamped(stamp, "shown", "ann", "sheet-7", "1") is None
    assert SEALS.stamped(stamp, "work", "ann", "sheet-7", "0") is None
