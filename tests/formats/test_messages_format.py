"""Chat messages in both directions."""

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaver.core.dialogue import Seat
from palaver.core.errors import InputError
from palaver.core.events import Event
from palaver.core.records import DialogueRecord
from palaver.core.scenario import Scenario
from palaver.formats.messages import chat_row, dialogue_record, read_messages, write_messages

PERSON = Seat(index=0, kind="person", occupant="p_ann")
SYSTEM = Seat(index=1, kind="system", occupant="parrot")


def said(seq: int, seat: int | None, text: str | None, action: str = "message") -> Event:
    data = None if text is None else {"text": text}
    return Event(seq=seq, seat=seat, action=action, data=data, time=float(seq))


def record(seats: list[Seat], *events: Event, **more: Any) -> DialogueRecord:
    return DialogueRecord(id="d_1", study="demo", seats=seats, events=list(events), **more)


def written(*records: DialogueRecord) -> list[dict[str, Any]]:
    stream = io.BytesIO()
    assert write_messages(records, stream) == len(records)
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def pairs(row: dict[str, Any]) -> list[tuple[str, str]]:
    return [(message["role"], message["content"]) for message in row["messages"]]


def test_the_system_is_the_assistant_and_consecutive_messages_stay_apart() -> None:
    (row,) = written(
        record(
            [PERSON, SYSTEM],
            said(1, 0, None, "join"),
            said(2, 0, "hi"),
            said(3, 0, "there"),
            said(4, 1, "hello"),
            condition="parrot",
        )
    )
    assert pairs(row) == [("user", "hi"), ("user", "there"), ("assistant", "hello")]
    assert (row["id"], row["study"], row["condition"], row["system"]) == (
        "d_1",
        "demo",
        "parrot",
        "parrot",
    )


def test_a_system_at_seat_0_is_the_assistant_too() -> None:
    seats = [Seat(index=0, kind="system", occupant="x"), Seat(index=1, kind="person", occupant="p")]
    (row,) = written(record(seats, said(1, 0, "hello"), said(2, 1, "hi")))
    assert pairs(row) == [("assistant", "hello"), ("user", "hi")]
    assert (row["system"], row["user"]) == ("x", "p")


def test_between_people_seat_1_is_the_assistant_and_no_system_is_named() -> None:
    seats = [PERSON, Seat(index=1, kind="person", occupant="p_bo")]
    (row,) = written(record(seats, said(1, 1, "b"), said(2, 0, "a")))
    assert pairs(row) == [("assistant", "b"), ("user", "a")]
    assert "system" not in row
    assert row["assistant"] == "p_bo"


def test_two_systems_are_both_named() -> None:
    seats = [Seat(index=0, kind="system", occupant="x"), SYSTEM]
    (row,) = written(record(seats, said(1, 0, "a")))
    assert (row["system"], row["user_system"]) == ("parrot", "x")


def test_personas_lead() -> None:
    scenario = Scenario(personas=(("I swim.",), ("You are terse.", "You like tea.")))
    (row,) = written(record([PERSON, SYSTEM], said(1, 0, "hi"), scenario=scenario))
    assert pairs(row)[0] == ("system", "You are terse.\nYou like tea.")
    assert row["user_persona"] == ["I swim."]


def test_what_is_left_out_is_counted() -> None:
    private = Event(seq=4, seat=0, action="message", data={"text": "psst"}, time=4.0, audience=(0,))
    (row,) = written(
        record(
            [PERSON, SYSTEM],
            said(1, 0, None),
            said(2, 1, "ok"),
            said(3, 0, "7", "offer"),
            private,
            said(5, None, None, "erase"),
        )
    )
    assert pairs(row) == [("assistant", "ok")]
    assert (row["erased"], row["other_moves"]) == (1, 2)


def test_a_takeover_says_from_which_message_on() -> None:
    seats = [PERSON, Seat(index=1, kind="person", occupant="p_bo")]
    seats.append(Seat(index=1, kind="system", occupant="parrot", from_seq=3))
    (row,) = written(record(seats, said(1, 1, "b"), said(2, 0, "a"), said(3, 1, "beep")))
    assert row["takeovers"] == [{"role": "assistant", "system": "parrot", "message": 2}]
    assert row["assistant"] == "p_bo"


