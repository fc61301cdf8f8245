"""Visits to a study, and what they came to."""

from dataclasses import dataclass

# The states of a visit.
ACTIVE, FINISHED, WITHDRAWN, DECLINED, ABANDONED = (
    "active",
    "finished",
    "withdrawn",
    "declined",
    "abandoned",
)


@dataclass(frozen=True, slots=True)
class ListedVisit:
    """One visit to a study; `panel_id` is the panel's name for the person, `name` ours."""

    id: int
    name: str
    alias: str
    crowd: str
    panel_id: str | None
    step: str
    state: str
    reason: str
    created: float
    finished: float | None
    waited: float
    erased: bool
    # The version of the study file under which it began; null where nobody knows.
    version: int | None = None
    # Key and condition of each dialogue, in the order seated.
    dialogues: tuple[tuple[str, str], ...] = ()

    @property
    def is_complete(self) -> bool:
        return self.state == FINISHED and self.reason == "complete"

    @property
    def stage(self) -> int | None:
        """The stage they are at, from 1; None at a step that is no stage."""
        number = self.step.removeprefix("stage:")
        return int(number) + 1 if number.isdecimal() else None

    @property
    def seconds(self) -> float | None:
        """How long it took; None while it goes on."""
        return None if self.finished is None else self.finished - self.created

    @property
    def conditions(self) -> list[str]:
        """The conditions of its dialogues, each once."""
        return list(dict.fromkeys(condition for _, condition in self.dialogues))


@dataclass(frozen=True, slots=True)
class Tally:
    """How often something was the case."""

    name: str
    count: int


@dataclass(frozen=True, slots=True)
class VisitCount:
    """How many visits are in one state, for one reason, and how far they came."""

    state: str
    reason: str
    # Where those who are still here are; "done" for the others.
    step: str
    consented: bool
    seated: bool
    count: int

    @property
    def is_complete(self) -> bool:
        return self.state == FINISHED and self.reason == "complete"


@dataclass(frozen=True, slots=True)
class EndedVisit:
    """How one visit ended and how long it took."""

    id: int
    state: str
    reason: str
    seconds: float | None
    waited: float

    @property
    def is_complete(self) -> bool:
        return self.state == FINISHED and self.reason == "complete"


@dataclass(frozen=True, slots=True)
class FailureCount:
    """How often a system failed in one way, and in how many dialogues."""

    system: str
    kind: str
    count: int
    dialogues: int


@dataclass(frozen=True, slots=True)
class ReportedProblem:
    """One report; `alias` and `name` are None where nobody knows whose it is."""

    id: int
    study: str
    alias: str | None
    name: str | None
    text: str | None
    time: float
