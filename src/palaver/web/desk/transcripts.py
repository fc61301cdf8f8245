"""A dialogue as a researcher reads it: every event, also those that no seat saw."""

from typing import Any

import msgspec

from palaver.core.dialogue import Dialogue
from palaver.core.events import FAILURE, MESSAGE, Event
from palaver.core.words import counted
from palaver.games.game import game_of
from palaver.web.desk.pages import Line
from palaver.web.formatting import clock, moment, reason_words


def lines(dialogue: Dialogue, *, after: int = 0) -> tuple[Line, ...]:
    """The events behind a position, each as a line."""
    start = dialogue.events[0].time if dialogue.events else 0.0
    return tuple(_line(dialogue, event, start) for event in dialogue.events[after:])


def speaker(dialogue: Dialogue, seat: int | None, seq: int) -> str:
    """Who sat at a seat when an event happened."""
    if seat is None:
        return "the house"
    sat = [s for s in dialogue.seats if s.index == seat and s.from_seq <= seq]
    return max(sat, key=lambda s: s.from_seq).occupant if sat else f"seat {seat}"


def _line(dialogue: Dialogue, event: Event, start: float) -> Line:
    kind = "message" if event.action == MESSAGE else "move" if event.is_turn else "quiet"
    return Line(
        seq=event.seq,
        kind=kind,
        seat=event.seat,
        speaker=speaker(dialogue, event.seat, event.seq),
        text=_text(dialogue, event) if event.is_turn else _quiet(dialogue, event),
        audience=_audience(event),
        at=clock(event.time - start),
        time=moment(event.time),
        note=_note(event),
        tone="error" if event.action == FAILURE else "",
    )


def _text(dialogue: Dialogue, event: Event) -> str | None:
    if event.data is None and event.action == MESSAGE:
        return None
    if event.action == MESSAGE:
        return event.text
    words = game_of(dialogue.scenario).words(event)
    if words:
        return words
    return event.action if not event.data else f"{event.action}: {_as_json(event.data)}"


def _quiet(dialogue: Dialogue, event: Event) -> str:
    data, who = event.data or {}, speaker(dialogue, event.seat, event.seq)
    match event.action:
        case "join":
            return f"{who} joined"
        case "leave":
            return f"{who} left"
        case "failure":
            tries = counted(int(data.get("attempts", 1)), "attempt")
            return f"{who} failed ({data.get('kind', 'error')}, {tries}): {data.get('detail', '')}"
        case "notice":
            return f"Notice: {data.get('text', 'erased')}"
        case "takeover":
            before = speaker(dialogue, event.seat, event.seq - 1)
            why = reason_words(str(data.get("reason", "")))
            return f"{data.get('system', 'A system')} took the seat of {before} ({why})"
        case "erase":
            seat, count = data.get("seat", "?"), int(data.get("events", 0))
            return f"{counted(count, 'event')} of seat {seat} erased at the participant's request"
        case "end":
            return f"Ended: {reason_words(str(data.get('reason', '')))}{_outcome(data)}"
    return f"{event.action}: {_as_json(data)}"


def _outcome(data: dict[str, Any]) -> str:
    outcome = data.get("outcome")
    return f" ({_as_json(outcome)})" if outcome else ""


def _audience(event: Event) -> str:
    if event.audience is None:
        return ""
    if not event.audience:
        return "seen by no seat"
    seats = ", ".join(str(seat) for seat in event.audience)
    return f"seen by seat {seats} only"


def _note(event: Event) -> str:
    return "seed" if event.action == MESSAGE and (event.data or {}).get("seed") else ""


def _as_json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