def test_rows_from_elsewhere_are_read() -> None:
    rows = [
        {
            "messages": [
                {"role": "developer", "content": "Be kind."},
                {"role": "user", "content": [{"type": "text", "text": "What is "},
                                             {"type": "image_url", "image_url": {"url": "x"}},
                                             {"type": "text", "text": "this?"}]},
                {"role": "assistant", "content": None, "tool_calls": [
                    {"id": "c1", "type": "function",
                     "function": {"name": "look", "arguments": "{\"at\": 1}"}}]},
                {"role": "tool", "tool_call_id": "c1", "content": "a cat"},
                {"role": "assistant", "content": "A cat.", "weight": 1},
            ],
            "source": "elsewhere",
        }
    ]  # fmt: skip
    stream = io.BytesIO(b"\xef\xbb\xbf\n" + json.dumps(rows[0]).encode())
    (read,) = read_messages(stream, study="import")
    assert (read.id, read.study, read.status) == ("line-2", "import", "ended")
    assert [(e.seat, e.action, e.text) for e in read.events] == [
        (None, "notice", "Be kind."),
        (0, "message", "What is this?"),
        (1, "message", ""),
        (None, "notice", "a cat"),
        (1, "message", "A cat."),
        (None, "end", ""),
    ]
    assert (read.events[2].data or {})["tool_calls"][0]["function"]["name"] == "look"
    assert read.scenario.extra == {"source": "elsewhere"}
    assert not read.events[3].visible_to(0)
    assert read.dialogue().is_over
    assert chat_row(read).messages == rows[0]["messages"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", "Input data was truncated"),
        (b'"text"', "Expected `object`"),
        (b'{"id": "x"}', "missing required field `messages`"),
        (b'{"messages": [{"role": "robot", "content": ""}]}', "Invalid enum value 'robot'"),
        (b'{"messages": [{"content": ""}]}', "missing required field `role`"),
        (b'{"messages": [{"role": "user", "content": 3}]}', "got `int`"),
        (b'{"messages": [{"role": "user"}]}', "has no content"),
        (b'{"messages": [{"role": "user", "content": [{"text": "x"}]}]}', "without 'type'"),
        (b'{"messages": [{"role": "user", "content": [{"type": "text"}]}]}', "without 'text'"),
        (b'{"messages": [{"role": "tool", "content": "x"}]}', "has no tool_call_id"),
        (
            b'{"messages": [{"role": "user", "content": "", "tool_calls": [{"id": "a", '
            b'"function": {"name": "f", "arguments": "{}"}}]}]}',
            "only an assistant may",
        ),
        (
            b'{"messages": [{"role": "assistant", "content": "", "tool_calls": [{"id": "a", '
            b'"function": {"name": "f", "arguments": {}}}]}]}',
            "Expected `str`, got `object`",
        ),
        (b'{"messages": [], "id": 7}', r"Expected `str`, got `int` - at `\$.id`"),
        (b"\xff\xfe", "malformed"),
    ],
)
def test_a_wrong_line_is_named(line: bytes, message: str) -> None:
    good = b'{"messages": [{"role": "user", "content": "hi"}]}\n'
    with pytest.raises(InputError, match=rf"^chat\.jsonl:3: .*{message}"):
        list(read_messages(io.BytesIO(good + b"\n" + line), name="chat.jsonl"))


TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
JSON = st.dictionaries(TEXT, st.none() | st.booleans() | st.integers(-9, 9) | TEXT, max_size=2)
CONTENT = TEXT | st.lists(
    st.builds(lambda text: {"type": "text", "text": text}, TEXT)
    | st.builds(lambda url: {"type": "image_url", "image_url": {"url": url}}, TEXT),
    max_size=3,
)
CALL = st.builds(
    lambda i, n: {"id": i, "type": "function", "function": {"name": n, "arguments": "{}"}},
    TEXT,
    TEXT,
)
CHAT = (
    st.builds(
        lambda role, content: {"role": role, "content": content},
        st.sampled_from(["system", "developer", "user", "assistant"]),
        CONTENT,
    )
    | st.builds(
        lambda content, calls: {"role": "assistant", "content": content, "tool_calls": calls},
        st.none() | TEXT,
        st.lists(CALL, min_size=1, max_size=2),
    )
    | st.builds(lambda c, i: {"role": "tool", "content": c, "tool_call_id": i}, CONTENT, TEXT)
    | st.builds(lambda c, n: {"role": "user", "content": c, "name": n}, CONTENT, TEXT)
)


@given(st.lists(CHAT, max_size=6))
def test_messages_from_elsewhere_come_back_as_they_were(messages: list[dict[str, Any]]) -> None:
    assert chat_row(dialogue_record({"messages": messages})).messages == messages


@st.composite
def records(draw: st.DrawFn) -> DialogueRecord:
    kinds = draw(st.tuples(*[st.sampled_from(["person", "system"])] * 2))
    events = [
        Event(
            seq=seq,
            seat=draw(st.sampled_from([0, 1])),
            action=draw(st.sampled_from(["message", "message", "message", "offer", "join"])),
            data=draw(st.none() | st.builds(lambda text: {"text": text}, TEXT)),
            time=1.0,
        )
        for seq in range(1, draw(st.integers(1, 8)))
    ]
    status, reason = draw(st.sampled_from([("running", ""), ("ended", "length"), ("ended", "")]))
    seats = [Seat(index=i, kind=kind, occupant=f"o{i}") for i, kind in enumerate(kinds)]
    if "person" in kinds and draw(st.booleans()):
        index = kinds.index("person")
        seats.append(
            Seat(index=index, kind="system", occupant="late", from_seq=draw(st.integers(2, 9)))
        )
    personas = draw(st.just(()) | st.tuples(*[st.lists(TEXT, max_size=2).map(tuple)] * 2))
    return DialogueRecord(
        id=draw(TEXT.filter(bool)),
        study=draw(TEXT),
        condition=draw(TEXT),
        position=draw(st.integers(0, 3)),
        group=draw(st.none() | TEXT),
        scenario=Scenario(id=draw(TEXT), personas=personas, extra=draw(JSON)),
        seats=seats,
        events=events,
        created=draw(st.none() | st.floats(0, 1e10)),
        status=status,
        reason=reason,
    )


@given(st.lists(records(), max_size=3))
def test_what_was_written_reads_back_and_is_written_alike(
    sample: list[DialogueRecord],
) -> None:
    first = io.BytesIO()
    write_messages(sample, first)
    again = io.BytesIO()
    write_messages(read_messages(io.BytesIO(first.getvalue())), again)
    assert again.getvalue() == first.getvalue()
