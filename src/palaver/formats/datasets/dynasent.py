"""DynaSent, SST-3, Amazon and Yelp reviews: a sentence and its sentiment."""

from palaver.formats.datasets.reader import DatasetReader, LeftOut, RecordPlace, by_record, needed
from palaver.formats.datasets.records import Record

# What DynaSent says of a sentence that has no one sentiment.
UNDECIDED = ("mixed", "-", "", None)


def convert(record: Record, place: RecordPlace) -> Record | LeftOut:
    """A sentence in the fields of the task `sentiment`."""
    label = record["gold_label"]
    if label in UNDECIDED:
        return LeftOut("it has no single sentiment")
    return {
        "uid": needed(record, "text_id"),
        "statement": record["sentence"],
        "label": label,
        "tags": record.get("tags") or [],
    }


READER = DatasetReader(
    name="dynasent",
    title="DynaSent, SST-3, Amazon or Yelp",
    tasks=("sentiment",),
    about="text_id, sentence, gold_label; sentences with mixed or no label are left out",
    keys=(frozenset({"text_id", "sentence", "gold_label"}),),
    read=by_record(convert, "DynaSent"),
)
