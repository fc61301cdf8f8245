"""Studies, and how far their conditions and sheets are."""

from dataclasses import dataclass
from typing import ClassVar

from palaver.core.serial import internal


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
    """The progress of a condition; `needed` is null if there is no quota."""

    condition: str
    needed: int | None
    held: int
    done: int
    derived: ClassVar[tuple[str, ...]] = ("free",)

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


@dataclass(frozen=True, slots=True)
class JudgedCount:
    """How much was judged in a study, and by how many raters."""

    labels: int
    raters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyCount:
    """How much there is of one study; `finished` are the visits that came to the end."""

    id: int = internal(0)
    name: str
    title: str
    dialogues: int
    running: int
    visits: int
    finished: int
