"""Training beside a bare PyTorch loop, self-play of many dialogues at once, and an epoch of DialEval.

The loop is given the same network and the batches of one epoch, taken and on the device before the
clock runs. It knows no dice, rates, averages, checks or progress: forward, loss, backward, clip, step.
On a processor one thread is measured by its processor time, because threads that wait for each other
are slow beside other work; on a GPU the clock is asked once all is done. An epoch of DialEval is one
thread's, too: its goal is 50 of them in five minutes.
"""

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import torch
from torch.nn import functional

from benchmarks.table import Figure
from benchmarks.training_made import (
    DESK_DIALOGUES,
    deal_contexts,
    write_deals,
    write_helpdesk,
)
from palaver.models.deal.self_play import Negotiator, play
from palaver.models.deal.talk import TalkLearner
from palaver.models.deal.tensors import LineTensors, next_words
from palaver.models.deal.words import PAD_NUMBER
from palaver.models.learner import Learner, LearnerMaterial
from palaver.models.recipe import Recipe, open_recipe
from palaver.models.training.trainer import Trainer

DEAL, DIALEVAL = "deal-gru", "dialeval-bilstm"
# The share of the bare loop's speed that is aimed for, and the seconds that an epoch may take.
SHARE, EPOCH_SECONDS = 0.85, 6.0
AT_ONCE = 64


def run(*, lines: int, rounds: int, dialogues: int) -> tuple[list[Figure], dict[str, Any]]:
    """Words per second of training, dialogues per second of self-play, seconds of an epoch."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    with tempfile.TemporaryDirectory(prefix="palaver-bench-") as made:
        folder = Path(made)
        deals = write_deals(folder / "deals.txt", lines)
        desk = write_helpdesk(folder / "desk.jsonl", dialogues)
        with _one_thread():
            learner, training, details = _training(deals, rounds, device)
            playing = _self_play(learner, rounds, device)
            epoch = _dialeval_epoch(desk, rounds, dialogues)
    told = {"device": _name(device), "lines": lines, "dialogues": dialogues, **details}
    return [training, playing, epoch], told


def _training(
    deals: Path, rounds: int, device: torch.device
) -> tuple[TalkLearner, Figure, dict[str, Any]]:
    recipe = _recipe(DEAL, epochs=rounds + 1)
    learner = _learner(recipe, deals, device)
    # What is held out is not measured, as the loop does not.
    learner.measure = lambda: {learner.watched: 0.0}
    trainer = Trainer(recipe, learner, device=device)
    trainer.run(until=1)
    bare = _BareLoop(recipe, deals, device)
    bare.epoch()
    words = int(learner.learnt.sizes.sum())
    ours, floor = [], []
    for number in range(rounds):
        ours.append(words / _seconds(lambda until=number + 2: trainer.run(until=until), device))
        floor.append(words / _seconds(bare.epoch, device))
    figure = Figure(
        f"{DEAL}, batches of {recipe.training.batch}, {_name(device)}",
        median(ours),
        median(floor),
        "words/s",
        goal=f"≥ {SHARE:.0%}",
        met=lambda each: (each.ratio or 0.0) >= SHARE,
    )
    return learner, figure, {"words": words, "trainer": ours, "loop": floor}


class _BareLoop:
    """The least that somebody would write around the network."""

    def __init__(self, recipe: Recipe, deals: Path, device: torch.device) -> None:
        learner = _learner(recipe, deals, device)
        dice = torch.Generator().manual_seed(1)
        self.batches: list[LineTensors] = [
            learner.learnt.taken(each.rows, each.width) for each in learner.updates(1, dice)
        ]
        self.network = learner.network.train()
        self.optimizer = torch.optim.AdamW(self.network.parameters(), lr=recipe.training.rate)
        self.clip = recipe.training.clip
        self.slots_weight = recipe.settings.selection.weight

    def epoch(self) -> None:
        for batch in self.batches:
            self.optimizer.zero_grad(set_to_none=True)
            reading = self.network.read(batch.contexts, batch.words, batch.lengths)
            loss = functional.cross_entropy(
                reading.logits.flatten(0, 1),
                next_words(batch.words).flatten(),
                ignore_index=PAD_NUMBER,
            )
            loss = loss - self.slots_weight * reading.slots.gather(2, batch.slots[..., None]).mean()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.clip)
            self.optimizer.step()


def _self_play(learner: TalkLearner, rounds: int, device: torch.device) -> Figure:
    """Dialogues of the network with itself: as many as are held at once, and one after another."""
    side = Negotiator(network=learner.network.eval())
    contexts = torch.tensor(deal_contexts(AT_ONCE))

    def hold(rows: Sequence[torch.Tensor]) -> None:
        for number, each in enumerate(rows):
            play((side, side), each, torch.Generator().manual_seed(number), device=device)

    few = AT_ONCE // 8
    hold([contexts])
    together = [AT_ONCE / _seconds(lambda: hold([contexts]), device) for _ in range(rounds)]
    alone = [few / _seconds(lambda: hold(contexts[:few].split(1)), device) for _ in range(rounds)]
    return Figure(
        f"self-play, {AT_ONCE} at once (floor: one after another)",
        median(together),
        median(alone),
        "dialogues/s",
    )


def _dialeval_epoch(desk: Path, rounds: int, dialogues: int) -> Figure:
    """An epoch on the processor, with what is measured after it."""
    device = torch.device("cpu")
    recipe = _recipe(DIALEVAL, epochs=rounds + 1)
    trainer = Trainer(recipe, _learner(recipe, desk, device), device=device)
    trainer.run(until=1)
    took = [
        _seconds(lambda until=number + 2: trainer.run(until=until), device)
        for number in range(rounds)
    ]
    is_whole = dialogues == DESK_DIALOGUES
    return Figure(
        f"{DIALEVAL}, an epoch of {dialogues:,} dialogues, {_name(device)}",
        median(took),
        None,
        "s",
        goal=f"≤ {EPOCH_SECONDS:g} s" if is_whole else "",
        met=(lambda each: each.ours <= EPOCH_SECONDS) if is_whole else None,
    )


def _recipe(name: str, *, epochs: int) -> Recipe:
    return (
        open_recipe(name)
        .with_options([f"training.epochs={epochs}", "training.patience=0"])
        .recipe()
    )


def _learner(recipe: Recipe, data: Path, device: torch.device) -> Any:
    """The learner of a recipe; what it is depends on the recipe."""
    torch.manual_seed(recipe.seed)
    material = LearnerMaterial(
        train=(data,), seed=recipe.seed, device=device, batch=recipe.training.batch
    )
    learner: Learner = recipe.kind().learner(recipe.settings, material)
    learner.network.to(device)
    return learner


def _seconds(work: Callable[[], Any], device: torch.device) -> float:
    """Processor time on the CPU; on a GPU that of the clock, until the GPU is done, too."""
    if device.type == "cpu":
        began = time.process_time()
        work()
        return time.process_time() - began
    torch.cuda.synchronize()
    began = time.perf_counter()
    work()
    torch.cuda.synchronize()
    return time.perf_counter() - began


@contextmanager
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _name(device: torch.device) -> str:
    return torch.cuda.get_device_name(device) if device.type == "cuda" else "one core"
