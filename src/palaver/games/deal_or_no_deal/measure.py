"""What people's dialogues tell of the parser and of the rules.

A split is recovered if the last one that was proposed, as `table` reads it from the messages of both
sides in their order and from nothing else, is item by item the one that both sides marked. Values,
choices and outcomes are not looked at. Only dialogues with a valid deal are asked about.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from palaver.core.conversation import Conversation
from palaver.core.dialogue import Dialogue
from palaver.core.errors import MoveError
from palaver.core.events import MESSAGE, Move
from palaver.core.records import DialogueRecord
from palaver.formats.cocoa.scenarios import DEAL
from palaver.games.deal_or_no_deal.outcomes import PlayedDeal, played
from palaver.games.deal_or_no_deal.rules import DealOrNoDeal, counts_for
from palaver.games.deal_or_no_deal.table import DealTable
from palaver.games.measurement import Measured, Measurement


@dataclass(slots=True)
class _Tally:
    dialogues: int = 0
    legal: int = 0
    same_outcome: int = 0
    with_outcome: int = 0
    marked: int = 0
    valid: int = 0
    recovered: int = 0
    optimal: int = 0
    points: int = 0
    possible: int = 0

    def add(self, record: DialogueRecord) -> None:
        deal = played(record.scenario, record.events)
        self.dialogues += 1
        self.marked += deal.takes is not None
        replayed = play_back(record)
        self.legal += replayed is not None
        reward = _recorded_reward(record)
        if reward is not None:
            self.with_outcome += 1
            self.same_outcome += replayed is not None and replayed.outcome.get("reward") == reward
        if deal.is_valid:
            self._add_deal(record, deal)

    def _add_deal(self, record: DialogueRecord, deal: PlayedDeal) -> None:
        self.valid += 1
        self.recovered += deal.takes is not None and recover(record) == deal.takes[0]
        self.optimal += deal.is_optimal
        self.points += sum(deal.points)
        self.possible += sum(row["Count"] * row["Value"] for kb in deal.kbs for row in kb)


def measure(dialogues: Iterable[DialogueRecord]) -> Measurement:
    """How many splits the parser recovers, how many dialogues the rules allow, how people did."""
    tally = _Tally()
    for record in dialogues:
        tally.add(record)
    shares = (
        ("recovered_splits", "the last split proposed in the text is the one both marked",
         tally.recovered, tally.valid),
        ("played_back", "every move is legal under the rules", tally.legal, tally.dialogues),
        ("same_rewards", "the rules come to the rewards that the file says",
         tally.same_outcome, tally.with_outcome),
        ("agreement", "both sides marked a deal", tally.marked, tally.dialogues),
        ("valid_deals", "the two shares add up", tally.valid, tally.dialogues),
        ("pareto_optimal", "valid deals that cannot be improved for one side alone",
         tally.optimal, tally.valid),
        ("points", "points of both sides, of those that the items are worth, in valid deals",
         tally.points, tally.possible),
    )  # fmt: skip
    measures = (
        Measured(name=name, about=about, found=found, of=of, per_dialogue=name != "points")
        for name, about, found, of in shares
    )
    return Measurement(game=DEAL, dialogues=tally.dialogues, measures=tuple(measures))


def recover(record: DialogueRecord) -> dict[str, int] | None:
    """What seat 0 gets by the last split that the messages propose."""
    table = DealTable(counts_for(record.scenario, 0))
    for event in record.events:
        if event.action == MESSAGE and event.seat is not None:
            table.hear(event.seat, event.text)
    return table.split


def play_back(record: DialogueRecord) -> Dialogue | None:
    """The dialogue as the rules play it move by move; None where one of them is refused."""
    conversation = Conversation(
        Dialogue(id=record.id, scenario=record.scenario), DealOrNoDeal(scenarios=(record.scenario,))
    )
    for event in record.events:
        if not event.is_turn or event.seat is None:
            continue
        try:
            move = Move(action=event.action, data=event.data)
            conversation.apply(conversation.consider(event.seat, move, event.time))
        except MoveError:
            return None
    return conversation.dialogue


def _recorded_reward(record: DialogueRecord) -> dict[str, int] | None:
    reward = record.dialogue().outcome.get("reward")
    return reward if isinstance(reward, dict) else None
