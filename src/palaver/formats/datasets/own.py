"""Palaver's own shape: records whose keys are the fields of the task."""

from palaver.formats.datasets.reader import DatasetReader, RecordPlace, by_record
from palaver.formats.datasets.records import Record


def convert(record: Record, place: RecordPlace) -> Record:
    """The record as it is."""
    return record


READER = DatasetReader(
    name="palaver",
    title="Palaver",
    tasks=(),
    about="uid (or id), the fields of the task, tags, input_id; JSON lines, JSON, CSV or TSV",
    read=by_record(convert, "Palaver"),
)
