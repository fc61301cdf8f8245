"""A dialogue is its events, folded."""

import pytest

from palaver.core.dialogue import Dialogue, Seat
from palaver.core.events import Event, messages
from palaver.core.records import DialogueRecord, decode_dialogue, encode_line
from palaver.core.scenario import Scenario


def event(seq: int, seat: int | None, action: str = "message", **data: object) -> Event:
    return Event(seq=seq, seat=seat, action=action, data=data or None, time=float(seq))


def dialogue(*events: Event) -> Dialogue:
    seats = [
        Seat(index=0, kind="person", occupant="ann"),
        Seat(index=1, kind="system", occupant="bot"),
    ]
    made = Dialogue(id="d", seats=seats)
    made.extend(events)
    return made


def test_an_event_out_of_order_is_refused():
    with pytest.raises(ValueError, match="event 3 after 1"):
        dialogue(event(1, 0, text="hi"), event(3, 1, text="hello"))


def test_turns_are_runs_of_one_seat_without_housekeeping():
    made = dialogue(
        event(1, 0, "join"),
        event(2, 0, text="hi"),
        event(3, 0, text="anybody?"),
        event(4, 1, "join"),
        event(5, 1, text="yes"),
    )

    assert [(turn.seat, turn.text) for turn in made.turns()] == [(0, "hi\nanybody?"), (1, "yes")]


def test_who_is_present_follows_joins_and_leaves():
    made = dialogue(event(1, 0, "join"), event(2, 1, "join"), event(3, 0, "leave"))

    assert made.present == {1}


def test_the_reason_is_that_of_the_end():
    made = dialogue(event(1, 0, text="hi"))
    assert (made.is_over, made.reason) == (False, "")

    made.apply(event(2, None, "end", reason="complete"))
    assert (made.is_over, made.reason) == (True, "complete")


def test_a_takeover_puts_a_system_on_the_seat_from_there_on():
    made = dialogue(event(1, 0, text="hi"), event(2, 0, "takeover", system="stand-in"))

    assert made.occupant(0) == Seat(index=0, kind="system", occupant="stand-in", from_seq=2)
    assert made.occupant(1).occupant == "bot"


def test_a_client_id_leads_to_its_event():
    made = dialogue(
        Event(seq=1, seat=0, action="message", data={"text": "hi"}, time=1.0, client_id="c1")
    )

    assert made.client_seqs == {(0, "c1"): 1}


def test_catching_up_shows_what_is_behind_a_position():
    secret = Event(seq=2, seat=1, action="select", data={"n": 1}, time=2.0, audience=(1,))
    made = dialogue(event(1, 0, text="hi"), secret, event(3, 1, text="done"))

    assert [e.seq for e in made.after(1, seat=0)] == [3]
    assert [e.seq for e in made.after(1, seat=1)] == [2, 3]
    assert [e.seq for e in made.after(3)] == []


def test_an_erased_message_keeps_its_place_and_loses_its_words():
    erased = Event(seq=1, seat=0, action="message", data=None, time=1.0)
    made = dialogue(erased, event(2, 1, text="hello"), event(3, None, "erase"))

    assert (made.events[0].text, made.message_count, made.position) == ("", 2, 3)
    assert [e.seq for e in messages(made.events)] == [2]


def test_a_dialogue_survives_its_line_of_json():
    made = dialogue(event(1, 0, text="grüß Gott"), event(2, None, "end", reason="quit"))
    line = encode_line(
        DialogueRecord(id="d", study="s", scenario=Scenario(), seats=made.seats, events=made.events)
    )

    again = decode_dialogue(line).dialogue()

    assert (again.events, again.reason) == (made.events, "quit")
