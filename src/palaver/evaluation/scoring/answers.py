"""What a model answered in a run, beside the items: the refused answers, and a page of the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Literal

from palaver.core.errors import InputError
from palaver.core.evaluation.runs import Prediction, Run
from palaver.core.tasks import Answer, Example, Task
from palaver.evaluation.datasets import read_examples
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.runs.predictions import prediction_blocks
from palaver.metrics.qa import SQUAD_F1
from palaver.storage.evaluation.datasets import find_version
from palaver.storage.evaluation.predictions import refused_predictions

PAGE = 10
REFUSED = 5
# Wrong ones are looked for in no more than so many.
MOST_LOOKED_AT = 50_000

Which = Literal["all", "wrong"]
Verdict = Literal["right", "wrong", "refused", ""]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredItem:
    """An item of a task's data set beside what was answered to it, if anything was.

    `verdict` is empty where the task's rule does not say.
    """

    task: Task
    number: int
    example: Example
    prediction: Prediction | None = None
    verdict: Verdict = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredItems:
    """Items with what was answered; `problem` says why there are none to look at.

    `following` is where the next page begins; None on the last one.
    """

    refused: tuple[AnsweredItem, ...] = ()
    shown: tuple[AnsweredItem, ...] = ()
    following: int | None = None
    problem: str = ""


def read_answers(
    home: EvaluationHome, task: Task, run: Run, *, which: Which, start: int
) -> AnsweredItems:
    """The first refused answers of a run, and a page of its answers from the item at `start` on."""
    if not run.asked:
        return AnsweredItems()
    version = home.store.read_now(lambda c: find_version(c, run.dataset_version_id))
    try:
        examples = read_examples(home, task, version)
    except InputError as error:
        return AnsweredItems(problem=str(error))
    refused = home.store.read_now(lambda c: refused_predictions(c, run.id, limit=REFUSED))
    found = _wanted(home, task, run, examples, which=which, start=start)
    return AnsweredItems(
        refused=_items(task, examples, refused),
        shown=_items(task, examples, found[:PAGE]),
        following=found[PAGE].position if len(found) > PAGE else None,
    )


def model_wrong(task: Task, answer: Answer, example: Example) -> bool | None:
    """Whether the answer counts as wrong; None where the task leaves it to people.

    `exact_match`: any of the fields is not as the gold says. `string_f1`: the SQuAD F1 of the field
    is below the threshold.
    """
    rule = task.wrong
    if rule.kind == "ask_user":
        return None
    if rule.kind == "string_f1":
        (name,) = rule.fields
        given, gold = answer.values[name], example.values[task.gold[name]]
        return SQUAD_F1.compute([given], [gold]).value < rule.threshold
    return not all(
        task.output(name).is_right(answer.values[name], example.values[task.gold[name]])
        for name in rule.fields
    )


def _items(
    task: Task, examples: Sequence[Example], found: Sequence[Prediction]
) -> tuple[AnsweredItem, ...]:
    return tuple(
        AnsweredItem(
            task=task,
            number=each.position + 1,
            example=examples[each.position],
            prediction=each,
            verdict=_verdict(task, examples[each.position], each),
        )
        for each in found
    )


def _verdict(task: Task, example: Example, prediction: Prediction) -> Verdict:
    """Whether the task's rule calls an answer right or wrong."""
    if prediction.answer is None:
        return "refused"
    wrong = model_wrong(task, Answer(uid=example.uid, values=prediction.answer), example)
    return "" if wrong is None else "wrong" if wrong else "right"


def _wanted(
    home: EvaluationHome,
    task: Task,
    run: Run,
    examples: Sequence[Example],
    *,
    which: Which,
    start: int,
) -> list[Prediction]:
    """One more than a page of the answers that were asked for."""
    found = (each for block in prediction_blocks(home, run, start=start) for each in block)
    if which == "wrong":
        looked_at = takewhile(lambda each: each.position < start + MOST_LOOKED_AT, found)
        found = (
            each
            for each in looked_at
            if _verdict(task, examples[each.position], each) in ("wrong", "refused")
        )
    return list(islice(found, PAGE + 1))
