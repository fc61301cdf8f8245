"""Self-play in lock step: legal whatever networks say, and what either side hears of it."""

from itertools import pairwise

import pytest
import torch

from palaver.core.conversation import Conversation
from palaver.core.dialogue import Dialogue, Seat
from palaver.core.errors import InputError
from palaver.core.events import Move, say
from palaver.core.scenario import Scenario
from palaver.games.mutual_friends.rules import MutualFriends, selections
from palaver.models.chats import read_chats
from palaver.models.friends.agent import said_tokens
from palaver.models.friends.figures import per_search, search_figures
from palaver.models.friends.graphs import ROW
from palaver.models.friends.pairs import PairTensors, TablePair, pairs_of, read_pairs
from palaver.models.friends.self_play import (
    FriendSeeker,
    SoughtFriends,
    heard_turn,
    seek,
    seek_all,
)
from palaver.models.friends.speech import MOST_SAID, Floor, Wording, drafted_turn
from palaver.models.friends.tensors import TurnTensors
from palaver.models.friends.tokens import END, SELECT
from palaver.models.friends.words import GO_NUMBER, ITEM_NUMBER, PAD_NUMBER, FriendsWords
from palaver.models.sampling import ChanceStream

from .toys import CPU, made_tensors, made_views, table, tiny_network, write_made_chats


class Terse(torch.nn.Module):
    """A network that ends its messages soon, and selects often."""

    def __init__(self, network, *, selects: float = 8.0, ends: float = 12.0) -> None:
        super().__init__()
        self.network, self.selects, self.ends = network, selects, ends

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__("network"), name)

    def step(self, words, nodes, draft):
        logits, new = self.network.step(words, nodes, draft)
        more = torch.zeros_like(logits)
        more[:, 3], more[:, 4] = self.ends, self.selects
        return logits + more, new


def pairs_and_words(folder, count: int = 5) -> tuple[list[TablePair], FriendsWords]:
    chats = read_chats([write_made_chats(folder / "made.json", count)])
    _, words = made_views(folder, count)
    return pairs_of(chats), words


def replayed(played: SoughtFriends, row: int, words: FriendsWords) -> Conversation:
    """The dialogue by the rules of the game, which refuse what is illegal."""
    pair = played.pairs[row]
    kbs = [[{e.attribute: e.value for e in friend} for friend in t.rows] for t in pair.tables]
    about = Scenario(id="s", game="mutual_friends", kbs=tuple(kbs))
    seats = [Seat(index=n, kind="system", occupant=f"s{n}") for n in (0, 1)]
    rules = MutualFriends(scenarios=(about,), taking="alternate")
    game = Conversation(Dialogue(id="d", scenario=about, seats=seats), rules)
    chosen: list[set[int]] = [set(), set()]
    for number, turn in enumerate(played.turns[: int(played.moves[row])]):
        side = number % 2
        tokens = list(said_tokens(turn, row, pair.nodes(side), words))
        assert tokens
        last = selections(game.dialogue.events)
        wanted = last.get(1 - side)
        if wanted in kbs[side] and wanted != last.get(side):
            assert kbs[side][tokens[0].row] == wanted
        if tokens[0].row is None:
            game.apply(
                game.consider(side, say(" ".join(t.word or t.entity.value for t in tokens)), 1.0)
            )
            continue
        (only,) = tokens
        assert only.row not in chosen[side] or kbs[side][only.row] == wanted
        chosen[side].add(only.row)
        game.apply(
            game.consider(side, Move(action="select", data={"item": kbs[side][only.row]}), 1.0)
        )
    return game


@pytest.mark.parametrize("way", [{}, {"feed": True}, {"update": False, "compare": "product"}])
def test_wild_networks_play_by_the_rules(tmp_path, way) -> None:
    pairs, words = pairs_and_words(tmp_path)
    sides = tuple(
        FriendSeeker(network=Terse(tiny_network(words, seed=n, spread=1.0, **way)), temperature=2.0)
        for n in (1, 2)
    )
    dice = torch.Generator().manual_seed(1)
    (played,) = seek_all(sides, pairs, words, dice, device=CPU, most_moves=16)
    games = [replayed(played, row, words) for row in range(len(pairs))]
    assert [game.dialogue.is_over for game in games] == played.found.tolist()
    assert played.found.any()
    assert [
        sum(event.action == "select" for event in game.dialogue.events) for game in games
    ] == played.selections.tolist()


def test_what_is_selected_ends_a_dialogue_only_where_both_select_it(tmp_path) -> None:
    pairs, words = pairs_and_words(tmp_path)
    always = FriendSeeker(network=Terse(tiny_network(words), selects=90.0), temperature=0.0)
    (played,) = seek_all((always, always), pairs, words, torch.Generator(), device=CPU)
    # Of four rows each, one is the friend's: whoever selects it is answered with it.
    assert played.found.all()
    assert int(played.moves.max()) <= 8
    assert torch.equal(played.moves, played.selections)


