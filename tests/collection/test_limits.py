"""What has run out, and whose fault it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaver.collection.limits import Limits, Overdue, overdue, remaining
from palaver.core.dialogue import Dialogue, Seat
from palaver.core.events import END, JOIN, LEAVE, MESSAGE, Event

BOTH = frozenset({0, 1})
LIMITS = Limits(message=30, dialogue=1000, idle=60, disconnect=20)


def dialogue(*happened: tuple[float, int | None, str]) -> Dialogue:
    folded = Dialogue("d", seats=[Seat(index=n, kind="person", occupant=f"p{n}") for n in (0, 1)])
    folded.extend(
        Event(seq=seq, seat=seat, action=action, data={"text": "x"}, time=time)
        for seq, (time, seat, action) in enumerate(happened, start=1)
    )
    return folded


def late(told: Dialogue, movers: set[int], people: list[int], now: float, **options: float):
    return overdue(told, frozenset(movers), people, LIMITS, now, **options)


def test_nothing_runs_before_somebody_came() -> None:
    assert late(dialogue(), {0}, [0], 1e9) is None
    assert late(dialogue((0, 1, MESSAGE)), {0}, [0], 1e9) is None
    assert remaining(dialogue(), LIMITS, 5.0) == 1000


def test_whoever_has_the_turn_alone_has_the_message_limit() -> None:
    told = dialogue((0, 0, JOIN), (10, 1, MESSAGE))

    assert late(told, {0}, [0], 40) is None
    assert late(told, {0}, [0], 41) == Overdue("message_timeout", 0)


def test_whoever_may_speak_and_did_not_speak_last_has_the_idle_limit() -> None:
    told = dialogue((0, 0, JOIN), (0, 1, JOIN), (10, 1, MESSAGE))

    assert late(told, {0, 1}, [0, 1], 70) is None
    assert late(told, {0, 1}, [0, 1], 71) == Overdue("idle", 0)


def test_a_system_is_never_late() -> None:
    told = dialogue((0, 0, JOIN), (10, 0, MESSAGE))

    assert late(told, {1}, [0], 900) is None


def test_nobodys_turn_runs_before_both_are_there() -> None:
    told = dialogue((0, 0, JOIN), (15, 1, JOIN))

    assert late(told, {0}, [0, 1], 44) is None
    assert late(told, {0}, [0, 1], 46) == Overdue("message_timeout", 0)


def test_nobody_is_late_who_was_busy_in_the_conversation_beside_it() -> None:
    told = dialogue((0, 0, JOIN), (10, 1, MESSAGE))

    assert late(told, {0}, [0], 100, busy_until=80) is None
    assert late(told, {0}, [0], 111, busy_until=80) == Overdue("message_timeout", 0)


def test_whoever_is_gone_too_long_is_disconnected_if_somebody_waits() -> None:
    told = dialogue((0, 0, JOIN), (0, 1, JOIN), (5, 1, LEAVE))

    assert late(told, {0, 1}, [0, 1], 25) is None
    assert late(told, {0, 1}, [0, 1], 26) == Overdue("disconnected", 1)
    assert late(told, {1}, [0], 26) is None


def test_whoever_never_came_is_disconnected_too() -> None:
    assert late(dialogue((0, 1, JOIN)), {0, 1}, [0, 1], 21) == Overdue("disconnected", 0)


def test_the_dialogue_as_a_whole_is_nobodys_fault() -> None:
    told = dialogue((5, 0, JOIN), (1004, 0, MESSAGE))

    assert late(told, {1}, [0], 1005) is None
    assert late(told, {1}, [0], 1006) == Overdue("time_up")
    assert remaining(told, LIMITS, 1000) == 5
    assert remaining(told, LIMITS, 2000) == 0


def test_what_is_over_is_never_late() -> None:
    assert late(dialogue((0, 0, JOIN), (1, None, END)), {0}, [0], 1e9) is None


def test_without_limits_nothing_ends() -> None:
    none = Limits(message=None, dialogue=None, idle=None, disconnect=None)

    assert overdue(dialogue((0, 0, JOIN)), BOTH, [0, 1], none, 1e9) is None
    assert remaining(dialogue((0, 0, JOIN)), none, 1e9) is None


@given(
    st.lists(st.tuples(st.sampled_from([0, 1]), st.sampled_from([JOIN, LEAVE, MESSAGE]))),
    st.sampled_from([{0}, {1}, {0, 1}]),
    st.floats(0, 2000),
    st.floats(0, 500),
)
@pytest.mark.filterwarnings("ignore")
def test_once_late_always_late_and_only_people_are_blamed(happened, movers, now, more) -> None:
    told = dialogue(*((float(n), seat, action) for n, (seat, action) in enumerate(happened)))
    now += len(happened)

    first = late(told, movers, [0], now)
    later = late(told, movers, [0], now + more)

    if first is not None:
        assert later is not None
        assert first.seat in (None, 0)
