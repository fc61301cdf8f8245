"""Deal or No Deal: two seats divide a few things that each of them values differently.

The seats write in turn; either may begin. Once they think they agree, each marks what it takes
(`select` with `{"take": {item: count}}`). The partner learns that a choice was made, not which; from
then on there is nothing to say, and the other seat chooses as well. A deal is valid if the two choices
add up to what is there, and then each seat earns what its items are worth to it; else nobody earns
anything. `quit` with `{"no_deal": true}` says that there will be no deal; `quit` alone leaves early,
which anybody may do at any time.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from palaver.core.dialogue import Dialogue
from palaver.core.errors import MoveError
from palaver.core.events import MESSAGE, Event, Move
from palaver.core.protocols import MAX_CHARACTERS, Composer, Ending, Rules
from palaver.core.scenario import Scenario
from palaver.core.words import counted
from palaver.formats.cocoa.actions import QUIT, SELECT
from palaver.formats.cocoa.events import KEPT
from palaver.formats.cocoa.scenarios import split_problem
from palaver.games.deal_or_no_deal.splits import points
from palaver.games.turn_taking import BOTH, Taking, check_turn, speakers

NO_DEAL = "no_deal"
LEAST_MESSAGES = 4

CHOSEN = "You have marked the deal. Your partner has not chosen yet."
ASKED = "Nothing more can be written: your partner has marked a deal."


@dataclass(frozen=True, slots=True, kw_only=True)
class DealOrNoDeal(Rules):
    """The rules. `select_after` and `no_deal_after` count the seat's own messages."""

    scenarios: Sequence[Scenario] = ()
    taking: Taking = "alternate"
    select_after: int = 1
    no_deal_after: int = 4
    least_messages: int = LEAST_MESSAGES
    max_characters: int = MAX_CHARACTERS

    def new_scenario(self, rng: random.Random) -> Scenario:
        """One of the scenarios by lot."""
        return rng.choice(self.scenarios)

    def movers(self, dialogue: Dialogue) -> frozenset[int]:
        """Whoever has not chosen; before that, in turn unless taking is free."""
        chosen = choices(dialogue.events).keys()
        return BOTH.difference(chosen) if chosen else speakers(dialogue, self.taking)

    def check(self, dialogue: Dialogue, seat: int, move: Move) -> None:
        """Raise MoveError unless `seat` may make `move` now."""
        if move.action == QUIT:
            self._check_quit(dialogue, seat, move.data or {})
            return
        if move.action not in (MESSAGE, SELECT):
            raise MoveError(
                "unknown_action",
                f"There is no '{move.action}' in this game; there are message, select and quit.",
            )
        chosen = choices(dialogue.events)
        if seat in chosen:
            raise MoveError("chosen", "You have marked the deal already. It cannot be changed.")
        check_turn(seat, self.movers(dialogue))
        if move.action == SELECT:
            self._check_wait(dialogue, seat, self.select_after, "mark the deal")
            _check_split(dialogue.scenario, seat, move.data or {})

    def audience(self, dialogue: Dialogue, seat: int, move: Move) -> tuple[int, ...] | None:
        """A choice is the seat's own until the end tells both."""
        return (seat,) if move.action == SELECT else None

    def composer(self, dialogue: Dialogue, seat: int) -> Composer:
        """Words until somebody has chosen."""
        chosen = choices(dialogue.events)
        if seat in chosen:
            return Composer(closed=CHOSEN)
        return Composer(closed=ASKED) if chosen else Composer()

    def ending(self, dialogue: Dialogue, event: Event) -> Ending | None:
        """Over when both have chosen or somebody quits."""
        if event.action == QUIT:
            no_deal = bool((event.data or {}).get(NO_DEAL))
            reason = "complete" if no_deal else "quit"
            return Ending(reason, {"seat": event.seat, **_outcome(None)}, (0, 0))
        chosen = choices([*dialogue.events, event])
        if chosen.keys() < BOTH:
            return None
        kbs = dialogue.scenario.kbs
        is_valid = adds_up(chosen, counts_for(dialogue.scenario, 0))
        rewards = tuple(points(chosen[seat], kbs[seat]) if is_valid else 0 for seat in (0, 1))
        return Ending("complete", _outcome(chosen, is_valid=is_valid), rewards)

    def shortcoming(self, dialogue: Dialogue, seat: int) -> str:
        """No valid deal after too few messages, unless it was the partner who gave up."""
        outcome, count = dialogue.outcome, dialogue.message_count
        gave_up = outcome.get("seat", seat)
        if outcome.get("valid_deal") or gave_up != seat or count >= self.least_messages:
            return ""
        return (
            f"There was no valid deal after {counted(count, 'message')}; "
            f"at least {self.least_messages} are asked for."
        )

    def wait(self, dialogue: Dialogue, seat: int, needed: int) -> int:
        """How many messages of its own a seat must still send; none once the partner has chosen."""
        if choices(dialogue.events):
            return 0
        return max(0, needed - dialogue.message_counts.get(seat, 0))

    def _check_quit(self, dialogue: Dialogue, seat: int, data: dict[str, Any]) -> None:
        unknown = [key for key in data if key not in (NO_DEAL, KEPT)]
        if unknown or not isinstance(data.get(NO_DEAL, False), bool):
            raise MoveError("bad_quit", f"'quit' takes '{NO_DEAL}: true' or nothing; got {data}.")
        if data.get(NO_DEAL):
            if seat in choices(dialogue.events):
                raise MoveError("chosen", "You have marked the deal already. It cannot be changed.")
            self._check_wait(dialogue, seat, self.no_deal_after, "say that there is no deal")

    def _check_wait(self, dialogue: Dialogue, seat: int, needed: int, purpose: str) -> None:
        if self.wait(dialogue, seat, needed):
            sent = dialogue.message_counts.get(seat, 0)
            raise MoveError(
                "too_early",
                f"You can {purpose} once you have sent {counted(needed, 'message')}; "
                f"you have sent {sent}.",
            )


def choices(events: Iterable[Event]) -> dict[int, dict[str, int]]:
    """What each seat has marked that it takes."""
    return {
        event.seat: (event.data or {}).get("take", {})
        for event in events
        if event.action == SELECT and event.seat is not None
    }


def counts_for(scenario: Scenario, seat: int) -> dict[str, int]:
    """How many of each item there are, as one seat knows."""
    return {row["Name"]: row["Count"] for row in scenario.kb(seat)}


def adds_up(takes: dict[int, dict[str, int]], counts: dict[str, int]) -> bool:
    """Whether what both seats take is what is there."""
    return all(takes[0].get(i, 0) + takes[1].get(i, 0) == n for i, n in counts.items())


def _outcome(takes: dict[int, dict[str, int]] | None, *, is_valid: bool = False) -> dict[str, Any]:
    """The outcome as CoCoA writes it; `agreed` says that both marked a deal, whether it fits or not."""
    split = None if takes is None else {str(seat): takes[seat] for seat in (0, 1)}
    return {"item_split": split, "valid_deal": is_valid, "agreed": takes is not None}


def _check_split(scenario: Scenario, seat: int, data: dict[str, Any]) -> None:
    unknown = [key for key in data if key not in ("take", KEPT)]
    if unknown:
        raise MoveError("bad_split", f"'select' takes 'take' alone; got '{unknown[0]}' as well.")
    problem = split_problem(data.get("take"), counts_for(scenario, seat))
    if problem:
        raise MoveError("bad_split", problem)
