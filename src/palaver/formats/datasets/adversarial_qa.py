"""AdversarialQA: one question per line, or in the shape of SQuAD."""

from collections.abc import Iterator

from palaver.formats.datasets import squad
from palaver.formats.datasets.reader import DatasetReader, RecordPlace, by_record
from palaver.formats.datasets.records import Record


def convert(record: Record, place: RecordPlace) -> Record | Iterator[Record]:
    """A question in the fields of the task `qa`; the first answer is the gold one."""
    if "data" in record:
        return (_first_answer(each) for each in squad.convert(record, place))
    return _first_answer(
        {
            "uid": record["id"],
            "context": record["context"],
            "question": record["question"],
            "answer": squad.answer_texts(record["answers"]),
            "tags": record.get("tags") or [],
        }
    )


def _first_answer(record: Record) -> Record:
    return {**record, "answer": record["answer"][0]}


READER = DatasetReader(
    name="adversarial-qa",
    title="AdversarialQA",
    tasks=("qa",),
    about="id, context, question, answers (the first one is gold)",
    keys=(frozenset({"id", "context", "question", "answers"}),),
    read=by_record(convert, "AdversarialQA"),
)
