"""HateCheck: functional tests of hate-speech detection, one case per line of a CSV file."""

from palaver.formats.datasets.hate import hate_label
from palaver.formats.datasets.reader import DatasetReader, RecordPlace, by_record
from palaver.formats.datasets.records import Record


def convert(record: Record, place: RecordPlace) -> Record:
    """A case in the fields of the task `hs`, tagged with what it tests."""
    label = hate_label(record["label_gold"])
    tags = [f"Functionality:{record['functionality']}"]
    if record["target_ident"]:
        tags.append(f"Target:{record['target_ident']}")
    return {
        "uid": record["case_id"],
        "statement": record["test_case"],
        "label": label,
        "tags": [*tags, f"Label:{label}"],
    }


READER = DatasetReader(
    name="hatecheck",
    title="HateCheck",
    tasks=("hs",),
    about="case_id, test_case, label_gold; functionality, target and label become tags",
    keys=(frozenset({"functionality", "case_id", "test_case", "label_gold", "target_ident"}),),
    read=by_record(convert, "HateCheck"),
)
