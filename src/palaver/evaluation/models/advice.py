"""How to mend what a model did wrong, in a sentence for whoever wrote it."""

from collections.abc import Mapping
from typing import Any

from palaver.core.errors import PalaverError, SystemFailureError
from palaver.core.tasks import Example, Task
from palaver.core.tasks.task import BESIDE
from palaver.core.words import listed
from palaver.evaluation.models.field_words import advice, described

FAILURES = {
    "timeout": (
        "Make it faster, or raise the option 'timeout'. If only long questions hang, cut the text "
        "to what the model can read."
    ),
    "unreachable": "Start the model and check its address and port, for example with curl.",
    "refused": (
        "See its answer above: the address, the name of the model or the key may be wrong, "
        "or it does not accept this question."
    ),
    "garbage": (
        "Answer with JSON and nothing else: no HTML, no log lines in the body, nothing cut off."
    ),
    "silent": "Answer every question, each with the id of the question.",
    "error": "Catch this in the model; every question must get an answer.",
}
STARTING = (
    "A model must load before it is asked. Check the options, the names in them, and that "
    "everything the code needs is installed."
)
OTHERWISE = "See the error above; the model's own log may say more."


def mend_failure(error: SystemFailureError) -> str:
    """What to do about a call that failed."""
    return FAILURES.get(error.kind, OTHERWISE)


def mend_start(error: PalaverError) -> str:
    """What to do about a model that did not start."""
    if isinstance(error, SystemFailureError) and error.kind == "unreachable":
        return FAILURES[error.kind]
    return STARTING


def mend_answer(task: Task, record: Any, example: Example) -> str:
    """What to do about an answer that the task refused."""
    if not isinstance(record, Mapping):
        return "Answer each question with one JSON object: a dictionary with the task's outputs."
    given = next((record[key] for key in ("id", "uid") if key in record), None)
    if given is None or str(given) != example.uid:
        return "Copy the 'uid' of the question into the 'id' of the answer."
    wrong = _refused_field(task, record, example)
    if wrong:
        return wrong
    extra = sorted(str(key) for key in record if not _is_known(task, str(key)))
    if extra:
        return f"Leave out {listed(extra)}: an answer holds the outputs of the task, nothing else."
    return OTHERWISE


def _refused_field(task: Task, record: Mapping[str, Any], example: Example) -> str:
    for each in task.outputs:
        if each.name not in record:
            if each in task.targets:
                return f"Put '{each.name}' into every answer: {described(each)}."
            continue
        try:
            each.check(each.named(record[each.name], task.codes), {**example.values, **record})
        except ValueError:
            return advice(each)
    return ""


def _is_known(task: Task, key: str) -> bool:
    return key in BESIDE or any(each.name == key for each in task.outputs)
