"""Small data that the tests of baselines learn from, made by a few rules of our own."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from palaver.core.tasks import (
    ContextStringSelection,
    Example,
    Field,
    Multiclass,
    Multilabel,
    Prob,
    Task,
    TurnProbs,
    Turns,
)
from palaver.evaluation.tasks import builtin_task
from palaver.models.baselines.examples import GoldExamples, write_examples
from palaver.models.baselines.fitting import BaselinePlan, gold_example, layout_of, make_baseline
from palaver.models.checkpoints.folder import Checkpoint
from palaver.models.learner import LearnerMaterial
from palaver.models.recipe import Recipe, read_recipe
from palaver.models.training.progress import Silence

GOOD = ("lovely", "clever", "warm", "splendid", "tidy", "generous")
BAD = ("dreary", "careless", "cold", "broken", "stale", "noisy")
PLAIN = ("the room", "our host", "that evening", "the soup", "this town", "the play")
TRADES = ("mill", "bakery", "school", "bridge", "library", "theatre")
PEOPLE = ("Ada Holm", "Bruno Quist", "Clara Voss", "David Ferrer", "Edith Lang", "Finn Moor")
PLACES = ("Hillford", "Eastbay", "Norwick", "Redmoor", "Lakeville", "Ashby")


def statements(count: int, *, seed: int = 1) -> list[dict[str, Any]]:
    """Sentences on rooms and hosts that are good, bad or neither by one word, with doubles in none."""
    dice = random.Random(seed)
    found = []
    for n in range(count):
        kind = dice.choice(["positive", "negative", "neutral"])
        word = dice.choice({"positive": GOOD, "negative": BAD, "neutral": PLAIN}[kind])
        one, other = dice.sample(PLAIN, 2)
        text = f"{one} and {other} were {word}, day {n} of {dice.randint(2, 900)}"
        found.append({"uid": str(n), "statement": text, "label": kind})
    return found


def passages(count: int, *, seed: int = 1) -> list[dict[str, Any]]:
    """Three facts in a passage, and a question about one of them that says who, when or where."""
    dice = random.Random(seed)
    found = []
    for n in range(count):
        facts = [
            (trade, dice.choice(PEOPLE), dice.choice(PLACES), str(dice.randint(1800, 1999)))
            for trade in dice.sample(TRADES, 3)
        ]
        told = [
            f"The {trade} was founded in {year} by {who} in {where}."
            if dice.random() < 0.5
            else f"{who} built the {trade} of {where} in the year {year}."
            for trade, who, where, year in facts
        ]
        trade, who, where, year = dice.choice(facts)
        question, answer = dice.choice(
            [
                (f"Who founded the {trade}?", who),
                (f"When was the {trade} built?", year),
                (f"Where is the {trade}?", where),
            ]
        )
        found.append(
            {"uid": str(n), "context": " ".join(told), "question": question, "answer": answer}
        )
    return found


def dialogues(count: int, *, seed: int = 1) -> list[dict[str, Any]]:
    """Calls for help whose turns are divided as one word of theirs says."""
    dice = random.Random(seed)
    found = []
    for n in range(count):
        is_solved = dice.random() < 0.5
        turns = [
            ("customer", f"my {dice.choice(TRADES)} heater {n} leaks", {"CNUG0": 17, "CNaN": 2}),
            ("helpdesk", f"please close the valve {dice.randint(1, 9)}", {"HNUG": 15, "HNaN": 4}),
            (
                ("customer", "that worked", {"CNUG*": 18, "CNaN": 1})
                if is_solved
                else ("customer", "it still leaks", {"CNUG": 9, "CNaN": 10})
            ),
        ]
        found.append(
            {
                "uid": str(n),
                "turns": [{"speaker": who, "text": text} for who, text, _ in turns],
                "nugget": [masses for _, _, masses in turns],
            }
        )
    return found


def any_records(task: Task, count: int, *, seed: int = 1) -> list[dict[str, Any]]:
    """Records of any task, with gold by chance: made from the kinds of its fields."""
    dice = random.Random(seed)
    found = []
    for n in range(count):
        record: dict[str, Any] = {"uid": str(n)}
        for each in task.asked:
            record[each.name] = _asked(each, dice, n)
        for target in task.targets:
            record[task.gold[target.name]] = _gold(target, record, dice)
        found.append(record)
    return found


def _asked(field: Field, dice: random.Random, n: int) -> Any:
    if isinstance(field, Turns):
        return field.said(*(" ".join(dice.sample(PLAIN, 2)) + f" {n}" for _ in range(3)))
    return " ".join(dice.sample([*GOOD, *BAD, *PLAIN], 6)) + f". No {n}"


def _gold(field: Field, record: dict[str, Any], dice: random.Random) -> Any:
    match field:
        case Multiclass():
            return dice.choice(field.labels)
        case Multilabel():
            return [label for label in field.labels if dice.random() < 0.5]
        case Prob(single=True):
            return dice.random()
        case Prob():
            return {label: dice.random() for label in field.labels}
        case TurnProbs():
            turns = record[field.reference]
            return [{la: dice.random() for la in field.labels[turn["speaker"]]} for turn in turns]
        case ContextStringSelection():
            return dice.choice(record[field.reference].split())
    return dice.choice(PLAIN)


def examples_of(task: Task, records: Sequence[dict[str, Any]]) -> list[Example]:
    return [task.read_example(record) for record in records]


def gold_examples(task: Task, records: Sequence[dict[str, Any]]) -> GoldExamples:
    found = tuple(gold_example(task, each) for each in examples_of(task, records))
    return GoldExamples(layout=layout_of(task), examples=found)


def written(path: Path, task: str | Task, records: Sequence[dict[str, Any]]) -> Path:
    """A file of examples that a learner reads."""
    known = builtin_task(task) if isinstance(task, str) else task
    data = gold_examples(known, records)
    write_examples(path, data.layout, data.examples)
    return path


def recipe(kind: str, *, epochs: int = 12, **sections: Any) -> Recipe:
    """A recipe for few examples."""
    training = {"optimizer": "adam", "rate": 0.05, "epochs": epochs, "batch": 32}
    small = {"averages": {"words": {"buckets": 1024}, "vectors": {"width": 8}}}.get(kind, {})
    return read_recipe({"model": kind, "training": training, **small, **sections})


def material(train: Path, *, batch: int = 32, fold: int = 0) -> LearnerMaterial:
    return LearnerMaterial(
        train=(train,), seed=1, device=torch.device("cpu"), batch=batch, fold=fold
    )


def made(kind: str, train: Path, folder: Path, **more: Any) -> Checkpoint:
    """A baseline with few epochs and small tables, as the command makes it otherwise."""
    options: dict[str, Any] = {"training": {"epochs": 10}}
    if kind == "averages":
        options |= {"words": {"buckets": 1024}, "vectors": {"width": 8}}
    if kind in ("majority", "return-context"):
        options = {}
    plan = BaselinePlan(kind=kind, train=train, folder=folder, options=options, **more)
    return make_baseline(plan, Silence())
