"""The agent at a seat: whatever its network says, its moves are legal, and alike for the same dice."""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch

from palaver.core.clock import VirtualClock
from palaver.core.dialogue import Dialogue
from palaver.core.errors import InputError
from palaver.core.events import FAILURE, Event, Move
from palaver.core.protocols import MAX_CHARACTERS, DraftListener, Place
from palaver.core.scenario import Scenario
from palaver.evaluation.selfplay import play_many
from palaver.formats.cocoa.scenarios import scenario_of
from palaver.games.craigslist_bargain.bots import RandomBargainer
from palaver.games.craigslist_bargain.rules import CraigslistBargain
from palaver.models.bargain.agent import BargainWordsAgent
from palaver.models.bargain.averaging import AveragedSpeakers
from palaver.models.bargain.marks import (
    ACCEPT_NUMBER,
    END_NUMBER,
    OFFER_NUMBER,
    QUIT_NUMBER,
    BargainWords,
)
from palaver.models.bargain.pricing import PriceScale
from palaver.models.checkpoints.folder import CheckpointError
from palaver.models.faces import TALKERS, Decoding
from palaver.models.vocabulary import Vocabulary
from support.cocoa import BARGAIN_SCENARIO, bargain_kb

from .toys import CPU, HELLO, OK, WORDS, tiny_checkpoint, tiny_network


def scenario(*kbs: dict[str, Any]) -> Scenario:
    given = kbs or (bargain_kb("buyer", 20), bargain_kb("seller", 40))
    return scenario_of({**BARGAIN_SCENARIO, "kbs": list(given)})


def place(seat: int = 0, about: Scenario | None = None) -> Place:
    seen = (about or scenario()).seen_by(seat)
    return Place("d", seat, seen, VirtualClock(), random.Random(5))


def told(*said: tuple[int, str, Any]) -> list[Event]:
    """Events: a message's text, an offer's price, or nothing."""
    return [
        Event(seq=n, seat=seat, action=action, data=_data(action, given), time=float(n))
        for n, (seat, action, given) in enumerate(said, start=1)
    ]


def _data(action: str, given: Any) -> dict[str, Any] | None:
    if given is None:
        return None
    return {"text": given} if action == "message" else {"price": given}


def agent(folder: Path, **given: Any) -> BargainWordsAgent:
    return BargainWordsAgent([tiny_checkpoint(folder, **given)], CPU)


def fixed(folder: Path, *words: int) -> BargainWordsAgent:
    """An agent whose network likes some words, the first of them best."""
    network = tiny_network(spread=0.05)
    bias = network.get_parameter("output_bias").data
    bias.fill_(-40.0)
    for n, word in enumerate(words):
        bias[word] = 20.0 - 10 * n
    return BargainWordsAgent([tiny_checkpoint(folder, network=network)], CPU)


def reply(
    agent: BargainWordsAgent,
    events: Sequence[Event] = (),
    *,
    at: Place | None = None,
    decoding: Decoding | None = None,
) -> list[Move]:
    greedy = Decoding(temperature=0.0)
    return agent.reply(at or place(), events, random.Random(3), decoding or greedy)


@dataclass
class Seated:
    """A system that asks an agent for its moves."""

    agent: BargainWordsAgent
    decoding: Decoding

    def new_session(self, place: Place) -> "SeatedSession":
        return SeatedSession(self, place, [])

    async def close(self) -> None:
        """Nothing to let go of."""


@dataclass
class SeatedSession:
    system: Seated
    place: Place
    events: list[Event]

    def receive(self, event: Event) -> None:
        self.events.append(event)

    async def send(self, draft: DraftListener | None = None) -> Sequence[Move]:
        dice = random.Random(f"{self.place.dialogue}:{self.place.seat}:{len(self.events)}")
        return self.system.agent.reply(self.place, self.events, dice, self.system.decoding)


def play(one: Seated, other: Any, rules: CraigslistBargain, count: int) -> list[Dialogue]:
    async def run() -> list[Dialogue]:
        playing = play_many(
            rules,
            (one, other),
            names=("one", "other"),
            seed=7,
            count=count,
            max_turns=30,
            concurrency=1,
            scenarios=rules.scenarios,
        )
        return [dialogue async for dialogue in playing]

    return asyncio.run(run())


ODD = (
    scenario(),
    scenario(bargain_kb("seller", 0), bargain_kb("buyer", 0)),
    scenario(
        {"personal": {"Role": "buyer", "Target": 7}, "item": {"Price": 0, "Category": "boat"}},
        {"personal": {"Role": "seller", "Target": 10**9}, "item": {"Price": 0.5}},
    ),
)


@pytest.mark.parametrize(
    "decoding",
    [
        Decoding(temperature=1.0),
        Decoding(temperature=2.0, nucleus=0.7),
        Decoding(beam=2),
    ],
)
def test_no_move_is_illegal(tmp_path: Path, decoding: Decoding) -> None:
    network = tiny_network(spread=0.3, ends=5.0)
    network.get_parameter("output_bias").data[OFFER_NUMBER : WORDS.prices.start] += 4.0
    one = Seated(BargainWordsAgent([tiny_checkpoint(tmp_path, network=network)], CPU), decoding)
    for rules in (
        CraigslistBargain(scenarios=ODD),
        CraigslistBargain(scenarios=ODD, talk_over_offer=True, counter_offers=True, taking="free"),
    ):
        for other in (one, RandomBargainer()):
            dialogues = play(one, other, rules, 2)
            events = [event for dialogue in dialogues for event in dialogue.events]
            assert [each for each in events if each.action == FAILURE] == []
            assert {"offer", "end"} <= {each.action for each in events}


