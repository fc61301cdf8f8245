"""Two systems that play: one by rules, with a memory for what its partner wants, one by dice.

A session keeps nothing but what events tell it, so that it can be rebuilt by replaying them. Its dice
are thrown anew for each turn from the number of events, and the sentences it has said are recognised
among its own messages.
"""

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from palaver.core.events import MESSAGE, Event, Move, say
from palaver.core.protocols import DraftListener, Place
from palaver.core.words import listed
from palaver.formats.cocoa.actions import QUIT, SELECT
from palaver.games.deal_or_no_deal.partner import PartnerModel
from palaver.games.deal_or_no_deal.proposals import Shares
from palaver.games.deal_or_no_deal.rules import NO_DEAL
from palaver.games.deal_or_no_deal.splits import points, shares
from palaver.games.deal_or_no_deal.table import DealTable, remainder
from palaver.games.deal_or_no_deal.tags import plural
from palaver.games.sentences import Speaker, load_sentences

SENTENCES = Path(__file__).parent / "material" / "sentences.yaml"
Counts = dict[str, int]
# A sentence that begins with what is shared: "both hats for me".
_BEGINNING = re.compile(r"(?<=[.!?] )[a-z]")


class DealSession:
    """What both bots do alike: listen, keep the table, mark the deal once it is made."""

    def __init__(self, place: Place) -> None:
        self.seat = place.seat
        self.kb = place.scenario.kb(place.seat)
        self.counts: Counts = {row["Name"]: row["Count"] for row in self.kb}
        self.table = DealTable(self.counts)
        self.sentences = load_sentences(SENTENCES)
        self.seed = place.rng.random()
        self.heard = 0
        self.said: Counter[str] = Counter()
        self.sent = 0
        self.last: Shares | None = None  # what the partner said since we last did something
        self.offer: Counts | None = None  # what we get by our own last words
        self.asked: Counts | None = None  # what we get by the partner's last words
        self.agreed = False

    def receive(self, event: Event) -> None:
        """Take note of a message."""
        self.heard += 1
        if event.action != MESSAGE or event.seat is None:
            return
        before = self.table.share(self.seat)
        said = self.table.hear(event.seat, event.text)
        now = self.table.share(self.seat)
        if event.seat == self.seat:
            self._note_own(event.text, said)
            self.offer = now if said.proposes else self.offer
            self.last = None
        else:
            self.last = said
            repeats = not said.proposes or now == before
            self.agreed = said.agrees and repeats and self.offer is not None and now == self.offer
            self._note_partner(said, now)

    def say(self, purpose: str, share: Counts | None = None) -> Move:
        """The move that says a sentence, about a split where there is one."""
        speaker = Speaker(self.sentences, self.dice(), Counter(self.said))
        places = {} if share is None else places_of(share, self.counts)
        words = speaker.say(purpose, **places)
        return say(_BEGINNING.sub(lambda found: found[0].upper(), words))

    def dice(self) -> random.Random:
        return random.Random(f"{self.seed}:{self.heard}")

    def mark(self, share: Mapping[str, int]) -> Move:
        """The move that marks a deal."""
        return Move(action=SELECT, data={"take": dict(share)})

    def worth(self, share: Mapping[str, int]) -> int:
        return points(share, self.kb)

    def _note_own(self, text: str, said: Shares) -> None:
        self.sent += 1
        self.said.update(_templates_of(text))

    def _note_partner(self, said: Shares, share: Counts | None) -> None:
        if said.proposes:
            self.asked = share


@dataclass(frozen=True)
class RuleDealer:
    """Asks for much, learns what the partner wants, concedes step by step, and never below a floor.

    `target`, `floor` and `step` are shares of all points; after `patience` messages it says that
    there is no deal.
    """

    target: float = 1.0
    floor: float = 0.4
    step: float = 0.1
    patience: int = 14

    def new_session(self, place: Place) -> "DealingSession":
        """A session that has heard nothing."""
        return DealingSession(place, self)

    async def close(self) -> None:
        """Nothing to let go of."""


