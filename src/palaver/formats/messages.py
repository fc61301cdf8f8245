"""Chat messages, the form that fine-tuning tools and model APIs read and write.

One dialogue per line: `{"messages": [{"role", "content"}, …], "id", "study", "condition", …}`. The
system's seat is the `assistant`; between two people seat 0 is the `user`, seat 1 the `assistant`.
The assistant's persona is a leading `system` message. An erased message is left out and counted in
`erased`. A move (a selection, an offer) is a message with its words in brackets, and with the move
itself beside them; one that has no words or was not for both sides is left out and counted in
`other_moves`. Consecutive messages of one side stay apart.

Reading gives a person at seat 0 and a system at seat 1. What a message has beside its text stays in
its event's data (`content` parts, `tool_calls`, `fields`), so that writing gives it back. Other
system, developer and tool messages become notices of the house that only the assistant sees.
"""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, BinaryIO, Literal

import msgspec
from msgspec import Meta

from palaver.core.columns import as_field
from palaver.core.dialogue import Seat, SeatKind
from palaver.core.errors import InputError
from palaver.core.events import END, HOUSEKEEPING, MESSAGE, NOTICE, Event
from palaver.core.records import DialogueRecord
from palaver.core.scenario import Scenario
from palaver.formats.found_records import Found, read_text_lines
from palaver.formats.json_files import at_line, read_lines
from palaver.formats.move_words import move_data, move_words

ChatRole = Literal["system", "developer", "user", "assistant", "tool"]

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(dict[str, Any]).decode
# What a message may have that this module knows; the rest is kept in `fields`.
_KNOWN = frozenset({"role", "content", "tool_calls", "tool_call_id", "move"})
_HOUSE = frozenset({"system", "developer", "tool"})
# Where the scenario's `extra` keeps what the export that is read had left out.
_LEFT_OUT = "chat_messages_left_out"


class FunctionCall(msgspec.Struct, frozen=True):
    """What a tool call calls; `arguments` is JSON as text."""

    name: str
    arguments: str


class MoveEntry(msgspec.Struct, frozen=True):
    """What was done instead of saying something."""

    action: str
    data: dict[str, Any] = {}


