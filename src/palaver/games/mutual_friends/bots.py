"""Two bots: one that plays by rules, and one that chooses friends by lot.

The state of a session follows from the events that it received and from nothing else, and so does the
next move: whoever replays the events gets the same bot.
"""

import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from palaver.core.events import MESSAGE, Event, Move, say
from palaver.core.protocols import DraftListener, Place
from palaver.formats.cocoa.actions import SELECT
from palaver.formats.cocoa.schema import load_schema
from palaver.games.mutual_friends.beliefs import Beliefs
from palaver.games.mutual_friends.generator import SCHEMA
from palaver.games.mutual_friends.lexicon import Entity, Lexicon, lexicon_of, schema_entities
from palaver.games.mutual_friends.reading import NOTHING, Group, ReadMessage, read_message
from palaver.games.mutual_friends.rules import ITEM
from palaver.games.mutual_friends.speech import Voice
from palaver.games.mutual_friends.tables import Friend, columns, friends

# How eagerly the weightiest value is taken: the temperature of the softmax.
TEMPERATURE = 0.5
# So many own moves are spent on talk before the bot guesses whom it thinks most likely.
PATIENCE = 8
# Friends that a bot chooses without being sure, as people should not click through their table.
GUESSES = 3
# Values below this weight were talked about already.
TALKED_OUT = -5.0


class RuleFinder:
    """Talks about what its friends have in common and chooses once it is sure.

    `schema_file` names the values that partners may speak of, beside those of the bot's own table.
    """

    def __init__(self, *, schema_file: str | None = None) -> None:
        schema = load_schema(Path(schema_file) if schema_file else SCHEMA)
        self._known = schema_entities(schema)

    def new_session(self, place: Place) -> "FindingSession":
        """A session that has seen nothing yet."""
        own = Beliefs(
            columns(place.scenario, place.seat), tuple(friends(place.scenario, place.seat))
        )
        values = frozenset(own.entity_weights)
        # Values of another schema are all that is known of it.
        known = self._known | values if values & self._known else values
        return FindingSession(
            place, own, lexicon_of(known if values - self._known else self._known)
        )

    async def close(self) -> None:
        """Nothing to let go of."""


