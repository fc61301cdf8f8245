"""Frames as they leave the server."""

import json

import pytest

from palaver.collection.frames import State, event_frame, without_id
from palaver.core.events import MESSAGE, Event

STATE = State(frozenset({0, 1}))


def message(text: str, client_id: str | None) -> Event:
    data = {"text": text, "usage": {"id": client_id, "model": "gpt-4o"}}
    return Event(seq=7, seat=0, action=MESSAGE, data=data, time=1.5, client_id=client_id)


@pytest.mark.parametrize("client_id", ["a1", 'quo"te', "back\\slash", "ü", "null", None])
@pytest.mark.parametrize("text", ["Hi", '"id":"a1"', '{"id":"a1"}', "id", "\\", '\\"id":"a1'])
def test_others_get_the_same_frame_without_the_id(text: str, client_id: str | None) -> None:
    event = message(text, client_id)
    signed = event_frame(event, 5, STATE, own=True)

    assert without_id(signed, client_id) == event_frame(event, 5, STATE, own=False)
    assert json.loads(signed)["id"] == client_id


def test_of_a_message_nothing_is_told_but_its_words() -> None:
    told = json.loads(event_frame(message("Hi", "a1"), 5, STATE, own=True))
    assert told["data"] == {"text": "Hi"}
    assert told["seq"] == 5
