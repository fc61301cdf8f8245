"""Winogender as natural language inference (AX-g of SuperGLUE)."""

from collections import Counter
from collections.abc import Iterator, Sequence

from palaver.formats.datasets.nli import inference_label
from palaver.formats.datasets.reader import (
    DatasetReader,
    ReadRow,
    RecordPlace,
    SourceFile,
    by_record,
)
from palaver.formats.datasets.records import Record


def read(files: Sequence[SourceFile]) -> Iterator[ReadRow]:
    """Pairs in the fields of the task `nli`; the second item of one pair_id is called `ID-2`."""
    seen: Counter[str] = Counter()

    def convert(record: Record, place: RecordPlace) -> Record:
        pair = str(record["pair_id"])
        seen[pair] += 1
        return {
            "uid": pair if seen[pair] == 1 else f"{pair}-{seen[pair]}",
            "context": record["premise"],
            "hypothesis": record["hypothesis"],
            "label": inference_label(record["label"]),
            "tags": [],
        }

    return by_record(convert, "Winogender AX-g")(files)


READER = DatasetReader(
    name="winogender",
    title="Winogender AX-g",
    tasks=("nli",),
    about="pair_id, premise, hypothesis, label (entailment or not_entailment)",
    keys=(frozenset({"pair_id", "premise", "hypothesis", "label"}),),
    read=read,
)
