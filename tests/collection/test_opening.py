"""Who says the first word where either may: the person, or after a while the system."""

from types import SimpleNamespace
from typing import Any

import pytest

from palaver.collection.driven import OPENING_SECONDS, Driven
from palaver.core.conversation import Conversation
from palaver.core.dialogue import Dialogue, Seat
from palaver.core.events import JOIN, Event, say
from palaver.games.open_chat.rules import OpenChat

CAME = 100.0


def driven(*, opens: int | None, came: bool = True) -> Driven:
    """A chat of a person with a system; the person came in at a time."""
    seats = [
        Seat(index=0, kind="person", occupant="p"),
        Seat(index=1, kind="system", occupant="bot"),
    ]
    talk = Conversation(
        Dialogue(id="d", seats=seats), OpenChat(at_least=2, opens=opens, taking="alternate")
    )
    if came:
        talk.apply([Event(seq=1, seat=0, action=JOIN, data={}, time=CAME)])
    room: Any = SimpleNamespace(
        key="d",
        conversation=talk,
        dialogue=talk.dialogue,
        people={0},
        plan=SimpleNamespace(among_people=False),
    )
    lease: Any = None
    return Driven(room, lease)


def test_a_system_waits_for_the_person_and_then_begins() -> None:
    chat, (least, most) = driven(opens=None), OPENING_SECONDS
    assert not chat.is_next(1, CAME)
    assert not chat.is_next(1, CAME + least - 0.1)
    assert chat.is_next(1, CAME + most)


@pytest.mark.parametrize(("opens", "begins"), [(0, False), (1, True)])
def test_where_the_study_says_who_begins_nobody_waits(opens: int, begins: bool) -> None:
    assert driven(opens=opens).is_next(1, CAME) is begins
    assert driven(opens=opens).is_next(1, CAME + 1000) is begins


def test_a_system_does_not_talk_to_an_empty_room() -> None:
    assert not driven(opens=None, came=False).is_next(1, CAME + 1000)


def test_once_the_person_has_spoken_it_answers() -> None:
    chat = driven(opens=None)
    chat.room.conversation.apply(chat.room.conversation.consider(0, say("Hello"), CAME + 1))
    assert chat.is_next(1, CAME + 1)
