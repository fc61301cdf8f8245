"""A look at what a model answered in a run: the refused answers, and a page of all the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from palaver.core.errors import InputError
from palaver.core.evaluation.runs import Prediction, Run
from palaver.core.tasks import Example, Task
from palaver.evaluation.datasets import read_examples
from palaver.evaluation.home import EvaluationHome
from palaver.storage.evaluation.datasets import find_version
from palaver.storage.evaluation.predictions import predictions_from, refused_predictions
from palaver.web.desk.evaluation.items import answered_item, verdict
from palaver.web.desk.evaluation.parts import Item

PAGE = 10
REFUSED = 5
# Wrong answers are looked for in so many at a time, and in no more than so many.
BLOCK = 1000
MOST_LOOKED_AT = 50_000

Which = Literal["all", "wrong"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """Items with what was answered; `problem` says why there are none to look at.

    `following` is where the next page begins; None on the last one.
    """

    refused: tuple[Item, ...] = ()
    shown: tuple[Item, ...] = ()
    following: int | None = None
    problem: str = ""


def read_answers(
    home: EvaluationHome, task: Task, run: Run, *, which: Which, start: int
) -> Answers:
    """The first refused answers of a run, and a page of its answers from the item at `start` on."""
    if not run.answered + run.refused:
        return Answers()
    version = home.store.read_now(lambda c: find_version(c, run.dataset_version_id))
    try:
        examples = read_examples(home, task, version)
    except InputError as error:
        return Answers(problem=str(error))
    refused = home.store.read_now(lambda c: refused_predictions(c, run.id, limit=REFUSED))
    found = _wanted(home, task, run, examples, which=which, start=start)
    return Answers(
        refused=_items(task, examples, refused),
        shown=_items(task, examples, found[:PAGE]),
        following=found[PAGE].position if len(found) > PAGE else None,
    )


def _items(
    task: Task, examples: Sequence[Example], found: Sequence[Prediction]
) -> tuple[Item, ...]:
    return tuple(answered_item(task, examples[each.position], each) for each in found)


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
    if which == "all":
        return _slice(home, run, start, PAGE + 1)
    found: list[Prediction] = []
    for begin in range(start, start + MOST_LOOKED_AT, BLOCK):
        block = _slice(home, run, begin, BLOCK)
        found += [
            each
            for each in block
            if begin <= each.position < begin + BLOCK
            and verdict(task, examples[each.position], each) in ("wrong", "refused")
        ]
        if len(found) > PAGE or begin + BLOCK >= run.items:
            break
    return found[: PAGE + 1]


def _slice(home: EvaluationHome, run: Run, start: int, limit: int) -> list[Prediction]:
    return home.store.read_now(lambda c: predictions_from(c, run.id, start=start, limit=limit))
