"""The formats that are a study's records as they stand: JSON lines, chat messages and tables."""

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from palaver.core.columns import described_records
from palaver.core.records import DialogueRecord, LabelRecord, QuestionRecord, RaterRecord
from palaver.core.studies.progress import StoredStudy
from palaver.formats import tables
from palaver.formats.messages import ChatRow, write_messages
from palaver.formats.palaver import write_records
from palaver.formats.tables import CsvWriter, ParquetWriter, Row, TableShape, TableWriter
from palaver.reports.dictionary import PAGE
from palaver.reports.export import Counts, ExportFormat, safe_name
from palaver.reports.source import StudySource, question_record, read_questions


def _write_palaver(source: StudySource, folder: Path) -> Counts:
    asked = _asked(source.studies())
    with (folder / "dialogues.jsonl").open("wb") as stream:
        write_records(source.dialogues(), stream)
    with (folder / "labels.jsonl").open("wb") as stream:
        labels = write_records(source.labels(), stream)
    with (folder / "raters.jsonl").open("wb") as stream:
        raters = write_records(source.raters(), stream)
    with (folder / "questions.jsonl").open("wb") as stream:
        write_records(asked.records, stream)
    _write_definitions(source.studies(), folder, alone=source.study is not None)
    return source.counts(labels=labels, raters=raters) | asked.counts


@dataclass(frozen=True, slots=True)
class _Asked:
    """The questions of some studies; `counts` also tells of definitions that cannot be read."""

    records: list[QuestionRecord]
    counts: Counts


def _asked(studies: list[StoredStudy]) -> _Asked:
    records: list[QuestionRecord] = []
    unreadable = 0
    for study in studies:
        read = read_questions(study)
        records += [question_record(study.name, question) for question in read.questions.values()]
        unreadable += not read.readable
    counts = {"questions": len(records)}
    if unreadable:
        counts["unreadable_definitions"] = unreadable
    return _Asked(records, counts)


def _write_definitions(studies: list[StoredStudy], folder: Path, *, alone: bool) -> None:
    for study in studies:
        path = folder / "study.yaml"
        if not alone:
            path = folder / "studies" / safe_name(study.name) / "study.yaml"
            path.parent.mkdir(parents=True)
        path.write_text(study.definition, encoding="utf-8", newline="")


def _write_messages(source: StudySource, folder: Path) -> Counts:
    with (folder / "messages.jsonl").open("wb") as stream:
        return {"dialogues": write_messages(source.data(), stream)}


def _write_csv(source: StudySource, folder: Path) -> Counts:
    with ExitStack() as stack:

        def open_table(table: TableShape) -> TableWriter:
            stream = stack.enter_context((folder / f"{table.name}.csv").open("wb"))
            return stack.enter_context(CsvWriter(table, stream))

        return _write_tables(source, open_table)


def _write_parquet(source: StudySource, folder: Path) -> Counts:
    with ExitStack() as stack:

        def open_table(table: TableShape) -> TableWriter:
            return stack.enter_context(ParquetWriter(table, folder / f"{table.name}.parquet"))

        return _write_tables(source, open_table)


def _write_tables(source: StudySource, open_table: Callable[[TableShape], TableWriter]) -> Counts:
    asked = _asked(source.studies())
    happened = 0
    events, dialogues = open_table(tables.EVENTS), open_table(tables.DIALOGUES)
    for record in source.dialogues():
        happened += len(record.events)
        dialogues.write(tables.dialogue_row(record))
        for row in tables.event_rows(record):
            events.write(row)
    labels = map(tables.label_row, source.labels())
    raters = map(tables.rater_row, source.raters())
    counts = source.counts(
        labels=_write_rows(labels, open_table(tables.LABELS)),
        raters=_write_rows(raters, open_table(tables.RATERS)),
    )
    _write_rows(map(tables.question_row, asked.records), open_table(tables.QUESTIONS))
    return {**counts, "events": happened, **asked.counts}


def _write_rows(rows: Iterable[Row], table: TableWriter) -> int:
    count = 0
    for row in rows:
        table.write(row)
        count += 1
    return count


def _write_nothing(source: StudySource, folder: Path) -> Counts:
    """The dictionary is all there is."""
    return _asked(source.studies()).counts


_RECORDS = tuple(
    described_records(f"{table.name}.jsonl", table.row, record)
    for table, record in (
        (tables.DIALOGUES, DialogueRecord),
        (tables.LABELS, LabelRecord),
        (tables.RATERS, RaterRecord),
        (tables.QUESTIONS, QuestionRecord),
    )
)
PALAVER = ExportFormat(
    "palaver",
    "dialogues, labels, raters and questions as JSON lines",
    _write_palaver,
    files=_RECORDS,
)
MESSAGES = ExportFormat(
    "messages",
    "chat messages as JSON lines",
    _write_messages,
    single="messages.jsonl",
    files=(described_records("messages.jsonl", "one dialogue", ChatRow),),
)
CSV = ExportFormat(
    "csv",
    "tidy tables as CSV",
    _write_csv,
    files=tuple(table.described("csv") for table in tables.TABLES),
    has_tables=True,
)
PARQUET = ExportFormat(
    "parquet",
    "tidy tables as Parquet",
    _write_parquet,
    files=tuple(table.described("parquet") for table in tables.TABLES),
)
DICTIONARY = ExportFormat(
    "dictionary",
    "the data dictionary alone: what each column means and what each question asked",
    _write_nothing,
    single=PAGE,
    single_media_type="text/markdown; charset=utf-8",
    files=(*CSV.files, *_RECORDS, *MESSAGES.files),
)
