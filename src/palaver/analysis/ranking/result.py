"""A ranking: the systems with their strengths, how sure they are, and what was left out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite, log
from typing import ClassVar, Literal

from palaver.analysis.ranking.votes import FIRST, SECOND, TIE, Votes
from palaver.core.errors import InputError
from palaver.core.estimates import MISSING, Interval, html_table
from palaver.core.numeric import np
from palaver.core.serial import if_any, internal, key, plain

Scale = Literal["log", "elo"]
State = Literal["provisional", "final"]

SCALES: dict[Scale, str] = {
    "log": "log-odds of winning, mean 0",
    "elo": "400 / ln 10 × log-odds + 1000, mean 1000",
}
_ELO_UNIT = 400 / log(10)
_ELO_MIDDLE = 1000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemStanding:
    """One system: its strength with interval and possible ranks, and its votes.

    `strength` is NaN where the votes do not determine it; `reason` then says why.
    """

    derived: ClassVar[tuple[str, ...]] = ("votes", "win_rate")

    system: str
    strength: float = MISSING
    interval: Interval | None = None
    rank_interval: tuple[int, int] | None = None
    wins: int = 0
    ties: int = 0
    losses: int = 0
    reason: str = if_any("")

    @property
    def votes(self) -> int:
        return self.wins + self.ties + self.losses

    @property
    def win_rate(self) -> float:
        """(wins + ties / 2) / votes; NaN without votes."""
        return (self.wins + self.ties / 2) / self.votes if self.votes else MISSING


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """All systems, best first, those without a strength last.

    `tied_sets` are the largest sets that cannot be distinguished; they may overlap. `tie_chance` is
    how often the model expects two equal systems to tie. `separated` of the `resamples` have no
    finite strengths and are left out. `groups` has more than one entry where the votes do not
    compare all systems. `scale_name` is that of the strengths.
    """

    derived: ClassVar[tuple[str, ...]] = ("scale",)
    derived_if_any: ClassVar[tuple[str, ...]] = ("state",)

    standings: tuple[SystemStanding, ...] = key("systems")
    tied_sets: tuple[tuple[str, ...], ...] = ()
    votes: int = 0
    ties: int = 0
    both_bad: int = 0
    dropped: int = 0
    self_comparisons: int = 0
    tie_chance: float = MISSING
    scale_name: Scale = internal("log")
    method: str = ""
    assumption: str = ""
    confidence: float = 0.95
    resamples: int = 0
    separated: int = 0
    groups: tuple[tuple[str, ...], ...] = ()
    answer: str = ""
    planned: int | None = if_any(None)
    warnings: tuple[str, ...] = ()
    # The standard error of the difference of each pair (best first), and how many of them it takes to
    # be told apart when all pairs are compared at once.
    errors: Mapping[tuple[str, str], float] = internal(factory=dict)
    critical: float = internal(MISSING)

    @property
    def scale(self) -> str:
        """What a strength is, in words."""
        return SCALES[self.scale_name]

    @property
    def state(self) -> State | None:
        """Provisional until the planned votes are in; None without a plan."""
        if self.planned is None:
            return None
        return "final" if self.votes >= self.planned else "provisional"

    @property
    def compares_all(self) -> bool:
        """Whether strengths with intervals order all systems that have votes.

        Where some have no strength (one that won everything, say), those that have one are not all
        that there is.
        """
        return bool(self.errors) and len(self.groups) <= 1

    @property
    def gaps(self) -> dict[tuple[str, str], float]:
        """How many of its standard errors each pair's difference is away from 0; 0 without error."""
        strength = {standing.system: standing.strength for standing in self.standings}
        return {
            (one, other): (strength[one] - strength[other]) / error if error > 0 else 0.0
            for (one, other), error in self.errors.items()
        }

    def simultaneous(self, one: str, other: str) -> Interval | None:
        """The interval of a difference of strengths that holds for all pairs at once; the first of
        the two stands higher. None where there is none."""
        error = self.errors.get((one, other), 0.0)
        if not error > 0 or not isfinite(self.critical):
            return None
        middle, half = self.of(one).strength - self.of(other).strength, self.critical * error
        return Interval(middle - half, middle + half)

    def on_scale(self, scale: Scale) -> "Ranking":
        """The same ranking with its strengths on another scale."""
        if scale not in SCALES:
            raise InputError(f"A scale is one of {', '.join(SCALES)}; got {scale!r}.")
        if scale == self.scale_name:
            return self
        standings = tuple(_rescaled(standing, scale) for standing in self.standings)
        unit = _ELO_UNIT if scale == "elo" else 1 / _ELO_UNIT
        errors = {pair: error * unit for pair, error in self.errors.items()}
        return replace(self, standings=standings, scale_name=scale, errors=errors)

    def of(self, system: str) -> SystemStanding:
        for standing in self.standings:
            if standing.system == system:
                return standing
        raise InputError(f"No system '{system}' is ranked here.")

    def _repr_html_(self) -> str:
        return html_table(plain(self.standings), caption=self.answer)


def tallied(votes: Votes) -> list[SystemStanding]:
    """Every system with its wins, ties and losses, in the order of the names."""
    size = len(votes.systems)
    as_first, as_second = (
        np.bincount(3 * side + votes.outcome, minlength=3 * size).reshape(size, 3)
        for side in (votes.first, votes.second)
    )
    return [
        SystemStanding(
            system=name,
            wins=int(one[FIRST] + other[SECOND]),
            ties=int(one[TIE] + other[TIE]),
            losses=int(one[SECOND] + other[FIRST]),
        )
        for name, one, other in zip(votes.systems, as_first, as_second, strict=True)
    ]


def best_first(standings: Sequence[SystemStanding]) -> list[SystemStanding]:
    """By strength, then by win rate; those without a strength last."""

    def key(each: SystemStanding) -> tuple[bool, float, float, str]:
        known = isfinite(each.strength)
        rate = each.win_rate if each.votes else -1.0
        return (not known, -each.strength if known else 0.0, -rate, each.system)

    return sorted(standings, key=key)


def _rescaled(standing: SystemStanding, scale: Scale) -> SystemStanding:
    def moved(value: float) -> float:
        if scale == "elo":
            return _ELO_UNIT * value + _ELO_MIDDLE
        return (value - _ELO_MIDDLE) / _ELO_UNIT

    ends = standing.interval
    return replace(
        standing,
        strength=moved(standing.strength),
        interval=Interval(moved(ends.low), moved(ends.high)) if ends else None,
    )
