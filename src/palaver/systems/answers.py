"""What code outside Palaver may answer with, turned into moves."""

from typing import Any

import msgspec

from palaver.core.events import MESSAGE, Move, say
from palaver.systems.attempt import AttemptError


def as_moves(answer: Any) -> list[Move]:
    """Moves from a text, a move, a list of either, or nothing; no words are silence."""
    if answer is None:
        return []
    if isinstance(answer, str):
        return [say(answer.strip())] if answer.strip() else []
    if isinstance(answer, Move):
        return [answer]
    if isinstance(answer, (list, tuple)):
        return [move for part in answer for move in as_moves(part)]
    raise AttemptError(
        "garbage", f"Expected a text, a Move, a list of them or None; got {answer!r:.200}."
    )


def decode_moves(value: Any) -> list[Move]:
    """Moves from decoded JSON: a list of {"action": …, "data": {…}}."""
    try:
        moves = msgspec.convert(value, list[Move])
    except msgspec.ValidationError as error:
        raise AttemptError(
            "garbage", f"Expected a list of moves ({error}); got {value!r:.200}."
        ) from None
    return [move for move in moves if move.action != MESSAGE or (move.data or {}).get("text")]
