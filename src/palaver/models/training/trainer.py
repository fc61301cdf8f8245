"""The loop: epochs of updates, a measure after each, the best kept, and a snapshot to go on from.

The dice of an epoch are thrown from the seed and its number, and from nothing that came before. That
is why a training that was killed and goes on ends with the same weights, on the CPU bit for bit.
"""

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from palaver.core.errors import InputError
from palaver.models.learner import Learner
from palaver.models.recipe import Recipe
from palaver.models.training.curve import CurveRow
from palaver.models.training.failures import (
    check_finite,
    check_measure,
    memory_watched,
    too_large_batch,
)
from palaver.models.training.processes import Processes
from palaver.models.training.progress import Silence, TrainingProgress
from palaver.models.training.snapshot import FoundSnapshot, Snapshot, TrainingState
from palaver.models.training.steps import (
    MovingAverage,
    clip_gradients,
    new_optimizer,
    rate_at,
)

# After so many updates the loss is looked at, for which a GPU must be waited for.
CHECK_EVERY = 50
# Seconds between two snapshots at least: an epoch may take a tenth of a second.
SAVE_EVERY = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedWeights:
    """What came of a training: its state, and the weights of the best epoch, on the CPU."""

    state: TrainingState
    weights: Mapping[str, Tensor]


