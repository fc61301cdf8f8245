"""What a checkpoint knows of language: words, attributes, values, and how values are written."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from palaver.core.errors import InputError
from palaver.games.mutual_friends.lexicon import Entity
from palaver.models.chats import MESSAGE, Chat
from palaver.models.friends.tokens import MARKS, FriendsToken, message_tokens
from palaver.models.friends.views import FriendsView, table_lexicon, tables_of
from palaver.models.learner import Words
from palaver.models.vocabulary import Vocabulary

(
    PAD_NUMBER,
    UNKNOWN_NUMBER,
    GO_NUMBER,
    END_NUMBER,
    SELECT_NUMBER,
    ITEM_NUMBER,
    OTHER_NUMBER,
) = range(len(MARKS))
# A value is written in one way or another; rarer ways are slips.
_LEAST_SURFACE = 2


@dataclass(frozen=True)
class FriendsWords:
    """Words with their numbers, attributes with theirs, and values that were spoken of.

    The vocabulary has the marks, then a word for each attribute, then the words of dialogues.
    """

    vocabulary: Vocabulary
    attributes: tuple[str, ...]
    known: frozenset[Entity]
    # How values were written, and how often, where not as they stand in tables.
    surfaces: Mapping[Entity, Mapping[str, int]]

    @classmethod
    def of(
        cls, chats: Sequence[Chat], views: Sequence[FriendsView], *, least: int
    ) -> "FriendsWords":
        """What dialogues and their views tell."""
        tables = [table for chat in chats for table in tables_of(chat)]
        attributes = tuple(dict.fromkeys(name for each in tables for name in each.columns))
        said = (
            [token.word for token in tokens if token.entity is None and token.row is None]
            for view in views
            for exchange in view.exchanges
            for tokens in (exchange.heard, exchange.said)
        )
        marks = (*MARKS, *map(attribute_word, attributes))
        known = frozenset(entity for table in tables for entity in table.own)
        return cls(
            Vocabulary.of(said, marks=tuple(dict.fromkeys(marks)), least=least),
            attributes,
            known,
            surfaces_of(chats, known),
        )

    @classmethod
    def read(cls, words: Words) -> "FriendsWords":
        """Those of a checkpoint; InputError if it is that of another model."""
        missing = [n for n in ("words", "attributes", "entities", "surfaces") if n not in words]
        attributes = tuple(words.get("attributes", ()))
        marks = tuple(dict.fromkeys((*MARKS, *map(attribute_word, attributes))))
        if missing or tuple(words["words"][: len(marks)]) != marks:
            told = f"it has no '{missing[0]}'" if missing else "it begins with other words"
            raise InputError(f"The vocabulary is not one of MutualFriends: {told}.")
        surfaces: dict[Entity, dict[str, int]] = defaultdict(dict)
        for line in words["surfaces"]:
            attribute, value, surface, count = _fields(line, str, str, str, int)
            surfaces[Entity(attribute, value)][surface] = max(1, count)
        return cls(
            Vocabulary(words["words"]),
            attributes,
            frozenset(Entity(*_fields(line, str, str)) for line in words["entities"]),
            dict(surfaces),
        )

    def written(self) -> Words:
        """The same as a checkpoint keeps it."""
        return {
            "words": self.vocabulary.words,
            "attributes": self.attributes,
            "entities": [_line(*entity) for entity in sorted(self.known)],
            "surfaces": [
                _line(*entity, surface, count)
                for entity, ways in sorted(self.surfaces.items())
                for surface, count in ways.items()
            ],
        }

    def __len__(self) -> int:
        return len(self.vocabulary)

    @property
    def types(self) -> int:
        """How many kinds of values there are, unknown ones as one."""
        return len(self.attributes) + 1

    def attribute(self, name: str) -> int:
        """The number of an attribute from 1; 0 for one that nobody has learnt of."""
        return self._attributes.get(name, 0)

    def number(self, token: FriendsToken) -> int:
        """The number of a token as it is read."""
        if token.row is not None:
            return ITEM_NUMBER
        if token.entity is None:
            return self.vocabulary.number(token.word)
        return self.entity_number(token.entity)

    def entity_number(self, entity: Entity) -> int:
        """The number of the word that stands for all values of an attribute."""
        word = attribute_word(entity.attribute)
        return self.vocabulary.number(word) if self.attribute(entity.attribute) else OTHER_NUMBER

    @property
    def marks(self) -> int:
        """How many words are nobody's: marks, and those that stand for values."""
        return len(dict.fromkeys((*MARKS, *map(attribute_word, self.attributes))))

    @cached_property
    def _attributes(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.attributes, start=1)}


def attribute_word(name: str) -> str:
    """What a value of an attribute is read as.

    >>> attribute_word("Time Preference"), attribute_word("Item")
    ('<time preference>', '<"item">')
    """
    word = f"<{' '.join(name.lower().split())}>"
    return f'<"{word[1:-1]}">' if word in MARKS else word


def surfaces_of(chats: Iterable[Chat], known: frozenset[Entity]) -> dict[Entity, dict[str, int]]:
    """How values are written in messages, where not as in tables alone."""
    counts: dict[Entity, Counter[str]] = defaultdict(Counter)
    cased: dict[str, Counter[str]] = defaultdict(Counter)
    for text, token in _mentions(chats, known):
        assert token.entity is not None
        counts[token.entity][token.word] += 1
        # Somebody who writes everything small says nothing of how a name is written.
        if text != text.lower() and (found := _pattern(token.word).search(text)):
            cased[token.word][" ".join(found[0].split())] += 1
    found_ways: dict[Entity, dict[str, int]] = {}
    for entity, ways in counts.items():
        often = {
            _likeliest(cased.get(words), words): count
            for words, count in sorted(ways.items())
            if count >= _LEAST_SURFACE
        }
        if often and set(often) != {entity.value}:
            found_ways[entity] = often
    return found_ways


def _mentions(
    chats: Iterable[Chat], known: frozenset[Entity]
) -> Iterator[tuple[str, FriendsToken]]:
    for chat in chats:
        tables = tables_of(chat)
        for event in chat.events:
            if event.action != MESSAGE:
                continue
            table = tables[event.seat]
            for token in message_tokens(event.text, table_lexicon(table, known), table.own):
                if token.entity is not None:
                    yield event.text, token


def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(r"[\W_]+".join(map(re.escape, words.split())), re.IGNORECASE)


def _likeliest(ways: Counter[str] | None, otherwise: str) -> str:
    return min(ways, key=lambda each: (-ways[each], each)) if ways else otherwise


def _line(*fields: str | int) -> str:
    return json.dumps(fields, ensure_ascii=False)


def _fields(line: str, *kinds: type) -> list[Any]:
    """The fields of a line; InputError where they are of other kinds."""
    try:
        fields = json.loads(line)
    except ValueError:
        fields = None
    if not isinstance(fields, list) or [type(each) for each in fields] != list(kinds):
        raise InputError(f"The vocabulary is not one of MutualFriends: '{line[:60]}'.")
    return fields
