"""The life of a study: open, paused, closed or not yet open, since when, by whom and why."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from palaver.core.audit import Via
from palaver.core.deadlines import written_moment
from palaver.core.serial import if_any

# What is stored; a study without a row is open.
StudyState = Literal["open", "paused", "closed"]
# What is true at a moment: dates may keep an open study shut.
LifeState = Literal["open", "paused", "closed", "not_yet_open"]
# What can be done about it.
LifeMove = Literal["pause", "resume", "close", "reopen"]
MOVES: tuple[LifeMove, ...] = ("pause", "resume", "close", "reopen")


@dataclass(frozen=True, slots=True, kw_only=True)
class StateChange:
    """One opening, pause or closing: by whom (empty for nobody), by which door, why and when."""

    state: StudyState
    account: str
    via: Via
    reason: str
    time: float


@dataclass(frozen=True, slots=True)
class StateHistory:
    """Every opening, pause and closing of a study, oldest first; none where it was open throughout."""

    changes: list[StateChange]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyLife:
    """Whether a study takes people in, since when and why.

    `since` is null where it has been so from the beginning. `opens` and `closes` are the dates of its
    file. `by_dates` says that a date did it and nobody, `by_rule` that its stopping rule did. `via` is
    `server` where it happened by itself.
    """

    derived: ClassVar[tuple[str, ...]] = ("takes_people", "moves")
    state: LifeState = "open"
    since: float | None = None
    account: str = if_any("")
    via: Via = "server"
    reason: str = if_any("")
    opens: float | None = None
    closes: float | None = None
    by_dates: bool = False
    by_rule: bool = False

    @property
    def takes_people(self) -> bool:
        """Whether somebody who comes now may begin, as far as this decides."""
        return self.state == "open" and not self.by_rule

    @property
    def moves(self) -> tuple[LifeMove, ...]:
        """What can be done about it now."""
        if self.state == "paused":
            return ("resume", "close")
        if self.state == "closed":
            return () if self.by_dates or self.by_rule else ("reopen",)
        return ("pause", "close")

    @property
    def words(self) -> str:
        """The state in words, in UTC; empty where it is simply open.

        >>> StudyLife(state="paused", since=0.0).words
        'paused since 1970-01-01 00:00 UTC'
        >>> StudyLife(state="not_yet_open", opens=0.0).words
        'opens 1970-01-01 00:00 UTC'
        """
        if self.state == "open":
            return ""
        if self.state == "not_yet_open" and self.opens is not None:
            return f"opens {written_moment(self.opens // 60 * 60)}"
        return (
            self.state
            if self.since is None
            else f"{self.state} since {written_moment(self.since // 60 * 60)}"
        )
