"""A message as networks read it: words, and values of friends that a lexicon found in it.

Number words become digits. What stands for a value is one token, whoever it was said by and however
it was written; a row of the own table is one as well.
"""

from collections.abc import Iterable
from typing import NamedTuple

from palaver.games.mutual_friends.lexicon import Entity, Lexicon, words_of
from palaver.games.mutual_friends.reading import NUMBERS

# Every vocabulary begins with these. An entity is read as the name of its attribute in brackets, one
# of an attribute that nobody has learnt of as `<other>`, a row as `<item>`.
PAD, UNKNOWN, GO, END, SELECT, ITEM, OTHER = MARKS = (
    "<pad>",
    "<unk>",
    "<go>",
    "</s>",
    "<select>",
    "<item>",
    "<other>",
)
# As many words of a message count.
MOST_WORDS = 100
_DIGITS = {word: str(number) for word, number in NUMBERS.items() if number}


class FriendsToken(NamedTuple):
    """A word; or a value, or a row of the own table, with the words that stand for it."""

    word: str
    entity: Entity | None = None
    row: int | None = None


END_TOKEN, SELECT_TOKEN = FriendsToken(END), FriendsToken(SELECT)


def message_tokens(text: str, lexicon: Lexicon, own: Iterable[Entity]) -> list[FriendsToken]:
    """The tokens of a text; of several values that words can stand for, one's `own` come first.

    >>> from palaver.games.mutual_friends.lexicon import lexicon_of
    >>> chess = Entity("Hobby", "Chess")
    >>> message_tokens("Two play chess!", lexicon_of(frozenset({chess})), [chess])[2:]
    [FriendsToken(word='chess', entity=Entity(attribute='Hobby', value='Chess'), row=None), \
FriendsToken(word='!', entity=None, row=None)]
    """
    words = words_of(text)[:MOST_WORDS]
    found: list[FriendsToken] = []
    at = 0
    for mention in lexicon.find(words, own=own):
        found += [_plain(word) for word in words[at : mention.start]]
        said = " ".join(words[mention.start : mention.end])
        found.append(FriendsToken(said, mention.entities[0]))
        at = mention.end
    return found + [_plain(word) for word in words[at:]]


def _plain(word: str) -> FriendsToken:
    return FriendsToken(_DIGITS.get(word, word))
