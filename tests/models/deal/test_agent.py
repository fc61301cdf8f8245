"""The agent at a seat: whatever its network says, its moves are legal, and alike for the same dice."""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

from palaver.core.clock import VirtualClock
from palaver.core.conversation import Conversation
from palaver.core.dialogue import Dialogue, Seat
from palaver.core.errors import InputError
from palaver.core.events import FAILURE, Event, Move, say
from palaver.core.protocols import DraftListener, Place
from palaver.core.scenario import Scenario
from palaver.evaluation.selfplay import play_many
from palaver.games.deal_or_no_deal.bots import RandomDealer
from palaver.games.deal_or_no_deal.generator import DealGenerator
from palaver.games.deal_or_no_deal.rules import DealOrNoDeal, choices
from palaver.models.checkpoints.folder import CheckpointError, open_checkpoint, write_checkpoint
from palaver.models.deal.agent import DealAgent, read_seat
from palaver.models.deal.averaging import AveragedNetworks
from palaver.models.deal.kinds import network_of
from palaver.models.faces import TALKERS, Decoding
from palaver.models.vocabulary import Vocabulary

from .toys import WORDS, tiny_checkpoint

CPU = torch.device("cpu")
VALUES = ({"book": 4, "hat": 2, "ball": 0}, {"book": 0, "hat": 1, "ball": 3})
COUNTS = {"book": 2, "hat": 1, "ball": 3}


def scenario(order: Sequence[str] = ("book", "hat", "ball")) -> Scenario:
    kbs = tuple(
        [{"Name": item, "Count": COUNTS[item], "Value": side[item]} for item in order]
        for side in VALUES
    )
    return Scenario(id="S", game="deal_or_no_deal", kbs=kbs)


def place(seat: int = 0, about: Scenario | None = None) -> Place:
    seen = (about or scenario()).seen_by(seat)
    return Place("d", seat, seen, VirtualClock(), random.Random(5))


def told(*said: tuple[int, str]) -> list[Event]:
    return [
        Event(seq=n, seat=seat, action="message", data={"text": text}, time=float(n))
        for n, (seat, text) in enumerate(said, start=1)
    ]


def agent(
    folder: Path,
    model: str = "deal-talk",
    *,
    seed: int = 1,
    spread: float = 0.5,
    ends: float = 0.0,
) -> DealAgent:
    return DealAgent([tiny_checkpoint(folder, model, seed=seed, spread=spread, ends=ends)], CPU)


def reply(
    agent: DealAgent, events: Sequence[Event], *, at: Place | None = None, heat: float = 1.0
) -> list[Move]:
    return agent.reply(at or place(), events, random.Random(3), Decoding(temperature=heat))


@dataclass
class Seated:
    """A system that asks an agent for its moves."""

    agent: DealAgent
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


def play(one: Seated, other: Seated | RandomDealer, count: int) -> list[Dialogue]:
    rules = DealOrNoDeal(scenarios=tuple(DealGenerator().generate(count, random.Random(7))))

    async def run() -> list[Dialogue]:
        playing = play_many(
            rules,
            (one, other),
            names=("one", "other"),
            seed=7,
            count=count,
            max_turns=rules.usual_turns,
            concurrency=1,
            scenarios=rules.scenarios,
        )
        return [dialogue async for dialogue in playing]

    return asyncio.run(run())


@pytest.mark.parametrize("seed", [1, 2])
def test_whatever_the_network_says_a_dialogue_is_legal_and_comes_to_an_end(
    tmp_path: Path, seed: int
) -> None:
    wild = Seated(agent(tmp_path, seed=seed, spread=1.0, ends=6.0), Decoding(temperature=1.5))
    dialogues = [*play(wild, wild, 2), *play(wild, RandomDealer(), 2)]
    assert {dialogue.reason for dialogue in dialogues} == {"complete"}
    assert not [e for d in dialogues for e in d.events if e.action == FAILURE]
    assert any(len(choices(dialogue.events)) == 2 for dialogue in dialogues)


def test_so_it_is_with_rollouts_and_a_transformer(tmp_path: Path) -> None:
    wild = agent(tmp_path, "deal-transformer", seed=12, ends=4.0)
    decoding = Decoding(temperature=1.5, candidates=2, continuations=1)
    dialogues = play(Seated(wild, decoding), RandomDealer(), 2)
    assert not [e for d in dialogues for e in d.events if e.action == FAILURE]


