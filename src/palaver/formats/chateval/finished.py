"""What finished work gives: dialogues, answers and results of training, whatever file it was in.

Readers give answers as the files hold them; the question that takes them checks them later. People
stand here under the ids of the file; whoever stores this gives them other names.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from palaver.core.labels import Purpose
from palaver.core.questions import Question


@dataclass(frozen=True, slots=True)
class FinishedMessage:
    """One message; `seed` where the house put it there, `time` where it is known."""

    seat: int
    text: str
    seed: bool = False
    time: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A dialogue between a person (seat 0) and a system (seat 1), under its name in the file.

    A dialogue that the file gives no name has an id that follows from what was said.
    """

    id: str
    is_named: bool = True
    system: str
    turns: tuple[FinishedMessage, ...]
    # Who talked with the system; None where the file does not say.
    person: str | None = None
    condition: str = ""
    # Dialogues that one person held one after the other share a group.
    group: str | None = None
    position: int = 0
    persona: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedAnswer:
    """One answer about a dialogue, one of its messages (counted from 0), or two dialogues.

    With `other`, the answer names a side of the screen: "a" is `dialogue`, "b" is `other`.
    """

    question: str
    answer: Any
    dialogue: str
    turn: int | None = None
    other: str | None = None
    # None where the file does not say who answered.
    rater: str | None = None
    # The piece of work under which it was given.
    work: str
    purpose: Purpose = "real"
    section: str | None = None
    seconds: float | None = None
    time: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """How somebody did in training: the wrong turns of each round, from 0, and whether they passed."""

    person: str | None
    work: str
    mistakes: tuple[tuple[int, ...], ...]
    passed: bool | None
    time: float | None = None


@dataclass(slots=True)
class FinishedWork:
    """Everything a file gives, and what was left out of it, by reason; `source` names the file."""

    source: str = ""
    dialogues: dict[str, Held] = field(default_factory=dict)
    answers: list[FinishedAnswer] = field(default_factory=list)
    trained: list[Trained] = field(default_factory=list)
    questions: dict[str, Question] = field(default_factory=dict)
    # The entries of these questions, as a study file holds them.
    entries: dict[str, dict[str, Any]] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)