class FindingSession:
    """What was heard and said in one dialogue."""

    def __init__(self, place: Place, beliefs: Beliefs, lexicon: Lexicon) -> None:
        self.seat = place.seat
        self.beliefs = beliefs
        self.lexicon = lexicon
        self._own = frozenset(beliefs.entity_weights)
        self._lot = place.rng.random()
        self.voice = Voice.by_lot(random.Random(f"{self._lot}:voice"), beliefs.columns)
        # What the bot asked last, what it was asked and has not answered, whom both chose last.
        self.topic: Group = NOTHING
        self.heard = ReadMessage()
        self.chosen: Friend | None = None
        self.partners: Friend | None = None
        self.unanswered_choice = False
        self.missed_choice = False
        self.moves = 0
        self.guesses = 0
        self.received = 0

    def receive(self, event: Event) -> None:
        """Take note of an event, one's own included."""
        self.received += 1
        if event.data is None or not event.is_turn:
            return
        if event.seat == self.seat:
            self._note_own(event)
        elif event.seat is not None:
            self._hear(event)

    async def send(self, draft: DraftListener | None = None) -> Sequence[Move]:
        """A choice, or a message: always exactly one move."""
        self.voice.begin(random.Random(f"{self._lot}:{self.received}"))
        friend = self._choice()
        if friend is not None:
            return [Move(action=SELECT, data={ITEM: friend})]
        return [say(self._message())]

    # What happened

    def _note_own(self, event: Event) -> None:
        self.moves += 1
        if event.action == SELECT:
            self.chosen = (event.data or {}).get(ITEM)
            self.topic, self.heard = NOTHING, ReadMessage()
            self.guesses += self.chosen != self.partners
            # Where the partner sees it, silence is an answer.
            self.unanswered_choice = event.audience is None
        elif event.action == MESSAGE:
            self.voice.hear(event.text)
            said = self._read(event.text, NOTHING)
            for group in said.groups:
                self.beliefs.talk_about(group)
            asked = [*said.asked, *(claim.group for claim in said.claims[-1:] if claim.count != 0)]
            self.topic = asked[0] if asked else NOTHING
            self.heard = ReadMessage()
            self.missed_choice = False

    def _hear(self, event: Event) -> None:
        if event.action == SELECT:
            self.partners = (event.data or {}).get(ITEM)
            self.missed_choice = self.partners not in self.beliefs.rows
        elif event.action == MESSAGE:
            reading = self._read(event.text, self.topic)
            for claim in reading.claims:
                self.beliefs.hear(claim)
            for group in reading.asked:
                self.beliefs.hear_question(group)
            self.heard = reading
        if self.unanswered_choice and self.chosen is not None and self.partners != self.chosen:
            self.beliefs.give_up(self.chosen)
            self.unanswered_choice = False

    def _read(self, text: str, topic: Group) -> ReadMessage:
        return read_message(
            text, self.lexicon, own=self._own, attributes=self.beliefs.columns, topic=topic
        )

    # What to do

    def _choice(self) -> Friend | None:
        """The friend to choose now; None where it is better to talk."""
        own = self.beliefs
        if self.partners in own.rows and self.partners != self.chosen:
            return self.partners
        alive = [n for n in own.alive if own.rows[n] != self.chosen]
        if not alive:
            return None
        best = max(alive, key=lambda n: own.weights[n])
        if len(own.alive) == 1 or self._is_described(best, alive):
            return own.rows[best] if self.guesses < GUESSES or self.moves > PATIENCE else None
        if self.moves >= PATIENCE + 2 * self.guesses:
            return own.rows[best]
        return None

    def _is_described(self, row: int, alive: list[int]) -> bool:
        """Whether the partner has a friend whom so many values make this one and no other."""
        needed = max(2, len(self.beliefs.columns) - 1)
        return any(
            len(group) >= needed
            and group <= self.beliefs.entities[row]
            and sum(group <= self.beliefs.entities[n] for n in alive) == 1
            for group in self.beliefs.seen
        )

    def _message(self) -> str:
        voice = self.voice
        greeting = voice.say("greet") if self.moves == 0 else ""
        answer = self._answer()
        topic = self._topic()
        if topic is None:
            return voice.write(greeting, answer, voice.say("stuck"))
        return voice.write(greeting, answer, *self._raise(topic))

    def _answer(self) -> str:
        """What the partner's last message calls for; empty where that is nothing."""
        heard, voice = self.heard, self.voice
        if self.missed_choice:
            return voice.say("missed")
        if heard.asked:
            return " ".join(self._count(group) for group in heard.asked[:2])
        if heard.attribute:
            return self._list(heard.attribute)
        claimed = next((claim.group for claim in reversed(heard.claims) if claim.count != 0), None)
        if claimed and not self.beliefs.matching(claimed):
            return voice.say("none_of", what=voice.describe(claimed, "many"))
        if heard.is_question:
            return voice.say("none")
        return voice.say("unsure") if self.moves and not heard.claims and not heard.greets else ""

    def _count(self, group: Group) -> str:
        """How many friends one has of a group, and who they are where they are few."""
        voice, own = self.voice, self.beliefs
        matching = own.matching(group)
        short = len(self.heard.asked) == 1 and voice.rng.random() < 0.5
        if not matching:
            what = voice.describe(group, "many")
            return voice.say("none") if short else voice.say("none_of", what=what)
        if len(matching) == len(own.rows) and len(matching) > 1:
            return voice.say("all_of", what=voice.describe(group, "many"))
        number = "one" if len(matching) == 1 else "some"
        count = {} if number == "one" else {"count": voice.count(len(matching))}
        if short:
            counted = voice.say(number, **count)
        else:
            what = voice.describe(group, "one" if number == "one" else "many")
            counted = voice.say(f"{number}_of", what=what, **count)
        return f"{counted} {self._details(group, matching)}".strip()

    def _details(self, group: Group, matching: list[int]) -> str:
        """More about one or two friends: what tells them apart from each other, or from others."""
        voice, own = self.voice, self.beliefs
        if len(matching) > 2:
            return ""
        open_columns = [c for c in own.columns if all(e.attribute != c for e in group)]
        if not open_columns:
            return ""
        column = max(open_columns, key=lambda c: (self._variety(c), voice.rng.random()))
        values = [
            frozenset(entity for entity in own.entities[n] if entity.attribute == column)
            for n in matching
        ]
        if len(matching) == 1:
            return voice.say("detail_one", what=voice.describe(values[0], "one"))
        if values[0] == values[1]:
            return voice.say("detail_both", what=voice.describe(values[0], "many"))
        one, other = (voice.describe(value, "one") for value in values)
        return voice.say("detail_two", one=one, other=other)

    def _variety(self, column: str) -> int:
        """How many values one's friends have in a column: the more, the more one tells."""
        return sum(entity.attribute == column for entity in self._own)

    def _list(self, column: str) -> str:
        entities = [entity for entity in self._own if entity.attribute == column]
        often = sorted(entities, key=lambda e: (-len(self.beliefs.matching(frozenset({e}))), e))
        shown = self.voice.values(often[:2])
        return self.voice.say("list", attribute=column.lower(), values=shown)

    def _topic(self) -> Group | None:
        """What to talk about: one value, or two of the same friend; None where all was said."""
        own, rng = self.beliefs, self.voice.rng
        alive = own.alive
        held = sorted({entity for n in alive for entity in own.entities[n]})
        fresh = [e for e in held if own.entity_weights[e] > TALKED_OUT and not self._common(e)]
        if not fresh:
            return None
        entity = _by_lot(fresh, [own.entity_weights[e] for e in fresh], rng)
        with_it = [n for n in alive if entity in own.entities[n]]
        if len(with_it) > 1:
            return frozenset({entity})
        beside = [e for e in sorted(own.entities[with_it[0]]) if e in fresh and e != entity]
        if beside and rng.random() < 0.5:
            return frozenset(
                {entity, _by_lot(beside, [own.entity_weights[e] for e in beside], rng)}
            )
        return frozenset({entity})

    def _common(self, entity: Entity) -> bool:
        """Whether all friends that are left have it, so that talk of it would decide nothing."""
        alive = self.beliefs.alive
        return len(alive) > 1 and all(entity in self.beliefs.entities[n] for n in alive)

    def _raise(self, topic: Group) -> tuple[str, ...]:
        """Ask for friends like this, or say how many one has and ask back."""
        voice, own = self.voice, self.beliefs
        if voice.rng.random() < 0.5:
            return (voice.say("ask", what=voice.describe(topic, "many")),)
        matching = own.matching(topic)
        if len(matching) == len(own.rows):
            return (voice.say("inform_all", what=voice.describe(topic, "many")),)
        if len(matching) == 1:
            told = voice.say("inform_one", what=voice.describe(topic, "one"))
        else:
            count = voice.count(len(matching))
            told = voice.say("inform_some", count=count, what=voice.describe(topic, "many"))
        return told, voice.say("ask_back")


