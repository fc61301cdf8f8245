"""The makers of baselines: each turns a plan into a checkpoint with a card."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from palaver.models.baselines.counted import (
    commonest_answer,
    commonest_words,
    returned_answer,
    returned_words,
)
from palaver.models.baselines.examples import GoldExamples, read_examples_of
from palaver.models.baselines.features import Question
from palaver.models.baselines.figures import figures_of
from palaver.models.baselines.fitting import BaselinePlan
from palaver.models.baselines.layout import LayoutWords, TaskLayout
from palaver.models.checkpoints.folder import Checkpoint, open_checkpoint, write_checkpoint
from palaver.models.learner import DataNote
from palaver.models.measured import MeasuredFigure
from palaver.models.recipe import Recipe, read_recipe
from palaver.models.train import train
from palaver.models.training.card import CardParts, environment_of, written_card
from palaver.models.training.checkpoint_writer import settings_of
from palaver.models.training.places import CARD, clear, digests
from palaver.models.training.plan import TrainingPlan
from palaver.models.training.processes import chosen_device
from palaver.models.training.progress import TrainingProgress

Learnt = Callable[[GoldExamples], dict[str, list[str]]]
Answering = Callable[[TaskLayout, LayoutWords, Question], dict[str, Any]]

_NGRAMS = {
    "about": "A linear classifier over counted words, trained with Palaver as a baseline.",
    "training": {
        "optimizer": "adam",
        "rate": 0.05,
        "schedule": "cosine",
        "warmup": 0.05,
        "patience": 6,
    },
}
_AVERAGES = {
    "about": "Averaged vectors of words, trained with Palaver as a baseline.",
    "training": {
        "optimizer": "adam",
        "rate": 0.01,
        "schedule": "cosine",
        "warmup": 0.05,
        "patience": 6,
    },
}
# How many examples are seen in all, one each time it is learnt from, and the passes they may take.
_SEEN = 200_000
_FEWEST_EPOCHS, _MOST_EPOCHS = 4, 30


def make_majority(plan: BaselinePlan, progress: TrainingProgress) -> Checkpoint:
    """What is commonest among the examples."""
    about = "Answers every question with what is commonest. It reads no question."
    return _write_counted(plan, about, commonest_words, commonest_answer)


def make_return_context(plan: BaselinePlan, progress: TrainingProgress) -> Checkpoint:
    """Which field is given back."""
    about = "Gives back what it was asked with: the whole context, or the last turn."
    return _write_counted(plan, about, returned_words, returned_answer)


def make_ngrams(plan: BaselinePlan, progress: TrainingProgress) -> Checkpoint:
    """A linear classifier over counted words."""
    return _train(plan, progress, _NGRAMS)


def make_averages(plan: BaselinePlan, progress: TrainingProgress) -> Checkpoint:
    """Averaged vectors of words."""
    return _train(plan, progress, _AVERAGES)


def _train(plan: BaselinePlan, progress: TrainingProgress, usual: Mapping[str, Any]) -> Checkpoint:
    training = {**usual["training"], "epochs": _epochs(plan.train)}
    done = train(
        TrainingPlan(
            recipe=_recipe(plan, {**usual, "training": training}),
            train=(plan.train,),
            test=() if plan.test is None else (plan.test,),
            folder=plan.folder,
            device=chosen_device(plan.device),
            overwrite=plan.overwrite,
        ),
        progress,
    )
    return done.checkpoint


def _epochs(examples: Path) -> int:
    """As many passes as make some thousand updates: few over large data, many over small."""
    with examples.open("rb") as lines:
        count = sum(1 for _ in lines)
    return max(_FEWEST_EPOCHS, min(_MOST_EPOCHS, _SEEN // max(1, count)))


def _recipe(plan: BaselinePlan, usual: Mapping[str, Any]) -> Recipe:
    """The usual recipe of a kind with the options of the plan."""
    given: dict[str, Any] = {"model": plan.kind, "seed": plan.seed, **usual}
    for section, options in plan.options.items():
        given[section] = {**given.get(section, {}), **options}
    return read_recipe(given)


def _write_counted(plan: BaselinePlan, about: str, learn: Learnt, answer: Answering) -> Checkpoint:
    """Write a checkpoint without weights."""
    if plan.overwrite:
        clear(plan.folder)
    data = read_examples_of([plan.train])
    words = {**data.layout.as_words(), **learn(data)}
    recipe = _recipe(plan, {"about": about})
    # There are no steps, so nothing of how they are taken belongs to it.
    told = {name: value for name, value in recipe.as_json().items() if name != "training"}
    files = () if plan.test is None else (plan.test,)
    parts = CardParts(
        name=plan.folder.resolve().name,
        about=about,
        recipe=told,
        note=DataNote(
            about=f"Examples of the task {data.layout.task}.",
            counts={"examples counted": len(data.examples)},
        ),
        data=digests([plan.train]),
        tested=digests(files),
        rows=(),
        watched="",
        best_epoch=0,
        seconds=0.0,
        figures=() if plan.test is None else _figures(plan, words, answer),
        parameters=0,
        environment=environment_of(torch.device("cpu")),
    )
    write_checkpoint(
        plan.folder,
        settings=settings_of(recipe, parts, finished=True),
        words=words,
        texts={CARD: written_card(parts)},
    )
    return open_checkpoint(plan.folder)


def _figures(
    plan: BaselinePlan, words: LayoutWords, answer: Answering
) -> tuple[MeasuredFigure, ...]:
    assert plan.test is not None
    data = read_examples_of([plan.test])
    answers = [answer(data.layout, words, each.question) for each in data.examples]
    return tuple(figures_of(data.layout, data.examples, answers))
