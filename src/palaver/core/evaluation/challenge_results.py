"""The results of a challenge that was closed, as they are kept."""

from collections.abc import Mapping
from dataclasses import dataclass

from palaver.core.evaluation.challenge_standings import BoardMeasure
from palaver.core.evaluation.challenges import Part
from palaver.core.kept_files import ResultFile
from palaver.core.serial import if_any


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackResult:
    """What a track came to; `key` names its part of the page, `answers` are the verdicts by measure.

    `left_out` are runs that counted and have no scores, with the reason.
    """

    key: str
    track: str
    title: str
    phase: str
    part: Part
    items: int
    runs: tuple[str, ...]
    measures: tuple[BoardMeasure, ...]
    answers: Mapping[str, str]
    left_out: Mapping[str, str] = if_any(factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeResults:
    """The results of a challenge: the verdicts of all tracks, and the files that tell them."""

    challenge: str
    title: str
    closed: float
    trials: int
    seed: int
    tracks: tuple[TrackResult, ...]
    files: tuple[ResultFile, ...]
