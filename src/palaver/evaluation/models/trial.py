"""What came of trying a model: each probe, every violation, what is worth a note."""

import statistics
from dataclasses import asdict, dataclass
from typing import Any

from palaver.core.tasks import Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """Something that would fail a run: what was sent, came back, was expected, and the remedy."""

    probe: str
    problem: str
    sent: Any = None
    got: Any = None
    expected: Any = None
    mend: str

    def as_json(self) -> dict[str, Any]:
        """The violation as plain data."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One probe that was asked: how long it took, and what came of it."""

    probe: str
    seconds: float
    answer: Answer | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What came of trying a model; `ready_seconds` is None if it did not start."""

    ready_seconds: float | None
    tried: tuple[Tried, ...] = ()
    violations: tuple[Violation, ...] = ()
    notes: tuple[str, ...] = ()
    memory: float | None = None

    @property
    def seconds(self) -> float | None:
        """The median time per answer; None if there was no answer."""
        times = [each.seconds for each in self.tried if each.answer is not None]
        return statistics.median(times) if times else None

    def as_json(self) -> dict[str, Any]:
        """The trial as plain data."""
        return {
            "ok": not self.violations,
            "ready_seconds": self.ready_seconds,
            "seconds_per_answer": self.seconds,
            "memory_gib": self.memory,
            "probes": [
                {
                    "probe": each.probe,
                    "seconds": each.seconds,
                    "answer": None if each.answer is None else each.answer.values,
                }
                for each in self.tried
            ],
            "violations": [each.as_json() for each in self.violations],
            "notes": list(self.notes),
        }
