"""Dialogues that were held elsewhere, played through the rules: what they would have refused.

CoCoA's site let people write at any time, talk about an offer that stood, and answer it with an offer.
`SITE` are rules that allow this. What even they refuse came about by chance: two people who acted in the
same second, or an answer to an offer that nobody had made.
"""

from dataclasses import dataclass

from palaver.core.conversation import Conversation
from palaver.core.dialogue import Dialogue
from palaver.core.errors import MoveError
from palaver.core.events import Event, Move
from palaver.core.records import DialogueRecord
from palaver.formats.move_words import move_data
from palaver.games.craigslist_bargain.rules import CraigslistBargain

SITE = CraigslistBargain(
    taking="free", talk_over_offer=True, counter_offers=True, max_characters=100_000
)
STRICT = CraigslistBargain(max_characters=100_000)


@dataclass(frozen=True, slots=True)
class Refused:
    """The first move of a dialogue that the rules refuse."""

    event: Event
    code: str
    words: str


def played_back(record: DialogueRecord, rules: CraigslistBargain = SITE) -> Refused | Dialogue:
    """The dialogue as the rules play it, or the first move that they refuse."""
    dialogue = Dialogue(id=record.id, scenario=record.scenario, seats=list(record.seats))
    conversation = Conversation(dialogue, rules)
    for event in in_order(record.events):
        if event.seat is None:
            continue
        move = Move(action=event.action, data=move_data(event))
        try:
            conversation.apply(conversation.consider(event.seat, move, event.time))
        except MoveError as error:
            return Refused(event, error.code, str(error))
    return dialogue


def in_order(events: list[Event]) -> list[Event]:
    """The turns in the order in which they happened.

    A quit whose time its site wrote elsewhere stands first in a file; its time here is the right one.
    """
    return sorted((event for event in events if event.is_turn), key=lambda event: event.time)
