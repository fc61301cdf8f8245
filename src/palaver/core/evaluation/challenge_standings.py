"""How the runs of a track stand: a row per run, the numbers somebody may see, and the verdict."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from palaver.core.evaluation.challenges import Part
from palaver.core.serial import if_any, internal, key


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardMeasure:
    """A measure of a track; rank 1 is the lowest or the highest, as its `direction` says.

    `within` is the range that the values of items lie in, where it has two ends.
    """

    name: str
    title: str
    direction: Literal["higher", "lower"]
    within: tuple[float, float] | None = internal(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryScore:
    """One measure of one entry: its mean over items with a 95 % interval, and its rank among all.

    `rank` is null where others' scores are not shown; equal values share a rank. `reason` says why the
    value, or its interval, is missing.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    rank: float | None = None
    reason: str = if_any("")


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingRow:
    """A run of a team on a track. `scores` are by measure, empty while it is being scored.

    `reason` says why there are none. `own` marks the rows of the team that asks.
    """

    entry: str
    name: str
    team: str
    run: int
    created: float
    is_baseline: bool = key("baseline")
    is_late: bool = key("late")
    is_own: bool = key("own", False)
    rank: float | None = None
    scores: Mapping[str, EntryScore] = field(default_factory=dict)
    reason: str = if_any("")
    submitter_id: int = internal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackVerdict:
    """Which runs can be told apart, by measure, in the words of the standings; `made` is when."""

    sentences: Mapping[str, str]
    warnings: tuple[str, ...] = ()
    trials: int
    seed: int
    made: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackStandings:
    """How a track stands in a phase, for one reader, best first by the first measure.

    `withheld` says why there are no scores and from when on there will be. `verdict` is null until it
    has been computed of the rows as they are; `mark` changes with them.
    """

    track: str
    phase: str
    part: Part
    items: int
    measures: tuple[BoardMeasure, ...]
    rows: tuple[StandingRow, ...]
    notes: tuple[str, ...] = ()
    withheld: str = if_any("")
    verdict: TrackVerdict | None = None
    mark: str = internal("")
