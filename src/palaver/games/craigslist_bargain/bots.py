"""Bargainers by rule: one that plays well, and one that proposes at random to be measured against.

What a session knows is folded from the events that it receives, and each turn has dice of its own, so
that a session that is rebuilt by replay goes on as the first one would have.
"""

import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from palaver.core.events import MESSAGE, Event, Move, say
from palaver.core.protocols import DraftListener, Place
from palaver.formats.cocoa.actions import ACCEPT, OFFER, REJECT
from palaver.formats.move_words import price_words
from palaver.games.craigslist_bargain.acts import Act, ActReader, is_agreeing, is_question
from palaver.games.craigslist_bargain.options import FOLDER
from palaver.games.craigslist_bargain.sides import BargainSide, side_of
from palaver.games.craigslist_bargain.strategy import Stance, Temper
from palaver.games.sentences import Sentences, Speaker, load_sentences

SENTENCES = FOLDER / "material" / "sentences.yaml"
PRICED = frozenset({"init-price", "counter-price", "insist"})
# After so many messages of its own a bargainer comes to an end.
PATIENCE = 10
_FINAL = re.compile(
    r"\b(?:final|last (?:word|offer|price)|take it or leave|my limit|firm|"
    r"(?:lowest|highest|most|least|best) (?:that )?(?:i|we) (?:can|could|will)|"
    r"can['’]?t (?:go|do) (?:any )?(?:lower|higher|more|less|below|beyond))",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z]{4,}")
_LONGEST_LINE = 160


_PRICE_ASKED = re.compile(
    r"\bhow much\b|\b(?:your|best|lowest|the|what) (?:price|offer|budget)\b|\bmake (?:me )?an offer\b|"
    r"\byou (?:want|asking|like|willing)\b.*\b(?:for (?:it|this|them)|pay|take)\b",
    re.IGNORECASE,
)
_FIRM = re.compile(
    r"\b(?:deal|agreed?|(?:take|have) (?:it|that)|works?|sounds (?:good|great|fair)|done)\b",
    re.IGNORECASE,
)


class RuleBargainer:
    """A system that bargains by rule."""

    def __init__(self) -> None:
        self.sentences = load_sentences(SENTENCES)

    def new_session(self, place: Place) -> "BargainSession":
        """A session that has heard nothing."""
        return BargainSession(place, self.sentences)

    async def close(self) -> None:
        """Nothing to let go of."""


@dataclass(slots=True)
class Heard:
    """What a bargainer makes of the partner's last turn."""

    act: Act
    text: str = ""

    @property
    def asks_price(self) -> bool:
        """Whether it would like to hear a number."""
        return self.act.price is None and _PRICE_ASKED.search(self.text) is not None

    @property
    def asks(self) -> bool:
        """Whether it would like to know something about the thing."""
        if self.asks_price:
            return False
        return self.act.intent == "inquiry" or (is_question(self.text) and self.act.price is None)

    @property
    def is_final(self) -> bool:
        """Whether it names a price as its last."""
        return self.act.price is not None and _FINAL.search(self.text) is not None

    @property
    def is_firm(self) -> bool:
        """Whether it says that there is a deal, rather than "great" or "okay"."""
        return _FIRM.search(self.text) is not None

    @property
    def agrees(self) -> bool:
        """Whether it says yes without a price of its own."""
        if self.act.intent == "agree":
            return True
        return self.act.price is None and is_agreeing(self.text) and not is_question(self.text)


@dataclass(slots=True)
class Utterance:
    """A message to be sent, and which sentences it is made of."""

    text: str
    sentences: Counter[str] = field(default_factory=Counter)
    is_final: bool = False