class DealingSession(DealSession):
    """One dialogue of the bot that plays by rules."""

    def __init__(self, place: Place, bot: RuleDealer) -> None:
        super().__init__(place)
        self.bot = bot
        self.whole = self.worth(self.counts)
        self.model = PartnerModel(self.counts, {row["Name"]: row["Value"] for row in self.kb})
        # What can be asked for, with its worth: something, but not everything.
        self.options = [(share, self.worth(share)) for share in divisions(self.counts)]
        self.proposed = 0
        self.puzzled = 0

    async def send(self, draft: DraftListener | None = None) -> Sequence[Move]:
        """Mark what was agreed, accept, or make the next proposal."""
        share = self.table.share(self.seat)
        if self.last is None and self.sent:
            # Our turn again without a word: the partner has marked a deal.
            return [self.mark(share) if share is not None else _no_deal()]
        if self.agreed and self.offer is not None:
            return [self.mark(self.offer)]
        plan = self._plan()
        if self.asked is not None and self._is_good(self.asked, plan):
            return [self._accept(self.asked)]
        if self.sent >= self.bot.patience:
            return [_no_deal()]
        return [self._propose(plan)]

    def _note_own(self, text: str, said: Shares) -> None:
        super()._note_own(text, said)
        self.proposed += said.proposes
        self.puzzled = 0 if said.proposes else self.puzzled + 1
        self.asked = None

    def _note_partner(self, said: Shares, share: Counts | None) -> None:
        super()._note_partner(said, share)
        if self.offer is not None and not self.agreed:
            self.model.decline(remainder(self.offer, self.counts))
        if said.proposes and share is not None:
            self.model.ask(remainder(share, self.counts))
        self.model.spurn(said.unwanted)

    def _aspiration(self) -> float:
        """How many points to ask for now."""
        wanted = self.bot.target - self.bot.step * self.proposed
        return self.whole * max(self.bot.floor, wanted)

    def _plan(self) -> Counts:
        """The share to propose: of those that are good enough, the one that the partner likes most."""
        theirs = self.model.values()
        least = min(self._aspiration(), max(worth for _, worth in self.options))

        def liked(option: tuple[Counts, int]) -> tuple[float, int]:
            share, worth = option
            return -sum(n * theirs[item] for item, n in share.items()), worth

        return max((option for option in self.options if option[1] >= least), key=liked)[0]

    def _is_good(self, share: Counts, plan: Counts) -> bool:
        """Whether what the partner proposes is as much as the next proposal would bring."""
        return self.worth(share) >= max(self.bot.floor * self.whole, self.worth(plan))

    def _accept(self, share: Counts) -> Move:
        """Words that accept a split, and say it once more."""
        better = self._gift(share)
        return self.say("accept", share) if better is None else self.say("gift", better)

    def _gift(self, share: Counts) -> Counts | None:
        """The share without what is worth nothing here and something to the partner."""
        theirs = self.model.values()
        values = {row["Name"]: row["Value"] for row in self.kb}
        better = {
            item: 0 if values[item] == 0 and theirs[item] > 0 else n for item, n in share.items()
        }
        return better if better != share and any(better.values()) else None

    def _propose(self, plan: Counts) -> Move:
        """The next proposal, in words that fit what was said before it."""
        if not self.sent:
            return self.say("open" if self.last is None else "answer", plan)
        if self._is_puzzled():
            return self.say("clarify")
        if plan == self.offer:
            return self.say("insist", plan)
        return self.say("concede" if self.asked is None else "counter", plan)

    def _is_puzzled(self) -> bool:
        """Whether the partner's words say nothing that can be answered; asked once, not twice."""
        last = self.last
        if last is None or self.puzzled:
            return False
        return not (last.proposes or last.agrees or last.refuses or last.asks)


@dataclass(frozen=True)
class RandomDealer:
    """Proposes any split, and accepts any with a certain chance."""

    accepts: float = 0.3

    def new_session(self, place: Place) -> "ChanceDealSession":
        """A session that has heard nothing."""
        return ChanceDealSession(place, self)

    async def close(self) -> None:
        """Nothing to let go of."""


class ChanceDealSession(DealSession):
    """One dialogue of the bot that plays by dice."""

    def __init__(self, place: Place, bot: RandomDealer) -> None:
        super().__init__(place)
        self.bot = bot

    async def send(self, draft: DraftListener | None = None) -> Sequence[Move]:
        """Mark what was agreed, else accept or propose by lot."""
        share, dice = self.table.share(self.seat), self.dice()
        if self.last is None and self.sent:
            return [self.mark(share) if share is not None else _no_deal()]
        if self.agreed and self.offer is not None:
            return [self.mark(self.offer)]
        if self.asked is not None and dice.random() < self.bot.accepts:
            return [self.say("accept", self.asked)]
        return [self.say("counter", dice.choice(divisions(self.counts)))]


def divisions(counts: Counts) -> list[Counts]:
    """The shares that leave something for both sides."""
    return [share for share in shares(counts) if any(share.values()) and share != counts]


def _no_deal() -> Move:
    return Move(action=QUIT, data={NO_DEAL: True})


def places_of(share: Counts, counts: Counts) -> dict[str, str]:
    """What a sentence can say of a split."""
    return {"mine": _named(share, counts), "theirs": _named(remainder(share, counts), counts)}


def _named(share: Mapping[str, int], counts: Mapping[str, int]) -> str:
    """A share in words.

    >>> _named({"book": 1, "hat": 2, "ball": 3}, {"book": 1, "hat": 2, "ball": 4})
    'the book, both hats and 3 balls'
    """
    return listed(list(_phrases(share, counts))) or "nothing"


def _phrases(share: Mapping[str, int], counts: Mapping[str, int]) -> Iterator[str]:
    for item, n in share.items():
        if n == 0:
            continue
        if n == counts[item] == 1:
            yield f"the {item}"
        elif n == counts[item] == 2:
            yield f"both {plural(2, item).removeprefix('2 ')}"
        elif n == counts[item]:
            yield f"all {plural(n, item)}"
        else:
            yield plural(n, item)


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    """Each template with how it begins and what can be made of it."""
    texts = [t.text for group in load_sentences(SENTENCES).purposes.values() for t in group]
    return tuple(
        (text, text.partition("{")[0], re.compile(re.sub(r"\\\{\w+\\\}", ".+?", re.escape(text))))
        for text in texts
    )


def _templates_of(text: str) -> list[str]:
    """The templates that a message may have been made of."""
    return [
        known
        for known, beginning, pattern in _patterns()
        if text.startswith(beginning) and pattern.fullmatch(text)
    ]
