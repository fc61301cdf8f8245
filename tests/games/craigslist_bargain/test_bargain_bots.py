"""Bargainers by rule against each other, against chance, and against what people might write."""

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

import pytest

from palaver.core.clock import VirtualClock
from palaver.core.dialogue import Dialogue
from palaver.core.events import Event, Move
from palaver.core.protocols import Place, Session, System
from palaver.evaluation.selfplay import play_many
from palaver.games.craigslist_bargain.bots import SENTENCES, RandomBargainer, RuleBargainer
from palaver.games.craigslist_bargain.generator import BargainGenerator
from palaver.games.craigslist_bargain.options import BargainOptions
from palaver.games.craigslist_bargain.sides import side_of
from palaver.games.craigslist_bargain.strategy import Stance, Temper
from palaver.games.game import GAMES, Setting
from palaver.games.sentences import load_sentences
from support.bargains import LAMP

RULE, CHANCE = RuleBargainer(), RandomBargainer()


def play(systems: Sequence[System], count: int) -> list[Dialogue]:
    """Dialogues about scenarios of all discounts, the first seat buying and selling by turns."""
    rules = BargainOptions().rules(Setting(), folder=Path())
    made = list(BargainGenerator().generate(468, random.Random(1)))
    seated = [
        BargainOptions(role=("buyer", "seller")[n % 2])._seated(s) for n, s in enumerate(made)
    ]
    numbers = iter(range(count))

    async def run() -> list[Dialogue]:
        dialogues = play_many(
            rules,
            systems,
            names=("a", "b"),
            seed=1,
            count=count,
            max_turns=rules.usual_turns,
            draw_scenario=lambda rng: seated[next(numbers) % len(seated)],
        )
        return [dialogue async for dialogue in dialogues]

    return asyncio.run(run())


def check_self_play(count: int) -> list[Dialogue]:
    dialogues = play((RULE, RULE), count)
    assert {dialogue.reason for dialogue in dialogues} == {"complete"}
    agreed = [dialogue for dialogue in dialogues if dialogue.outcome["agreed"]]
    assert len(agreed) >= 0.95 * count
    margins = {"buyer": [], "seller": []}
    for dialogue in agreed:
        for seat in (0, 1):
            role = side_of(dialogue.scenario.kb(seat)).role
            margins[role].append(dialogue.outcome["reward"][str(seat)])
    assert abs(mean(margins["seller"])) <= 0.15
    assert mean(1 - abs(each) for each in margins["seller"]) >= 0.75
    return dialogues


def test_two_of_them_agree_on_fair_prices() -> None:
    dialogues = check_self_play(150)
    for dialogue in dialogues:
        said = [event.text for event in dialogue.events if event.action == "message"]
        assert len(said) == len(set(said))
        assert 4 <= len(said) <= 24


@pytest.mark.long
def test_a_thousand_scenarios() -> None:
    check_self_play(1000)


def test_it_beats_chance_from_either_seat() -> None:
    for systems, seat in (((RULE, CHANCE), "0"), ((CHANCE, RULE), "1")):
        dialogues = play(systems, 100)
        assert {dialogue.reason for dialogue in dialogues} == {"complete"}
        rewards = [dialogue.outcome["reward"][seat] for dialogue in dialogues]
        assert mean(rewards) > 0.3


def test_its_sentences_are_many_and_the_bots_are_named() -> None:
    assert load_sentences(SENTENCES).count >= 300
    assert list(GAMES.get("craigslist_bargain").bots) == ["rule", "random"]


# One session


def session(seat: int, *, system: System = RULE) -> Session:
    place = Place(
        dialogue="d",
        seat=seat,
        scenario=LAMP.seen_by(seat),
        clock=VirtualClock(0.0),
        rng=random.Random(11),
    )
    return system.new_session(place)


def moves(one: Session) -> Sequence[Move]:
    return asyncio.run(one.send())


