"""Question answering: SQuAD, AdversarialQA and MRQA about texts, AdVQA about images."""

from collections.abc import Iterator
from typing import Any

from palaver.formats.datasets.reader import DatasetReader, RecordPlace, by_record, needed, with_rest
from palaver.formats.datasets.records import Record


def _squad(record: Record, place: RecordPlace) -> Iterator[Record]:
    """Every question of one JSON document with articles and paragraphs, with all of its answers.

    A question that has no answer (SQuAD 2.0) has the empty text as its answer.
    """
    for article in record["data"]:
        for paragraph in article["paragraphs"]:
            for question in paragraph["qas"]:
                answers = _texts(question["answers"])
                yield {
                    "uid": question["id"],
                    "context": paragraph["context"],
                    "question": question["question"],
                    "answer": answers or ([""] if question.get("is_impossible") else []),
                    "tags": [],
                }


def _adversarial_qa(record: Record, place: RecordPlace) -> Record | Iterator[Record]:
    """One question per line, or the shape of SQuAD; the first answer is the gold one."""
    if "data" in record:
        return (_first_answer(each) for each in _squad(record, place))
    made = _first_answer(
        {
            "uid": record["id"],
            "context": record["context"],
            "question": record["question"],
            "answer": _texts(record["answers"]),
            "tags": record.get("tags") or [],
        }
    )
    return with_rest(made, record, "id", "context", "question", "answers", "tags")


def _mrqa(record: Record, place: RecordPlace) -> Iterator[Record]:
    """Every question of a context; the header has none."""
    for question in () if "header" in record else record["qas"]:
        yield {
            "uid": question["qid"],
            "context": record["context"],
            "question": question["question"],
            "answer": _standing_answers(question, record["context"]),
            "tags": [],
        }


def _advqa(record: Record, place: RecordPlace) -> Record:
    """A question in the fields of the task `vqa`, with everybody's answer."""
    answers = record["answers"]
    kind = record.get("answer_type")
    made = {
        "uid": needed(record, "question_id"),
        "image": needed(record, "image_name", "image_id"),
        "question": record["question_str"],
        "answers": [answer["answer"] if isinstance(answer, dict) else answer for answer in answers],
        "tags": [f"Answer type:{kind}"] if kind else [],
    }
    read = ("question_id", "image_name", "question_str", "answers", "answer_type")
    return with_rest(made, record, *read)


def _texts(answers: Any) -> list[str]:
    """Each text once, from a list of {"text": …}, of texts, or {"text": [several]}."""
    found = answers["text"] if isinstance(answers, dict) else answers
    texts = [each["text"] if isinstance(each, dict) else each for each in found]
    return list(dict.fromkeys(texts))


def _first_answer(record: Record) -> Record:
    return {**record, "answer": record["answer"][0]}


def _standing_answers(question: dict[str, Any], context: str) -> list[str]:
    """The answers as they stand in the context.

    Some sets give aliases or another spelling; what MRQA found of them in the context stands in
    `detected_answers`.
    """
    given = _texts(question["answers"])
    detected = _texts(question.get("detected_answers") or [])
    standing = [each for each in dict.fromkeys([*given, *detected]) if each in context]
    return standing or given


SQUAD = DatasetReader(
    name="squad",
    title="SQuAD",
    tasks=("qa",),
    about='one JSON document {"data": [{"paragraphs": [{"context", "qas"}]}]}',
    keys=(frozenset({"data"}),),
    read=by_record(_squad, "SQuAD"),
)
ADVERSARIAL_QA = DatasetReader(
    name="adversarial-qa",
    title="AdversarialQA",
    tasks=("qa",),
    about="id, context, question, answers (the first one is gold)",
    keys=(frozenset({"id", "context", "question", "answers"}),),
    read=by_record(_adversarial_qa, "AdversarialQA"),
)
MRQA = DatasetReader(
    name="mrqa",
    title="MRQA",
    tasks=("qa",),
    about="a header line, then context and qas (qid, question, answers)",
    keys=(frozenset({"header"}), frozenset({"context", "qas"})),
    read=by_record(_mrqa, "MRQA"),
)
ADVQA = DatasetReader(
    name="advqa",
    title="AdVQA",
    tasks=("vqa",),
    about="question_id, question_str, image_name, answers; the type of answer becomes a tag",
    keys=(frozenset({"question_id", "question_str", "image_id", "answers"}),),
    read=by_record(_advqa, "AdVQA"),
)
