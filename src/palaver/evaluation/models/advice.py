"""What a field holds, in words and in Python, and how to mend what a model did wrong with it."""

from collections.abc import Mapping
from functools import singledispatch
from pprint import pformat
from textwrap import indent
from typing import Any

from palaver.core.errors import AnswerError, PalaverError, SystemFailureError
from palaver.core.tasks import (
    ContextStringSelection,
    Example,
    Field,
    Image,
    Multiclass,
    Multilabel,
    Prob,
    String,
    Task,
    TurnProbs,
    Turns,
)
from palaver.core.tasks.answer_forms import BESIDE
from palaver.core.tasks.labelled import halves
from palaver.core.words import listed

FAILURES = {
    "timeout": (
        "Make it faster, or raise the option 'timeout'. If it must load first, ask it once yourself. "
        "If only long questions hang, cut the text to what the model can read."
    ),
    "unreachable": "Start the model and check its address and port, for example with curl.",
    "refused": (
        "The address, the name of the model or the key may be wrong, or the model does not take this "
        "question."
    ),
    "garbage": (
        "Answer with JSON and nothing else: no HTML, no log lines in the body, nothing cut off."
    ),
    "silent": "Answer every question, each with the id of the question.",
    "error": "Look into the log of the model: every question must get an answer.",
}
STARTING = (
    "A model must load before it is asked. Check the options, the names in them, and that "
    "everything the code needs is installed."
)
OTHERWISE = "See the error above; the model's own log may say more."
MEND_CHECK = "Mend the function that 'verify' of the task names; the model is not at fault."

# How many characters of its context a starter selects.
SELECTED = 20


def mend_failure(error: SystemFailureError) -> str:
    return FAILURES.get(error.kind, OTHERWISE)


def mend_start(error: PalaverError) -> str:
    if isinstance(error, SystemFailureError) and error.kind == "unreachable":
        return FAILURES[error.kind]
    return STARTING


def mend_answer(task: Task, record: Any, example: Example) -> str:
    if not isinstance(record, Mapping):
        return "Answer each question with one JSON object: a dictionary with the task's outputs."
    given = next((record[key] for key in ("id", "uid") if key in record), None)
    if given is None or str(given) != example.uid:
        return "Copy the 'uid' of the question into the 'id' of the answer."
    given_record = record
    try:
        names = [output.name for output in task.outputs]
        record = task.answers.read(record, names, folder=task.folder)
    except AnswerError:
        return f"Write it as the task takes it: {_where(task)}."
    wrong = _refused_field(task, record, example)
    if wrong:
        return wrong
    extra = sorted(str(key) for key in record if not _is_known(task, str(key)))
    if extra:
        return f"Leave out {listed(extra)}: an answer holds the outputs of the task, nothing else."
    return _own_reason(task, given_record, example) or OTHERWISE


def _own_reason(task: Task, record: Mapping[str, Any], example: Example) -> str:
    """What the task's own check says of an answer whose fields are right."""
    if not task.verify:
        return ""
    try:
        task.read_answer(record, example)
    except AnswerError as error:
        _, _, reason = str(error).partition(": ")
        return f"Its fields are right, but the task's own check refuses it: {reason}"
    return ""


def _where(task: Task) -> str:
    """Where the outputs stand in an answer, in words."""
    return listed([f"'{task.answers.name(output.name)}'" for output in task.outputs])


def _refused_field(task: Task, record: Mapping[str, Any], example: Example) -> str:
    for output in task.outputs:
        if output.name not in record:
            if output in task.targets:
                name = task.answers.name(output.name)
                return f"Put '{name}' into every answer: {described(output)}."
            continue
        try:
            output.check(
                output.named(record[output.name], task.codes), {**example.values, **record}
            )
        except ValueError:
            return advice(output)
    return ""


def _is_known(task: Task, key: str) -> bool:
    return key in BESIDE or any(output.name == key for output in task.outputs)


@singledispatch
def described(field: Field) -> str:
    """What the field holds, in a few words."""
    return f"a value of kind {field.kind}"


@described.register
def _(field: String) -> str:
    return "a text"


@described.register
def _(field: Image) -> str:
    return "an image: its bytes in base64"


@described.register
def _(field: Turns) -> str:
    who = f" ({' or '.join(field.speakers)})" if field.speakers else ""
    return f"a list of turns, each with 'speaker'{who} and 'text'"


@described.register
def _(field: Multiclass) -> str:
    return f"one of: {', '.join(field.labels)}"


@described.register
def _(field: Multilabel) -> str:
    return f"a list of any of: {', '.join(field.labels)}"


@described.register
def _(field: Prob) -> str:
    if field.single:
        return "a number from 0 to 1"
    return f"a probability for each of: {', '.join(field.labels)}; {_sum(field)}"


@described.register
def _(field: TurnProbs) -> str:
    each = "; ".join(
        f"of the {speaker} for {', '.join(labels)}" for speaker, labels in field.labels.items()
    )
    return f"a list with probabilities for each turn of '{field.reference}': {each}; {_sum(field)}"


def _sum(field: Prob | TurnProbs) -> str:
    return "they sum to 1" if field.normalised else "they are divided by their sum"


@described.register
def _(field: ContextStringSelection) -> str:
    return f"a text that appears word for word in '{field.reference}'"


@singledispatch
def source_of_answer(field: Field) -> str:
    """Python for a value that the field takes; it may use `question`."""
    return pformat(field.sample({}), width=70, sort_dicts=False)


@source_of_answer.register
def _(field: ContextStringSelection) -> str:
    return f"str(question[{field.reference!r}])[:{SELECTED}]"


@source_of_answer.register
def _(field: TurnProbs) -> str:
    by_speaker = {speaker: halves(labels) for speaker, labels in field.labels.items()}
    shares = indent(pformat(by_speaker, width=70, sort_dicts=False), "    ")
    turns = f"    for turn in question[{field.reference!r}]"
    return "\n".join(["[", f"{shares}[turn['speaker']]", turns, "]"])


@singledispatch
def advice(field: Field) -> str:
    """How to mend a value that the field refused."""
    return f"'{field.name}' takes {described(field)}."


@advice.register
def _(field: Multiclass) -> str:
    return (
        f"Return one of the task's labels, written exactly like this: {', '.join(field.labels)}. "
        "If the model knows them by other names or by numbers, translate before answering."
    )


@advice.register
def _(field: Prob) -> str:
    if field.single:
        return "Return one number from 0 to 1, not a percentage and not a logit."
    return (
        "Return a dictionary with exactly the task's labels as keys "
        f"({', '.join(field.labels)}) and probabilities that add up to 1: softmax, not logits."
        if field.normalised
        else f"Return a dictionary whose keys are labels of the task ({', '.join(field.labels)}) and "
        "whose values are 0 or more, not all 0: shares or counts, not logits."
    )


@advice.register
def _(field: TurnProbs) -> str:
    labels = "; ".join(f"{who}: {', '.join(those)}" for who, those in field.labels.items())
    return (
        f"Return a list as long as '{field.reference}', one dictionary per turn, with the labels of "
        f"whoever speaks ({labels}). Padding is no label: cut it off."
    )


@advice.register
def _(field: ContextStringSelection) -> str:
    return (
        f"Copy the characters out of '{field.reference}' exactly as they are: the same case, no "
        "added or lost spaces, no text put together from word pieces. An empty text is accepted."
    )
