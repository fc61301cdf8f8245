"""Replies that give their system away, caught before anybody sees them.

What a reply must not say is decided in `core.disguise`. The system is asked again as often as the
study allows, from what was said before; then the names are masked. Each time is recorded for the
researcher alone: what was said, what was found in it, and what was done.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from palaver.collection.driven import Driven
from palaver.core.clock import Clock
from palaver.core.disguise import Disguise
from palaver.core.events import DISGUISE, MESSAGE, NOBODY, Move
from palaver.core.logs import get_log

log = get_log(__name__)

MASKED, ASKED_AGAIN = "masked", "asked_again"


@dataclass(frozen=True, slots=True)
class SystemReply:
    """What a system answers, fit to be shown, and what is recorded of how it came about."""

    moves: Sequence[Move]
    records: list[Move] = field(default_factory=list)


async def ask_in_disguise(driven: Driven, seat: int, clock: Clock) -> SystemReply:
    """Ask the system at a seat until its reply gives nothing away, or mask the reply."""
    disguise, chances = driven.room.plan.disguise, driven.room.plan.ask_again
    moves = await driven.sessions[seat].send(None)
    records: list[Move] = []
    if disguise is None:
        return SystemReply(moves)
    while chances > 0 and (given := _given_away(disguise, moves)):
        chances -= 1
        records += [_record(text, names, ASKED_AGAIN) for text, names in given]
        await driven.renew_session(seat, clock)
        moves = await driven.sessions[seat].send(None)
    records += [_record(text, names, MASKED) for text, names in _given_away(disguise, moves)]
    if records:
        log.info("reply_disguised", dialogue=driven.room.key, seat=seat, times=len(records))
    return SystemReply([_masked(disguise, move) for move in moves], records)


def _given_away(disguise: Disguise, moves: Sequence[Move]) -> list[tuple[str, list[str]]]:
    """The messages among moves that give the system away, each with what gives it away."""
    texts = (text for move in moves if (text := _text(move)))
    return [(text, names) for text in texts if (names := disguise.named(text))]


def _masked(disguise: Disguise, move: Move) -> Move:
    text = _text(move)
    if not text or not disguise.find(text):
        return move
    return msgspec.structs.replace(move, data={**(move.data or {}), "text": disguise.mask(text)})


def _record(text: str, names: Sequence[str], done: str) -> Move:
    data = {"original": text, "matched": list(names), "done": done}
    return Move(action=DISGUISE, data=data, audience=NOBODY)


def _text(move: Move) -> str:
    text = (move.data or {}).get("text") if move.action == MESSAGE else None
    return text if isinstance(text, str) else ""
