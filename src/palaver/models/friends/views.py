"""Dialogues as either side lives through them: what it hears and says by turns, and its own table.

A view consists of exchanges: the partner's turn, empty where one begins oneself, then the own turn.
What one side says in a row is one turn. A selection is heard as the values of the friend, and said as
the row of the own table.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from palaver.core.errors import InputError
from palaver.formats.cocoa.actions import SELECT as SELECT_ACTION
from palaver.games.mutual_friends.lexicon import Entity, Lexicon, lexicon_of
from palaver.models.chats import MESSAGE, Chat, ChatEvent
from palaver.models.friends.tables import FriendsTable, row_of
from palaver.models.friends.tokens import (
    END_TOKEN,
    SELECT_TOKEN,
    UNKNOWN,
    FriendsToken,
    message_tokens,
)

Tokens = tuple[FriendsToken, ...]
# A dialogue of fewer turns is not learnt from.
_LEAST_TURNS = 2


@dataclass(frozen=True, slots=True)
class FriendsExchange:
    """A turn of the partner, then one of one's own; each utterance ends with its mark."""

    heard: Tokens
    said: Tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class FriendsView:
    """A dialogue as one side lives through it."""

    dialogue: str
    seat: int
    table: FriendsTable
    exchanges: tuple[FriendsExchange, ...]

    @property
    def heard_of(self) -> tuple[Entity, ...]:
        """What the partner named that is not in the own table, in the order in which it came."""
        named = (token.entity for each in self.exchanges for token in each.heard)
        return tuple(dict.fromkeys(e for e in named if e is not None and e not in self.table.own))


def tables_of(chat: Chat) -> tuple[FriendsTable, FriendsTable]:
    """The tables of a dialogue; InputError where it is of another game."""
    columns = [name for name, _ in chat.attributes]
    try:
        first, second = (FriendsTable.of(kb, columns) for kb in chat.kbs)
    except InputError as error:
        raise InputError(f"Dialogue '{chat.id}': {error}") from error
    return first, second


def known_entities(chats: Iterable[Chat]) -> frozenset[Entity]:
    """All values of the tables of some dialogues."""
    return frozenset(entity for chat in chats for each in tables_of(chat) for entity in each.own)


def learnable(chats: Iterable[Chat]) -> list[Chat]:
    """The dialogues in which the friend was found, with two turns or more; InputError for none."""
    found = [chat for chat in chats if chat.succeeded and len(_turns(chat)) >= _LEAST_TURNS]
    if not found:
        raise InputError(
            "In none of the dialogues was the friend found. Networks learn from those that came to "
            "their end: give others, such as palaver selfplay mutual_friends writes."
        )
    return found


def views_of(chats: Iterable[Chat], known: frozenset[Entity]) -> list[FriendsView]:
    """Both views of each dialogue, one after the other; `known` are values that may be spoken of."""
    found: list[FriendsView] = []
    for chat in chats:
        tables = tables_of(chat)
        found += [_view(chat, seat, tables[seat], known) for seat in (0, 1)]
    return found


def exchanges_of(
    events: Iterable[ChatEvent], *, seat: int, table: FriendsTable, known: frozenset[Entity]
) -> tuple[FriendsExchange, ...]:
    """What a seat hears and says by turns."""
    return tuple(_exchanges(_merged(events), seat, table, table_lexicon(table, known)))


def table_lexicon(table: FriendsTable, known: frozenset[Entity]) -> Lexicon:
    """The lexicon of a side: what is known, and what is in its table."""
    return lexicon_of(known if table.own <= known else known | table.own)


def _view(chat: Chat, seat: int, table: FriendsTable, known: frozenset[Entity]) -> FriendsView:
    return FriendsView(
        dialogue=chat.id,
        seat=seat,
        table=table,
        exchanges=exchanges_of(chat.events, seat=seat, table=table, known=known),
    )


def _turns(chat: Chat) -> list[tuple[int, list[ChatEvent]]]:
    return _merged(chat.events)


def _merged(events: Iterable[ChatEvent]) -> list[tuple[int, list[ChatEvent]]]:
    """Who has the floor, and what is done in that turn; anything but talk and selections is left
    out."""
    found: list[tuple[int, list[ChatEvent]]] = []
    for event in events:
        if event.action not in (MESSAGE, SELECT_ACTION):
            continue
        if found and found[-1][0] == event.seat:
            found[-1][1].append(event)
        else:
            found.append((event.seat, [event]))
    return found


def _exchanges(
    turns: Sequence[tuple[int, Sequence[ChatEvent]]],
    seat: int,
    table: FriendsTable,
    lexicon: Lexicon,
) -> Iterator[FriendsExchange]:
    nameable = set(table.own)
    heard: list[FriendsToken] = []
    for speaker, events in turns:
        utterances = [_utterance(each, speaker == seat, table, lexicon) for each in events]
        tokens = [token for each in utterances if each for token in (*each, END_TOKEN)]
        if speaker == seat:
            yield FriendsExchange(
                tuple(heard), tuple(_sayable(token, nameable) for token in tokens)
            )
            heard = []
        else:
            nameable |= {token.entity for token in tokens if token.entity is not None}
            heard = tokens
    if heard:
        yield FriendsExchange(tuple(heard), ())


def _utterance(
    event: ChatEvent, is_own: bool, table: FriendsTable, lexicon: Lexicon
) -> list[FriendsToken]:
    """The tokens of a message or a selection; none where it says nothing."""
    if event.action == MESSAGE:
        return message_tokens(event.text, lexicon, table.own)
    if not is_own:
        return [SELECT_TOKEN, *_described(event.selected, table)]
    row = table.find(event.selected)
    return [] if row is None else [SELECT_TOKEN, FriendsToken("", row=row)]


def _described(friend: Any, table: FriendsTable) -> list[FriendsToken]:
    """A friend by its values, in the order of the own columns."""
    names = list(dict.fromkeys([*table.columns, *map(str, friend)]))
    return [FriendsToken(entity.value, entity) for entity in row_of(friend, names)]


def _sayable(token: FriendsToken, nameable: set[Entity]) -> FriendsToken:
    """The token, unless it names a value that is neither in the own table nor was heard: nobody can
    copy that."""
    if token.entity is None or token.entity in nameable:
        return token
    return FriendsToken(UNKNOWN)
