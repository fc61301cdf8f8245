"""Studies, and how far their conditions and sheets are."""

from dataclasses import dataclass
from typing import ClassVar


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
    """How far a condition is; `needed` is None where there is no quota."""

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
