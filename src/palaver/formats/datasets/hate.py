"""Dynamically generated hate speech: a text and whether it is hateful."""

from palaver.formats.datasets.reader import DatasetReader, RecordPlace, by_record, needed
from palaver.formats.datasets.records import Record

LABELS = {
    "hate": "hateful",
    "nothate": "not-hateful",
    "not-hate": "not-hateful",
    "non-hateful": "not-hateful",
}


def hate_label(given: str) -> str:
    """The label of the task `hs`."""
    return LABELS.get(given, given)


def convert(record: Record, place: RecordPlace) -> Record:
    """A text in the fields of the task `hs`."""
    return {
        "uid": needed(record, "id", "acl.id"),
        "statement": record["text"],
        "label": hate_label(needed(record, "answer", "label")),
        "tags": [],
    }


READER = DatasetReader(
    name="hate",
    title="hate speech",
    tasks=("hs",),
    about="id, text, answer (hate or nothate)",
    keys=(
        frozenset({"id", "text", "answer"}),
        frozenset({"id", "text", "label"}),
        frozenset({"acl.id", "text", "label"}),
    ),
    read=by_record(convert, "hate speech"),
)