class BargainSession:
    """One dialogue of a bargainer: listens, weighs prices, and says what comes of it."""

    def __init__(self, place: Place, sentences: Sentences) -> None:
        self.seat = place.seat
        self.side: BargainSide = side_of(place.scenario.kb(place.seat))
        self.stance = Stance(self.side, Temper.drawn(place.rng))
        self.dice = place.rng.getrandbits(64)
        self.reader = ActReader(self.side, self.seat)
        self.sentences = sentences
        self.used: Counter[str] = Counter()
        self.turns = 0
        self.events = 0
        self.own_act: Act | None = None
        self.heard: Heard | None = None
        self.offered: dict[int, float] = {}
        self.called_final = False
        self._draft = Utterance("")

    def receive(self, event: Event) -> None:
        """Take note of what was said and done, by oneself too."""
        if event.seat is None or not event.is_turn:
            return
        if event.seat == self.seat and event.action == MESSAGE:
            self._recall(event.text)
        self.events += 1
        price = (event.data or {}).get("price")
        if event.action == OFFER and isinstance(price, int | float):
            self.offered[event.seat] = float(price)
        if event.action != MESSAGE:
            return
        act = self.reader.read(event.seat, MESSAGE, event.text)
        if event.seat == self.seat:
            self._spoke(act)
        else:
            self.heard = Heard(act, event.text)
            if act.price is not None and act.intent != "agree":
                self.stance.heard.append(act.price)

    async def send(self, draft: DraftListener | None = None) -> Sequence[Move]:
        """The next move; nothing while an offer of its own stands."""
        if self.seat in self.offered:
            return []
        if 1 - self.seat in self.offered:
            good = self.stance.is_acceptable(self.offered[1 - self.seat])
            return [Move(action=ACCEPT if good else REJECT)]
        price = self._settled()
        if price is not None:
            return [Move(action=OFFER, data={"price": price})]
        self._draft = self._next_words()
        return [say(self._draft.text)]

    def _recall(self, text: str) -> None:
        """Note which sentences a message of its own was made of; in a replay, find out again."""
        if text != self._draft.text:
            self._draft = self._next_words()
        if text == self._draft.text:
            self.used.update(self._draft.sentences)
            self.called_final |= self._draft.is_final

    def _spoke(self, act: Act) -> None:
        self.turns += 1
        self.own_act = act
        if act.price is not None:
            self.stance.own.append(act.price)

    def _settled(self) -> float | None:
        """The price to offer now; None while there is something to talk about."""
        heard, own = self.heard, self.own_act
        if heard is None or own is None:
            return None
        haggled = len(self.stance.own) > 1 or heard.act.intent == "agree"
        if heard.agrees and self.stance.own and (haggled or heard.is_firm):
            return self.stance.own[-1]
        if own.intent == "agree" and own.price is not None and heard.act.price in (None, own.price):
            return own.price
        if self.called_final or self.turns >= PATIENCE:
            return self.stance.final_price
        return None

    def _next_words(self) -> Utterance:
        """What to say: answer, agree, name a price, or say that this is the end."""
        words = _Words(self, random.Random(f"{self.dice}:{self.events}"))
        heard, stance = self.heard, self.stance
        if heard is None or (self.turns == 0 and not stance.heard):
            words.greet(heard)
        elif heard.act.price is not None and self._takes(heard.act.price, heard):
            words.agree(heard.act.price)
        elif heard.asks and not stance.heard and self.turns < 2:
            words.answer(heard.text)
        elif stance.is_at_the_end or stance.is_stuck or self.turns >= PATIENCE - 1:
            words.call_final(stance.final_price)
        else:
            if heard.asks:
                words.answer(heard.text)
            words.name_price(stance.next_price)
        return words.said

    def _takes(self, price: float, heard: Heard) -> bool:
        """Whether to say yes: to a good price, and to a bearable one where nobody will move."""
        if heard.act.intent == "agree" and self.stance.own:
            return False
        no_way_on = heard.is_final or self.stance.is_stuck or self.stance.is_at_the_end
        return self.stance.is_good(price) or (no_way_on and self.stance.is_acceptable(price))

    def _key(self, purpose: str) -> str:
        return f"{self.side.role}_{purpose}"


