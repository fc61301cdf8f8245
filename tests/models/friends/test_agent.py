"""The network at a seat of our game: whatever it says, the rules allow it."""

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest
import torch

from palaver.core.clock import VirtualClock
from palaver.core.conversation import Conversation
from palaver.core.dialogue import Dialogue, Seat
from palaver.core.errors import InputError
from palaver.core.events import FAILURE, Event, Move, say
from palaver.core.protocols import Place
from palaver.core.scenario import Scenario
from palaver.evaluation.selfplay import play_many
from palaver.games.mutual_friends.bots import RuleFinder
from palaver.games.mutual_friends.lexicon import Entity
from palaver.games.mutual_friends.rules import MutualFriends
from palaver.models.checkpoints.folder import CheckpointError, open_checkpoint, write_checkpoint
from palaver.models.faces import TALKERS, Decoding
from palaver.models.friends.agent import FriendsAgent, seat_view
from palaver.models.friends.wording import WritingManner, surface
from palaver.models.friends.words import FriendsWords
from palaver.systems.transcript import TranscriptSession

from .toys import CPU, made_example, made_views, tiny_checkpoint

OWN = [{"Name": "Adele", "Hobby": "Chess"}, {"Name": "Boris", "Hobby": "Yoga"}]
THEIRS = [{"Name": "Dinah", "Hobby": "Hiking"}, {"Name": "Boris", "Hobby": "Yoga"}]


@pytest.fixture
def words(tmp_path: Path) -> FriendsWords:
    return made_views(tmp_path)[1]


def scenario(own: Any = OWN, theirs: Any = THEIRS) -> Scenario:
    return Scenario(id="S", game="mutual_friends", kbs=(own, theirs))


def place(seat: int = 0, about: Scenario | None = None) -> Place:
    seen = (about or scenario()).seen_by(seat)
    return Place("d", seat, seen, VirtualClock(), random.Random(5))


def events(*told: tuple[int, Any]) -> list[Event]:
    return [
        Event(
            seq=n,
            seat=seat,
            action="message" if isinstance(what, str) or what is None else "select",
            data={"text": what} if isinstance(what, str) else what and {"item": what},
            time=float(n),
        )
        for n, (seat, what) in enumerate(told, start=1)
    ]


def agent(folder: Path, words: FriendsWords, *, seed: int = 1, ends: float = 9.0) -> FriendsAgent:
    """One that says little at a time."""
    return FriendsAgent([ending(folder, words, seed=seed, ends=ends)], CPU)


def ending(
    folder: Path, words: FriendsWords, *, seed: int, ends: float = 9.0, selects: float = 1.0
):
    return tiny_checkpoint(folder, words, seed=seed, spread=0.5, ends=ends, selects=selects)


def reply(
    agent: FriendsAgent, said: list[Event], *, at: Place | None = None, seed: int = 3
) -> Move:
    (move,) = agent.reply(at or place(), said, random.Random(seed), Decoding(temperature=1.0))
    return move


class Seated:
    def __init__(self, agent: FriendsAgent) -> None:
        self.agent = agent

    def new_session(self, place: Place) -> "SeatedSession":
        return SeatedSession(self, place)

    async def close(self) -> None:
        """Nothing to let go of."""


class SeatedSession(TranscriptSession):
    async def send(self, draft=None):
        told = tuple(self.transcript.events)
        dice = random.Random(f"{self.transcript.place.seat}:{len(told)}")
        return self._system.agent.reply(
            self.transcript.place, told, dice, Decoding(temperature=1.5)
        )


def test_dialogues_with_itself_and_with_the_rule_bot_are_legal(tmp_path, words) -> None:
    scenarios = tuple(scenario(*made_example(n, rows=4)["scenario"]["kbs"]) for n in range(2))
    rules = MutualFriends(scenarios=scenarios)

    async def run(partner) -> list[Dialogue]:
        wild = Seated(FriendsAgent([ending(tmp_path, words, seed=1, selects=12.0)], CPU))
        playing = play_many(
            rules, (wild, partner or wild), names=("one", "other"), seed=1, count=2,
            max_turns=10, concurrency=1, scenarios=scenarios,
        )  # fmt: skip
        return [dialogue async for dialogue in playing]

    dialogues = [*asyncio.run(run(None)), *asyncio.run(run(RuleFinder()))]
    assert not [e for d in dialogues for e in d.events if e.action == FAILURE]
    assert {dialogue.reason for dialogue in dialogues} <= {"complete", "max_turns"}
    assert any(dialogue.reason == "complete" for dialogue in dialogues)


def test_every_move_after_any_talk_is_one_that_the_rules_allow(tmp_path, words) -> None:
    agents = [agent(tmp_path / str(n), words, seed=n, ends=6.0) for n in range(2)]
    dice = random.Random(2)
    texts = ["", "Boris?", "<select> <item>", "☃ - -", "chess and yoga " * 30, "two?!"]
    schemas = [
        scenario(),
        scenario([{"Town": "Ghent", "Pet": ["cat", "dog"]}, {"Town": "Lund", "Pet": None}], THEIRS),
        scenario([{"Name": f"n{n}", "Hobby": "Chess"} for n in range(20)], THEIRS),
    ]
    seen = set()
    for number in range(18):
        about = schemas[number % 3]
        seats = [Seat(index=n, kind="system", occupant=f"s{n}") for n in (0, 1)]
        game = Conversation(
            Dialogue(id="d", scenario=about, seats=seats), MutualFriends(scenarios=(about,))
        )
        for _ in range(dice.randrange(6)):
            seat = dice.randrange(2)
            move = say(dice.choice(texts) or ".")
            if dice.random() < 0.3:
                move = Move(action="select", data={"item": dice.choice(about.kb(seat))})
            try:
                game.apply(game.consider(seat, move, 1.0))
            except ValueError:
                continue
            if game.dialogue.is_over:
                break
        if game.dialogue.is_over:
            continue
        told = [event for event in game.dialogue.events if event.visible_to(0)]
        move = reply(agents[number % 2], told, at=place(0, about), seed=number)
        game.consider(0, move, 1.0)
        seen.add(move.action)
    assert seen == {"message", "select"}


