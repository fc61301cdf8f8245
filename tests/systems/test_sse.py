"""The decoder of server-sent events, on whole streams and on any way to cut them."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaver.core.errors import SystemFailureError
from palaver.systems.web.connection import EventStream

STREAM = (
    b"\xef\xbb\xbf: a comment\r\n\r\n"
    b"event: token\r\ndata: one\r\n\r\n"
    b"data: zw\xc3\xb6lf\ndata:two lines\nid: 7\n\n"
    b"data\rdata:  kept space\r\r"
    b"retry: 10\n\n\n"
    b"data: [DONE]\n\ndata: unfinished"
)
EVENTS = ["one", "zwölf\ntwo lines", "\n kept space", "[DONE]", "unfinished"]


def decode(pieces: list[bytes]) -> list[str]:
    stream = EventStream()
    return [data for piece in pieces for data in stream.feed(piece)] + stream.finish()


def test_a_whole_stream() -> None:
    assert decode([STREAM]) == EVENTS


def test_byte_by_byte() -> None:
    assert decode([bytes([byte]) for byte in STREAM]) == EVENTS


@given(st.lists(st.integers(0, len(STREAM))))
def test_any_cut_gives_the_same_events(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(STREAM)]
    pieces = [STREAM[a:b] for a, b in pairwise(edges)]
    assert decode(pieces) == EVENTS


@given(st.lists(st.sampled_from([b"data: x", b":", b"\r", b"\n", b"\r\n", b"data", b"\xff"])))
def test_any_cut_of_any_stream(parts: list[bytes]) -> None:
    stream = b"".join(parts)
    assert decode([bytes([byte]) for byte in stream]) == decode([stream])


def test_an_endless_line_is_refused() -> None:
    stream = EventStream()
    stream.feed(b"x" * 4 * 1024 * 1024)
    with pytest.raises(SystemFailureError, match="4 MB"):
        stream.feed(b"x")
