"""Act agents at a seat: what they hear, what they do, and the words for it."""

import random
from pathlib import Path
from typing import Any

import pytest
import torch

from palaver.core.clock import VirtualClock
from palaver.core.conversation import Conversation
from palaver.core.dialogue import Dialogue, Seat
from palaver.core.events import Event, say
from palaver.core.protocols import Place
from palaver.core.scenario import Scenario
from palaver.games.craigslist_bargain.acts import ActReader
from palaver.games.craigslist_bargain.bots import SENTENCES
from palaver.games.craigslist_bargain.rules import CraigslistBargain
from palaver.games.craigslist_bargain.sides import CATEGORIES, BargainSide
from palaver.games.deal_or_no_deal.rules import DealOrNoDeal
from palaver.games.sentences import load_sentences
from palaver.models.acts.bargain_agent import BargainActsAgent
from palaver.models.acts.bargain_words import MESSAGES
from palaver.models.acts.deal_agent import DealActsAgent, sentences
from palaver.models.acts.deal_reading import AGREE, DealActReader
from palaver.models.acts.examination import examine
from palaver.models.acts.wording import BargainWording, DealWording, recognised
from palaver.models.checkpoints.folder import CheckpointError
from palaver.models.diagnosis.record import DiagnosisRequest
from palaver.models.faces import TALKERS, Decoding

from .made import CPU, kbs, tiny_checkpoint, write_bargains

DEAL_KB = [
    {"Name": name, "Count": n + 1, "Value": n} for n, name in enumerate(("book", "hat", "ball"))
]
GAMES: dict[str, Any] = {
    "bargain-acts": (BargainActsAgent, CraigslistBargain(), "craigslist_bargain", kbs()),
    "deal-acts": (DealActsAgent, DealOrNoDeal(), "deal_or_no_deal", [DEAL_KB, DEAL_KB]),
}


def held(folder: Path, kind: str, seed: int, heat: float) -> Conversation:
    """A dialogue of two agents, each told what its seat may know."""
    make, rules, name, knowledge = GAMES[kind]
    scenario = Scenario(id="S", game=name, kbs=tuple(knowledge))
    seats = [Seat(index=n, kind="system", occupant=f"s{n}") for n in (0, 1)]
    talk = Conversation(Dialogue(id="d", scenario=scenario, seats=seats), rules)
    agents = [make([tiny_checkpoint(folder / str(n), kind, seed=seed + n)], CPU) for n in (0, 1)]
    for turn in range(60):
        if talk.dialogue.is_over:
            break
        for seat in sorted(talk.movers()) if turn else (0,):
            place = Place("d", seat, scenario, VirtualClock(), random.Random(1))
            known = [e for e in talk.dialogue.events if not e.audience or seat in e.audience]
            dice = random.Random(f"{seed}:{turn}:{seat}")
            for move in agents[seat].reply(place, known, dice, Decoding(temperature=heat)):
                talk.apply(talk.consider(seat, move, float(turn)))
            break
    return talk


@pytest.mark.parametrize("kind", GAMES)
@pytest.mark.parametrize("heat", [0.0, 1.0])
def test_two_agents_come_to_an_end_by_the_rules(tmp_path: Path, kind: str, heat: float) -> None:
    talk = held(tmp_path, kind, 1, heat)
    assert talk.dialogue.is_over
    assert talk.dialogue.reason in ("complete", "quit")
    again = held(tmp_path, kind, 1, heat)
    told = [(e.seat, e.action, e.data) for e in talk.dialogue.events]
    assert told == [(e.seat, e.action, e.data) for e in again.dialogue.events]


def test_an_own_offer_is_waited_for_and_the_partners_is_answered(tmp_path: Path) -> None:
    agent = BargainActsAgent([tiny_checkpoint(tmp_path, "bargain-acts")], CPU)
    scenario = Scenario(id="S", game="craigslist_bargain", kbs=tuple(kbs()))
    place = Place("d", 0, scenario, VirtualClock(), random.Random(1))
    for seat, expected in ((0, set()), (1, {"accept", "reject", "quit"})):
        offer = Event(seq=1, time=1.0, seat=seat, action="offer", data={"price": 150})
        done = {
            move.action
            for seed in range(20)
            for move in agent.reply(place, [offer], random.Random(seed), Decoding(temperature=3))
        }
        assert done == expected


@pytest.mark.parametrize("role", ["buyer", "seller"])
def test_messages_are_read_back_as_the_act_that_they_say(role: Any) -> None:
    sentences = load_sentences(SENTENCES)
    for n, category in enumerate((*CATEGORIES, "boats")):
        side = BargainSide(role=role, target=150, price=200, category=category)
        for act in MESSAGES:
            reader = ActReader(side, 0)
            before = {
                "intro": [],
                "init-price": ["Hello."],
                "inform": ["Hello.", "Is it in good shape?"],
            }.get(act, ["Hello.", "How about $170?"])
            for text in before:
                reader.read(1, "message", text)
            if act == "insist":
                reader.read(0, "message", "How about $160?")
            price = {"init-price": 155.0, "counter-price": 165.0, "insist": 160.0, "agree": 170.0}
            wording = BargainWording(side, sentences, random.Random(n), reader)
            text = wording.words(act, price.get(act))
            read = reader.read(0, "message", text)
            assert read.intent == act, text
            assert read.price in (None, price.get(act)), text