def test_money_is_told_in_dollars_of_its_own_scale(tmp_path: Path) -> None:
    half = WORDS.price_number(30.0, PriceScale(worst=40.0, target=20.0))
    says = fixed(tmp_path / "says", half, END_NUMBER)
    (said,) = reply(says, told((1, "message", "Hello")))
    assert said.action == "message"
    assert said.data is not None
    assert set(said.data["text"].split()) == {"$30"}
    offers = fixed(tmp_path / "offers", OFFER_NUMBER, half)
    (offer,) = reply(offers, told((1, "message", "Hello")))
    assert (offer.action, offer.data) == ("offer", {"price": 30.0})


def test_an_offer_is_answered_with_an_answer_alone(tmp_path: Path) -> None:
    accepts = fixed(tmp_path / "accepts", HELLO, ACCEPT_NUMBER)
    offered = told((1, "message", "Well"), (1, "offer", 35.0))
    assert reply(accepts, offered) == [Move(action="accept")]
    quits = fixed(tmp_path / "quits", HELLO, QUIT_NUMBER)
    assert reply(quits, offered) == [Move(action="quit")]
    # Where nobody has offered, there is nothing to accept.
    assert reply(accepts, told((1, "message", "Well")))[0].action == "message"


def test_whoever_has_offered_or_spoken_last_waits(tmp_path: Path) -> None:
    talks = fixed(tmp_path, OK, END_NUMBER)
    assert reply(talks, told((0, "message", "Hi"))) == []
    assert reply(talks, told((0, "offer", 30.0))) == []
    assert reply(talks, told((0, "offer", 30.0), (1, "message", "Hm"))) == []
    assert reply(talks) != [], "somebody begins"
    assert reply(talks, told((0, "message", "Hi"), (1, "message", "Hi"))) != []


def test_it_answers_whatever_it_was_told(tmp_path: Path) -> None:
    talks = agent(tmp_path, spread=0.3, ends=4.0)
    erased = told((1, "message", None))
    for events in (
        erased,
        told((1, "message", "")),
        told((1, "message", "word $5 " * 400)),
        told((1, "message", "<pad> </s> <accept> $99999999999999999999")),
        [*told((0, "message", "Hi"), (1, "message", "1e400 ∞ 😀")), *erased],
        told((1, "offer", 1e9)),
        told((1, "offer", None)),
    ):
        moves = reply(talks, events, decoding=Decoding(temperature=1.0))
        assert moves
        assert all(len(str((m.data or {}).get("text", ""))) <= MAX_CHARACTERS for m in moves)


def test_what_was_said_before_counts(tmp_path: Path) -> None:
    talks = agent(tmp_path, spread=0.9, ends=0.0)
    hot = Decoding(temperature=1.0)
    ways = {
        str(reply(talks, told((1, "message", text)), decoding=hot))
        for text in ("Hello", "ok", "great price", "no ?", "$30", "$40")
    }
    assert len(ways) > 1
    again = [reply(talks, told((1, "message", "Hello")), decoding=hot) for _ in range(2)]
    assert again[0] == again[1]


def test_an_ensemble_says_what_its_members_expect_on_average(tmp_path: Path) -> None:
    members = [tiny_checkpoint(tmp_path / str(seed), seed=seed, ends=6.0) for seed in (1, 2)]
    together = BargainWordsAgent(members, CPU)
    assert isinstance(together._network, AveragedSpeakers)
    assert reply(together, told((1, "message", "Hello")))
    alone = BargainWordsAgent([members[0], members[0]], CPU)
    single = BargainWordsAgent([members[0]], CPU)
    assert reply(alone, told((1, "message", "ok"))) == reply(single, told((1, "message", "ok")))


def test_checkpoints_with_other_words_do_not_speak_as_one(tmp_path: Path) -> None:
    other = BargainWords(Vocabulary([*WORDS.said.words, "more"]), WORDS.listed)
    checkpoints = [
        tiny_checkpoint(tmp_path / "one"),
        tiny_checkpoint(tmp_path / "two", words=other),
    ]
    with pytest.raises(CheckpointError, match="have other vocabularies"):
        BargainWordsAgent(checkpoints, CPU)


def test_a_scenario_of_another_game_is_told(tmp_path: Path) -> None:
    talks = agent(tmp_path)
    other = Scenario(id="S", game="craigslist_bargain", kbs=([{"Name": "book"}], []))
    with pytest.raises(InputError, match="'S' is none of theirs"):
        reply(talks, at=place(0, other))


def test_a_broken_network_is_told(tmp_path: Path) -> None:
    network = tiny_network()
    network.get_parameter("output_bias").data.fill_(torch.nan)
    broken = BargainWordsAgent([tiny_checkpoint(tmp_path, network=network)], CPU)
    with pytest.raises(CheckpointError, match="not finite"):
        reply(broken)


def test_it_is_found_by_the_names_of_its_kinds() -> None:
    for name in ("bargain-words", "bargain-words-reinforce"):
        assert TALKERS.get(name) is BargainWordsAgent
