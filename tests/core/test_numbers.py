"""The numbers under which seats know events: without gaps, whatever the house records for itself."""

from hypothesis import given
from hypothesis import strategies as st

from palaver.core.dialogue import Dialogue
from palaver.core.events import FAILURE, MESSAGE, NOBODY, Event


def dialogue(silent: list[bool]) -> Dialogue:
    told = Dialogue("d")
    for seq, hidden in enumerate(silent, start=1):
        action, audience = (FAILURE, NOBODY) if hidden else (MESSAGE, None)
        told.apply(
            Event(seq=seq, seat=0, action=action, data={"text": "x"}, time=0.0, audience=audience)
        )
    return told


@given(st.lists(st.booleans(), max_size=40))
def test_numbers_count_what_is_seen_and_lead_back(silent: list[bool]) -> None:
    told = dialogue(silent)
    seen = [event.seq for event in told.events if not event.is_silent]

    assert [told.number(seq) for seq in seen] == list(range(1, len(seen) + 1))
    assert [told.seq_of(told.number(seq)) for seq in seen] == seen
    assert told.number(told.position) == len(seen)


@given(st.lists(st.booleans(), max_size=40), st.integers(min_value=0, max_value=40))
def test_a_page_gets_what_comes_after_what_it_has(silent: list[bool], has: int) -> None:
    told = dialogue(silent)
    missing = told.after(told.seq_of(has), seat=1)

    expected = [e for e in told.events if not e.is_silent and told.number(e.seq) > has]
    assert missing == expected


def test_a_secret_move_of_a_game_keeps_its_number() -> None:
    told = Dialogue("d")
    secret = Event(seq=1, seat=0, action="bid", data={}, time=0.0, audience=NOBODY)
    told.apply(secret)
    assert told.number(1) == 1