def test_a_partners_friend_that_one_has_is_selected(tmp_path, words) -> None:
    speaking = agent(tmp_path, words)
    boris = Move(action="select", data={"item": OWN[1]})
    assert reply(speaking, events((1, "hi"), (1, THEIRS[1]))) == boris
    # Also where one had selected it before, but not last.
    assert reply(speaking, events((0, OWN[1]), (0, OWN[0]), (1, THEIRS[1]))) == boris


def test_nobody_is_selected_twice(tmp_path, words) -> None:
    keen = FriendsAgent([ending(tmp_path, words, seed=1, selects=90.0)], CPU)
    first = reply(keen, events((1, "hi")))
    assert first.action == "select"
    second = reply(keen, events((1, "hi"), (0, first.data["item"]), (1, "no")))
    assert second.action == "select"
    assert second != first
    third = reply(keen, events((0, OWN[0]), (1, "no"), (0, OWN[1]), (1, "no")))
    assert third.action == "message"


def test_no_values_are_named_in_a_second_message_in_a_row(tmp_path, words) -> None:
    speaking = FriendsAgent([tiny_checkpoint(tmp_path, words, spread=0.1, ends=1.0)], CPU)
    names = {"adele", "boris", "chess", "yoga"}

    def named(said: list[Event]) -> int:
        moves = [reply(speaking, said, seed=seed) for seed in range(6)]
        texts = [move.data["text"].lower() for move in moves if move.action == "message"]
        return sum(any(name in text for name in names) for text in texts)

    assert named(events((1, "hi"), (0, "yes"))) > 0
    assert named(events((1, "hi"), (0, "Boris likes yoga"))) == 0


def test_empty_chats_and_erased_messages_are_answered(tmp_path, words) -> None:
    speaking = agent(tmp_path, words)
    assert reply(speaking, [])
    erased = events((1, "hi"), (1, None), (0, "hello"), (1, None))
    assert reply(speaking, erased)
    view = seat_view(place(), erased, words)
    assert [(len(e.heard), len(e.said)) for e in view.exchanges] == [(2, 2)]


def test_the_same_dice_give_the_same_move(tmp_path, words) -> None:
    speaking, said = agent(tmp_path, words), events((1, "do you like chess?"))
    again = FriendsAgent([open_checkpoint(tmp_path)], CPU)
    assert reply(speaking, said) == reply(again, said)
    assert len({str(reply(speaking, said, seed=n)) for n in range(8)}) > 1


def test_a_seat_without_a_table_is_told(tmp_path, words) -> None:
    for table in (None, [], {"Name": "Ida"}, "friends"):
        with pytest.raises(InputError, match="scenario 'S': A table of MutualFriends is a list"):
            reply(agent(tmp_path, words), [], at=place(0, scenario(table)))


def test_several_speak_as_one_if_they_know_the_same_words(tmp_path, words) -> None:
    both = [ending(tmp_path / str(n), words, seed=n) for n in range(2)]
    assert reply(FriendsAgent(both, CPU), events((1, "chess?")))
    (tmp_path / "other").mkdir()
    _, others = made_views(tmp_path / "other", 2)
    with pytest.raises(CheckpointError, match="other vocabularies"):
        FriendsAgent([both[0], tiny_checkpoint(tmp_path / "b", others)], CPU)


def test_weights_that_are_not_finite_are_told(tmp_path, words) -> None:
    whole = tiny_checkpoint(tmp_path / "whole", words)
    weights = {name: weight * torch.nan for name, weight in whole.weights().items()}
    settings = {"model": whole.model, "recipe": whole.recipe}
    write_checkpoint(tmp_path / "b", settings=settings, words=whole.words, weights=weights)
    with pytest.raises(CheckpointError, match="not finite"):
        reply(FriendsAgent([open_checkpoint(tmp_path / "b")], CPU), [])


def test_it_is_found_by_the_kind_of_model() -> None:
    assert TALKERS.get("friends-graph") is FriendsAgent


def test_values_are_written_as_they_were_by_the_square_of_how_often() -> None:
    chess = Entity("Hobby", "Chess")
    dice = random.Random(1)
    drawn = [surface(chess, {chess: {"chess": 3, "a game": 1}}, dice) for _ in range(400)]
    assert 0.85 < drawn.count("chess") / 400 < 0.95
    assert surface(chess, {}, dice) == "Chess"


def test_a_manner_stays_through_a_dialogue_and_differs_between_them() -> None:
    manners = {WritingManner.by_lot(random.Random(f"d{n}:0:manner")) for n in range(20)}
    assert len(manners) == 4