def test_splits_are_read_back_and_sentences_do_not_repeat() -> None:
    counts = {"book": 1, "hat": 2, "ball": 3}
    share = {"book": 1, "hat": 0, "ball": 2}
    for seed in range(12):
        own: list[str] = []
        reader = DealActReader(counts)
        for act in ("greet", "inquire", "propose", "disagree", "insist", "unknown"):
            wording = DealWording(sentences(), random.Random(seed), reader, tuple(own))
            text = wording.words(act, share if act in ("propose", "insist") else None)
            read = reader.read(0, text)
            assert read.act == act, text
            assert read.share is None or read.share == share
            own.append(text)
        assert len(set(own)) == len(own)
        partner = reader.read(1, "deal, sounds good")
        assert partner.act == AGREE
    used = recognised(sentences(), own)
    assert sum(used.values()) >= len(own)


def test_acts_of_deals_follow_from_what_was_said_before() -> None:
    reader = DealActReader({"book": 1, "hat": 2, "ball": 3})
    said = [
        (0, "hello there"),
        (1, "what would you like?"),
        (0, "i want the book and 2 balls, you can have the rest"),
        (1, "no, sorry"),
        (0, "i really need the book and 2 balls, the rest is yours"),
        (1, "i take both hats and 1 ball, you get the rest, deal"),
        (1, "i take all of the balls, you get the rest"),
    ]
    found = [reader.read(*each) for each in said]
    assert [each.act for each in found] == [
        "greet", "inquire", "propose", "disagree", "insist", "agree", "propose",
    ]  # fmt: skip
    assert found[2].share == {"book": 1, "hat": 0, "ball": 2}
    assert found[6].share == {"book": 1, "hat": 2, "ball": 0}
    assert reader.share_of(1, {"book": 1, "hat": 2, "ball": 0}) == {"book": 0, "hat": 0, "ball": 3}


def test_a_broken_network_is_told_and_agents_are_found_by_name(tmp_path: Path) -> None:
    for kind, (agent, *_) in GAMES.items():
        assert TALKERS.get(kind) is TALKERS.get(f"{kind}-reinforce") is agent
    made = tiny_checkpoint(tmp_path, "deal-acts")
    broken = DealActsAgent([made], CPU)
    with torch.no_grad():
        for weight in broken._members[0][1].parameters():
            weight.fill_(float("nan"))
    scenario = Scenario(id="S", game="deal_or_no_deal", kbs=(DEAL_KB, DEAL_KB))
    place = Place("d", 0, scenario, VirtualClock(), random.Random(1))
    for heat in (0.0, 1.0):
        with pytest.raises(CheckpointError, match="not finite"):
            broken.reply(place, [], random.Random(1), Decoding(temperature=heat))
    with pytest.raises(CheckpointError, match="plays 'deal_or_no_deal'"):
        BargainActsAgent([made], CPU)


def test_a_message_can_come_with_an_offer(tmp_path: Path) -> None:
    agent = BargainActsAgent([tiny_checkpoint(tmp_path, "bargain-acts", seed=3)], CPU)
    scenario = Scenario(id="S", game="craigslist_bargain", kbs=tuple(kbs()))
    place = Place("d", 0, scenario, VirtualClock(), random.Random(1))
    hello = Event(seq=1, time=1.0, seat=1, action=say("x").action, data={"text": "Hello."})
    made = [
        [
            move.action
            for move in agent.reply(place, [hello], random.Random(n), Decoding(temperature=4))
        ]
        for n in range(30)
    ]
    assert ["message", "offer"] in made
    assert ["message"] in made
    assert all(actions.count("message") <= 1 for actions in made)


def test_a_diagnosis_has_figures_a_picture_and_samples(tmp_path: Path) -> None:
    checkpoint = tiny_checkpoint(tmp_path / "model", "bargain-acts")
    data = write_bargains(tmp_path / "dev.json", 8, recorded=True)
    found = examine(
        DiagnosisRequest(checkpoint=checkpoint, device=CPU, files=(data,), dialogues=12, samples=2)
    )
    assert [row.title for row in found.tables[0].rows] == ["recorded acts", "parsed acts"]
    assert {column.name for column in found.tables[1].columns} >= {"reward", "agreed", "distinct"}
    acts = {line.head.word for line in found.pictures[0].lines}
    assert {"intro", "counter-price"} <= acts
    for line in found.pictures[0].lines:
        assert 0 < sum(word.weight for word in line.words) <= 1.0001
    assert len(found.samples[0].pairs) == 2
    alone = examine(DiagnosisRequest(checkpoint=checkpoint, device=CPU, dialogues=4))
    assert not alone.tables
    deals = tiny_checkpoint(tmp_path / "deal", "deal-acts")
    played = examine(DiagnosisRequest(checkpoint=deals, device=CPU, dialogues=4))
    assert played.tables[0].title == "How it plays"
    with pytest.raises(CheckpointError, match="cannot hear each other"):
        examine(DiagnosisRequest(checkpoint=deals, device=CPU, against=checkpoint, dialogues=4))
