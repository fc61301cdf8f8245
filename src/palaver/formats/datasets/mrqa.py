"""MRQA: a header line, then one context per line with its questions."""

from collections.abc import Iterator
from typing import Any

from palaver.formats.datasets.reader import DatasetReader, RecordPlace, by_record
from palaver.formats.datasets.records import Record
from palaver.formats.datasets.squad import answer_texts


def convert(record: Record, place: RecordPlace) -> Iterator[Record]:
    """Every question of a context in the fields of the task `qa`; the header has none."""
    for question in () if "header" in record else record["qas"]:
        yield {
            "uid": question["qid"],
            "context": record["context"],
            "question": question["question"],
            "answer": _answers(question, record["context"]),
            "tags": [],
        }


def _answers(question: dict[str, Any], context: str) -> list[str]:
    """The answers as they stand in the context.

    Some sets give aliases or another spelling; what MRQA found of them in the context stands in
    `detected_answers`.
    """
    given = answer_texts(question["answers"])
    detected = answer_texts(question.get("detected_answers") or [])
    standing = [each for each in dict.fromkeys([*given, *detected]) if each in context]
    return standing or given


READER = DatasetReader(
    name="mrqa",
    title="MRQA",
    tasks=("qa",),
    about="a header line, then context and qas (qid, question, answers)",
    keys=(frozenset({"header"}), frozenset({"context", "qas"})),
    read=by_record(convert, "MRQA"),
)
