"""The records to perturb: items of a task in any format that is known, plain lines, dialogues."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import UNSET

from palaver.core.errors import InputError
from palaver.core.tasks import Task
from palaver.core.words import listed
from palaver.evaluation.perturbations.dialogue_records import PERSONA
from palaver.evaluation.perturbations.layout import IDS, Layout
from palaver.formats.datasets.content import open_content
from palaver.formats.datasets.reader import ReadRow, SourceFile
from palaver.formats.datasets.records import read_rows
from palaver.formats.datasets.registry import detect_reader
from palaver.formats.foreign_lines import read_export_line, read_message_line
from palaver.formats.line_problems import FormatProblem
from palaver.formats.turn_lines import SheetLine, read_turn_line

Record = dict[str, Any]
TEXT, TURNS = "text", "turns"
_PLAIN = (".txt", ".txt.gz")

_decode_line = msgspec.json.Decoder(SheetLine).decode


def read_input(source: SourceFile, layout: Layout, task: Task | None) -> list[Record]:
    """Every record of the file, checked; InputError names the line of the first that is wrong."""
    if source.name.endswith(_PLAIN):
        return list(_plain_lines(source, layout))
    seen: dict[str, int] = {}
    records: list[Record] = []
    for row in _rows(source, task):
        if row.problem:
            raise InputError(f"{row.file}:{row.line}: {row.problem}")
        if row.record is None:
            continue
        try:
            record = _checked(_with_turns(row.record, layout, row.line), layout, task)
        except InputError as error:
            raise InputError(f"{row.file}:{row.line}: {error}") from error
        uid = str(record["uid"])
        if uid in seen:
            raise InputError(
                f"{row.file}:{row.line}: the uid '{uid}' is already used in line {seen[uid]}. Give "
                "every item its own uid, or its variants cannot be told apart."
            )
        seen[uid] = row.line
        records.append(record)
    if not records:
        raise InputError(f"{source.name}: no items found.")
    return records


def _rows(source: SourceFile, task: Task | None) -> Iterator[ReadRow]:
    if task is None:
        rows = read_rows(source.path, source.name)
        return (ReadRow(source.name, line, record) for line, record in rows)
    golds = {task.gold[output.name] for output in task.outputs if output.name in task.gold}
    fields = {each.name for each in task.asked} | golds
    return detect_reader([source], task=task.name, fields=fields).read([source])


def _plain_lines(source: SourceFile, layout: Layout) -> Iterator[Record]:
    """Lines of text as records; the uid is the number of the line."""
    if len(layout.texts) != 1 or layout.turns:
        fields = listed([*layout.texts, *layout.turns])
        raise InputError(
            f"{source.name} is plain text, which fills only one field; the task has: {fields}. "
            "Write "
            "JSON lines with a uid and these fields."
        )
    with open_content(source.path, source.name) as stream:
        for number, line in enumerate(stream, start=1):
            try:
                text = line.decode("utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise InputError(f"{source.name}:{number}: not UTF-8 text: {error}.") from error
            if text.strip():
                yield {"uid": str(number), layout.texts[0]: text}


def _checked(record: Record, layout: Layout, task: Task | None) -> Record:
    """The record with its uid under that name; InputError if it is no item of the task."""
    uid = task.read_example(record).uid if task is not None else _checked_alone(record, layout)
    rest = {key: value for key, value in record.items() if key not in IDS}
    return {"uid": uid, **rest}


def _checked_alone(record: Mapping[str, Any], layout: Layout) -> str:
    uid = next((record[key] for key in IDS if record.get(key) not in (None, "")), None)
    if uid is None:
        raise InputError("The item has no 'uid' (or 'id').")
    for name in layout.texts:
        if not isinstance(record.get(name), str):
            raise InputError(f"Item {uid}: '{name}' must be a text; got {record.get(name)!r:.60}.")
    for name in layout.turns:
        if not _has_turns(record.get(name)):
            raise InputError(
                f"Item {uid} has no dialogue; expected '{name}', 'messages' or 'events'."
            )
    return str(uid)


def _with_turns(record: Record, layout: Layout, line: int) -> Record:
    """The record with its dialogue as turns, whether it holds turns, chat messages or events."""
    if not layout.turns or _has_turns(record.get(layout.turns[0])):
        return record
    raw = msgspec.json.encode(record)
    try:
        given = _decode_line(raw)
        if given.turns is not UNSET:
            sheet = read_turn_line(given, f"line-{line}")
        elif given.messages is not UNSET:
            sheet = read_message_line(given, f"line-{line}")
        elif given.events is not UNSET:
            sheet = read_export_line(raw, given)
        else:
            return record
    except FormatProblem as problem:
        raise InputError(problem.message) from problem
    except msgspec.ValidationError as error:
        raise InputError(f"This is not a dialogue: {error}.") from error
    said = sheet.parts[0].dialogues[0]
    turns = [{"speaker": turn.speaker, "text": turn.text} for turn in said.turns]
    rest = {k: v for k, v in record.items() if k not in ("turns", "messages", "events", *IDS)}
    persona = {PERSONA: list(said.persona)} if said.persona else {}
    uid = next((record[key] for key in IDS if record.get(key) not in (None, "")), sheet.id)
    return {"uid": uid, **rest, **persona, layout.turns[0]: turns}


def _has_turns(given: Any) -> bool:
    return (
        isinstance(given, list)
        and bool(given)
        and all(
            isinstance(turn, dict)
            and isinstance(turn.get("speaker"), str)
            and isinstance(turn.get("text"), str)
            for turn in given
        )
    )
