"""A board: the systems of a study, ranked by the comparisons they won.

It is read from the labels each time; nothing about it is stored. It is provisional until all
planned comparisons are in, and only then shows the truth beside a simulated crowd's votes.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection

from palaver.analysis.win_rates import (
    WinRates,
    WinTally,
    leader_sentence,
    rank,
    win_rates,
)
from palaver.storage.judging.evidence import Preference, count_preferences
from palaver.storage.judging.exclusions import count_excluded

Raters = Literal["all", "people", "simulated"]
State = Literal["provisional", "final"]

# "all" also counts model judges and the anonymous raters of imported labels.
KIND_OF: dict[Raters, str | None] = {"all": None, "people": "person", "simulated": "simulated"}


@dataclass(frozen=True, slots=True)
class VotePlan:
    """How many votes are planned, None where that is not known, and whether all work is done.

    Somebody may have abstained, or was excluded: then fewer votes than planned are all there will be.
    """

    needed: int | None
    is_over: bool = False

    def has_all(self, votes: int) -> bool:
        """Whether so many votes are all that were planned."""
        return votes > 0 and (self.is_over or (self.needed is not None and votes >= self.needed))

    def awaited(self, votes: int) -> int | None:
        """With how many votes a ranking of so many is final; None where nothing says so."""
        fewer = self.needed is None or votes < self.needed
        return votes if fewer and self.has_all(votes) else self.needed


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemVotes:
    """One system's comparisons; the rate and its 95 % interval are None while n is 0."""

    system: str
    wins: int
    ties: int
    losses: int
    n: int
    rate: float | None
    low: float | None
    high: float | None
    truth: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteBoard:
    """The systems of a study by the comparisons they won, at one moment; `answer` says it in words."""

    title: str
    state: State
    votes: int
    needed: int | None
    raters: Raters
    systems: tuple[SystemVotes, ...]
    updated: float
    answer: str = ""
    # How many raters were excluded; their votes are not counted.
    excluded: int = 0
    # Systems that only people judge: a simulated crowd does not know how good they are.
    unjudged: tuple[str, ...] = ()

    @property
    def has_truth(self) -> bool:
        """Whether the true rates are known and may be shown."""
        return any(row.truth is not None for row in self.systems)


def read_vote_board(
    connection: Connection,
    *,
    study: str,
    question: str,
    systems: Sequence[str],
    plan: VotePlan,
    raters: Raters = "all",
    truth: Mapping[str, float] | None = None,
    unjudged: Sequence[str] = (),
    preferences: Sequence[Preference] | None = None,
    title: str,
    now: float,
) -> VoteBoard:
    """The board of a study's comparative question, as the votes stand.

    `systems` are listed even without votes; a system that has votes is listed even if it is not
    among them. A board is provisional until all that is planned is in. `truth` holds the true win
    rates of a simulated crowd, `unjudged` the systems that it leaves to people. Whoever has counted
    the votes hands them over as `preferences`.
    """
    if preferences is None:
        preferences = count_preferences(connection, study, question)
    rates = win_rates(_of_kind(preferences, raters), systems)
    final = plan.has_all(rates.comparisons)
    return VoteBoard(
        title=title,
        state="final" if final else "provisional",
        votes=rates.comparisons,
        needed=plan.needed,
        raters=raters,
        systems=_rows(rates, truth if final and truth is not None else {}),
        updated=now,
        answer=leader_sentence(rates, final=final),
        excluded=count_excluded(connection, study),
        unjudged=tuple(unjudged),
    )


def _of_kind(preferences: Iterable[Preference], raters: Raters) -> list[Preference]:
    kind = KIND_OF[raters]
    return [
        preference for preference in preferences if kind is None or preference.rater_kind == kind
    ]


def _rows(rates: WinRates, truth: Mapping[str, float]) -> tuple[SystemVotes, ...]:
    ranked = rank(rates)
    unseen = [system for system in rates.systems if system not in ranked]
    return tuple(
        _row(system, rates.systems[system], truth.get(system)) for system in (*ranked, *unseen)
    )


def _row(system: str, tally: WinTally, truth: float | None) -> SystemVotes:
    interval = tally.interval
    return SystemVotes(
        system=system,
        wins=tally.wins,
        ties=tally.ties,
        losses=tally.losses,
        n=tally.n,
        rate=tally.rate,
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        truth=truth,
    )