def test_every_move_after_any_talk_is_one_that_the_rules_allow(tmp_path: Path) -> None:
    agents = [agent(tmp_path / str(n), seed=n, spread=1.0, ends=1.0) for n in range(4)]
    chance = random.Random(11)
    texts = ["", "all", "OK. ¿?", "<selection>", "YOU: 2hats", "☃ <eos> <pad>", "maybe " * 20]
    seen = set()
    for number in range(30):
        seats = [Seat(index=n, kind="system", occupant=f"s{n}") for n in (0, 1)]
        about = next(DealGenerator().generate(1, chance))
        conversation = Conversation(
            Dialogue(id="d", scenario=about, seats=seats), DealOrNoDeal(scenarios=(about,))
        )
        first, own = chance.randrange(2), chance.randrange(2)
        for turn in range(chance.randrange(24)):
            text = chance.choice(texts) or "."
            conversation.apply(conversation.consider((first + turn) % 2, say(text), 1.0))
        if own not in conversation.movers():
            if conversation.dialogue.message_counts.get(1 - own):
                counts = {row["Name"]: row["Count"] for row in about.kb(0)}
                marks = Move(action="select", data={"take": counts})
                conversation.apply(conversation.consider(1 - own, marks, 1.0))
            else:
                continue
        events = [e for e in conversation.dialogue.events if e.visible_to(own)]
        moves = agents[number % 4].reply(
            place(own, about), events, chance, Decoding(temperature=chance.choice([0, 0.5, 2]))
        )
        for move in moves:
            conversation.consider(own, move, 1.0)
            seen.add(move.action)
    assert seen == {"message", "select", "quit"}


def test_the_same_dice_give_the_same_moves(tmp_path: Path) -> None:
    speaking = agent(tmp_path)
    again = DealAgent([open_checkpoint(tmp_path)], CPU)
    said = told((1, "all"), (0, "none"), (1, "ok"))
    assert reply(speaking, said) == reply(again, said)
    others = {
        str(speaking.reply(place(), said, random.Random(n), Decoding(temperature=1)))
        for n in range(20)
    }
    assert len(others) > 1
    greedy = {
        str(speaking.reply(place(), said, random.Random(n), Decoding(temperature=0)))
        for n in range(5)
    }
    assert len(greedy) == 1


def test_a_partner_who_has_marked_is_answered_with_a_mark_and_oneself_with_silence(
    tmp_path: Path,
) -> None:
    speaking = agent(tmp_path)
    said = told((1, "all"), (0, "none"))
    (move,) = reply(speaking, said)
    assert move.action == "select"
    assert all(0 <= move.data["take"][item] <= count for item, count in COUNTS.items())
    marked = Event(seq=3, seat=0, action="select", data=move.data, time=3.0)
    assert reply(speaking, [*said, marked]) == []


def test_no_deal_is_said_after_four_messages_of_ones_own_and_not_before(tmp_path: Path) -> None:
    doubtful = next(
        found
        for seed in range(40)
        if reply(
            (found := agent(tmp_path / str(seed), seed=seed, spread=1.0)),
            told(*[(n % 2, "maybe") for n in range(1, 9)]),
        )[0].action
        == "quit"
    )
    early = told((1, "maybe"), (0, "maybe"), (1, "maybe"), (0, "maybe"))
    assert reply(doubtful, early)[0].action == "select"
    assert reply(doubtful, told(*[(n % 2, "maybe") for n in range(1, 9)]))[0].data == {
        "no_deal": True
    }


def test_what_is_said_reaches_the_network_as_its_own_view() -> None:
    said = told((1, "ALL, please"), (1, "ok?"), (0, "None."), (1, ""))
    seat = read_seat(place(0), said, WORDS)
    words = " ".join(WORDS.words[word] for word in seat.words)
    assert words == ("THEM: all <unk> <unk> ok <unk> <eos> YOU: none . <eos> THEM: <unk> <eos>")
    assert seat.context == [2, 4, 1, 2, 3, 0]
    assert (seat.turns, seat.own_messages, seat.must_choose) == (3, 1, False)
    assert read_seat(place(1), said, WORDS).context == [2, 0, 1, 1, 3, 3]


