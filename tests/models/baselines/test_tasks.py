"""Which baselines fit a task, and that each of them answers as the task wants it."""

import math
from pathlib import Path
from typing import Any

import pytest
import torch

from palaver.core.errors import InputError, UnknownNameError
from palaver.core.tasks import Multilabel, Prob, String, Task
from palaver.core.tasks.task import MetricChoice
from palaver.evaluation.tasks import builtin_names, builtin_task
from palaver.models.baselines.fitting import chosen_kinds, layout_of
from palaver.models.baselines.layout import TaskLayout
from palaver.models.faces import RESPONDERS

from .made import any_records, examples_of, made, written

LABELLED = ["majority", "ngrams", "averages"]
FITTING = {
    "advice": ["return-context"],
    "dialogue-nugget": LABELLED,
    "dialogue-quality": LABELLED,
    "flores": ["return-context"],
    "hs": LABELLED,
    "nli": LABELLED,
    "qa": ["majority", "return-context", "ngrams", "averages"],
    "response-generation": ["return-context"],
    "sentiment": LABELLED,
    "turn-faults": LABELLED,
    "vqa": [],
}
# Any number of labels, and a share of readers: kinds of answers that no task of the library has.
REVIEWS = Task(
    name="reviews",
    title="Reviews",
    inputs=(
        String(name="review"),
        Multilabel(name="topics", labels=("food", "room", "staff")),
        Prob(name="agree"),
    ),
    outputs=(Multilabel(name="topics", labels=("food", "room", "staff")), Prob(name="agree")),
    gold={"topics": "topics", "agree": "agree"},
    metrics=(MetricChoice(metric="macro_f1", fields=("topics",)),),
)
TASKS = [*(builtin_task(name) for name in FITTING if FITTING[name]), REVIEWS]


def test_every_task_of_the_library_is_thought_of() -> None:
    assert set(FITTING) == set(builtin_names())


@pytest.mark.parametrize("name", [name for name in FITTING if FITTING[name]])
def test_the_fields_of_a_task_say_which_baselines_fit(name: str) -> None:
    layout = layout_of(builtin_task(name))

    fitting, unfit = chosen_kinds(layout)

    assert fitting == FITTING[name]
    assert {*fitting, *unfit} == {"majority", "return-context", "ngrams", "averages"}
    assert all(unfit.values())


def test_a_task_that_none_fits_is_told_why_in_a_sentence() -> None:
    with pytest.raises(InputError) as refused:
        chosen_kinds(layout_of(builtin_task("vqa")))

    assert str(refused.value) == (
        "No baseline fits the task 'vqa': not majority, ngrams or averages, because 'answer' takes "
        "free text, so there are no labels or places to choose from; not return-context, because an "
        "image, 'image', cannot be given back as words."
    )


def test_one_that_is_asked_for_and_does_not_fit_is_told_why() -> None:
    with pytest.raises(
        InputError, match=r"^The baseline ngrams does not fit the task 'advice': 'adv"
    ):
        chosen_kinds(layout_of(builtin_task("advice")), ["ngrams"])
    with pytest.raises(UnknownNameError, match=r"No baseline 'ngram'. Near: 'ngrams'"):
        chosen_kinds(layout_of(builtin_task("nli")), ["ngram"])


def test_a_task_without_gold_has_nothing_to_learn() -> None:
    task = Task(
        name="open", title="Open", inputs=(String(name="x"),), outputs=(String(name="y"),),
        gold={}, metrics=(MetricChoice(metric="length_tokens", fields=("y",)),),
    )  # fmt: skip
    with pytest.raises(InputError, match="no output has gold"):
        layout_of(task)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: str(task.name))
def test_a_layout_survives_as_words(task: Task) -> None:
    layout = layout_of(task)

    assert TaskLayout.from_words(layout.as_words(), where="here") == layout


@pytest.mark.parametrize(
    ("task", "key", "words", "wrong"),
    [
        ("sentiment", "labels: label", [], "'label' has no labels"),
        ("dialogue-nugget", "speakers: nugget", [], "'nugget' judges no turns"),
        ("qa", "goals: references", ["answer"], "'answer' stands in no text"),
        ("sentiment", "goals: kinds", ["any"], "'any' is not a kind of goal"),
    ],
)
def test_words_that_say_no_task_are_refused(
    task: str, key: str, words: list[str], wrong: str
) -> None:
    known = layout_of(builtin_task(task)).as_words()

    with pytest.raises(InputError, match=f"^here: it does not say .*{wrong}"):
        TaskLayout.from_words(known | {key: words}, where="here")


CASES = [(task, kind) for task in TASKS for kind in FITTING.get(task.name, LABELLED)]


@pytest.mark.parametrize(("task", "kind"), CASES, ids=[f"{t.name}-{kind}" for t, kind in CASES])
def test_a_baseline_answers_as_its_task_wants_it(task: Task, kind: str, tmp_path: Path) -> None:
    """The contract of all: a checkpoint that answers well-formed, alike alone and with others."""
    train = written(tmp_path / "train.jsonl", task, any_records(task, 20))
    checkpoint = made(kind, train, tmp_path / kind)
    examples = examples_of(task, any_records(task, 5, seed=2))
    questions = [task.question(each) for each in examples]

    responder = RESPONDERS.get(kind)(checkpoint.all, torch.device("cpu"))
    together = responder.answer(questions)
    alone = [responder.answer([question])[0] for question in questions]

    for example, one, other in zip(examples, together, alone, strict=True):
        read = task.read_answer(one, example, strict=not task.answers)
        assert _alike(one, other)
        assert set(read.values) >= {target.name for target in task.targets}
        # Where a task also asks how sure an answer is, all but a context given back say so.
        if kind != "return-context" and not (kind == "majority" and task.name == "qa"):
            assert set(read.values) == {output.name for output in task.outputs}
    assert (tmp_path / kind / "README.md").read_text("utf-8").startswith(f"# {kind}\n")
    assert not [path for path in (tmp_path / kind).iterdir() if path.suffix in (".pt", ".pkl")]


def _alike(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_alike(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_alike, one, other))
    return math.isclose(one, other, abs_tol=1e-5) if isinstance(one, float) else one == other