def _by_lot(entities: list[Entity], weights: list[float], rng: random.Random) -> Entity:
    """One of them, the weightier the more likely."""
    most = max(weights)
    odds = [math.exp((weight - most) / TEMPERATURE) for weight in weights]
    return rng.choices(entities, weights=odds)[0]


class RandomFinder:
    """Chooses one of its friends by lot at every turn, and says nothing."""

    def new_session(self, place: Place) -> "GuessingSession":
        """A session that has chosen nobody."""
        return GuessingSession(place)

    async def close(self) -> None:
        """Nothing to let go of."""


class GuessingSession:
    """Remembers whom it chose last."""

    def __init__(self, place: Place) -> None:
        self.seat = place.seat
        self.rows = friends(place.scenario, place.seat)
        self._lot = place.rng.random()
        self.chosen: Any = None
        self.received = 0

    def receive(self, event: Event) -> None:
        """Take note of one's own choice."""
        self.received += 1
        if event.action == SELECT and event.seat == self.seat and event.data:
            self.chosen = event.data[ITEM]

    async def send(self, draft: DraftListener | None = None) -> Sequence[Move]:
        """Somebody other than last time."""
        others = [row for row in self.rows if row != self.chosen]
        if not others:
            return [say("I have only one friend, and you know whom I mean.")]
        rng = random.Random(f"{self._lot}:{self.received}")
        return [Move(action=SELECT, data={ITEM: rng.choice(others)})]