class Trainer:
    """One training of one learner."""

    def __init__(
        self,
        recipe: Recipe,
        learner: Learner,
        *,
        device: torch.device,
        folder: Path | None = None,
        data: Mapping[str, str] | None = None,
        processes: Processes | None = None,
        progress: TrainingProgress | None = None,
        saved: Callable[[TrainingState, Mapping[str, Tensor]], None] | None = None,
    ) -> None:
        self.recipe = recipe
        self.learner = learner
        self.network = learner.network
        self.device = device
        self.folder = folder
        self.data = data or {}
        self.processes = processes or Processes()
        self.progress = progress or Silence()
        self.saved = saved
        self.state = TrainingState()
        self.best: dict[str, Tensor] = {}
        self.optimizer = new_optimizer(recipe.training, self.network)
        decay = recipe.training.average
        self.average = MovingAverage(self.network, decay) if decay else None
        self._last_save = 0.0
        self._is_unsaved = False

    def go_on(self, found: FoundSnapshot) -> None:
        """Take up a training where its snapshot left it; InputError where it does not fit."""
        try:
            found.restore(self.network, self.optimizer, self.average)
            self.state, self.best = found.state, found.best()
        except (RuntimeError, ValueError, TypeError, KeyError) as error:
            raise InputError(
                f"The unfinished training in {self.folder} does not fit this recipe, as if another "
                "version of Palaver had begun it. Give --overwrite to begin anew."
            ) from error

    def run(self, *, until: int | None = None) -> TrainedWeights:
        """Train to the end, or to the end of epoch `until`."""
        training = self.recipe.training
        self.processes.join(self.network)
        last = training.epochs if until is None else min(until, training.epochs)
        try:
            while self.state.epoch < last and not self._is_over():
                self._epoch()
                self._save(now=self.state.epoch >= last or self._is_over())
        except BaseException:
            self._keep_best()
            raise
        return TrainedWeights(state=self.state, weights=self.best)

    def _is_over(self) -> bool:
        patience = self.recipe.training.patience
        return 0 < patience <= self.state.since_best

    def _epoch(self) -> None:
        state, began = self.state, time.monotonic()
        number = state.epoch + 1
        seed = epoch_seed(self.recipe.seed, number)
        torch.manual_seed(seed + self.processes.rank)
        dice = torch.Generator().manual_seed(seed)
        if self._annealing(number) == 1:
            self._go_back()
        loss, rate = self._updates(number, dice)
        with memory_watched(f"What is held out does not fit into memory. {self._kept_words()}"):
            measured = self._measured(seed)
        value = measured[self.learner.watched]
        check_measure(self.learner.watched, value, epoch=number, kept=self._kept_words())
        is_best = value < state.best or not self.best
        state.epoch = number
        if is_best:
            state.best, state.best_epoch = value, number
            self.best = {name: each.cpu().clone() for name, each in self._kept().items()}
        seconds = time.monotonic() - began
        state.seconds += seconds
        state.rows.append(
            CurveRow(
                epoch=number,
                loss=loss,
                rate=rate,
                seconds=seconds,
                measured=measured,
                is_best=is_best,
            )
        )
        self._is_unsaved = True
        if self.processes.is_first:
            self.progress.epoch(
                state.rows, epochs=self.recipe.training.epochs, watched=self.learner.watched
            )

    def _updates(self, epoch: int, dice: torch.Generator) -> tuple[float, float]:
        """The mean loss of an epoch, and its last rate."""
        training, learner = self.recipe.training, self.learner
        steps = self.processes.steps(learner.steps)
        total_steps = steps * training.epochs
        weights = [each for each in self.network.parameters() if each.requires_grad]
        summed = torch.zeros((), device=self.device)
        norms = torch.zeros((), device=self.device)
        done, rate, checked = 0, 0.0, 0
        self.network.train()
        with memory_watched(too_large_batch(training, self._kept_words())):
            for batch in self.processes.own(learner.updates(epoch, dice)):
                rate = self._set_rate(epoch, total_steps)
                self.optimizer.zero_grad(set_to_none=True)
                with self._precision():
                    loss = learner.loss(batch)
                loss.backward()  # type: ignore[no-untyped-call]
                self.processes.average_gradients(self.network)
                norms += clip_gradients(weights, training.clip)
                self.optimizer.step()
                if self.average is not None:
                    self.average.follow(self.network)
                summed += loss.detach()
                done += 1
                self.state.step += 1
                if done % CHECK_EVERY == 0:
                    self._check(summed + norms, epoch, (checked + 1, done))
                    checked = done
                    self._tell(epoch, done, steps, summed)
            self._check(summed + norms, epoch, (checked + 1, done))
        return float(self.processes.mean(summed / max(1, done))), rate

    def _annealing(self, epoch: int) -> int:
        """The number of an epoch among those in which the rate is divided; 0 for one before them."""
        training = self.recipe.training
        before = training.epochs - training.anneal_epochs
        return max(0, epoch - before) if training.schedule == "anneal" else 0

    def _go_back(self) -> None:
        """Take the best weights so far; the optimizer forgets what it had gathered."""
        if self.best:
            self.network.load_state_dict(self.best)
        self.optimizer = new_optimizer(self.recipe.training, self.network)

    def _set_rate(self, epoch: int, total: int) -> float:
        training = self.recipe.training
        divided = training.anneal_by ** self._annealing(epoch)
        rate = training.rate * rate_at(training, self.state.step, total) / divided
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        return rate

    def _precision(self) -> Any:
        wanted = self.recipe.training.precision
        if wanted == "float32":
            return nullcontext()
        is_gpu = self.device.type == "cuda"
        if wanted == "auto" and not (is_gpu and torch.cuda.is_bf16_supported()):
            return nullcontext()
        return torch.autocast(self.device.type, dtype=torch.bfloat16)

    def _check(self, total: Tensor, epoch: int, steps: tuple[int, int]) -> None:
        check_finite(total, epoch=epoch, steps=steps, kept=self._kept_words())

    def _tell(self, epoch: int, done: int, steps: int, summed: Tensor) -> None:
        if self.processes.is_first:
            self.progress.step(
                epoch=epoch,
                epochs=self.recipe.training.epochs,
                done=done,
                steps=steps,
                loss=float(summed) / done,
            )

    def _kept_words(self) -> str:
        if not self.state.best_epoch or self.folder is None:
            return "Nothing was kept yet."
        return (
            f"The best weights so far, of epoch {self.state.best_epoch}, are kept in {self.folder}."
        )

    def _kept(self) -> dict[str, Tensor]:
        """The weights that are measured and kept: averaged ones where there is an average."""
        if self.average is not None:
            return self.average.weights
        return {name: each.detach() for name, each in self.network.state_dict().items()}

    def _measured(self, seed: int) -> dict[str, float]:
        """What the learner says of itself with the weights that would be kept."""
        found: dict[str, float] | None = None
        if self.processes.is_first:
            torch.manual_seed(seed)
            with self._averaged(), torch.no_grad():
                self.network.eval()
                found = {name: float(value) for name, value in self.learner.measure().items()}
        told = self.processes.hear(found)
        assert isinstance(told, dict)
        return told

    @contextmanager
    def _averaged(self) -> Iterator[None]:
        if self.average is None:
            yield
            return
        own = {name: each.clone() for name, each in self.network.state_dict().items()}
        self.network.load_state_dict(self.average.weights)
        try:
            yield
        finally:
            self.network.load_state_dict(own)

    def _save(self, *, now: bool) -> None:
        """Write the snapshot and the best weights, if it is time."""
        if self.folder is None or not self.processes.is_first:
            return
        if not now and time.monotonic() - self._last_save < SAVE_EVERY:
            return
        Snapshot(
            state=self.state,
            recipe=self.recipe.as_json(),
            data=self.data,
            network=self.network.state_dict(),
            optimizer=self.optimizer.state_dict(),
            average=self.average,
            best=self.best,
            processes=self.processes.count,
        ).write(self.folder)
        if self.saved is not None:
            self.saved(self.state, self.best)
        self._last_save, self._is_unsaved = time.monotonic(), False

    def _keep_best(self) -> None:
        """After a failure within an epoch: no snapshot, which would not be exact, but the best."""
        if self._is_unsaved and self.saved is not None and self.processes.is_first:
            with suppress(InputError):  # the disk may be what failed
                self.saved(self.state, self.best)


def epoch_seed(seed: int, epoch: int) -> int:
    """The seed of one epoch; neighbours have nothing in common."""
    digest = hashlib.sha256(f"{seed}:{epoch}".encode()).digest()
    return int.from_bytes(digest[:6], "big")
