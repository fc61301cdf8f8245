"""SNLI and MNLI: JSON lines or tab-separated, pairs of which "-" means that nobody agreed."""

from palaver.formats.datasets.nli import NO_LABEL, inference_label
from palaver.formats.datasets.reader import DatasetReader, LeftOut, RecordPlace, by_record
from palaver.formats.datasets.records import Record


def convert(record: Record, place: RecordPlace) -> Record | LeftOut:
    """A pair in the fields of the task `nli`."""
    if record["gold_label"] in ("-", "", None):
        return LeftOut(NO_LABEL)
    return {
        "uid": record["pairID"],
        "context": record["sentence1"],
        "hypothesis": record["sentence2"],
        "label": inference_label(record["gold_label"]),
        "tags": [],
    }


READER = DatasetReader(
    name="snli",
    title="SNLI or MNLI",
    tasks=("nli",),
    about="pairID, sentence1, sentence2, gold_label; JSON lines or tab-separated",
    keys=(frozenset({"pairID", "sentence1", "sentence2", "gold_label"}),),
    read=by_record(convert, "SNLI or MNLI"),
)
