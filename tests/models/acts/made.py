"""Small act networks with random weights, made dialogues to learn from, and games to play them in."""

import json
import random
from pathlib import Path
from typing import Any

import torch

from palaver.games.craigslist_bargain.sides import BargainSide
from palaver.models.acts.bargain_game import BargainActs
from palaver.models.acts.bargain_words import scenario_numbers
from palaver.models.acts.deal_game import DealActs
from palaver.models.acts.games import ActGame
from palaver.models.acts.kinds import ACT_KINDS, features_of, network_for
from palaver.models.acts.network import ActNetwork
from palaver.models.checkpoints.folder import Checkpoint, open_checkpoint, write_checkpoint
from palaver.models.settings import read_settings

CPU = torch.device("cpu")
SCALED = (-1.0, -0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5)
TINY: dict[str, Any] = {"network": {"size": 12, "dropout": 0.0, "init": 0.0}}


def game(kind: str) -> ActGame:
    return BargainActs(SCALED) if kind == "bargain-acts" else DealActs()


def tiny_network(kind: str, *, seed: int = 1, spread: float = 0.7, **sections: Any) -> ActNetwork:
    """A network whose likes are a matter of chance."""
    given = {"network": {**TINY["network"], **sections}}
    settings = read_settings(ACT_KINDS[kind].settings_type, given)
    played = game(kind)
    network = network_for(features_of(played, settings), played, settings)
    dice = torch.Generator().manual_seed(seed)
    for weight in network.parameters():
        weight.data = torch.randn(weight.shape, generator=dice) * spread
    return network.eval()


def tiny_checkpoint(folder: Path, kind: str, *, seed: int = 1, spread: float = 0.7) -> Checkpoint:
    played = game(kind)
    write_checkpoint(
        folder,
        settings={"model": kind, "recipe": {"model": kind, **TINY}},
        words={"acts": played.grammar.words, "knowledge": played.knows},
        weights=tiny_network(kind, seed=seed, spread=spread).state_dict(),
    )
    return open_checkpoint(folder)


def scenarios(kind: str, rows: int, *, seed: int = 0) -> torch.Tensor:
    """Scenarios of all sizes by lot."""
    dice = random.Random(seed)
    if kind == "bargain-acts":
        return torch.tensor(
            [scenario_numbers(sides_by_lot(dice)) for _ in range(rows)], dtype=torch.float64
        )
    found = []
    for _ in range(rows):
        counts = [dice.randint(1, 4) for _ in range(3)]
        found.append(
            [[n for count in counts for n in (count, dice.randint(0, 5))] for _ in range(2)]
        )
    return torch.tensor(found)


def sides_by_lot(dice: random.Random) -> tuple[Any, Any]:
    price = dice.choice([8.0, 40.0, 250.0, 9000.0])
    wanted = round(price * dice.choice([0.4, 0.7, 0.9, 1.0]), 2)
    sides = [
        BargainSide(role="buyer", target=wanted, price=price, category="phone"),
        BargainSide(role="seller", target=price, price=price, category="boats"),
    ]
    dice.shuffle(sides)
    return sides[0], sides[1]


def kbs(price: float = 200.0, wanted: float = 140.0, *, buyer_first: bool = True) -> list[Any]:
    item = {"Category": "bike", "Price": price, "Title": "A bike", "Description": ["Blue."]}
    found = [
        {"personal": {"Role": role, "Target": target, "Bottomline": None}, "item": item}
        for role, target in (("buyer", wanted), ("seller", price))
    ]
    return found if buyer_first else found[::-1]


def write_bargains(path: Path, count: int = 24, *, recorded: bool = False) -> Path:
    """Made bargains that all go alike, at other prices."""
    found = []
    for n in range(count):
        low, high = 120 + 2 * (n % 10), 190 - 2 * (n % 7)
        said = [
            (0, "Hello, I saw your bike and would like to know a little more about it."),
            (1, "Hi, it is still here and in good shape, with new tires and a light."),
            (0, f"Would you take ${low} for it if I pick it up today in cash, my friend?"),
            (1, f"I could do ${high} but not less than that, it is worth much more to me."),
            (0, f"How about ${(low + high) // 2} then?"),
            (1, "Great, thank you."),
        ]
        events: list[dict[str, Any]] = [
            {"agent": seat, "action": "message", "data": text, "time": n} for seat, text in said
        ]
        if recorded:
            for event, act in zip(events, ("intro", "unknown", "init-price"), strict=False):
                event["metadata"] = {"intent": act, "price": low if act == "init-price" else None}
        price = (low + high) // 2
        offer = {"agent": 0, "action": "offer", "data": {"price": price, "sides": ""}, "time": 9}
        events += [offer, {"agent": 1, "action": "accept", "data": None, "time": 10}]
        if n % 4 == 3:
            events = [*events[:4], {"agent": 0, "action": "quit", "data": None, "time": 9}]
        found.append(
            {
                "uuid": f"C_{n}",
                "scenario": {"uuid": f"S_{n}", "kbs": kbs(), "attributes": [], "category": "bike"},
                "scenario_uuid": f"S_{n}",
                "agents": {"0": "human", "1": "human"},
                "outcome": {"reward": 1, "offer": {"price": price}},
                "events": events,
            }
        )
    path.write_text(json.dumps(found), encoding="utf-8")
    return path


def dice(seed: int = 3) -> torch.Generator:
    return torch.Generator().manual_seed(seed)
