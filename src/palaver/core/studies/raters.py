"""Raters: who they are, what they did, and what is on their record."""

from dataclasses import dataclass
from statistics import median

from palaver.core.labels import RaterKind
from palaver.core.names import rater_name
from palaver.core.serial import internal

PASSED, FAILED, WARNED, BARRED, LIFTED = "passed", "failed", "warned", "barred", "lifted"
# Why somebody is warned whose attempts at a practice were made before an erasure.
TRIED = "tried"


@dataclass(frozen=True, slots=True)
class StoredRater:
    """A rater's row; `participant_id` is None for models and the simulated."""

    id: int
    key: str
    kind: RaterKind
    participant_id: int | None

    @property
    def name(self) -> str:
        return rater_name(self.id, self.key, self.kind, self.participant_id)


@dataclass(slots=True, kw_only=True)
class RaterWork:
    """What one rater did in one study.

    `labels` stand; `abstained` questions were left out on purpose. `label_seconds` and
    `sheet_seconds` are the known times of labels and of the finished `sheets`. `mistakes` are the
    wrong turns of the `gold` sheets, `missed` the wrong answers to the attention `checks`. `passed`
    is the result of the last screening: None if it is under way or there was none. `skipped` sheets
    were given back unjudged.
    """

    study_id: int = internal(0)
    rater_id: int = internal(0)
    labels: int = 0
    abstained: int = 0
    label_seconds: list[float] = internal(factory=list)
    sheets: int = 0
    sheet_seconds: list[float] = internal(factory=list)
    gold: int = 0
    mistakes: int = 0
    checks: int = 0
    missed: int = 0
    attempts: int = internal(0)
    passed: bool | None = None
    skipped: int = internal(0)

    @property
    def seconds_per_label(self) -> float | None:
        """The median time of a label; None where no time is known."""
        return median(self.label_seconds) if self.label_seconds else None

    @property
    def seconds_per_sheet(self) -> float | None:
        """The median time of a finished sheet; None where no time is known."""
        return median(self.sheet_seconds) if self.sheet_seconds else None


@dataclass(frozen=True, slots=True)
class ListedRater:
    """A rater and how much they did; the median is over the `timed` labels."""

    key: str
    name: str
    kind: str
    labels: int
    timed: int
    median_seconds: float | None


@dataclass(frozen=True, slots=True)
class QualificationEntry:
    """One entry of a rater's record."""

    name: str
    state: str
    study_id: int
    reason: str
    time: float


@dataclass(frozen=True, slots=True)
class ExclusionNote:
    """Who left a rater out of a study (or took them back in), when and why."""

    study_id: int
    rater_id: int
    excluded: bool
    account: str
    reason: str
    time: float
