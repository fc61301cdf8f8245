"""Help-desk dialogues of our own, with what nineteen made-up annotators said of them."""

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from palaver.models.learner import LearnerMaterial
from palaver.models.recipe import Recipe, read_recipe

CPU = torch.device("cpu")
_PROBLEMS = ("the lamp is dark", "my line is dead", "no parcel came", "the bill is wrong")
_GOOD = ("it works now thank you", "solved, thanks!")
_BAD = ("that did not help", "still broken, why?")
ANNOTATORS = 19


def helpdesk_dialogues(count: int, seed: int = 1) -> list[dict[str, Any]]:
    """Dialogues in the counts form; how they end decides what annotators say."""
    dice = random.Random(seed)
    return [_helpdesk_dialogue(f"h{seed}-{n}", dice) for n in range(count)]


def helpdesk_file(path: Path, count: int = 40, seed: int = 1) -> Path:
    """A file of such dialogues, one a line."""
    return lines_file(path, helpdesk_dialogues(count, seed))


def lines_file(path: Path, records: Sequence[Any]) -> Path:
    path.write_text("\n".join(json.dumps(each) for each in records) + "\n", encoding="utf-8")
    return path


def tiny_recipe(model: str = "dialeval-turns", **sections: Any) -> Recipe:
    """A network of 8 units, which learns in a second."""
    networks: dict[str, dict[str, Any]] = {
        "dialeval-turns": {
            **{"words": 8, "picks": 2, "phrases": 6, "width": 8, "layers": 1, "heads": 2},
            "word_dropout": 0.0,
        },
        "dialeval-bilstm": {"words": 8, "hidden": 6, "layers": 2},
    }
    given: dict[str, Any] = {
        "model": model,
        "data": {"least": 1, "folds": 5, **sections.pop("data", {})},
        "network": {**networks[model], "dropout": 0.0, **sections.pop("network", {})},
        "training": {"epochs": 6, "rate": 0.02, "batch": 8, **sections.pop("training", {})},
        **sections,
    }
    return read_recipe(given)


def material_of(*train: Path, seed: int = 1, fold: int = 0, batch: int = 8) -> LearnerMaterial:
    return LearnerMaterial(train=train, seed=seed, device=CPU, fold=fold, batch=batch)


def _helpdesk_dialogue(id_: str, dice: random.Random) -> dict[str, Any]:
    is_good, more = dice.random() < 0.5, dice.random() < 0.5
    turns = [("customer", dice.choice(_PROBLEMS)), ("helpdesk", "please restart it and tell us")]
    if more:
        turns += [("customer", "which button?"), ("helpdesk", "the red one")]
    turns.append(("customer", dice.choice(_GOOD if is_good else _BAD)))
    last = {"CNUG*": 15, "CNaN": 4} if is_good else {"CNUG": 13, "CNaN": 6}
    labels = [{"CNUG0": 17, "CNUG": 2}, {"HNUG*": 11, "HNUG": 8}]
    labels += [{"CNUG": 9, "CNaN": 10}, {"HNUG": 12, "HNaN": 7}] if more else []
    points = {"2": 9, "1": 7, "0": 3} if is_good else {"0": 4, "-1": 8, "-2": 7}
    return {
        "id": id_,
        "turns": [{"sender": who, "utterances": [text]} for who, text in turns],
        "nugget": [*labels, last],
        "quality": {scale: dict(points) for scale in ("A", "S", "E")},
    }
