"""AdVQA: questions about images with the answers of several people."""

from palaver.formats.datasets.reader import DatasetReader, RecordPlace, by_record, needed
from palaver.formats.datasets.records import Record


def convert(record: Record, place: RecordPlace) -> Record:
    """A question in the fields of the task `vqa`, with everybody's answer."""
    answers = record["answers"]
    kind = record.get("answer_type")
    return {
        "uid": needed(record, "question_id"),
        "image": needed(record, "image_name", "image_id"),
        "question": record["question_str"],
        "answers": [each["answer"] if isinstance(each, dict) else each for each in answers],
        "tags": [f"Answer type:{kind}"] if kind else [],
    }


READER = DatasetReader(
    name="advqa",
    title="AdVQA",
    tasks=("vqa",),
    about="question_id, question_str, image_name, answers; the type of answer becomes a tag",
    keys=(frozenset({"question_id", "question_str", "image_id", "answers"}),),
    read=by_record(convert, "AdVQA"),
)
