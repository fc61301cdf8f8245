"""NLI stress tests: files in the shape of MNLI, each of which tests one weakness."""

from palaver.formats.datasets import snli
from palaver.formats.datasets.reader import DatasetReader, LeftOut, RecordPlace, by_record
from palaver.formats.datasets.records import Record


def convert(record: Record, place: RecordPlace) -> Record | LeftOut:
    """A pair in the fields of the task `nli`, tagged with the name of its file.

    The same pair of MNLI stands in several of the files, so the file is part of the uid.
    """
    made = snli.convert(record, place)
    if isinstance(made, LeftOut):
        return made
    stem = place.file.stem
    return {**made, "uid": f"{stem}-{made['uid']}", "tags": [stem]}


READER = DatasetReader(
    name="stress",
    title="NLI stress tests",
    tasks=("nli",),
    about="SNLI's fields, one or more files; the name of each file becomes a tag",
    read=by_record(convert, "stress test"),
)
