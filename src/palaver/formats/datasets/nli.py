"""Natural language inference: SNLI, MNLI, the stress tests and HANS in their shape, ANLI, Winogender."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from palaver.formats.datasets.reader import (
    DatasetReader,
    LeftOut,
    ReadRow,
    RecordPlace,
    SourceFile,
    by_record,
    with_rest,
)
from palaver.formats.datasets.records import Record

LABELS: dict[str, str | list[str]] = {
    "entailment": "entailed",
    "neutral": "neutral",
    "contradiction": "contradictory",
    # Two classes only: anything that is not entailed is right.
    "non-entailment": ["neutral", "contradictory"],
    "not_entailment": ["neutral", "contradictory"],
    "e": "entailed",
    "n": "neutral",
    "c": "contradictory",
}
# What pairs of HANS were made from becomes tags.
HANS_TAGS = {"Template": "template", "Heuristic": "heuristic", "Subcase": "subcase"}


def _label(given: Any) -> Any:
    """The label, or the labels that are all right; what nobody knows stays for the task to refuse."""
    return LABELS.get(given, given) if isinstance(given, str) else given


def _snli(record: Record, place: RecordPlace) -> Record | LeftOut:
    if record["gold_label"] in ("-", "", None):
        return LeftOut("the annotators did not agree on a label")
    return {
        "uid": record["pairID"],
        "context": record["sentence1"],
        "hypothesis": record["sentence2"],
        "label": _label(record["gold_label"]),
        "tags": [],
    }


def _stress(record: Record, place: RecordPlace) -> Record | LeftOut:
    """A pair, tagged with the name of its file, each of which tests one weakness.

    The same pair of MNLI stands in several of the files, so the file is part of the uid.
    """
    made = _snli(record, place)
    if isinstance(made, LeftOut):
        return made
    stem = place.file.stem
    return {**made, "uid": f"{stem}-{made['uid']}", "tags": [stem]}


def _hans(record: Record, place: RecordPlace) -> Record:
    return {
        "uid": record["pairID"],
        "context": record["sentence1"],
        "hypothesis": record["sentence2"],
        "label": _label(record["gold_label"]),
        "tags": [f"{title}:{record[key]}" for title, key in HANS_TAGS.items()],
    }


def _anli(record: Record, place: RecordPlace) -> Record:
    """A pair; who wrote it, why, and what the model said stay beside it."""
    made = {
        "uid": record["uid"],
        "context": record["context"],
        "hypothesis": record["hypothesis"],
        "label": _label(record["label"]),
        "tags": record.get("tags") or [],
    }
    return with_rest(made, record, *made)


def _is_anli(record: Record) -> bool:
    """Whether a record in the fields of the task has a column that only this set has."""
    return "reason" in record


def _read_winogender(files: Sequence[SourceFile]) -> Iterator[ReadRow]:
    """Pairs of AX-g of SuperGLUE; the second item of one pair_id is called `ID-2`."""
    seen: Counter[str] = Counter()

    def convert(record: Record, place: RecordPlace) -> Record:
        pair = str(record["pair_id"])
        seen[pair] += 1
        return {
            "uid": pair if seen[pair] == 1 else f"{pair}-{seen[pair]}",
            "context": record["premise"],
            "hypothesis": record["hypothesis"],
            "label": _label(record["label"]),
            "tags": [],
        }

    return by_record(convert, "Winogender AX-g")(files)


SNLI = DatasetReader(
    name="snli",
    title="SNLI or MNLI",
    tasks=("nli",),
    about="pairID, sentence1, sentence2, gold_label; JSON lines or tab-separated",
    keys=(frozenset({"pairID", "sentence1", "sentence2", "gold_label"}),),
    read=by_record(_snli, "SNLI or MNLI"),
)
STRESS = DatasetReader(
    name="stress",
    title="NLI stress tests",
    tasks=("nli",),
    about="SNLI's fields, one or more files; the name of each file becomes a tag",
    read=by_record(_stress, "stress test"),
)
HANS = DatasetReader(
    name="hans",
    title="HANS",
    tasks=("nli",),
    about="SNLI's fields with template, heuristic and subcase, which become tags",
    keys=(frozenset({"pairID", "sentence1", "sentence2", "gold_label", *HANS_TAGS.values()}),),
    read=by_record(_hans, "HANS"),
)
ANLI = DatasetReader(
    name="anli",
    title="ANLI",
    tasks=("nli",),
    about="uid, context, hypothesis, label (e, n or c); other columns are kept as metadata",
    recognises=_is_anli,
    keys=(frozenset({"uid", "context", "hypothesis", "label", "reason"}),),
    read=by_record(_anli, "ANLI"),
)
WINOGENDER = DatasetReader(
    name="winogender",
    title="Winogender AX-g",
    tasks=("nli",),
    about="pair_id, premise, hypothesis, label (entailment or not_entailment)",
    keys=(frozenset({"pair_id", "premise", "hypothesis", "label"}),),
    read=_read_winogender,
)
