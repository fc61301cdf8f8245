"""HANS: pairs made from templates that fool models which look at words alone."""

from palaver.formats.datasets.nli import inference_label
from palaver.formats.datasets.reader import DatasetReader, RecordPlace, by_record
from palaver.formats.datasets.records import Record

TAGS = {"Template": "template", "Heuristic": "heuristic", "Subcase": "subcase"}


def convert(record: Record, place: RecordPlace) -> Record:
    """A pair in the fields of the task `nli`, tagged with what it was made from."""
    return {
        "uid": record["pairID"],
        "context": record["sentence1"],
        "hypothesis": record["sentence2"],
        "label": inference_label(record["gold_label"]),
        "tags": [f"{title}:{record[key]}" for title, key in TAGS.items()],
    }


READER = DatasetReader(
    name="hans",
    title="HANS",
    tasks=("nli",),
    about="SNLI's fields with template, heuristic and subcase, which become tags",
    keys=(frozenset({"pairID", "sentence1", "sentence2", "gold_label", *TAGS.values()}),),
    read=by_record(convert, "HANS"),
)