class _Words:
    """Puts one message together from sentences that were not used yet."""

    def __init__(self, session: BargainSession, rng: random.Random) -> None:
        self.session = session
        self.rng = rng
        self.parts: list[str] = []
        self.is_final = False
        self.speaker = Speaker(session.sentences, rng, session.used.copy())

    @property
    def said(self) -> Utterance:
        used = self.speaker.said - self.session.used
        return Utterance(" ".join(self.parts), used, self.is_final)

    def greet(self, heard: Heard | None) -> None:
        """A greeting, and what one would like to know or has to tell."""
        self._say("greet")
        if heard is not None and heard.asks_price:
            self.name_price(self.session.stance.next_price)
        elif heard is not None and heard.asks:
            self.answer(heard.text)
        elif self.session.side.is_buyer and self.rng.random() < 0.75:
            self._about("ask")
        elif not self.session.side.is_buyer and self.rng.random() < 0.5:
            self._about("praise")

    def answer(self, question: str) -> None:
        """What the listing says of it, or what one would say of such a thing."""
        line = _line_about(question, self.session.side)
        if line and not self.session.side.is_buyer:
            self._say("quote", line=line)
        else:
            self._about("answer")

    def agree(self, price: float) -> None:
        self._say("agree", price=price_words(price))

    def call_final(self, price: float) -> None:
        self.is_final = True
        self._say("final", price=price_words(price))

    def name_price(self, price: float) -> None:
        """A price, often with a reason."""
        own = self.session.stance.own
        if own and self.rng.random() < 0.6:
            self._about("argue")
        self._say("counter" if own else "open", price=price_words(price))

    def _about(self, purpose: str) -> None:
        """A sentence for things of this category, or one for all things."""
        special = f"{purpose}_{self.session.side.category}"
        has_special = self.session._key(special) in self.session.sentences.purposes
        self._say(special if has_special and self.rng.random() < 0.7 else purpose)

    def _say(self, purpose: str, **places: str) -> None:
        self.parts.append(self.speaker.say(self.session._key(purpose), **places))


class RandomBargainer:
    """A system that names prices by lot, and offers, accepts and rejects by lot."""

    def new_session(self, place: Place) -> "ChanceBargainSession":
        """A session that has heard nothing."""
        return ChanceBargainSession(place)

    async def close(self) -> None:
        """Nothing to let go of."""


class ChanceBargainSession:
    """One dialogue of somebody without a plan."""

    def __init__(self, place: Place) -> None:
        self.seat = place.seat
        self.side = side_of(place.scenario.kb(place.seat))
        self.dice = place.rng.getrandbits(64)
        self.events = 0
        self.offers: set[int] = set()

    def receive(self, event: Event) -> None:
        """Count what happens, and note offers."""
        if event.seat is None or not event.is_turn:
            return
        self.events += 1
        if event.action == OFFER:
            self.offers.add(event.seat)

    async def send(self, draft: DraftListener | None = None) -> Sequence[Move]:
        """A price between half and all of the list price, said or, one time in four, offered."""
        rng = random.Random(f"{self.dice}:{self.events}")
        if self.seat in self.offers:
            return []
        if self.offers:
            return [Move(action=rng.choice((ACCEPT, REJECT)))]
        price = float(max(1, round(self.side.price * rng.uniform(0.5, 1.0))))
        if rng.random() < 0.25:
            return [Move(action=OFFER, data={"price": price})]
        return [say(f"How about {price_words(price)}?")]


def _line_about(question: str, side: BargainSide) -> str:
    """The line of the listing that has most of the words of a question; empty where none has any."""
    asked = set(_WORD.findall(question.lower())) - {"what", "that", "this", "have", "does", "with"}
    lines = [line for line in side.description if len(line) <= _LONGEST_LINE]
    found = [(len(asked & set(_WORD.findall(line.lower()))), line) for line in lines]
    count, line = max(found, default=(0, ""), key=lambda pair: pair[0])
    return line.strip().rstrip(".") if count else ""
