"""Replies of systems: a session is asked, its delay evened out, and what it says posted.

A failure becomes a recorded event and a sentence for the person; after several in a row the dialogue
ends.
"""

import random
from collections.abc import Mapping, Sequence

from palaver.collection.driven import Driven
from palaver.core.clock import Clock
from palaver.core.errors import MoveError, SystemFailureError
from palaver.core.events import FAILURE, NOBODY, NOTICE, Move
from palaver.core.logs import get_log
from palaver.core.protocols import Ending

log = get_log(__name__)

# After this many failures in a row the system is given up and the person goes on.
MAX_FAILURES = 3


async def reply_or_record(
    driven: Driven, seat: int, *, clock: Clock, apologies: Mapping[str, str]
) -> None:
    """Post the reply of the system at a seat, or record why there is none."""
    try:
        await _reply(driven, seat, clock)
    except SystemFailureError as failure:
        await _record_failure(driven, seat, failure, apologies)
    except MoveError as refusal:
        if not driven.room.dialogue.is_over:
            illegal = SystemFailureError("illegal", str(refusal))
            await _record_failure(driven, seat, illegal, apologies)


async def _reply(driven: Driven, seat: int, clock: Clock) -> None:
    room, last = driven.room, driven.room.dialogue.last_turn
    reply_to = last.seq if last else 0
    for n, move in enumerate(await _ask(driven, seat, clock)):
        marked = Move(
            action=move.action,
            data=move.data,
            audience=move.audience,
            reply_to=reply_to if n == 0 else None,
        )
        await room.move(seat, marked, lease=driven.lease)


async def _ask(driven: Driven, seat: int, clock: Clock) -> Sequence[Move]:
    room = driven.room
    keeper, name = room.plan.keeper, room.dialogue.occupant(seat).occupant
    asked = clock.now()

    def draft(text: str) -> None:
        room.draft(seat, text)

    moves = await driven.sessions[seat].send(None if room.plan.blind else draft)
    if not moves:
        raise SystemFailureError("silent", f"system '{name}' had nothing to say")
    took = clock.now() - asked
    keeper.note(name, took)
    text = str((moves[0].data or {}).get("text", ""))
    rng = random.Random(f"{room.key}:{room.dialogue.position}")
    await clock.sleep(keeper.release_after(text, rng) - took)
    return moves


async def _record_failure(
    driven: Driven, seat: int, failure: SystemFailureError, apologies: Mapping[str, str]
) -> None:
    room = driven.room
    driven.failures += 1
    log.warning("system_failed", dialogue=room.key, kind=failure.kind, detail=str(failure))
    detail = {"kind": failure.kind, "detail": str(failure), "attempts": failure.attempts}
    recorded = Move(action=FAILURE, data=detail, audience=NOBODY)
    # Until this is stored it still looks as if the system had not been asked.
    await room.record(seat, recorded, lease=driven.lease)
    if driven.failures >= MAX_FAILURES:
        room.finish(Ending("system_failed", {"seat": seat}))
        return
    sentence = apologies.get(failure.kind, apologies["error"])
    room.note(None, Move(action=NOTICE, data={"text": sentence}), lease=driven.lease)
