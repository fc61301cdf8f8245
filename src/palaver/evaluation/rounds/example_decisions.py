"""What is decided about an example after its session: its writer takes it back, its owner judges it.

Both are events behind the end of the session, appended as any event is, so that the chain holds.
"""

from typing import Any

from sqlalchemy import Connection

from palaver.core.audit import SERVER, Actor
from palaver.core.errors import AccessError, InputError, UnknownNameError
from palaver.core.evaluation.rounds import Round, WrittenExample
from palaver.core.events import NOBODY, RETRACT, VERDICT, Event
from palaver.evaluation.rounds.examples import VERDICTS, find_example, fold_sessions
from palaver.games.model_in_the_loop.moves import GAME_NAME, WRITER
from palaver.games.model_in_the_loop.writing import Writing, fold_writing
from palaver.storage.audit.entries import record
from palaver.storage.dialogues.dialogues import StoredDialogue, load_dialogue
from palaver.storage.engine.appends import Append, append
from palaver.storage.engine.chain import study_of
from palaver.storage.judging.called_off import follow_decisions

# How long an owner's reason may be.
LONGEST_WHY = 500


def retract_example(
    connection: Connection, uid: str, *, writer: str, by: Actor = SERVER, now: float
) -> None:
    """Take an example back for its writer, by alias; twice changes nothing.

    Whoever has not begun to judge it is not asked any more. AccessError where somebody else wrote it.
    """
    stored, seq = _session(connection, uid)
    if stored.dialogue.occupant(WRITER).occupant != writer:
        raise AccessError("Only whoever wrote an example can take it back.")
    writing = fold_writing(stored.dialogue)
    _check_example(writing, uid, seq)
    if seq in writing.retracted:
        return
    if not stored.dialogue.is_over:
        raise InputError("The session still runs. End it first, then take the example back.")
    _append(connection, stored, WRITER, RETRACT, {"seq": seq}, now=now)
    follow_decisions(connection, [uid])
    study_id = study_of(connection, stored.id)
    record(connection, "loop.retract", by=by, now=now, subject=uid, study_id=study_id)


def give_verdict(
    connection: Connection,
    round_: Round,
    uid: str,
    verdict: str | None,
    *,
    why: str = "",
    by: Actor,
    now: float,
) -> WrittenExample:
    """Settle an example as the owner of its task; None takes an earlier verdict back.

    Nobody new is asked about an example that is settled; whoever has begun to judge it goes on.
    """
    if verdict is not None and verdict not in VERDICTS:
        raise InputError(
            f"A verdict is one of {', '.join(VERDICTS)}; got '{verdict[:40]}'. To take one back, "
            "give none."
        )
    if len(why) > LONGEST_WHY:
        raise InputError(f"A reason takes {LONGEST_WHY} characters at most; got {len(why)}.")
    if round_.state == "closed":
        raise InputError(
            f"Round {round_.number} of '{round_.task}' is closed: its data sets are made, and no "
            "verdict changes them."
        )
    stored, seq = _session(connection, uid)
    session = next(fold_sessions([stored.record()], round_), None)
    if session is None or stored.study != round_.study or stored.stage != round_.stage:
        raise UnknownNameError(f"Round {round_.number} of '{round_.task}' has no example '{uid}'.")
    if session.is_erased:
        raise InputError("Whoever wrote this has withdrawn: there is nothing left to judge.")
    _check_example(session.writing, uid, seq)
    known = session.writing.verdicts.get(seq)
    if (None if known is None else (known.verdict, known.why)) != (
        None if verdict is None else (verdict, why)
    ):
        data = {"seq": seq, "verdict": verdict, "by": by.name, "why": why}
        _append(connection, stored, None, VERDICT, data, now=now)
        follow_decisions(connection, [uid])
        detail = {"round": round_.number, "verdict": verdict}
        record(
            connection,
            "loop.verdict",
            by=by,
            now=now,
            subject=uid,
            study_id=round_.study_id,
            detail=detail,
        )
    settled = find_example(connection, round_, uid)
    assert settled is not None
    return settled


def _session(connection: Connection, uid: str) -> tuple[StoredDialogue, int]:
    """The session of an example, and the event that it began with."""
    key, _, seq = uid.rpartition("-")
    try:
        stored = load_dialogue(connection, key)
    except InputError:
        raise UnknownNameError(f"There is no example '{uid[:80]}'.") from None
    if stored.dialogue.scenario.game != GAME_NAME or not seq.isdigit():
        raise UnknownNameError(f"There is no example '{uid[:80]}'.")
    return stored, int(seq)


def _check_example(writing: Writing, uid: str, seq: int) -> None:
    found = writing.begun_by(seq)
    if found is None or found.answer is None:
        raise UnknownNameError(f"There is no example '{uid[:80]}'.")


def _append(
    connection: Connection,
    stored: StoredDialogue,
    seat: int | None,
    action: str,
    data: dict[str, Any],
    *,
    now: float,
) -> None:
    event = Event(
        seq=stored.dialogue.position + 1,
        seat=seat,
        action=action,
        data=data,
        time=now,
        audience=NOBODY if seat is None else None,
    )
    append(connection, Append(stored.id, [event]))