def test_a_message_is_no_longer_than_it_may_be_and_a_selection_may_be_forbidden(tmp_path) -> None:
    tensors, words = made_tensors(tmp_path)
    network = tiny_network(words)
    network.predict.bias.data[3] = -90.0
    batch = tensors.taken(torch.arange(4))
    floor = Floor.open(batch.graphs)
    nobody = Floor(
        selectable=torch.zeros_like(floor.selectable),
        forced=torch.tensor([-1, -1, 2, -1]),
        may_name=torch.tensor([True, False, True, True]),
        is_silent=torch.tensor([False, False, False, True]),
    )
    chances = ChanceStream(torch.Generator().manual_seed(1), 4, CPU)
    with torch.no_grad():
        state = network.begin(batch.graphs)
        turn = drafted_turn(network, state, batch.graphs, nobody, Wording.of(words, 1.0), chances)
    assert turn.sizes.tolist() == [MOST_SAID + 2, MOST_SAID + 2, 4, 0]
    assert (turn.words[:3, 0] == GO_NUMBER).all()
    marks = {words.vocabulary.words[n] for n in turn.words[1].tolist() if n < words.marks}
    assert marks == {"<go>", END, "<pad>"} - ({"<pad>"} if turn.words.shape[1] == 62 else set())
    assert (turn.nodes[1] == -1).all()
    assert [words.vocabulary.words[n] for n in turn.words[2, 1:4].tolist()] == [
        SELECT,
        "<item>",
        END,
    ]
    assert turn.nodes[2, 2] == 2
    assert (turn.nodes[0] >= 0).any()
    assert not (
        (batch.graphs.kinds[0] == ROW)[turn.nodes[0].clamp(min=0)] & (turn.nodes[0] >= 0)
    ).any()


def test_a_partner_hears_values_as_its_own_nodes_and_a_selection_as_values(tmp_path) -> None:
    _, words = made_views(tmp_path)
    one = table(("Adele", "Chess"), ("Boris", "Yoga"))
    other = table(("Dinah", "Hiking"), ("Boris", "Yoga"))
    tensors = PairTensors.of([TablePair("t", (one, other))] * 2, words, CPU)
    speaker, nodes = tensors.sides[0], tensors.pairs[0].nodes(0)
    heard_by = tensors.pairs[0].nodes(1)
    chess = next(n for n, entity in nodes.values if entity.value == "Chess")
    said = words.vocabulary.number("likes")
    turn = TurnTensors(
        torch.tensor(
            [[2, said, words.entity_number(nodes.entity(chess)), 3], [2, 4, ITEM_NUMBER, 3]]
        ),
        torch.tensor([[-1, -1, chess, -1], [-1, -1, 1, -1]]),
        torch.tensor([4, 4]),
        torch.tensor([4, 4]),
    )

    heard = heard_turn(turn, torch.tensor([-1, 1]), speaker)

    assert heard.lengths.tolist() == [3, 4]
    assert heard_by.entity(int(heard.nodes[0, 1])) == nodes.entity(chess)
    assert [heard_by.entity(n) for n in heard.nodes[1, 1:3].tolist()] == list(one.rows[1])
    assert heard.words[1].tolist()[0] == 4
    assert heard.words[1].tolist()[3] == 3
    assert heard.words[0, 3] == PAD_NUMBER
    assert speaker.same.tolist() == [[-1, 1], [-1, 1]]


def test_the_same_dice_play_the_same_dialogues(tmp_path) -> None:
    pairs, words = pairs_and_words(tmp_path)
    side = FriendSeeker(network=Terse(tiny_network(words, spread=0.5)), temperature=1.0)

    def played(seed: int) -> list[list[list[int]]]:
        tensors = PairTensors.of(pairs, words, CPU)
        found = seek(
            (side, side), tensors, words, torch.Generator().manual_seed(seed), most_moves=6
        )
        return [turn.words.tolist() for turn in found.turns]

    assert played(1) == played(1) != played(2)


def test_a_network_whose_numbers_are_not_finite_finds_nobody(tmp_path) -> None:
    pairs, words = pairs_and_words(tmp_path)
    broken = tiny_network(words)
    broken.predict.bias.data.fill_(float("nan"))
    side = FriendSeeker(network=broken)
    (played,) = seek_all((side, side), pairs, words, torch.Generator(), device=CPU)
    assert not played.found.any()
    assert not played.moves.any()


def test_figures_of_self_play_are_counted_by_dialogue(tmp_path) -> None:
    pairs, words = pairs_and_words(tmp_path)
    side = FriendSeeker(
        network=Terse(tiny_network(words, spread=0.5), selects=1.0, ends=3.0), temperature=1.0
    )
    dice = torch.Generator().manual_seed(3)
    played = seek_all((side, side), pairs, words, dice, device=CPU, most_moves=10)
    said = [
        [
            tuple(words.vocabulary.words[n] for n in turn.words[row].tolist() if n)
            for turn in played[0].turns
        ]
        for row in range(len(pairs))
    ]
    messages = [m[1:-1] for each in said for m in each if m and m[1] != SELECT]
    figures = {figure.name: figure for figure in search_figures(played)}
    assert figures["found"].value == pytest.approx(played[0].found.double().mean().item())
    assert figures["moves"].value == pytest.approx(played[0].moves.double().mean().item())
    assert figures["words_per_message"].value == pytest.approx(
        sum(map(len, messages)) / len(messages)
    )
    assert figures["distinct"].value == pytest.approx(len(set(messages)) / len(messages))
    pairs_said = [pair for m in messages for pair in pairwise(m)]
    assert figures["distinct_pairs"].value == pytest.approx(len(set(pairs_said)) / len(pairs_said))
    assert per_search(played).soon.sum() <= per_search(played).found.sum()
    assert figures["found"].n == len(pairs)


def test_scenarios_are_read_from_files_of_ours_and_of_cocoa(tmp_path) -> None:
    file = write_made_chats(tmp_path / "chats.json", 3)
    read = read_pairs(file)
    assert [pair.tables for pair in read] == [p.tables for p in pairs_of(read_chats([file]))]
    (tmp_path / "none.json").write_text('[{"uuid": "S"}]')
    with pytest.raises(InputError, match="scenario 1 has no 'kbs' of two tables"):
        read_pairs(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text('[{"kbs": [[], []]}]')
    with pytest.raises(InputError, match="scenario 1: A table of MutualFriends"):
        read_pairs(tmp_path / "bad.json")
