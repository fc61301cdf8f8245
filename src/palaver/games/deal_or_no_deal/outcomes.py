"""What dialogues of the game are worth, computed over lines of `dialogues.jsonl`.

All is read from the moves: what each seat marked, who quit, how many messages there were. So the same
numbers come of dialogues that were played here, and of files whose outcome is written otherwise.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import msgspec

from palaver.core.errors import InputError
from palaver.core.events import MESSAGE, Event
from palaver.core.scenario import Scenario
from palaver.formats.cocoa.actions import QUIT
from palaver.formats.cocoa.scenarios import DEAL
from palaver.games.deal_or_no_deal.rules import adds_up, choices, counts_for
from palaver.games.deal_or_no_deal.splits import is_pareto_optimal, points
from palaver.metrics.metric import Score

LEWIS = "M. Lewis et al. (2017), Deal or no deal? End-to-end learning of negotiation dialogues, "
LEWIS += "EMNLP."


@dataclass(frozen=True, slots=True)
class PlayedDeal:
    """What happened in one dialogue; `takes` is None unless both seats marked a deal."""

    kbs: tuple[Any, ...]
    takes: tuple[dict[str, int], dict[str, int]] | None
    is_valid: bool
    was_quit: bool
    messages: int

    @property
    def points(self) -> tuple[int, int]:
        """What each side earned: nothing without a valid deal."""
        if self.takes is None or not self.is_valid:
            return (0, 0)
        return points(self.takes[0], self.kbs[0]), points(self.takes[1], self.kbs[1])

    @property
    def is_optimal(self) -> bool:
        return self.is_valid and self.takes is not None and is_pareto_optimal(self.kbs, self.takes)


def played(scenario: Scenario, events: Sequence[Event]) -> PlayedDeal:
    """What a dialogue came to."""
    if scenario.game != DEAL or len(scenario.kbs) != 2:
        raise InputError(f"The scenario '{scenario.id}' is of '{scenario.game}', not '{DEAL}'.")
    chosen = choices(events)
    takes = (chosen[0], chosen[1]) if len(chosen) == 2 else None
    return PlayedDeal(
        kbs=scenario.kbs,
        takes=takes,
        is_valid=takes is not None and adds_up(chosen, counts_for(scenario, 0)),
        was_quit=any(event.action == QUIT for event in events),
        messages=sum(event.action == MESSAGE for event in events),
    )


def valid_deals(dialogues: Sequence[Mapping[str, Any]]) -> Score:
    """The share of dialogues in which both sides marked shares that add up."""
    return _mean(dialogues, lambda deal: deal.is_valid)


def agreement(dialogues: Sequence[Mapping[str, Any]]) -> Score:
    """The share of dialogues in which both sides marked a deal, whether it fits or not."""
    return _mean(dialogues, lambda deal: deal.takes is not None)


def mismatches(dialogues: Sequence[Mapping[str, Any]]) -> Score:
    """The share of dialogues in which both marked a deal and the two do not add up."""
    return _mean(dialogues, lambda deal: deal.takes is not None and not deal.is_valid)


def no_deals(dialogues: Sequence[Mapping[str, Any]]) -> Score:
    """The share of dialogues in which somebody quit."""
    return _mean(dialogues, lambda deal: deal.was_quit)


def points_all(dialogues: Sequence[Mapping[str, Any]]) -> Score:
    """Points per side over all dialogues; without a valid deal they are 0."""
    return _mean(dialogues, lambda deal: sum(deal.points) / 2)


def points_agreed(dialogues: Sequence[Mapping[str, Any]]) -> Score:
    """Points per side over the valid deals."""
    return _mean(dialogues, lambda deal: sum(deal.points) / 2 if deal.is_valid else None)


def welfare(dialogues: Sequence[Mapping[str, Any]]) -> Score:
    """Points of both sides together, over all dialogues."""
    return _mean(dialogues, lambda deal: sum(deal.points))


def pareto_optimal(dialogues: Sequence[Mapping[str, Any]]) -> Score:
    """The share of valid deals that nobody could improve on without loss to the other side."""
    return _mean(dialogues, lambda deal: deal.is_optimal if deal.is_valid else None)


def length(dialogues: Sequence[Mapping[str, Any]]) -> Score:
    """Messages per dialogue."""
    return _mean(dialogues, lambda deal: deal.messages)


def _mean(
    dialogues: Sequence[Mapping[str, Any]], measure: Callable[[PlayedDeal], float | None]
) -> Score:
    values = [measure(_read(line)) for line in dialogues]
    kept = [float(value) for value in values if value is not None]
    if not kept:
        return Score.undefined("no dialogue ended in a valid deal")
    return Score.mean_of(kept, n=len(kept))


def _read(line: Mapping[str, Any]) -> PlayedDeal:
    scenario = msgspec.convert(line["scenario"], Scenario)
    return played(scenario, msgspec.convert(line["events"], list[Event]))


def _describe(
    function: Callable[..., Score], title: str, direction: str, unit: str, high: float
) -> str:
    """Say of a function what a metric says of itself; how the game names it."""
    said = {"title": title, "direction": direction, "unit": unit, "paper": LEWIS}
    for name, value in {**said, "low": 0.0, "high": high}.items():
        setattr(function, name, value)
    return f"{__name__}:{function.__name__}"


METRICS = (
    _describe(valid_deals, "Valid deals", "higher", "share", 1),
    _describe(agreement, "Both marked a deal", "higher", "share", 1),
    _describe(points_agreed, "Points per side, valid deals", "higher", "points", inf),
    _describe(points_all, "Points per side, all dialogues", "higher", "points", inf),
    _describe(welfare, "Points of both sides", "higher", "points", inf),
    _describe(pareto_optimal, "Pareto-optimal deals", "higher", "share", 1),
    _describe(mismatches, "Deals that do not fit", "lower", "share", 1),
    _describe(no_deals, "No deal", "lower", "share", 1),
    _describe(length, "Messages", "none", "messages per dialogue", inf),
)
