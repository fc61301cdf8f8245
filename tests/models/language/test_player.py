"""A language model at a seat: whatever it writes, its moves are legal, and games come to an end."""

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from palaver.core.clock import VirtualClock
from palaver.core.errors import InputError
from palaver.core.events import FAILURE, MESSAGE, Event, Move
from palaver.core.protocols import Place
from palaver.core.scenario import Scenario
from palaver.evaluation.selfplay import play_many
from palaver.games.game import GAMES, Setting
from palaver.models.checkpoints.folder import Checkpoint
from palaver.models.connectors.checkpoint import CheckpointChatOptions, CheckpointSystem
from palaver.models.faces import Decoding
from palaver.models.language.player import LanguagePlayer
from support.bargains import LAMP
from support.friends import small_scenario
from support.tiny_language import CPU, GAME_NAMES

HOT = Decoding(temperature=1.0)


def place(scenario: Scenario, seat: int = 0) -> Place:
    return Place("d", seat, scenario.seen_by(seat), VirtualClock(), random.Random(5))


def events(*made: tuple[int, str, dict[str, object]]) -> list[Event]:
    return [
        Event(seq=n, seat=seat, action=action, data=data, time=float(n))
        for n, (seat, action, data) in enumerate(made, start=1)
    ]


def say(seat: int, text: str) -> tuple[int, str, dict[str, object]]:
    return seat, MESSAGE, {"text": text}


class Writes:
    """Has a player draw given replies, one after the other."""

    def __init__(self, player: LanguagePlayer, *replies: str) -> None:
        self.player, self.replies = player, list(replies)
        player._drawn = lambda *_: self.replies.pop(0)  # type: ignore[method-assign]

    def reply(self, where: Place, seen: Sequence[Event]) -> list[Move]:
        return self.player.reply(where, seen, random.Random(1), HOT)


@pytest.mark.parametrize("name", GAME_NAMES)
def test_no_move_is_illegal_and_games_end(players: dict[str, Checkpoint], name: str) -> None:
    game = GAMES.get(name)
    rules = game.options_type().rules(Setting(), folder=game.folder)
    options = CheckpointChatOptions(checkpoint=players[name].folder, temperature=1.0)

    async def held() -> list:
        systems = [CheckpointSystem(options, folder=Path()) for _ in range(2)]
        assert systems[0].only_game == name
        found = play_many(rules, systems, names=["a", "b"], seed=1, count=1, max_turns=6)
        return [each async for each in found]

    [dialogue] = asyncio.run(held())
    assert dialogue.is_over
    assert dialogue.message_count
    assert not [event for event in dialogue.events if event.action == FAILURE]


def test_the_same_dice_write_the_same(players: dict[str, Checkpoint]) -> None:
    player = LanguagePlayer([players["mutual_friends"]], CPU)
    where, seen = place(small_scenario()), events(say(1, "hello, any chess players?"))
    one, again = (player.reply(where, seen, random.Random(3), HOT) for _ in range(2))
    assert one == again != []
    assert player.reply(where, seen, random.Random(4), HOT) != one
    with pytest.raises(InputError, match="tries no messages out"):
        player.reply(where, seen, random.Random(3), Decoding(candidates=3))


def test_an_offer_is_answered_whatever_it_would_say(players: dict[str, Checkpoint]) -> None:
    player = LanguagePlayer([players["craigslist_bargain"]], CPU)
    seen = events(say(0, "would you take 30?"), (1, "offer", {"price": 35}))
    [move] = Writes(player).reply(place(LAMP), seen)
    assert move.action in ("accept", "reject")


def test_where_the_partner_has_marked_the_deal_nothing_is_left_but_to_do_so(
    players: dict[str, Checkpoint],
) -> None:
    player = LanguagePlayer([players["deal_or_no_deal"]], CPU)
    scenario = player._rules.scenarios[0]
    seen = events(say(0, "I take the hat"), say(1, "fine"), say(0, "deal"))
    [move] = Writes(player).reply(place(scenario), seen)
    assert move.action == "select"
    counts = {row["Name"]: row["Count"] for row in scenario.kb(0)}
    assert move.data is not None
    assert all(0 <= move.data["take"][item] <= count for item, count in counts.items())


def test_what_cannot_be_understood_is_drawn_anew_and_then_said_without_its_tag(
    players: dict[str, Checkpoint],
) -> None:
    player = LanguagePlayer([players["mutual_friends"]], CPU)
    where, seen = place(small_scenario()), events(say(1, "hello"))
    # Two tags, a friend that is not there, then one that is.
    found = Writes(player, "a <quit> b <quit>", "he? <select> 9", "Adele! <select> 1")
    moves = found.reply(where, seen)
    assert [move.action for move in moves] == [MESSAGE, "select"]
    assert not found.replies
    [told] = Writes(player, *["maybe <select> 9"] * 4).reply(where, seen)
    assert told.data == {"text": "maybe"}
    assert Writes(player, *["<select> 9"] * 4).reply(where, seen) == []
    [long] = Writes(player, "a" * 5000).reply(where, seen)
    assert long.data == {"text": "a" * 2000}


def test_a_move_is_made_where_its_words_would_take_the_turn(
    players: dict[str, Checkpoint],
) -> None:
    dealer = LanguagePlayer([players["deal_or_no_deal"]], CPU)
    scenario = dealer._rules.scenarios[0]
    take = " ".join(str(row["Count"]) for row in scenario.kb(0))
    said = events(say(0, "all for me"), say(1, "fine, deal"))
    moves = Writes(dealer, f"great <select> {take}").reply(place(scenario), said)
    assert [move.action for move in moves] == ["select"]
    bargainer = LanguagePlayer([players["craigslist_bargain"]], CPU)
    said = events(say(0, "20?"), say(1, "fine, 25"))
    moves = Writes(bargainer, "great <offer> 25").reply(place(LAMP), said)
    assert [move.action for move in moves] == [MESSAGE, "offer"]
    # It has nothing to accept yet, and never does.
    [told] = Writes(bargainer, *["yes <accept>"] * 4).reply(place(LAMP), said)
    assert told.data == {"text": "yes"}


def test_several_do_not_play_as_one(players: dict[str, Checkpoint]) -> None:
    both = [players["craigslist_bargain"], players["mutual_friends"]]
    with pytest.raises(InputError, match="answers alone; got 2 checkpoints"):
        LanguagePlayer(both, CPU)
