"""The formats of single files that `palaver convert` reads and writes, by name.

A format holds dialogues, scenarios or labels; files of the same kind convert into each other, and
dialogues into the scenarios they are about. A new format is one entry here.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Literal, Protocol

import msgspec

from palaver.core.errors import InputError
from palaver.core.records import DialogueRecord, LabelRecord, encode_line
from palaver.core.registry import Registry
from palaver.core.scenario import Scenario
from palaver.formats.cocoa.chat_state_records import find_chat_surveys, find_chats
from palaver.formats.cocoa.deal_text import context_lines, deal_lines, find_contexts, find_deals
from palaver.formats.cocoa.examples import example_json, find_examples
from palaver.formats.cocoa.hf_rows import find_rows, row_of
from palaver.formats.cocoa.scenarios import find_scenarios, scenario_json
from palaver.formats.cocoa.schema import CocoaSchema
from palaver.formats.cocoa.surveys import find_survey_labels, surveys_json
from palaver.formats.datasets.content import first_bytes
from palaver.formats.dch2 import DchDialogue, dialogue_record, read_dch2, turns_of
from palaver.formats.found_records import Found, FoundRecord, Unconverted
from palaver.formats.messages import chat_row, find_messages
from palaver.formats.palaver import find_dialogues, find_labels

Held = Literal["dialogues", "scenarios", "labels"]

_encode = msgspec.json.Encoder().encode

# What of a DCH-2 file is no dialogue.
ANNOTATIONS = "the annotations of a dialogue (import them with: palaver import dch2)"
COUNTS = "the counts of a dialogue's annotators (palaver score reads them)"


@dataclass(frozen=True, slots=True)
class FilesBeside:
    """What other files say of the one that is converted."""

    schema: CocoaSchema | None = None
    scenarios: Mapping[str, Scenario] | None = None
    dialogues: tuple[DialogueRecord, ...] | None = None
    # What was said of each dialogue, by its id.
    labels: Mapping[str, Sequence[LabelRecord]] = field(default_factory=dict)
    # What a page that shows dialogues is called.
    title: str = "Dialogues"


class RecordWriter(Protocol):
    """Writes records one by one; what it cannot write is an InputError."""

    def add(self, record: Any) -> None: ...

    def finish(self) -> None: ...


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A file format: what it holds, how it is read and written."""

    name: str
    holds: Held
    words: str
    # None where it is only written, or only read.
    find: Callable[[BinaryIO, str, FilesBeside], Iterator[Found]] | None = None
    writer: Callable[[BinaryIO, FilesBeside], RecordWriter] | None = None

    @property
    def ways(self) -> str:
        """Whether it is read, written or both."""
        ways = {"read": self.find is not None, "written": self.writer is not None}
        return " and ".join(way for way, works in ways.items() if works)


@dataclass(slots=True)
class LineWriter:
    """One line, or a few, per record."""

    stream: BinaryIO
    lines: Callable[[Any], Iterable[bytes]]

    def add(self, record: Any) -> None:
        for line in self.lines(record):
            self.stream.write(line)

    def finish(self) -> None:
        """Lines need no end."""


@dataclass(slots=True)
class ArrayWriter:
    """One JSON array, an element per line."""

    stream: BinaryIO
    document: Callable[[Any], Any]
    count: int = 0

    def add(self, record: Any) -> None:
        text = _encode(self.document(record))
        self.stream.write((b",\n" if self.count else b"[\n") + text)
        self.count += 1

    def finish(self) -> None:
        self.stream.write(b"\n]\n" if self.count else b"[]\n")


@dataclass(slots=True)
class SurveyWriter:
    """The surveys of all dialogues, in one piece."""

    stream: BinaryIO
    dialogues: dict[str, DialogueRecord]
    labels: list[LabelRecord] = field(default_factory=list)

    def add(self, record: LabelRecord) -> None:
        # Refused here, where its place is known.
        own = self.dialogues.get(record.dialogue or "")
        surveys_json([record], [own] if own is not None else [])
        self.labels.append(record)

    def finish(self) -> None:
        surveys = surveys_json(self.labels, self.dialogues.values())
        self.stream.write(_encode(surveys) + b"\n")


def _in_lines(lines: Callable[[Any], Iterable[bytes]]) -> Callable[..., RecordWriter]:
    return lambda stream, beside: LineWriter(stream, lines)


def _in_array(document: Callable[[Any], Any]) -> Callable[..., RecordWriter]:
    return lambda stream, beside: ArrayWriter(stream, document)


def _find_dch2(stream: BinaryIO, name: str, beside: FilesBeside) -> Iterator[Found]:
    for number, dialogue in enumerate(read_dch2(stream.read(), name=name), start=1):
        place = f"{name}: dialogue {number} ({dialogue.id})"
        yield FoundRecord(place, dialogue_record(dialogue, study="", time=0.0, file=name))
        if dialogue.annotations:
            yield Unconverted(place, ANNOTATIONS)
        if dialogue.is_counted:
            yield Unconverted(place, COUNTS)


def _dch2(record: DialogueRecord) -> DchDialogue:
    return DchDialogue(id=record.source_id or record.id, turns=turns_of(record.dialogue()))


