"""Palaver's own files: dialogues, labels, raters and questions as `core.records` shapes them."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import BinaryIO

import msgspec

from palaver.core.errors import InputError
from palaver.core.records import (
    DialogueRecord,
    LabelRecord,
    QuestionRecord,
    RaterRecord,
    decode_dialogue,
    encode_lines,
)
from palaver.formats.found_records import Found, read_text_lines
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
        try:
            yield checked_dialogue(record)
        except InputError as error:
            raise at_line(name, number, str(error)) from error


def find_dialogues(stream: Iterable[bytes], name: str) -> Iterator[Found]:
    """The dialogues of a file, and what is wrong with others."""
    return read_text_lines(stream, name, lambda line, _: checked_dialogue(decode_dialogue(line)))


def find_labels(stream: Iterable[bytes], name: str) -> Iterator[Found]:
    """The labels of a file, and what is wrong with others."""
    return read_text_lines(stream, name, lambda line, _: _decode_label(line))


def read_labels(
    stream: BinaryIO | Iterable[bytes], *, name: str = "labels.jsonl"
) -> Iterator[LabelRecord]:
    """The labels of a file."""
    for _, record in read_lines(stream, _decode_label, name=name):
        yield record


def checked_dialogue(record: DialogueRecord) -> DialogueRecord:
    """The dialogue; InputError where its events do not fit its seats or each other."""
    known = [seat.index for seat in record.seats]
    for expected, event in enumerate(record.events, 1):
        wrong = ""
        if event.seq != expected:
            wrong = f"has event {event.seq} where {expected} is expected; events count from 1."
        elif event.seat not in known and event.seat is not None:
            wrong = f"has event {event.seq} by seat {event.seat}, which is not among its seats."
        if wrong:
            raise InputError(f"Dialogue '{record.id}' {wrong}")
    return record
