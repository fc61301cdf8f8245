"""ANLI: JSON lines with labels e, n and c."""

from palaver.formats.datasets.nli import inference_label
from palaver.formats.datasets.reader import DatasetReader, RecordPlace, by_record
from palaver.formats.datasets.records import Record


def convert(record: Record, place: RecordPlace) -> Record:
    """A pair in the fields of the task `nli`."""
    return {
        "uid": record["uid"],
        "context": record["context"],
        "hypothesis": record["hypothesis"],
        "label": inference_label(record["label"]),
        "tags": record.get("tags") or [],
    }


READER = DatasetReader(
    name="anli",
    title="ANLI",
    tasks=("nli",),
    about="uid, context, hypothesis, label (e, n or c)",
    keys=(frozenset({"uid", "context", "hypothesis", "label", "reason"}),),
    read=by_record(convert, "ANLI"),
)
