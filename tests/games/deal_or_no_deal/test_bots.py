"""The bots: how well they play, that they understand themselves, that they can be rebuilt."""

import asyncio
import random
from collections.abc import Sequence

import pytest

from palaver.core.clock import VirtualClock
from palaver.core.dialogue import Dialogue
from palaver.core.events import Event, Move
from palaver.core.protocols import Place, System
from palaver.evaluation.selfplay import play_many
from palaver.games.deal_or_no_deal.bots import (
    SENTENCES,
    RandomDealer,
    RuleDealer,
    divisions,
    places_of,
)
from palaver.games.deal_or_no_deal.generator import DealGenerator
from palaver.games.deal_or_no_deal.outcomes import PlayedDeal, played
from palaver.games.deal_or_no_deal.partner import PartnerModel
from palaver.games.deal_or_no_deal.rules import DealOrNoDeal
from palaver.games.deal_or_no_deal.table import DealTable
from palaver.games.sentences import load_sentences

from .deals import COUNTS, SCENARIO, VALUES

PURPOSES = {"open", "answer", "counter", "concede", "insist", "accept", "gift", "clarify"}


def play(systems: Sequence[System], count: int, *, seed: int = 7) -> list[Dialogue]:
    """So many dialogues, each about a scenario of its own."""
    scenarios = list(DealGenerator().generate(count, random.Random(seed)))
    rules = DealOrNoDeal(scenarios=tuple(scenarios))
    numbers = iter(scenarios)

    async def run() -> list[Dialogue]:
        playing = play_many(
            rules,
            systems,
            names=("one", "other"),
            seed=seed,
            count=count,
            max_turns=rules.usual_turns,
            concurrency=1,
            draw_scenario=lambda _: next(numbers),
        )
        return [dialogue async for dialogue in playing]

    return asyncio.run(run())


def deals(dialogues: Sequence[Dialogue]) -> list[PlayedDeal]:
    return [played(dialogue.scenario, dialogue.events) for dialogue in dialogues]


