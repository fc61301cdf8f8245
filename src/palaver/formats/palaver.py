"""Palaver's own files: dialogues, labels, raters and questions as `core.records` shapes them."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import BinaryIO

import msgspec

from palaver.core.records import (
    DialogueRecord,
    LabelRecord,
    QuestionRecord,
    RaterRecord,
    decode_dialogue,
    encode_lines,
)
from palaver.formats.json_files import at_line, read_lines

# So many lines are written together: one call costs as much as encoding a short line.
AT_ONCE = 64

_decode_label = msgspec.json.Decoder(LabelRecord).decode


def write_records(
    records: Iterable[DialogueRecord | LabelRecord | RaterRecord | QuestionRecord], stream: BinaryIO
) -> int:
    """Write one record per line; how many."""
    count, left = 0, iter(records)
    while some := list(islice(left, AT_ONCE)):
        stream.write(encode_lines(some))
        count += len(some)
    return count


def read_dialogues(
    stream: BinaryIO | Iterable[bytes], *, name: str = "dialogues.jsonl"
) -> Iterator[DialogueRecord]:
    """The dialogues of a file, each checked: events are numbered from 1 and name known seats."""
    for number, record in read_lines(stream, decode_dialogue, name=name):
        problem = _problem(record)
        if problem:
            raise at_line(name, number, f"Dialogue '{record.id}' {problem}")
        yield record


def read_labels(
    stream: BinaryIO | Iterable[bytes], *, name: str = "labels.jsonl"
) -> Iterator[LabelRecord]:
    """The labels of a file."""
    for _, record in read_lines(stream, _decode_label, name=name):
        yield record


def _problem(record: DialogueRecord) -> str:
    known = [seat.index for seat in record.seats]
    for expected, event in enumerate(record.events, 1):
        if event.seq != expected:
            return f"has event {event.seq} where {expected} is expected; events count from 1."
        if event.seat not in known and event.seat is not None:
            return f"has event {event.seq} by seat {event.seat}, which is not among its seats."
    return ""