_FORMATS = (
    FileFormat(
        "palaver",
        "dialogues",
        "lines of dialogues.jsonl, Palaver's own; nothing is lost",
        lambda stream, name, beside: find_dialogues(stream, name),
        _in_lines(lambda record: [encode_line(record)]),
    ),
    FileFormat(
        "cocoa",
        "dialogues",
        "CoCoA's examples, one JSON array, of its three games",
        lambda stream, name, beside: find_examples(
            stream, name, schema=beside.schema, scenarios=beside.scenarios
        ),
        _in_array(example_json),
    ),
    FileFormat(
        "cocoa-db",
        "dialogues",
        "CoCoA's chat_state.db; scenarios come from --scenarios",
        lambda stream, name, beside: find_chats(
            stream, name, schema=beside.schema, scenarios=beside.scenarios
        ),
    ),
    FileFormat(
        "deal-text",
        "dialogues",
        "Facebook's lines of Deal or No Deal, one per dialogue and side",
        lambda stream, name, beside: find_deals(stream, name),
        _in_lines(deal_lines),
    ),
    FileFormat(
        "hf-bargain",
        "dialogues",
        "rows of craigslist_bargains on Hugging Face, as JSON lines",
        lambda stream, name, beside: find_rows(stream, name),
        _in_lines(lambda record: [_encode(row_of(record)) + b"\n"]),
    ),
    FileFormat(
        "messages",
        "dialogues",
        "lines of chat messages, moves in words; no private knowledge",
        lambda stream, name, beside: find_messages(stream, name),
        _in_lines(lambda record: [_encode(chat_row(record)) + b"\n"]),
    ),
    FileFormat(
        "dch2",
        "dialogues",
        "help-desk dialogues of DCH-2; without annotations and counts",
        _find_dch2,
        _in_array(_dch2),
    ),
    FileFormat(
        "cocoa-scenarios",
        "scenarios",
        "CoCoA's scenarios, one JSON array, of its three games",
        lambda stream, name, beside: find_scenarios(stream, name, schema=beside.schema),
        _in_array(scenario_json),
    ),
    FileFormat(
        "deal-contexts",
        "scenarios",
        "contexts of Deal or No Deal, two lines of six numbers each",
        lambda stream, name, beside: find_contexts(stream, name),
        _in_lines(context_lines),
    ),
    FileFormat(
        "labels",
        "labels",
        "lines of labels.jsonl, Palaver's own",
        lambda stream, name, beside: find_labels(stream, name),
        _in_lines(lambda record: [encode_line(record)]),
    ),
    FileFormat(
        "cocoa-surveys",
        "labels",
        "CoCoA's surveys after the chat; writing needs --dialogues",
        lambda stream, name, beside: find_survey_labels(stream, name),
        lambda stream, beside: SurveyWriter(
            stream, {record.id: record for record in beside.dialogues or ()}
        ),
    ),
    FileFormat(
        "cocoa-db-surveys",
        "labels",
        "the surveys in CoCoA's chat_state.db",
        lambda stream, name, beside: find_chat_surveys(stream, name),
    ),
)

DIALOGUE_FILES: Registry[FileFormat] = Registry(
    "file format",
    "palaver.dialogue_files",
    {"html-viewer": "palaver.reports.viewer.files:HTML_VIEWER"},
    see=" See: palaver convert --list",
)
for _each in _FORMATS:
    DIALOGUE_FILES.register(_each.name, _each)


def recognised(path: Path) -> FileFormat:
    """The format of a file of dialogues, by how it begins; InputError where that does not tell."""
    if found := format_of(path):
        return found
    raise InputError(
        f"{path}: its format is not recognised. Name it with --from; see: palaver convert --list"
    )


def format_of(path: Path) -> FileFormat | None:
    """The same; None where the beginning does not tell."""
    head = first_bytes(path, str(path)).lstrip(b" \t\r\n")
    for mark, name in _MARKS:
        if mark.search(head):
            return DIALOGUE_FILES.get(name)
    return None


# What tells a format, in the order in which it is looked for.
_MARKS = (
    (re.compile(rb"\A\[.*?\"scenario(_uuid)?\"", re.DOTALL), "cocoa"),
    (re.compile(rb"\A\[.*?\"(sender|utterances)\"\s*:", re.DOTALL), "dch2"),
    (re.compile(rb"\A\{[^\n]*\"(sender|utterances)\"\s*:"), "dch2"),
    (re.compile(rb"\A\{[^\n]*\"seats\":"), "palaver"),
    (re.compile(rb"\A\{[^\n]*\"messages\":"), "messages"),
    (re.compile(rb"\A\{(?=[^\n]*\"events\"\s*:)[^\n]*\"scenario(_uuid)?\"\s*:"), "cocoa"),
    (re.compile(rb"\A\{[^\n]*\"(utterance|dialogue_acts)\""), "hf-bargain"),
    (re.compile(rb"\A<input>|\A\d+ \d+ .*<dialogue>"), "deal-text"),
    (re.compile(rb"\ASQLite format 3\0"), "cocoa-db"),
)
