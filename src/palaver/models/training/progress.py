"""What one sees of a training while it runs: a bar that is redrawn, or a line per epoch."""

import sys
import time
from collections.abc import Sequence
from typing import Protocol, TextIO

from palaver.models.training.curve import CurveRow, epoch_line, shown

_WIDTH = 24
# A terminal that is redrawn more often flickers.
_EVERY = 0.2


class TrainingProgress(Protocol):
    """Hears how far a training is."""

    def note(self, text: str) -> None:
        """Something to know, once."""
        ...

    def step(self, *, epoch: int, epochs: int, done: int, steps: int, loss: float) -> None:
        """So many updates of an epoch are done."""
        ...

    def epoch(self, rows: Sequence[CurveRow], *, epochs: int, watched: str) -> None:
        """An epoch was measured."""
        ...


class Silence:
    """Nobody watches."""

    def note(self, text: str) -> None:
        """Say nothing."""

    def step(self, *, epoch: int, epochs: int, done: int, steps: int, loss: float) -> None:
        """Say nothing."""

    def epoch(self, rows: Sequence[CurveRow], *, epochs: int, watched: str) -> None:
        """Say nothing."""


class TerminalProgress:
    """A bar for a person, lines alone for a file."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._is_person = self._stream.isatty()
        self._drawn = 0.0
        self._began = (0, time.monotonic())

    def note(self, text: str) -> None:
        self._print(text)

    def step(self, *, epoch: int, epochs: int, done: int, steps: int, loss: float) -> None:
        now = time.monotonic()
        if self._began[0] != epoch:
            self._began = (epoch, now)
        if not self._is_person or now - self._drawn < _EVERY:
            return
        self._drawn = now
        filled = round(_WIDTH * done / max(1, steps))
        bar = "━" * filled + "╌" * (_WIDTH - filled)
        left = (now - self._began[1]) / max(1, done) * (steps - done)
        text = f"epoch {epoch}/{epochs} {bar} {done}/{steps}  loss {shown(loss)}  {left:.0f} s left"
        self._stream.write(f"\r\x1b[2K{text}")
        self._stream.flush()

    def epoch(self, rows: Sequence[CurveRow], *, epochs: int, watched: str) -> None:
        self._print(epoch_line(rows[-1], epochs=epochs, watched=watched, rows=rows))

    def _print(self, text: str) -> None:
        start = "\r\x1b[2K" if self._is_person else ""
        self._stream.write(f"{start}{text}\n")
        self._stream.flush()