def test_items_may_stand_in_any_order_but_not_be_others(tmp_path: Path) -> None:
    speaking = agent(tmp_path)
    said = told((1, "all"), (0, "none"))
    turned = place(0, scenario(("ball", "book", "hat")))
    assert reply(speaking, said, at=turned) == reply(speaking, said)
    kbs = tuple(
        [{"Name": item, "Count": 1, "Value": 2} for item in ("apple", "hat", "ball")] for _ in "ab"
    )
    with pytest.raises(InputError, match=r"have learnt of book, hat and ball.*apple, hat and ball"):
        reply(speaking, [], at=place(0, Scenario(id="S", game="deal_or_no_deal", kbs=kbs)))
    with pytest.raises(InputError, match="have learnt of book, hat and ball"):
        reply(speaking, [], at=place(0, Scenario(id="S", game="deal_or_no_deal")))
    many = tuple(
        [{"Name": item, "Count": 30, "Value": 2} for item in ("book", "hat", "ball")] for _ in "ab"
    )
    with pytest.raises(InputError, match="0 to 10"):
        reply(speaking, [], at=place(0, Scenario(id="S", game="deal_or_no_deal", kbs=many)))


def test_several_networks_speak_as_one_with_the_mean_of_their_probabilities(tmp_path: Path) -> None:
    checkpoints = [
        tiny_checkpoint(tmp_path / "a", seed=1),
        tiny_checkpoint(tmp_path / "b", "deal-transformer", seed=2),
    ]
    members = [network_of(each) for each in checkpoints]
    both = AveragedNetworks(members)
    contexts = torch.tensor([[2, 4, 1, 2, 3, 0]])
    words = torch.tensor([[2, 7, 4, 3, 6, 4]])
    with torch.no_grad():
        wanted = torch.stack([m(contexts, words).softmax(-1) for m in members]).mean(0)
        assert torch.allclose(both(contexts, words).softmax(-1), wanted, atol=1e-6)
        state = both.begin(contexts)
        for number in range(6):
            logits, state = both.step(words[:, number], state)
            assert torch.allclose(logits.softmax(-1), wanted[:, number], atol=1e-5)
        slots = both.choose(contexts, words, torch.tensor([6])).exp()
        assert torch.allclose(slots.sum(-1), torch.ones(1, 6), atol=1e-5)
    assert reply(DealAgent(checkpoints, CPU), told((1, "all")))


def test_networks_with_other_words_cannot_speak_as_one(tmp_path: Path) -> None:
    other = Vocabulary([*WORDS.words, "more"])
    checkpoints = [
        tiny_checkpoint(tmp_path / "a"),
        tiny_checkpoint(tmp_path / "b", words=other),
    ]
    with pytest.raises(CheckpointError, match="other vocabularies"):
        DealAgent(checkpoints, CPU)


def test_weights_that_are_not_finite_are_told(tmp_path: Path) -> None:
    whole = tiny_checkpoint(tmp_path / "whole")
    broken = {name: weight * float("nan") for name, weight in whole.weights().items()}
    settings = {"model": whole.model, "recipe": whole.recipe}
    write_checkpoint(tmp_path / "b", settings=settings, words=whole.words, weights=broken)
    with pytest.raises(CheckpointError, match="not finite"):
        reply(DealAgent([open_checkpoint(tmp_path / "b")], CPU), [])
    with pytest.raises(CheckpointError, match="not finite"):
        reply(DealAgent([open_checkpoint(tmp_path / "b")], CPU), told((1, "all"), (0, "none")))


def test_it_is_found_by_the_kind_of_model() -> None:
    assert TALKERS.get("deal-talk") is TALKERS.get("deal-transformer") is DealAgent


def test_a_small_nucleus_leaves_the_likeliest_word(tmp_path: Path) -> None:
    talks = agent(tmp_path, ends=2.0)
    events = told((1, "all ?"))
    greedy = talks.reply(place(), events, random.Random(3), Decoding(temperature=0.0))
    for seed in range(5):
        narrow = Decoding(temperature=3.0, nucleus=0.001)
        assert talks.reply(place(), events, random.Random(seed), narrow) == greedy
    wide = {
        str(talks.reply(place(), events, random.Random(seed), Decoding(temperature=3.0)))
        for seed in range(5)
    }
    assert len(wide) > 1
