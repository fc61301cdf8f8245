"""Everything that is known of a round: its rates, how far it is, what was noticed, who judged how."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from palaver.core.evaluation.rounds import Round, RoundRates
from palaver.core.evaluation.validators import Validator
from palaver.core.serial import if_any


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalProgress:
    """How far a goal is: sessions that ask for it, of how many, and what came of them.

    `goal` is empty where the writer chooses; `wanted` is None where nothing limits them.
    """

    goal: str
    wanted: int | None
    sessions: int
    fooled: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundSheet(Round):
    """A round with all of this; `changes` says how the task's labels differ from those it began with."""

    rates: RoundRates
    goals: tuple[GoalProgress, ...] = ()
    sessions: int = 0
    # Sessions that say nothing any more because their writers left.
    erased: int = 0
    # How many contexts have a session, and how many an example that was verified.
    contexts_begun: int = 0
    contexts_verified: int = 0
    # How many examples were noticed for what: duplicate, copied, language.
    noticed: Mapping[str, int] = field(default_factory=dict)
    validators: tuple[Validator, ...] = ()
    changes: str = if_any("")
