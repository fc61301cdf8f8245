"""Replies in words that hold a move: `<offer> 120` on a line of its own, or a JSON object.

Language models and people at a terminal play with these. Which tags there are, and what stands behind
them, is the game's (`Game.read_tag`); how they stand in a reply is the same for every game.
"""

import re
from typing import Any

import msgspec

from palaver.core.errors import MoveError
from palaver.core.events import HOUSEKEEPING, MESSAGE, Move, say
from palaver.core.scenario import Scenario
from palaver.games.game import Game

# What a language model is told of the form, behind what the game says of its tags.
FORM = (
    "What you write is sent to your partner as it is. To make a move, write its tag on a line of its "
    "own below your words, at most one in a reply.",
    'You may instead answer with one JSON object and nothing else: {"say": "your words", "move": '
    '"the tag"}; leave out what you do not need.',
)
UNREADABLE = "unreadable"

_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z_-]*)\s*/?>")
_FENCED = re.compile(r"\A```(?:json)?\s*(.*?)\s*```\Z", re.DOTALL)


def read_reply(text: str, game: Game, scenario: Scenario, seat: int) -> tuple[Move, ...]:
    """The moves of a reply: its words as a message, then the move, if there is one.

    MoveError says what cannot be understood; nothing of such a reply is made.
    """
    text = text.strip()
    fenced = _FENCED.match(text)
    bare = fenced[1] if fenced else text
    if bare.startswith("{") and bare.endswith("}"):
        return _read_object(bare, game, scenario, seat)
    return _read_words(text, game, scenario, seat)


def _read_words(text: str, game: Game, scenario: Scenario, seat: int) -> tuple[Move, ...]:
    said: list[str] = []
    moves: list[Move] = []
    for line in text.splitlines():
        tag = _TAG.search(line)
        if tag is None or tag[1]:
            said.append(line)
            continue
        said.append(line[: tag.start()])
        behind = line[tag.end() :]
        closing = re.search(rf"</{re.escape(tag[2])}\s*>", behind, re.IGNORECASE)
        if closing is not None:  # <offer>120</offer>
            said.append(behind[closing.end() :])
            behind = behind[: closing.start()]
        if _TAG.search(behind):
            raise _two_moves()
        moves.append(game.read_tag(tag[2].lower(), behind.strip(), scenario, seat))
    if len(moves) > 1:
        raise _two_moves()
    words = "\n".join(line.strip() for line in said if line.strip())
    return (*([say(words)] if words else []), *moves)


def _read_object(text: str, game: Game, scenario: Scenario, seat: int) -> tuple[Move, ...]:
    try:
        given = msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise MoveError(UNREADABLE, f"This is not a JSON object: {error}.") from None
    words, move = given.pop("say", None), given.pop("move", None)
    if given:
        known = 'a reply as JSON has the keys "say" and "move"'
        raise MoveError(UNREADABLE, f"Unknown key '{next(iter(given))}': {known}.")
    if words is not None and not isinstance(words, str):
        raise MoveError(UNREADABLE, f'"say" takes text; got {words!r:.80}.')
    made = [] if move is None else [_read_move(move, game, scenario, seat)]
    return (*([say(words.strip())] if words and words.strip() else []), *made)


def _read_move(given: Any, game: Game, scenario: Scenario, seat: int) -> Move:
    """A move as a tag in words, or as an object with its action and data."""
    if isinstance(given, str):
        read = _read_words(given, game, scenario, seat)
        if len(read) == 1 and read[0].action != MESSAGE:
            return read[0]
        raise MoveError(UNREADABLE, f'"move" takes one tag of the game; got {given!r:.80}.')
    action = given.get("action") if isinstance(given, dict) else None
    if not isinstance(action, str) or action == MESSAGE or action in HOUSEKEEPING:
        told = '"move" takes a tag, or an object with the "action" of a move'
        raise MoveError(UNREADABLE, f"{told}; got {given!r:.80}.")
    data = {key: value for key, value in given.items() if key != "action"}
    if set(data) == {"words"} and isinstance(data["words"], str):
        return game.read_tag(action.strip("<>").lower(), data["words"], scenario, seat)
    if set(data) == {"data"} and isinstance(data["data"], dict):
        data = data["data"]
    return Move(action=action.strip("<>"), data=data)


def _two_moves() -> MoveError:
    return MoveError(UNREADABLE, "There is more than one tag; a reply makes one move at most.")
