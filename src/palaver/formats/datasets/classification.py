"""Texts with a class: dynamically generated hate speech, HateCheck, and the sentiment sets."""

from palaver.formats.datasets.reader import (
    DatasetReader,
    LeftOut,
    RecordPlace,
    by_record,
    needed,
    with_rest,
)
from palaver.formats.datasets.records import Record

HATE_LABELS = {
    "hate": "hateful",
    "nothate": "not-hateful",
    "not-hate": "not-hateful",
    "non-hateful": "not-hateful",
}
# What DynaSent says of a sentence that has no one sentiment.
UNDECIDED = ("mixed", "-", "", None)


def _hate(record: Record, place: RecordPlace) -> Record:
    """A text of a round; its type, target, level, split and annotator stay beside it."""
    made = {
        "uid": needed(record, "id", "acl.id"),
        "statement": record["text"],
        "label": _hate_label(needed(record, "answer", "label")),
        "tags": [],
    }
    gold = "answer" if record.get("answer") not in (None, "") else "label"
    uid = "id" if record.get("id") not in (None, "") else "acl.id"
    return with_rest(made, record, uid, "text", gold, "")


def _hatecheck(record: Record, place: RecordPlace) -> Record:
    """A functional test, tagged with what it tests."""
    label = _hate_label(record["label_gold"])
    tags = [f"Functionality:{record['functionality']}"]
    if record["target_ident"]:
        tags.append(f"Target:{record['target_ident']}")
    return {
        "uid": record["case_id"],
        "statement": record["test_case"],
        "label": label,
        "tags": [*tags, f"Label:{label}"],
    }


def _hate_label(given: str) -> str:
    return HATE_LABELS.get(given, given)


def _dynasent(record: Record, place: RecordPlace) -> Record | LeftOut:
    label = record["gold_label"]
    if label in UNDECIDED:
        return LeftOut("it has no single sentiment")
    made = {
        "uid": needed(record, "text_id"),
        "statement": record["sentence"],
        "label": label,
        "tags": record.get("tags") or [],
    }
    return with_rest(made, record, "text_id", "sentence", "gold_label", "tags")


HATE = DatasetReader(
    name="hate",
    title="hate speech",
    tasks=("hs",),
    about="id, text, answer (hate or nothate)",
    keys=(
        frozenset({"id", "text", "answer"}),
        frozenset({"id", "text", "label"}),
        frozenset({"acl.id", "text", "label"}),
    ),
    read=by_record(_hate, "hate speech"),
)
HATECHECK = DatasetReader(
    name="hatecheck",
    title="HateCheck",
    tasks=("hs",),
    about="case_id, test_case, label_gold; functionality, target and label become tags",
    keys=(frozenset({"functionality", "case_id", "test_case", "label_gold", "target_ident"}),),
    read=by_record(_hatecheck, "HateCheck"),
)
DYNASENT = DatasetReader(
    name="dynasent",
    title="DynaSent, SST-3, Amazon or Yelp",
    tasks=("sentiment",),
    about="text_id, sentence, gold_label; sentences with mixed or no label are left out",
    keys=(frozenset({"text_id", "sentence", "gold_label"}),),
    read=by_record(_dynasent, "DynaSent"),
)
