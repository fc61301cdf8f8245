"""A dry run of recruiting: what a study did at a panel that is none, with people who are none."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from palaver.core.studies.outcomes import WORDS, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedOutcome:
    """One outcome as it went: how many had it, what their code did there, and what it paid.

    `walked` says that they came to it through the pages' own steps; else the visit was ended for it, so
    that the code is tried. `there` counts how their submissions stand at the panel in the end.
    """

    derived: ClassVar[tuple[str, ...]] = ("words",)

    outcome: Outcome
    people: int
    walked: bool
    code: str
    action: str
    there: Mapping[str, int]

    @property
    def words(self) -> str:
        """Who has this outcome."""
        return WORDS[self.outcome]


@dataclass(frozen=True, slots=True, kw_only=True)
class DryMoment:
    """How places and quotas stood at a moment of the dry run; `after` says of what."""

    after: str
    state: str
    places: int
    taken: int
    goals: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DryPayments:
    """What was due on top by the study's rules, and what of it was paid, in the smallest unit."""

    due: int
    paid: int
    orders: int
    total: int


@dataclass(frozen=True, slots=True)
class DecidedAs:
    """How many submissions were decided on in one way, as was suggested."""

    decision: str
    submissions: int
