"""What live collection needs to know of a study's chat stage."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sqlalchemy import Connection

from palaver.collection.limits import Limits
from palaver.collection.pace import PaceKeeper
from palaver.core.disguise import Disguise
from palaver.core.protocols import Rules, System
from palaver.core.scenario import Scenario
from palaver.core.studies.dialogues import REAL
from palaver.core.studies.stops import VoteLimit


@dataclass(frozen=True, slots=True)
class ConditionPlan:
    """One condition: the systems a person meets (two when paired), or another person."""

    name: str
    systems: tuple[str, ...] = ()
    people: bool = False
    needed: int | None = None
    # How many dialogues each scenario gets, by its name; `needed` is then what they are in all.
    each: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatPlan:
    """One chat stage of one study, ready to run."""

    study: str
    study_id: int
    stage: int
    rules: Rules
    conditions: tuple[ConditionPlan, ...]
    draw_scenario: Callable[[random.Random], Scenario]
    # How a dialogue of a scenario is made that can be counted.
    make_scenario: Callable[[str, random.Random], Scenario] | None = None
    # How the key of a new dialogue is drawn where something follows from it.
    draw_key: Callable[[Connection], str] | None = None
    systems: Mapping[str, System]
    limits: Limits = field(default_factory=Limits)
    keeper: PaceKeeper = field(default_factory=lambda: PaceKeeper(None))
    blind: bool = True
    # What gives the systems away; None where it may be said.
    disguise: Disguise | None = None
    # How often a system that gave itself away is asked again before its reply is masked.
    ask_again: int = 0
    # The seats whose messages are shown as Markdown: those that a system may hold.
    rich_seats: frozenset[int] = frozenset()
    # Whether words of messages are marked while people chat: what is shown must tell its places.
    marks_words: bool = False
    # Systems that take an empty seat; None: the person who is left is paid and goes on.
    partner_leaves: str | None = None
    nobody_comes: str | None = None
    # Whether one visit holds several, of different scenarios, each of which counts as it ends.
    in_sessions: bool = False
    # Whether its dialogues are practice, which nobody counts.
    practice: bool = False
    # Whether a person and a system draw their seats, for a game in which they differ.
    draws_seats: bool = False
    # The question that each message of the partner must be judged by before the next is sent.
    judge_first: str | None = None
    # Where its conversations bring votes that the study's rule may stop.
    limit: VoteLimit | None = None

    @property
    def among_people(self) -> bool:
        """Whether people talk with each other here, so that a system must pass for a person."""
        return self.blind and any(condition.people for condition in self.conditions)

    @property
    def quotas(self) -> dict[str, int | None]:
        """Condition → how many are needed."""
        return {condition.name: condition.needed for condition in self.conditions}

    @property
    def purpose(self) -> str:
        """What its dialogues are for."""
        return "training" if self.practice else REAL

    @property
    def by_scenario(self) -> frozenset[str]:
        """The conditions in which each scenario has a quota of its own."""
        return frozenset(c.name for c in self.conditions if c.each is not None)

    def condition(self, name: str) -> ConditionPlan:
        return next(condition for condition in self.conditions if condition.name == name)
