"""What the bot's reader makes of dialogues that people held, and how many the rules can follow."""

from collections.abc import Iterable

from palaver.core.conversation import Conversation
from palaver.core.dialogue import Dialogue, Seat
from palaver.core.errors import MoveError
from palaver.core.events import MESSAGE, Move
from palaver.core.records import DialogueRecord
from palaver.core.scenario import Scenario
from palaver.formats.cocoa.schema import load_schema
from palaver.formats.move_words import move_data
from palaver.games.measurement import Measured, Measurement
from palaver.games.mutual_friends.generator import SCHEMA
from palaver.games.mutual_friends.lexicon import (
    Entity,
    Lexicon,
    lexicon_of,
    schema_entities,
    words_of,
)
from palaver.games.mutual_friends.options import NAME
from palaver.games.mutual_friends.rules import MutualFriends
from palaver.games.mutual_friends.tables import columns, friends, values_of


def measure(dialogues: Iterable[DialogueRecord]) -> Measurement:
    """How much of what is said is recognised, and how many dialogues are legal."""
    records = [record for record in dialogues if record.scenario.game == NAME]
    messages = found = named = recognised = 0
    for record in records:
        lexicon, tables = _lexicon(record.scenario), _entities(record.scenario)
        for event in record.events:
            if event.action != MESSAGE or event.data is None or event.seat not in (0, 1):
                continue
            messages += 1
            reader = tables[1 - event.seat]
            mentioned = {
                entity
                for mention in lexicon.find(words_of(event.text), own=reader)
                for entity in mention.entities
            }
            found += bool(mentioned & (tables[0] | tables[1]))
            said = {e for e in tables[event.seat] if e.value.lower() in event.text.lower()}
            named += len(said)
            recognised += len(said & mentioned)
    played = [record for record in records if record.scenario.kbs]
    return Measurement(
        game=NAME,
        dialogues=len(records),
        measures=(
            Measured(
                name="messages_with_entity",
                about="messages in which a value of one of the two tables is recognised",
                found=found,
                of=messages,
                per_dialogue=False,
            ),
            Measured(
                name="values_recognised",
                about="values of the writer's table that are said in full and recognised",
                found=recognised,
                of=named,
                per_dialogue=False,
            ),
            Measured(
                name="replayed_legally",
                about="dialogues with tables whose moves the rules allow one by one",
                found=sum(is_legal(record) for record in played),
                of=len(played),
            ),
        ),
    )


def is_legal(record: DialogueRecord) -> bool:
    """Whether the rules allow every move of a dialogue, one after the other."""
    seats = [Seat(index=n, kind="person", occupant=f"agent {n}") for n in (0, 1)]
    dialogue = Dialogue(id=record.id, scenario=record.scenario, seats=seats)
    conversation = Conversation(dialogue, MutualFriends(scenarios=(record.scenario,)))
    for event in record.events:
        if not event.is_turn or event.seat is None or event.data is None:
            continue
        move = Move(action=event.action, data=move_data(event))
        try:
            conversation.apply(conversation.consider(event.seat, move, event.time))
        except MoveError:
            return False
    return True


def _entities(scenario: Scenario) -> list[frozenset[Entity]]:
    return [
        frozenset(
            Entity(name, value)
            for row in friends(scenario, seat)
            for name in columns(scenario, seat)
            for value in values_of(row, name)
        )
        for seat in (0, 1)
    ]


def _lexicon(scenario: Scenario) -> Lexicon:
    """The values of both tables, and those of the schema where they are from it."""
    first, second = _entities(scenario)
    known, schema = first | second, schema_entities(load_schema(SCHEMA))
    return lexicon_of(schema | known if known & schema else known)