def event(seq: int, seat: int, text: str) -> Event:
    return Event(seq=seq, seat=seat, action="message", data={"text": text}, time=float(seq))


class Table:
    """A session, and somebody who writes to it."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.session = session(seat)
        self.events: list[Event] = []

    def hear(self, text: str) -> Move:
        """What it does about a message."""
        self._add(1 - self.seat, "message", {"text": text})
        [move] = moves(self.session)
        self._add(self.seat, move.action, move.data or {})
        return move

    def _add(self, seat: int, action: str, data: dict) -> None:
        seq = len(self.events) + 1
        made = Event(seq=seq, seat=seat, action=action, data=data, time=float(seq))
        self.events.append(made)
        self.session.receive(made)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_session_rebuilt_by_replay_goes_on_as_the_first_would(seat: int) -> None:
    table = Table(seat)
    prices = ("20", "24", "26") if seat == 1 else ("40", "38", "36")
    for text in ("Hello", "Is it bright?", *(f"How about ${price}?" for price in prices)):
        table.hear(text)
        again = session(seat)
        for made in table.events:
            again.receive(made)
        follow = event(len(table.events) + 1, 1 - seat, "I am not so sure.")
        first = session(seat)
        for made in (*table.events, follow):
            first.receive(made)
        again.receive(follow)
        assert moves(again) == moves(first)
        assert again.used == table.session.used


def test_it_offers_what_somebody_agreed_to() -> None:
    table = Table(1)
    table.hear("Hello there")
    asked = table.hear("What would you like for it?")
    assert "$40" in asked.data["text"]
    counter = table.hear("Would you take $24?")
    [price] = [each for each in range(24, 41) if f"${each}" in counter.data["text"]]
    assert table.hear("okay, deal").data == {"price": float(price)}


@pytest.mark.parametrize(
    "question",
    ["How much is it?", "What is your best price?", "What do you want for it?", "Make me an offer"],
)
def test_a_question_about_the_price_is_answered_with_one(question: str) -> None:
    for seat in (0, 1):
        assert "$" in Table(seat).hear(question).data["text"]


def test_small_talk_is_not_taken_for_a_deal() -> None:
    table = Table(1)
    table.hear("Hello there")
    table.hear("What would you like for it?")
    assert table.hear("Great, thanks for telling me").action == "message"


def test_it_takes_good_offers_and_refuses_bad_ones() -> None:
    for price, answer in ((39, "accept"), (5, "reject")):
        seller = session(1)
        seller.receive(Event(seq=1, seat=0, action="offer", data={"price": price}, time=1.0))
        assert [move.action for move in moves(seller)] == [answer]
    buyer = session(0)
    buyer.receive(Event(seq=1, seat=1, action="offer", data={"price": 40}, time=1.0))
    assert [move.action for move in moves(buyer)] == ["reject"]


def test_it_comes_to_an_end_with_somebody_who_never_says_a_price() -> None:
    for seat in (0, 1):
        table = Table(seat)
        done: list[str] = []
        while "offer" not in done:
            done.append(table.hear("I do not know yet.").action)
            assert len(done) <= 12
        assert moves(table.session) == []


def test_it_says_nothing_while_its_offer_stands() -> None:
    buyer = session(0)
    buyer.receive(Event(seq=1, seat=0, action="offer", data={"price": 25}, time=1.0))
    assert moves(buyer) == []


def test_a_stance_never_gives_more_than_its_bottom_line() -> None:
    rng = random.Random(2)
    for _ in range(200):
        side = side_of(LAMP.kb(rng.randint(0, 1)))
        stance = Stance(side, Temper.drawn(rng))
        for _ in range(8):
            price = stance.next_price
            assert not side.prefers(stance._rounded(stance.bottom_line), price)
            stance.own.append(price)
            stance.heard.append(float(rng.randint(10, 50)))
        assert Counter(map(type, stance.own)) == {float: 8}
