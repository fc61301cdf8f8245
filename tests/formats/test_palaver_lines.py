"""Palaver's own lines: what is written reads back, and a wrong line is named."""

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaver.core.dialogue import Seat
from palaver.core.errors import InputError
from palaver.core.events import Event
from palaver.core.records import DialogueRecord, LabelRecord
from palaver.formats.palaver import read_dialogues, read_labels, write_records

TEXT = st.text(st.characters(codec="utf-8"), max_size=10)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
SEATS = [Seat(index=0, kind="person", occupant="p"), Seat(index=1, kind="system", occupant="s")]


@st.composite
def dialogues(draw: st.DrawFn) -> DialogueRecord:
    events = [
        Event(
            seq=seq,
            seat=draw(st.sampled_from([None, 0, 1])),
            action=draw(st.sampled_from(["message", "offer", "end"])),
            data=draw(st.none() | st.dictionaries(TEXT, JSON, max_size=2)),
            time=draw(st.floats(0, 1e10)),
            audience=draw(st.sampled_from([None, (), (0,), (0, 1)])),
            client_id=draw(st.none() | TEXT),
            reply_to=draw(st.none() | st.integers(1, 5)),
        )
        for seq in range(1, draw(st.integers(1, 5)))
    ]
    return DialogueRecord(id=draw(TEXT), study=draw(TEXT), seats=SEATS, events=events)


LABELS = st.builds(
    LabelRecord,
    study=TEXT, unit=TEXT, dialogue=st.none() | TEXT, seq=st.none() | st.integers(1, 9),
    turn=st.none(), question=TEXT, question_version=TEXT, purpose=st.just("real"), rater=TEXT,
    rater_kind=st.just("person"), assignment=st.none() | TEXT,
    shown_order=st.none() | st.lists(TEXT, max_size=2), value=JSON, label=JSON,
    seconds=st.none() | st.floats(0, 99), superseded=st.booleans(), time=st.floats(0, 1e10),
)  # fmt: skip


@given(st.lists(dialogues(), max_size=3), st.lists(LABELS, max_size=3))
def test_round_trip(records: list[DialogueRecord], labels: list[LabelRecord]) -> None:
    stream, label_stream = io.BytesIO(), io.BytesIO()
    assert write_records(records, stream) == len(records)
    assert write_records(labels, label_stream) == len(labels)
    assert list(read_dialogues(io.BytesIO(stream.getvalue()))) == records
    assert list(read_labels(io.BytesIO(label_stream.getvalue()))) == labels


GOOD = b'{"id":"d","study":"s","seats":[{"index":0,"kind":"person","occupant":"p"}],"events":[]}\n'


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (GOOD[:40], "truncated"),
        (GOOD.replace(b"person", b"ghost"), "Invalid enum value 'ghost'"),
        (GOOD.replace(b'"id":"d",', b""), "missing required field `id`"),
        (
            GOOD.replace(b"[]", b'[{"seq":2,"seat":0,"action":"message","time":1}]'),
            "has event 2 where 1 is expected",
        ),
        (
            GOOD.replace(b"[]", b'[{"seq":1,"seat":5,"action":"message","time":1}]'),
            "by seat 5, which is not among its seats",
        ),
    ],
)
def test_a_wrong_dialogue_is_named_by_its_line(line: bytes, message: str) -> None:
    with pytest.raises(InputError, match=rf"^x\.jsonl:2: .*{message}"):
        list(read_dialogues(io.BytesIO(GOOD + line), name="x.jsonl"))


def test_a_wrong_label_is_named_by_its_line() -> None:
    with pytest.raises(InputError, match=r"^labels\.jsonl:1: .*missing required field"):
        list(read_labels(io.BytesIO(b'{"study":"s"}\n')))
