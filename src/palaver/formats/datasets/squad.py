"""SQuAD: one JSON document with articles, paragraphs, and questions about each of them."""

from collections.abc import Iterator
from typing import Any

from palaver.formats.datasets.reader import DatasetReader, RecordPlace, by_record
from palaver.formats.datasets.records import Record


def convert(record: Record, place: RecordPlace) -> Iterator[Record]:
    """Every question in the fields of the task `qa`, with all of its answers.

    A question that has no answer (SQuAD 2.0) has the empty text as its answer.
    """
    for article in record["data"]:
        for paragraph in article["paragraphs"]:
            for question in paragraph["qas"]:
                answers = answer_texts(question["answers"])
                yield {
                    "uid": question["id"],
                    "context": paragraph["context"],
                    "question": question["question"],
                    "answer": answers or ([""] if question.get("is_impossible") else []),
                    "tags": [],
                }


def answer_texts(answers: Any) -> list[str]:
    """Each text once, from a list of {"text": …}, of texts, or {"text": [several]}."""
    found = answers["text"] if isinstance(answers, dict) else answers
    texts = [each["text"] if isinstance(each, dict) else each for each in found]
    return list(dict.fromkeys(texts))


READER = DatasetReader(
    name="squad",
    title="SQuAD",
    tasks=("qa",),
    about='one JSON document {"data": [{"paragraphs": [{"context", "qas"}]}]}',
    keys=(frozenset({"data"}),),
    read=by_record(convert, "SQuAD"),
)
