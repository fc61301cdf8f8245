"""What a game's parsers make of people's dialogues: shares with their counts, and tables of confusion.

A game names a function `measure(dialogues) -> Measurement`; `palaver games measure` prints it.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from palaver.analysis.proportions import wilson_interval
from palaver.core.estimates import Interval
from palaver.core.records import DialogueRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One share: of `of` cases that are defined in `about`, `found` were right.

    Cases that are not one `per_dialogue` (turns, points) hang together: no interval of a share holds.
    """

    name: str
    about: str
    found: int
    of: int
    per_dialogue: bool = True
    derived: ClassVar[tuple[str, ...]] = ("share", "interval")

    @property
    def share(self) -> float | None:
        """None where there was nothing to find."""
        return self.found / self.of if self.of else None

    @property
    def interval(self) -> Interval | None:
        """Wilson's; none where cases hang together or there are none."""
        return wilson_interval(self.found, self.of) if self.per_dialogue else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """How often `counts[recorded][parsed]` met."""

    title: str
    counts: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """What came of measuring a game on dialogues."""

    game: str
    dialogues: int
    measures: tuple[Measured, ...]
    tables: tuple[Confusion, ...] = field(default=())


Measure = Callable[[Iterable[DialogueRecord]], Measurement]
