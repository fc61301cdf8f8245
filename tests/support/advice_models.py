"""Situations that a small model can learn from, and small models of advice."""

import json
import random
from pathlib import Path
from typing import Any

import torch

from palaver.models.learner import LearnerMaterial
from palaver.models.recipe import Recipe, read_recipe
from palaver.models.train import train
from palaver.models.training.plan import TrainingPlan

CPU = torch.device("cpu")
_TROUBLES = {
    "kettle": "Take it back to the shop with the receipt.",
    "neighbour": "Knock on the door and ask kindly.",
    "exam": "Write a plan, and sleep well the night before.",
    "landlord": "Put it in a letter and keep a copy.",
}
_WHO = ("My sister", "A friend", "Our flatmate", "My uncle")
_SECOND = "I would just wait and see."


def made_situation(number: int, dice: random.Random) -> dict[str, Any]:
    """A line of a file of situations; the best of its two pieces of advice comes last."""
    trouble = dice.choice(list(_TROUBLES))
    who = dice.choice(_WHO)
    return {
        "id": f"m{number}",
        "subreddit": "Advice",
        "created_utc": 1_600_000_000 + 86_400 * number,
        "title": f"{who} has trouble with the {trouble}",
        "selftext": f"We live at number {number}.\n\nWhat do we do about the {trouble}?",
        "good_comments": [
            {"id": f"m{number}-1", "body": _SECOND, "score": 12},
            {"id": f"m{number}-2", "body": f"{_TROUBLES[trouble]}\n\nGood luck.", "score": 40},
        ],
    }


def situation_lines(count: int, seed: int = 1) -> list[dict[str, Any]]:
    dice = random.Random(seed)
    return [made_situation(number, dice) for number in range(count)]


def situation_file(path: Path, count: int = 40, seed: int = 1) -> Path:
    """A file of such situations."""
    return written_lines(path, situation_lines(count, seed))


def written_lines(path: Path, lines: list[Any]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")
    return path


def tiny_recipe(**sections: Any) -> Recipe:
    """A network of 16 units, which learns in a second or two."""
    given: dict[str, Any] = {
        "model": "advice-transformer",
        "data": {
            **{"pieces": 120, "source": 48, "target": 24, "folds": 5},
            **sections.pop("data", {}),
        },
        "network": {
            **{"layers": 1, "width": 16, "heads": 2, "dropout": 0.1},
            **sections.pop("network", {}),
        },
        "answers": {"measured": 4, **sections.pop("answers", {})},
        "training": {"epochs": 2, "rate": 0.02, "batch": 8, **sections.pop("training", {})},
        **sections,
    }
    return read_recipe(given)


def material_of(*files: Path, **more: Any) -> LearnerMaterial:
    return LearnerMaterial(**{"train": files, "seed": 1, "device": CPU, "batch": 8, **more})


def plan_of(folder: Path, data: Path, **sections: Any) -> TrainingPlan:
    test = sections.pop("test", ())
    return TrainingPlan(
        recipe=tiny_recipe(**sections), train=(data,), test=test, folder=folder, device=CPU
    )


def trained_adviser(folder: Path, **sections: Any) -> Path:
    """The folder of a checkpoint of an epoch or two."""
    data = situation_file(folder.parent / "situations.jsonl")
    train(plan_of(folder, data, **sections))
    return folder
