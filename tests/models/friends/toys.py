"""Small dialogues about friends, written by a rule a child could follow, and tiny networks."""

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from palaver.models.chats import read_chats
from palaver.models.checkpoints.folder import Checkpoint, open_checkpoint, write_checkpoint
from palaver.models.friends.graph_network import GraphTalk, GraphTalkSettings
from palaver.models.friends.tables import FriendsTable
from palaver.models.friends.tensors import ViewTensors
from palaver.models.friends.views import FriendsView, known_entities, views_of
from palaver.models.friends.words import END_NUMBER, SELECT_NUMBER, FriendsWords

CPU = torch.device("cpu")
VALUES = {
    "Name": ("Adele", "Boris", "Cyrus", "Dinah", "Egon", "Frida"),
    "Hobby": ("Chess", "Hiking", "Yoga"),
    "Major": ("Physics", "Latin", "Drama"),
}
SMALL: dict[str, Any] = {
    "hidden": 8,
    "embedding": 8,
    "node": 6,
    "edge": 4,
    "attention": 6,
}


def made_example(number: int, *, seed: int = 0, rows: int = 4) -> dict[str, Any]:
    """A dialogue in which one side asks for a hobby, the other counts, and both select."""
    dice = random.Random(f"{seed}:{number}")
    names = list(VALUES)[: 2 + number % 2]
    every = [dict(zip(names, each, strict=True)) for each in _combinations(names)]
    shared, *others = dice.sample(every, 2 * rows - 1)
    kbs = [[shared, *others[: rows - 1]], [shared, *others[rows - 1 :]]]
    for kb in kbs:
        dice.shuffle(kb)
    hobby = shared["Hobby"].lower()
    first = dice.randrange(2)
    count = sum(friend["Hobby"] == shared["Hobby"] for friend in kbs[1 - first])
    told = {1: "only one", 2: "two", 3: "three"}.get(count, "many")
    turns = [
        (first, f"Hi! Does anyone like {hobby}? Not {kbs[first][-1]['Name']}."),
        (1 - first, f"I have {told} - and {shared['Name']} likes {hobby}."),
        (first, shared),
        (1 - first, shared),
    ]
    return {
        "uuid": f"C_{seed}_{number}",
        "scenario": {
            "uuid": f"S_{seed}_{number}",
            "attributes": [{"name": name, "value_type": name.lower()} for name in names],
            "kbs": kbs,
        },
        "outcome": {"reward": 1},
        "events": [
            {
                "agent": seat,
                "action": "message" if isinstance(data, str) else "select",
                "data": data,
                "time": float(at),
            }
            for at, (seat, data) in enumerate(turns)
        ],
    }


def write_made_chats(path: Path, count: int, *, seed: int = 0, rows: int = 4) -> Path:
    path.write_text(json.dumps([made_example(n, seed=seed, rows=rows) for n in range(count)]))
    return path


def made_views(
    folder: Path, count: int = 6, **options: int
) -> tuple[list[FriendsView], FriendsWords]:
    """Both views of some dialogues, and their words."""
    chats = read_chats([write_made_chats(folder / "made.json", count, **options)])
    views = views_of(chats, known_entities(chats))
    return views, FriendsWords.of(chats, views, least=1)


def made_tensors(folder: Path, count: int = 6) -> tuple[ViewTensors, FriendsWords]:
    views, words = made_views(folder, count)
    return ViewTensors.of(views, words, CPU), words


def tiny_network(
    words: FriendsWords,
    *,
    seed: int = 0,
    spread: float = 0.0,
    ends: float = 0.0,
    selects: float = 0.0,
    **options: Any,
) -> GraphTalk:
    """A tiny network; with a spread its weights are wild. One that `ends` says little at a time."""
    settings = GraphTalkSettings(**{**SMALL, **options})
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = GraphTalk(len(words), words.types, settings)
        if spread:
            for weight in network.parameters():
                weight.data = torch.randn(weight.shape) * spread
        network.predict.bias.data[END_NUMBER] += ends
        network.predict.bias.data[SELECT_NUMBER] += selects
    return network.eval()


def tiny_checkpoint(
    folder: Path,
    words: FriendsWords,
    *,
    seed: int = 0,
    spread: float = 0.0,
    ends: float = 0.0,
    selects: float = 0.0,
    **options: Any,
) -> Checkpoint:
    network = tiny_network(words, seed=seed, spread=spread, ends=ends, selects=selects, **options)
    recipe = {"model": "friends-graph", "network": {**SMALL, **options}}
    write_checkpoint(
        folder,
        settings={"model": "friends-graph", "recipe": recipe},
        words=words.written(),
        weights=network.state_dict(),
    )
    return open_checkpoint(folder)


def table(*rows: Sequence[str], columns: Sequence[str] = ("Name", "Hobby")) -> FriendsTable:
    return FriendsTable.of([dict(zip(columns, row, strict=True)) for row in rows], columns)


def _combinations(names: Sequence[str]) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = [()]
    for name in names:
        found = [(*each, value) for each in found for value in VALUES[name]]
    return found