class ToolCall(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    type: Literal["function"] = "function"
    function: FunctionCall


class MessageEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One message; `content` is text, typed parts, or null beside tool calls."""

    role: ChatRole
    content: str | list[dict[str, Any]] | None = None
    tool_calls: list[ToolCall] | None = None
    tool_call_id: str | None = None
    move: MoveEntry | None = None


class Takeover(msgspec.Struct, frozen=True, kw_only=True):
    """A system that took a side's seat before the message with this index."""

    role: Annotated[Literal["user", "assistant"], Meta(description="whose seat it took")]
    system: Annotated[str, Meta(description="the system's name")]
    message: Annotated[int, Meta(description="the index of the first message after it")]


class ChatRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line. What is true of the dialogue is described where a dialogue's record is."""

    messages: Annotated[
        list[dict[str, Any]],
        Meta(
            description="`role` and `content`; of a move also `move`, its `action` and `data`; of "
            "imported dialogues also `tool_calls`, `tool_call_id` and whatever else a message had"
        ),
    ]
    id: Annotated[str, as_field(DialogueRecord, "id")] = ""
    dialogue_name: Annotated[str, as_field(DialogueRecord, "name")] = ""
    source_id: Annotated[str | int | None, as_field(DialogueRecord, "source_id")] = None
    source_file: Annotated[str | None, as_field(DialogueRecord, "source")] = None
    study: Annotated[str, as_field(DialogueRecord, "study")] = ""
    purpose: Annotated[str, as_field(DialogueRecord, "purpose")] = "real"
    condition: Annotated[str, as_field(DialogueRecord, "condition")] = ""
    system: Annotated[str | None, Meta(description="the assistant, where it is a system")] = None
    assistant: Annotated[
        str | None, Meta(description="the assistant's alias, where it is a person")
    ] = None
    assistant_name: Annotated[
        str | None, Meta(description="what people call that person here, such as P07")
    ] = None
    user: Annotated[str | None, Meta(description="the user's alias, where it is a person")] = None
    user_name: Annotated[
        str | None, Meta(description="what people call that person here, such as P07")
    ] = None
    user_system: Annotated[
        str | None, Meta(description="the user, where it is a system (self-play)")
    ] = None
    user_persona: Annotated[list[str], Meta(description="the persona lines of the user")] = []
    group: Annotated[str | None, as_field(DialogueRecord, "group")] = None
    position: Annotated[int, as_field(DialogueRecord, "position")] = 0
    scenario: Annotated[str, Meta(description="the scenario's id")] = "open"
    game: Annotated[str, Meta(description="the game that is played")] = "open_chat"
    created: Annotated[float | None, as_field(DialogueRecord, "created")] = None
    status: Annotated[str, as_field(DialogueRecord, "status")] = "ended"
    reason: Annotated[str, as_field(DialogueRecord, "reason")] = ""
    takeovers: Annotated[list[Takeover], Meta(description="systems that took a seat")] = []
    erased: Annotated[int, Meta(description="messages left out because somebody withdrew")] = 0
    other_moves: Annotated[
        int,
        Meta(
            description="moves left out because they have no words or were not visible to both "
            "sides"
        ),
    ] = 0
    metadata: Annotated[dict[str, Any], Meta(description="the scenario's `extra`")] = {}


_FIELDS = frozenset(ChatRow.__struct_fields__)


def write_messages(records: Iterable[DialogueRecord], stream: BinaryIO) -> int:
    """Write one dialogue per line; how many."""
    count = 0
    for record in records:
        stream.write(_encode(chat_row(record)) + b"\n")
        count += 1
    return count


def read_messages(
    stream: BinaryIO | Iterable[bytes], *, name: str = "messages.jsonl", study: str = ""
) -> Iterator[DialogueRecord]:
    """The dialogues of a file; a row without an id is called after its line.

    `study` is used where a row names none. Unknown keys are kept in the scenario's `extra`.
    """
    for number, raw in read_lines(stream, _decode, name=name):
        try:
            yield dialogue_record(raw, fallback_id=f"line-{number}", study=study)
        except (msgspec.ValidationError, InputError) as error:
            raise at_line(name, number, str(error)) from error


def find_messages(stream: Iterable[bytes], name: str) -> Iterator[Found]:
    """The dialogues of a file, and what is wrong with others."""
    return read_text_lines(
        stream,
        name,
        lambda line, number: dialogue_record(_decode(line), fallback_id=f"line-{number}"),
    )


# --- Writing --------------------------------------------------------------------------------------


def chat_row(record: DialogueRecord) -> ChatRow:
    first = _first_occupants(record.seats)
    assistant = _assistant_seat(first)
    user = 0 if assistant else 1
    persona = record.scenario.persona(assistant)
    messages = [{"role": "system", "content": "\n".join(persona)}] if persona else []
    seqs = [0] * len(messages)
    erased, other_moves = record.scenario.extra.get(_LEFT_OUT, (0, 0))
    for event in record.events:
        message = _message(event, assistant, record.scenario.game)
        if message is not None:
            messages.append(message)
            seqs.append(event.seq)
        elif event.action == MESSAGE and event.data is None:
            erased += 1
        elif event.is_turn:
            other_moves += 1
    return ChatRow(
        messages=messages,
        id=record.id,
        dialogue_name=record.name,
        source_id=record.source_id,
        source_file=record.source,
        study=record.study,
        purpose=record.purpose,
        condition=record.condition,
        system=_occupant(first, assistant, "system"),
        assistant=_occupant(first, assistant, "person"),
        assistant_name=_name(first, assistant),
        user=_occupant(first, user, "person"),
        user_name=_name(first, user),
        user_system=_occupant(first, user, "system"),
        user_persona=list(record.scenario.persona(user)),
        group=record.group,
        position=record.position,
        scenario=record.scenario.id,
        game=record.scenario.game,
        created=record.created,
        status=record.status,
        reason=record.reason,
        takeovers=_takeovers(record.seats, first, seqs, assistant),
        erased=erased,
        other_moves=other_moves,
        metadata={k: v for k, v in record.scenario.extra.items() if k != _LEFT_OUT},
    )


def _first_occupants(seats: list[Seat]) -> dict[int, Seat]:
    first: dict[int, Seat] = {}
    for seat in sorted(seats, key=lambda seat: seat.from_seq):
        first.setdefault(seat.index, seat)
    return first


def _assistant_seat(first: dict[int, Seat]) -> int:
    systems = [index for index, seat in first.items() if seat.kind == "system"]
    return systems[0] if len(systems) == 1 else 1


def _occupant(first: dict[int, Seat], index: int, kind: SeatKind) -> str | None:
    seat = first.get(index)
    return seat.occupant if seat is not None and seat.kind == kind else None


def _name(first: dict[int, Seat], index: int) -> str | None:
    seat = first.get(index)
    return (seat.name or None) if seat is not None else None


def _message(event: Event, assistant: int, game: str) -> dict[str, Any] | None:
    """The event as a chat message; None if it is none, or was not said to everybody."""
    if event.data is None:
        return None
    role = event.data.get("role")
    if event.action == NOTICE and role in _HOUSE:
        return _with_rest({"role": role}, event)
    if event.audience is not None:
        return None
    words = move_words(event, game=game)
    if words and event.seat is not None:
        move = {"action": event.action, "data": move_data(event)}
        message = {"role": "assistant" if event.seat == assistant else "user"}
        return {**message, "content": f"[{words}]", "move": move}
    if event.action != MESSAGE:
        return None
    if event.seat is None:
        return _with_rest({"role": "system"}, event)
    return _with_rest({"role": "assistant" if event.seat == assistant else "user"}, event)


def _with_rest(message: dict[str, Any], event: Event) -> dict[str, Any]:
    data = event.data or {}
    message["content"] = data.get("content", event.text)
    for key in ("tool_calls", "tool_call_id"):
        if key in data:
            message[key] = data[key]
    return {**data.get("fields", {}), **message}


def _takeovers(
    seats: list[Seat], first: dict[int, Seat], seqs: list[int], assistant: int
) -> list[Takeover]:
    return [
        Takeover(
            role="assistant" if seat.index == assistant else "user",
            system=seat.occupant,
            message=sum(seq < seat.from_seq for seq in seqs),
        )
        for seat in seats
        if seat.kind == "system" and seat is not first[seat.index]
    ]


# --- Reading --------------------------------------------------------------------------------------


def dialogue_record(
    raw: dict[str, Any], *, fallback_id: str = "", study: str = ""
) -> DialogueRecord:
    """A row of chat messages as a dialogue; InputError or ValidationError if it is not one."""
    row = msgspec.convert(raw, ChatRow)
    persona, rest = _split_persona(row.messages)
    time = row.created or 0.0
    events = [_event(n, message, time) for n, message in enumerate(rest, start=1)]
    if row.status == "ended":
        ending = {"reason": row.reason} if row.reason else {}
        events.append(Event(seq=len(events) + 1, seat=None, action=END, data=ending, time=time))
    return DialogueRecord(
        id=row.id or fallback_id,
        name=row.dialogue_name,
        source_id=None if row.source_id is None else str(row.source_id),
        source=row.source_file,
        purpose=row.purpose,
        study=row.study or study,
        condition=row.condition,
        position=row.position,
        group=row.group,
        scenario=_scenario(row, raw, persona),
        seats=_seats(row, offset=len(row.messages) - len(rest)),
        events=events,
        created=row.created,
        status=row.status,
        reason=row.reason,
    )


def _split_persona(
    messages: list[dict[str, Any]],
) -> tuple[tuple[str, ...], list[dict[str, Any]]]:
    first = messages[0] if messages else {}
    plain = first.keys() == {"role", "content"} and isinstance(first["content"], str)
    if plain and first["role"] == "system":
        return tuple(first["content"].split("\n")), messages[1:]
    return (), messages


def _event(seq: int, raw: dict[str, Any], time: float) -> Event:
    message = msgspec.convert(raw, MessageEntry)
    _check(message, seq)
    if message.move is not None:
        seat, move = int(message.role == "assistant"), message.move
        return Event(seq=seq, seat=seat, action=move.action, data=move.data, time=time)
    data: dict[str, Any] = {"text": _text(message.content)}
    if not isinstance(message.content, str):
        data["content"] = message.content
    data |= {key: raw[key] for key in ("tool_calls", "tool_call_id") if raw.get(key) is not None}
    fields = {key: value for key, value in raw.items() if key not in _KNOWN}
    if fields:
        data["fields"] = fields
    if message.role in _HOUSE:
        data["role"] = message.role
        return Event(seq=seq, seat=None, action=NOTICE, data=data, time=time, audience=(1,))
    return Event(
        seq=seq, seat=int(message.role == "assistant"), action=MESSAGE, data=data, time=time
    )


def _check(message: MessageEntry, number: int) -> None:
    if message.content is None and not message.tool_calls:
        raise InputError(
            f"Message {number} ({message.role}) has no content; only an assistant's message with "
            "tool_calls may have none."
        )
    if message.tool_calls and message.role != "assistant":
        raise InputError(
            f"Message {number} ({message.role}) has tool_calls; only an assistant may."
        )
    if message.move is not None and (
        message.role in _HOUSE or message.move.action in HOUSEKEEPING | {MESSAGE}
    ):
        raise InputError(
            f"Message {number} ({message.role}) has the move '{message.move.action}'; only a side "
            "makes moves, and neither a message nor what the house notes is one."
        )
    if message.role == "tool" and message.tool_call_id is None:
        raise InputError(f"Message {number} (tool) has no tool_call_id; say which call it answers.")
    for part in message.content if isinstance(message.content, list) else []:
        if not isinstance(part.get("type"), str):
            raise InputError(
                f"Message {number} ({message.role}) has a content part without 'type'."
            )
        if part["type"] == "text" and not isinstance(part.get("text"), str):
            raise InputError(f"Message {number} ({message.role}) has a text part without 'text'.")


def _text(content: str | list[dict[str, Any]] | None) -> str:
    if isinstance(content, list):
        return "".join(part["text"] for part in content if part["type"] == "text")
    return content or ""


def _scenario(row: ChatRow, raw: dict[str, Any], persona: tuple[str, ...]) -> Scenario:
    left_out = (row.erased, row.other_moves)
    unknown = {key: value for key, value in raw.items() if key not in _FIELDS}
    personas = (tuple(row.user_persona), persona)
    return Scenario(
        id=row.scenario,
        game=row.game,
        personas=personas if any(personas) else (),
        extra={**row.metadata, **unknown, **({_LEFT_OUT: left_out} if any(left_out) else {})},
    )


def _seats(row: ChatRow, *, offset: int) -> list[Seat]:
    user = Seat(index=0, kind="person", occupant=row.user or "user", name=row.user_name or "")
    if row.user_system is not None:
        user = Seat(index=0, kind="system", occupant=row.user_system)
    assistant = Seat(index=1, kind="system", occupant=row.system or "assistant")
    if row.assistant is not None and row.system is None:
        name = row.assistant_name or ""
        assistant = Seat(index=1, kind="person", occupant=row.assistant, name=name)
    later = [
        Seat(
            index=int(takeover.role == "assistant"),
            kind="system",
            occupant=takeover.system,
            from_seq=max(1, takeover.message - offset + 1),
        )
        for takeover in row.takeovers
    ]
    return [user, assistant, *later]
