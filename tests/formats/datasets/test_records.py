"""Records come out of JSON however it is written, all of them; what is broken is named."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.core.errors import InputError
from palaver.formats.datasets.json_stream import split_documents
from palaver.formats.datasets.records import read_records
from palaver.formats.located_json import located_records

texts = st.text(st.characters(codec="utf-8"), max_size=12) | st.sampled_from(['"', "\\", "{[", "}"])
values = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
records = st.lists(st.dictionaries(texts, values, max_size=3), max_size=5)


def read(content: bytes) -> list[dict[str, Any]]:
    return [record for _, record in read_records(content, "a.jsonl")]


@given(records, st.sampled_from([None, 0, 2]), st.sampled_from(["\n", "\r\n", "", "\n\n"]))
@settings(max_examples=50, deadline=None)
def test_objects_one_after_another_come_back_whatever_stands_between(
    given: list[dict[str, Any]], indent: int | None, between: str
) -> None:
    content = between.join(json.dumps(each, indent=indent) for each in given).encode()

    assert read(content) == given
    assert read(content + b"\n") == given


@given(records, st.sampled_from([None, 0, 2]), st.booleans())
@settings(max_examples=50, deadline=None)
def test_an_array_comes_back_record_by_record(
    given: list[dict[str, Any]], indent: int | None, ascii_: bool
) -> None:
    assert read(json.dumps(given, indent=indent, ensure_ascii=ascii_).encode()) == given


@given(records, st.integers(1, 7))
@settings(max_examples=50, deadline=None)
def test_where_blocks_are_cut_does_not_matter(given: list[dict[str, Any]], size: int) -> None:
    content = json.dumps(given, indent=1).encode()
    blocks = [content[n : n + size] for n in range(0, len(content), size)]

    assert [record for _, record in split_documents(blocks, "a.json")] == given


@given(records.filter(bool), st.data())
@settings(max_examples=50, deadline=None)
def test_a_file_that_is_cut_off_is_never_read_as_a_whole_one(
    given: list[dict[str, Any]], data: st.DataObject
) -> None:
    content = "\n".join(map(json.dumps, given)).encode()
    last = len(json.dumps(given[-1]))
    cut = data.draw(st.integers(1, last - 1))

    with pytest.raises(InputError, match=rf"^a\.jsonl:{len(given)}: not JSON.*cut off"):
        read(content[:-cut])


def test_lines_are_counted_where_records_begin() -> None:
    content = b'\n{"uid": 1}\r\n\r\n{\n  "uid": 2\n}{"uid": 3}\n\n'

    lines = [line for line, _ in read_records(content, "a.jsonl")]

    assert lines == [2, 4, 6]


def test_gzip_and_a_byte_order_mark_are_seen_by_their_bytes(tmp_path: Path) -> None:
    packed = tmp_path / "named-like-nothing"
    packed.write_bytes(gzip.compress(b'\xef\xbb\xbf{"uid": "\xc3\xa4"}\n{"uid": "b"}'))

    assert [record["uid"] for _, record in read_records(packed, packed.name)] == ["ä", "b"]


def test_an_array_larger_than_a_block_is_read_in_pieces() -> None:
    given = [{"uid": n, "text": "x" * 300} for n in range(3000)]

    assert read(json.dumps(given).encode()) == given


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"uid": 1}\n{"uid": 2, "x": "ab\n{"uid": 3}\n', "a.jsonl:2: not JSON (id 2)"),
        (b'{"uid": 1}\n{"uid": "q7", "x":\n{"uid": 3}\n', "a.jsonl:2: not JSON (id q7)"),
        (b'{"uid": 1}\n{"uid": 2, "x": b}\n{"uid": 3}', "a.jsonl:2: not JSON (id 2): invalid"),
        (b'{\n"uid": 1,\n"x": "a\nb"}', "a.jsonl:3: not JSON (id 1): a text does not end"),
        (b'{\n"uid": 1,\n"x": "ab', "a.jsonl:1: not JSON (id 1): the file ends inside"),
        (b'[{"uid": 1}, {"uid": 2}', "a.jsonl:1: the array that begins the file never ends"),
        (b'[{"uid": 1}] {"uid": 2}', "a.jsonl:1: '{\"uid\": 2}' follows the end of the array"),
        (b"[1, 2]", "a.jsonl:1: expected a JSON object; got '1, 2]'"),
        (b'{"uid": 1}\n7\n', "a.jsonl:2: expected a JSON object; got 7"),
        (b'{"uid": NaN}', "a.jsonl:1: not JSON"),
        (b'{"uid": "\xff"}', "a.jsonl:1: not JSON"),
        (b"uid,text\n", "a.jsonl:1: expected a JSON object; got 'uid,text'"),
        (b"<!DOCTYPE html>", "a.jsonl is a web page"),
        (b"<HTML>", "a.jsonl is a web page"),
        (b"PK\x03\x04zip", "a.jsonl is a zip archive"),
        (b"\xff\xfe{\x00", "a.jsonl is UTF-16"),
        (gzip.compress(b'{"uid": 1}\n' * 999, mtime=0)[:-20], "a.jsonl is cut off"),
        (b"\x1f\x8bnonsense", "a.jsonl is damaged gzip"),
    ],
)
def test_what_is_broken_is_named_with_line_and_id(content: bytes, said: str) -> None:
    with pytest.raises(InputError) as raised:
        read(content)

    assert str(raised.value).startswith(said)


def test_an_empty_file_has_no_records_and_a_missing_one_is_named(tmp_path: Path) -> None:
    assert read(b"") == read(b" \n\n") == read(b"[]") == []
    with pytest.raises(InputError, match=r"gone\.jsonl cannot be read: No such file"):
        list(read_records(tmp_path / "gone.jsonl", "gone.jsonl"))


DEEP = b"[" * 100_000 + b"]" * 100_000


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"uid": "a", "text": ' + DEEP + b"}\n", "deep.jsonl:1: nested too deeply"),
        (b'{"uid": "a"}\n{"uid": "b", "text": ' + DEEP + b"}\n", "deep.jsonl:2: nested too deeply"),
        (DEEP, "expected a JSON object"),
        (b'{"a":' * 40_000, "deep.jsonl:1: not JSON"),
    ],
    ids=["first line", "second line", "array", "cut off"],
)
def test_what_is_nested_too_deeply_is_named(tmp_path: Path, content: bytes, said: str) -> None:
    file = tmp_path / "deep.jsonl"
    file.write_bytes(content)
    with pytest.raises(InputError, match=said):
        list(read_records(file, file.name))


@pytest.mark.parametrize("content", [DEEP, b'{"a":' * 40_000], ids=["array", "line"])
def test_a_round_that_is_nested_too_deeply_is_named(content: bytes) -> None:
    with pytest.raises(InputError, match=r"round\.jsonl:1: nested too deeply"):
        list(located_records(content, "round.jsonl"))
