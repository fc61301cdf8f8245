"""Acts of Deal or No Deal, read from what people wrote by the game's own reading of proposals.

A message that says who gets what proposes a split; if the speaker proposed it before, it insists, and if
it is what the partner proposed, it agrees. Of the others, those that say yes to a split agree; then come
refusals, questions and greetings, and `unknown` is everything else.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from palaver.games.deal_or_no_deal.proposals import Shares
from palaver.games.deal_or_no_deal.table import DealTable, remainder

Counts = Mapping[str, int]

PROPOSE, INSIST, AGREE, DISAGREE = "propose", "insist", "agree", "disagree"
INQUIRE, GREET, UNKNOWN_ACT = "inquire", "greet", "unknown"
SELECT_ACT, QUIT_ACT = "select", "quit"
MESSAGES = (PROPOSE, INSIST, AGREE, DISAGREE, INQUIRE, GREET, UNKNOWN_ACT)
MOVES = (SELECT_ACT, QUIT_ACT)
# Acts that say who gets what.
SHARING = (PROPOSE, INSIST, SELECT_ACT)

_GREETING = re.compile(r"\b(?:hi|hello|hey|hiya|howdy|greetings|good (?:morning|day|evening))\b")


@dataclass(frozen=True, slots=True)
class DealAct:
    """What a message does; `share` is what seat 0 would get, where it says so."""

    act: str
    share: Counts | None = None


@dataclass(slots=True)
class DealActReader:
    """Reads the acts of one dialogue, in their order."""

    counts: Counts
    table: DealTable = field(init=False)
    # What seat 0 would get by the last proposal of each seat.
    proposed: dict[int, Counts] = field(default_factory=dict)
    # What seat 0 gets by the last proposal, once somebody has agreed to it.
    settled: Counts | None = None
    standing: Counts | None = None

    def __post_init__(self) -> None:
        self.table = DealTable(dict(self.counts))

    def read(self, seat: int, text: str) -> DealAct:
        """The act of a message, which counts as said from now on."""
        act = self._read(seat, text)
        self.standing = self.standing if act.share is None else act.share
        if act.act == AGREE and 1 - seat in self.proposed:
            self.settled = self.standing
        elif act.act in (PROPOSE, INSIST, DISAGREE):
            self.settled = None
        return act

    def _read(self, seat: int, text: str) -> DealAct:
        said = self.table.hear(seat, text)
        if not said.proposes:
            return DealAct(self._without_split(said, text))
        share = self.table.share(0) or {}
        partner = self.proposed.get(1 - seat)
        if share == partner and (said.agrees or not said.refuses):
            return DealAct(AGREE)
        is_again = share == self.proposed.get(seat)
        self.proposed[seat] = share
        return DealAct(INSIST if is_again else PROPOSE, share)

    def share_of(self, seat: int, share: Counts) -> Counts:
        """What a seat would get, where seat 0 gets `share`."""
        return share if seat == 0 else remainder(dict(share), self.counts)

    def _without_split(self, said: Shares, text: str) -> str:
        if said.agrees and not said.refuses and self.proposed:
            return AGREE
        if said.refuses:
            return DISAGREE
        if said.asks:
            return INQUIRE
        return GREET if _GREETING.search(text.lower()) else UNKNOWN_ACT
