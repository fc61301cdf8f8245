"""Whatever stands where in an example: it is refused in words, or comes back unchanged."""

import json
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from palaver.core.errors import InputError
from palaver.core.records import decode_dialogue, encode_line
from palaver.formats.cocoa.deal_text import deal_lines
from palaver.formats.cocoa.examples import example_json, example_record
from palaver.formats.cocoa.hf_rows import row_of
from palaver.formats.messages import chat_row
from support.cocoa import EXAMPLES, changed

STRANGE = st.sampled_from(
    [
        *(None, True, 0, -1, 2, 1.5, 10**18, "", "nan", "1500000000", [], {}, [[]], [{}]),
        *("human", "select", "offer", "message", "quit", "end", "erase", "eval", ["a", "b"]),
        *({"0": None}, {"price": -1}, {"book": 1}, {"Name": "Ada"}, {"cocoa": 1}),
    ]
)


@st.composite
def strange_examples(draw: st.DrawFn) -> dict[str, Any]:
    raw = draw(st.sampled_from(EXAMPLES))
    for _ in range(draw(st.integers(1, 2))):
        steps: list[str | int] = []
        inner: Any = raw
        while isinstance(inner, dict | list) and inner and (not steps or draw(st.integers(0, 5))):
            keys = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
            steps.append(draw(st.sampled_from(keys)))
            inner = inner[steps[-1]]
        raw = changed(raw, *steps, to=draw(STRANGE))
    return raw


@given(strange_examples())
def test_a_strange_example_is_refused_or_unchanged(raw: dict[str, Any]) -> None:
    try:
        record = example_record(raw)
    except InputError:
        return
    read = decode_dialogue(encode_line(record))
    read.dialogue()
    assert json.loads(msgspec.json.encode(example_json(read))) == raw
    msgspec.json.encode(chat_row(read))
    for write in (deal_lines, row_of):
        try:
            msgspec.json.encode(write(read))
        except InputError:
            continue
