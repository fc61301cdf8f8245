"""Trained models that are none: parrots that play and answer, from real checkpoint folders."""

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from palaver.core.errors import InputError
from palaver.core.events import MESSAGE, Event, Move, say
from palaver.core.protocols import Place
from palaver.models.checkpoints.folder import Checkpoint, write_checkpoint
from palaver.models.faces import RESPONDERS, TALKERS, Decoding

PARROT = "parrot"
LABELS = ("entailed", "neutral", "contradictory")


class ParrotTalker:
    """Says how many events it was told, the last words it heard, and the greeting it learnt."""

    game = "open_chat"

    def __init__(self, checkpoints: Sequence[Checkpoint], device: Any) -> None:
        self.greetings = [each.words["greetings"] for each in checkpoints]
        self.volume = torch.stack([each.weights()["volume"] for each in checkpoints]).to(device)

    def reply(
        self, place: Place, events: Sequence[Event], dice: random.Random, decoding: Decoding
    ) -> list[Move]:
        heard = [event.text for event in events if event.action == MESSAGE]
        last = heard[-1] if heard else "nothing"
        if last == "hush":
            return []
        if last == "break":
            raise ValueError("broken on purpose")
        if last == "forbidden":
            raise InputError("These words are not for parrots.")
        if last == "too much":
            raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB.")
        greeting = dice.choice([word for words in self.greetings for word in words])
        told = [f"{len(events)}: {greeting}, {last}!", f"{float(self.volume.mean()):g}"]
        if decoding.candidates > 1:
            told.append(f"best of {decoding.candidates} by {decoding.continuations}")
        return [say(f"{' '.join(told)} {decoding.temperature:g} {torch.get_num_threads()}")]


class DealParrot(ParrotTalker):
    """The same at another game."""

    game = "deal_or_no_deal"


class ParrotResponder:
    """Answers nli with the label that its one weight says, and counts the calls."""

    def __init__(self, checkpoints: Sequence[Checkpoint], device: Any) -> None:
        self.volume = checkpoints[0].weights()["volume"].to(device)
        self.sizes: list[int] = []

    def answer(self, questions: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        self.sizes.append(len(questions))
        if any(question["hypothesis"] == "break" for question in questions):
            raise KeyError("hypothesis")
        label = LABELS[int(self.volume.sum()) % len(LABELS)]
        return [{"id": question["uid"], "label": label} for question in reversed(questions)]


@contextmanager
def parrots() -> Iterator[None]:
    """Parrots are kinds of models while this lasts."""
    TALKERS.register(PARROT, ParrotTalker)
    TALKERS.register("deal-parrot", DealParrot)
    RESPONDERS.register(PARROT, ParrotResponder)
    try:
        yield
    finally:
        del TALKERS._loaded[PARROT], TALKERS._loaded["deal-parrot"], RESPONDERS._loaded[PARROT]


def write_parrot(folder: Path, *, model: str = PARROT, volume: int = 1, **settings: Any) -> Path:
    """A checkpoint folder of a parrot with one weight."""
    write_checkpoint(
        folder,
        settings={"model": model, "recipe": {}, **settings},
        words={"greetings": ["Ahoy", "Hey", "Aye", "Arr"]},
        weights={"volume": torch.full((2,), float(volume))},
    )
    return folder
