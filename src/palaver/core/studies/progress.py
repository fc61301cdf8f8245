"""Studies, what is counted of them, and how far their conditions and sheets are."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from palaver.core.serial import internal
from palaver.core.studies.visits import Tally


@dataclass(frozen=True, slots=True)
class StoredStudy:
    """A study's row."""

    id: int
    name: str
    title: str
    digest: str
    definition: str
    created: float


@dataclass(frozen=True, slots=True)
class ConditionProgress:
    """The progress of a condition; `needed` is null if there is no quota.

    A place is held from when somebody is seated until they have finished, ratings included. Where
    each scenario has a quota of its own, `scenarios` is how many there are and `scenarios_done` how
    many of them have all their dialogues; both are null elsewhere.
    """

    condition: str
    needed: int | None
    held: int
    done: int
    scenarios: int | None = None
    scenarios_done: int | None = None
    derived: ClassVar[tuple[str, ...]] = ("free",)

    @property
    def name(self) -> str:
        """The condition without the stage that stands before it where several have conditions."""
        return self.condition.rpartition(": ")[2]

    @property
    def free(self) -> int | None:
        """How many may still be seated; None where there is no quota."""
        return None if self.needed is None else max(0, self.needed - self.held - self.done)


@dataclass(frozen=True, slots=True)
class SlotProgress:
    """How far a stage is: slots by state, and sheets that have all their raters."""

    needed: int
    free: int
    held: int
    done: int
    sheets: int
    sheets_done: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyCounts:
    """What is counted of a study; every page, command and answer of the API tells these numbers.

    `people` are different participants, `visits` the times that they came, `finished` the visits
    that came to the end. `dialogues` are those that are data, `running` those of them that have not
    ended; `practice` and `checks` are dialogues with known answers, for training and for hidden
    checks. `labels` are the answers that count: given for real, not replaced, erased or excluded;
    `raters` gave them.
    """

    id: int = internal(0)
    name: str
    title: str
    people: int
    visits: int
    finished: int
    dialogues: int
    running: int
    # Why those that are data ended, most frequent first; "" where that was erased.
    endings: tuple[Tally, ...] = internal(())
    practice: int
    checks: int
    labels: int
    raters: int
    # The answers that count, by question.
    answers: Mapping[str, int] = internal(factory=dict)
