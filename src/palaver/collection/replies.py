"""Replies of systems: a session is asked, its delay evened out, and what it says posted.

A failure becomes a recorded event and a sentence for the person; after several in a row the dialogue
ends. Where a system passes for a person there is no such sentence: it is asked again, and in the end
looks like somebody who went silent. A reply that came too late to be evened out is recorded: it may have
told somebody which system they talk with.
"""

import random
from collections.abc import Mapping

from palaver.collection.disguise import SystemReply, ask_in_disguise
from palaver.collection.driven import MAX_FAILURES, Driven
from palaver.collection.limits import SYSTEM_FAILED
from palaver.collection.typist import Signal, Typist
from palaver.core.clock import Clock
from palaver.core.errors import MoveError, SystemFailureError
from palaver.core.events import FAILURE, LATE, NOBODY, NOTICE, Move
from palaver.core.logs import get_log
from palaver.core.protocols import CorrectableSession, Ending

log = get_log(__name__)


async def reply_or_record(
    driven: Driven, seat: int, *, clock: Clock, apologies: Mapping[str, str], typing: Signal
) -> None:
    """Post the reply of the system at a seat, or record why there is none."""
    try:
        await _reply(driven, seat, clock, typing)
    except SystemFailureError as failure:
        await _record_failure(driven, seat, failure, apologies)
    except MoveError as refusal:
        if not driven.room.dialogue.is_over:
            illegal = SystemFailureError("illegal", str(refusal))
            await _record_failure(driven, seat, illegal, apologies)


async def _reply(driven: Driven, seat: int, clock: Clock, typing: Signal) -> None:
    room, last = driven.room, driven.room.dialogue.last_turn
    keeper, reply_to = room.plan.keeper, last.seq if last else 0
    rng = random.Random(f"{room.key}:{room.dialogue.position}")
    with Typist(typing, clock, rng, reading=keeper.read_for(rng)):
        answer = await _ask(driven, seat, clock, rng)
    for record in answer.records:
        room.note(seat, record, lease=driven.lease)
    for n, move in enumerate(answer.moves):
        if n > 0 and keeper.pace is not None:
            with Typist(typing, clock, rng, reading=keeper.read_for(rng)):
                await clock.sleep(keeper.type_for(_words(move), rng))
        marked = Move(
            action=move.action,
            data=move.data,
            audience=move.audience,
            reply_to=reply_to if n == 0 else None,
        )
        try:
            await room.move(seat, marked, lease=driven.lease)
        except MoveError as refusal:
            session = driven.sessions[seat]
            if isinstance(session, CorrectableSession):
                session.refused(marked, str(refusal))
            raise


async def _ask(driven: Driven, seat: int, clock: Clock, rng: random.Random) -> SystemReply:
    """What the system says, once the common time has passed."""
    room = driven.room
    keeper, name = room.plan.keeper, room.dialogue.occupant(seat).occupant
    asked = clock.now()
    answer = await _ask_now(driven, seat, clock)
    if not answer.moves:
        raise SystemFailureError("silent", f"system '{name}' had nothing to say")
    took = clock.now() - asked
    keeper.note(name, took)
    common = keeper.release_after(_words(answer.moves[0]), rng)
    if keeper.pace is not None and took > common:
        told = {"seconds": round(took, 3), "common": round(common, 3)}
        answer.records.append(Move(action=LATE, data=told, audience=NOBODY))
    await clock.sleep(common - took)
    return answer


async def _ask_now(driven: Driven, seat: int, clock: Clock) -> SystemReply:
    room = driven.room
    if room.plan.blind:
        return await ask_in_disguise(driven, seat, clock)

    def draft(text: str) -> None:
        room.draft(seat, text)

    return SystemReply(await driven.sessions[seat].send(draft))


def _words(move: Move) -> str:
    return str((move.data or {}).get("text", ""))


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
        room.finish(Ending(SYSTEM_FAILED, {"seat": seat}))
    elif not room.plan.among_people:
        sentence = apologies.get(failure.kind, apologies["error"])
        room.note(None, Move(action=NOTICE, data={"text": sentence}), lease=driven.lease)