def check_quality(count: int) -> None:
    dialogues = play((RuleDealer(), RuleDealer()), count)
    assert {dialogue.reason for dialogue in dialogues} == {"complete"}
    found = deals(dialogues)
    valid = [deal for deal in found if deal.is_valid]
    assert len(valid) / len(found) >= 0.97
    assert sum(deal.is_optimal for deal in valid) / len(valid) >= 0.95
    ruled = deals(play((RuleDealer(), RandomDealer()), count // 2))
    assert sum(deal.points[0] for deal in ruled) > 1.5 * sum(deal.points[1] for deal in ruled)


def test_two_of_them_agree_on_good_deals_and_one_beats_a_random_proposer() -> None:
    check_quality(100)


@pytest.mark.long
def test_the_same_on_a_thousand_scenarios() -> None:
    check_quality(1000)


def test_two_random_proposers_come_to_an_end() -> None:
    dialogues = play((RandomDealer(), RandomDealer()), 20)
    assert {dialogue.reason for dialogue in dialogues} == {"complete"}


def test_there_are_sentences_enough_and_each_is_read_back_as_what_it_says() -> None:
    sentences = load_sentences(SENTENCES)
    assert sentences.purposes.keys() == PURPOSES
    assert sentences.count >= 300
    texts = [t.text for group in sentences.purposes.values() for t in group]
    assert len(set(texts)) == len(texts)
    rng = random.Random(1)
    for purpose, templates in sentences.purposes.items():
        for template in templates:
            for _ in range(8):
                counts = {item: rng.randint(1, 4) for item in ("book", "hat", "ball")}
                share, other = rng.choice(divisions(counts)), rng.choice(divisions(counts))
                table = DealTable(counts)
                table.hear(1, f"I want {places_of(other, counts)['mine']}")
                said = table.hear(0, template.text.format_map(places_of(share, counts)))
                if purpose == "clarify":
                    assert not said.proposes, template.text
                else:
                    assert table.split == share, template.text
                    assert said.agrees or purpose not in ("accept", "gift"), template.text


def place(seat: int = 0) -> Place:
    scenario = SCENARIO.seen_by(seat)
    return Place("d", seat, scenario, VirtualClock(), random.Random(5))


def told(*messages: tuple[int, str]) -> list[Event]:
    return [
        Event(seq=n, seat=seat, action="message", data={"text": text}, time=float(n))
        for n, (seat, text) in enumerate(messages, start=1)
    ]


def answer(*messages: tuple[int, str], bot: RuleDealer | None = None) -> Move:
    """What a session at seat 0 does after these messages."""
    session = (bot or RuleDealer()).new_session(place())
    for event in told(*messages):
        session.receive(event)
    [move] = asyncio.run(session.send())
    return move


def share_of(move: Move) -> dict[str, int]:
    """What seat 0 gets by a message or a choice."""
    assert move.data is not None
    if move.action == "select":
        taken: dict[str, int] = move.data["take"]
        return taken
    table = DealTable(COUNTS)
    table.hear(0, move.data["text"])
    assert table.split is not None
    return table.split


MINE = {"book": 2, "hat": 1, "ball": 0}


def test_it_opens_with_what_is_worth_most_to_it() -> None:
    assert share_of(answer()) == MINE


def test_it_accepts_what_is_good_and_says_it_again() -> None:
    move = answer((1, "i only want the balls"))
    assert (move.action, share_of(move)) == ("message", MINE)


def test_it_marks_what_the_partner_agrees_to() -> None:
    move = answer(
        (1, "hi"), (0, "I'd like both books and the hat, you get all 3 balls."), (1, "ok")
    )
    assert (move.action, share_of(move)) == ("select", MINE)


def test_it_marks_its_words_once_the_partner_has_marked() -> None:
    move = answer(
        (0, "I take both books, you take the rest."), (1, "no"), (0, "Both books for me.")
    )
    assert (move.action, share_of(move)) == ("select", {"book": 2, "hat": 0, "ball": 0})


def test_it_turns_down_what_is_too_little_and_concedes_step_by_step() -> None:
    said = [(0, "Hi! I want both books and the hat. You can have all 3 balls.")]
    said.append((1, "i need the hat and a book and the balls"))
    move = answer(*said)
    assert move.action == "message"
    assert sum(share_of(move)[item] * VALUES[0][item] for item in COUNTS) >= 8


def test_it_asks_once_where_it_does_not_understand() -> None:
    said = [(0, "Hi! I want both books and the hat. You can have all 3 balls.")]
    first = answer(*said, (1, "the weather is nice"))
    assert not DealTable(COUNTS).hear(0, first.data["text"]).proposes
    second = answer(*said, (1, "nice weather"), (0, first.data["text"]), (1, "so is my dog"))
    assert DealTable(COUNTS).hear(0, second.data["text"]).proposes


def test_it_gives_up_in_the_end() -> None:
    bot = RuleDealer(patience=2)
    said = [(0, "I want both books and the hat."), (1, "no way , i want everything")]
    move = answer(*said, *said, bot=bot)
    assert (move.action, move.data) == ("quit", {"no_deal": True})


def test_a_session_that_is_rebuilt_says_the_same() -> None:
    [dialogue] = play((RuleDealer(), RuleDealer()), 1)
    for seat in (0, 1):
        session = RuleDealer().new_session(
            Place("d", seat, dialogue.scenario.seen_by(seat), VirtualClock(), random.Random(5))
        )
        heard: list[Event] = []
        for event in dialogue.after(0, seat=seat):
            if event.action not in ("message", "select"):
                continue
            again = RuleDealer().new_session(
                Place("d", seat, dialogue.scenario.seen_by(seat), VirtualClock(), random.Random(5))
            )
            for old in heard:
                again.receive(old)
            assert asyncio.run(again.send()) == asyncio.run(session.send())
            session.receive(event)
            heard.append(event)


def test_no_bot_repeats_itself() -> None:
    for dialogue in play((RuleDealer(), RuleDealer()), 30):
        texts = [event.text for event in dialogue.events if event.action == "message"]
        assert len(set(texts)) == len(texts)


def test_the_partner_model_learns_what_is_asked_for() -> None:
    model = PartnerModel(COUNTS, VALUES[0])
    before = model.values()
    model.ask({"book": 0, "hat": 0, "ball": 3})
    assert model.values()["ball"] > before["ball"]
    asked = model.values()
    model.spurn(["hat"])
    assert model.values()["hat"] < asked["hat"] / 2
    model.decline({"book": 2, "hat": 0, "ball": 0})
    assert sum(COUNTS[item] * value for item, value in model.values().items()) == pytest.approx(10)


@pytest.mark.parametrize(
    "own", [{"book": 9999, "hat": 1, "ball": 0}, {"book": 0, "hat": 0, "ball": 0}]
)
def test_the_partner_model_takes_any_values(own: dict[str, int]) -> None:
    values = PartnerModel({"book": 3, "hat": 3, "ball": 30}, own).values()
    assert all(value >= 0 for value in values.values())


def test_it_only_makes_legal_moves_against_nonsense() -> None:
    class Babbler:
        """Says anything at all."""

        def new_session(self, place: Place) -> "Babbler":
            self.rng = place.rng
            return self

        def receive(self, event: Event) -> None: ...

        async def send(self, draft: object = None) -> list[Move]:
            words = ["i", "you", "hats", "ok", "no", "2", "rest", "ball", "?", "deal", "the"]
            text = " ".join(self.rng.choices(words, k=5))
            return [Move(action="message", data={"text": text})]

        async def close(self) -> None: ...

    for dialogue in play((RuleDealer(), Babbler()), 20):
        assert not any(event.action == "failure" and event.seat == 0 for event in dialogue.events)
