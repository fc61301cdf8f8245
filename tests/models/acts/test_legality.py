"""Nothing illegal can be said: every turn that a random network says is one that the games allow."""

import dataclasses
import itertools
from typing import Any

import pytest
import torch

from palaver.core.conversation import Conversation
from palaver.core.dialogue import Dialogue, Seat
from palaver.core.events import Move, say
from palaver.core.scenario import Scenario
from palaver.games.craigslist_bargain.rules import CraigslistBargain
from palaver.games.craigslist_bargain.sides import BargainSide
from palaver.games.deal_or_no_deal.rules import DealOrNoDeal
from palaver.models.acts.bargain_game import BargainActs
from palaver.models.acts.bargain_table import BargainTable
from palaver.models.acts.bargain_words import MESSAGES, MOVES, PRICED, scenario_numbers
from palaver.models.acts.deal_game import DealActs
from palaver.models.acts.deal_reading import MESSAGES as DEAL_MESSAGES
from palaver.models.acts.deal_reading import QUIT_ACT, SELECT_ACT, SHARING
from palaver.models.acts.deal_table import DealActTable
from palaver.models.acts.grammar import BEGIN, END_NUMBER, PAD_NUMBER
from palaver.models.acts.self_play import MOST_TURNS, ActPlayer, HeldActs, play
from palaver.models.acts.speaking import allowed_logits, likeliest_turn
from palaver.models.bargain.pricing import scaled_of
from palaver.models.deal.network import ITEMS

from .made import CPU, SCALED, dice, game, scenarios, tiny_network


def held(kind: str, seed: int, rows: int = 20) -> list[HeldActs]:
    first, second = (tiny_network(kind, seed=seed + n, spread=1.5) for n in (0, 50))
    sides = ActPlayer(first, 1.0), ActPlayer(second, 2.0)
    return play(game(kind), sides, scenarios(kind, rows, seed=seed), dice(seed), device=CPU)


def conversation(kbs: Any, name: str, rules: Any) -> Conversation:
    scenario = Scenario(id="S", game=name, kbs=tuple(kbs))
    seats = [Seat(index=n, kind="system", occupant=f"s{n}") for n in (0, 1)]
    return Conversation(Dialogue(id="d", scenario=scenario, seats=seats), rules)


def make(talk: Conversation, seat: int, move: Move) -> None:
    talk.apply(talk.consider(seat, move, 1.0 + talk.dialogue.position))


def bargain_kbs(numbers: list[list[float]]) -> list[Any]:
    return [
        {
            "personal": {"Role": "buyer" if side[0] else "seller", "Target": side[1]},
            "item": {"Category": "phone", "Price": side[2], "Title": "x", "Description": []},
        }
        for side in numbers
    ]


@pytest.mark.parametrize("seed", [1, 2])
def test_the_rules_of_a_bargain_allow_all_that_random_networks_do(seed: int) -> None:
    ends = set()
    for batch in held("bargain-acts", seed):
        table = batch.table
        assert isinstance(table, BargainTable)
        for row in range(len(batch)):
            talk = conversation(
                bargain_kbs(table.scenarios[row].tolist()),
                "craigslist_bargain",
                CraigslistBargain(),
            )
            for n, turn in enumerate(batch.said):
                side = batch.speaker(n)
                words = [w for w in turn[row].tolist() if w != PAD_NUMBER]
                assert bool(words) == (not talk.dialogue.is_over)
                if not words:
                    continue
                assert words.pop() == END_NUMBER
                named = [BargainActs(SCALED).grammar.words[w] for w in words]
                for at, word in enumerate(named):
                    if scaled_of(word) is not None:
                        assert named[at - 1] in PRICED
                        price = float(table.prices[row, side, words[at]])
                        assert 0 < price <= 1.5 * table.scenarios[row, side, 1:3].max()
                        continue
                    assert (word in PRICED) == (
                        at + 1 < len(named) and scaled_of(named[at + 1]) is not None
                    )
                    if word == "offer":
                        price = float(table.prices[row, side, words[at + 1]])
                        make(talk, side, Move(action="offer", data={"price": price}))
                    else:
                        make(talk, side, Move(action=word) if word in MOVES else say(word))
            assert talk.dialogue.is_over, "patience ends with a move"
            agreed = bool(talk.dialogue.outcome.get("agreed"))
            assert agreed == bool(table.is_agreed[row])
            if agreed:
                assert talk.dialogue.outcome["offer"]["price"] == float(table.offered[row])
            ends.add(agreed)
    assert ends == {True, False}


@pytest.mark.parametrize("seed", [1, 2])
def test_the_rules_of_deals_allow_all_that_random_networks_do(seed: int) -> None:
    words = DealActs().grammar.words
    for batch in held("deal-acts", seed):
        table = batch.table
        assert isinstance(table, DealActTable)
        for row in range(len(batch)):
            kbs = [
                [
                    {"Name": item, "Count": side[2 * n], "Value": side[2 * n + 1]}
                    for n, item in enumerate(ITEMS)
                ]
                for side in table.scenarios[row].tolist()
            ]
            talk = conversation(kbs, "deal_or_no_deal", DealOrNoDeal())
            for n, turn in enumerate(batch.said):
                side = batch.speaker(n)
                said = [words[w] for w in turn[row].tolist() if w != PAD_NUMBER]
                if not said:
                    continue
                act, *counts = said[:-1]
                assert said[-1] == "<end>"
                assert [each.partition("=")[0] for each in counts] == (
                    list(ITEMS) if act in SHARING else []
                )
                take = {item: int(each[-1]) for item, each in zip(ITEMS, counts, strict=False)}
                assert all(take[item] <= kbs[0][i]["Count"] for i, item in enumerate(take))
                if act == SELECT_ACT:
                    make(talk, side, Move(action="select", data={"take": take}))
                elif act == QUIT_ACT:
                    make(talk, side, Move(action="quit", data={"no_deal": True}))
                else:
                    assert act in DEAL_MESSAGES
                    make(talk, side, say(act))
            valid = bool(talk.dialogue.outcome.get("valid_deal"))
            assert valid == bool(table.outcomes()["agreed"][row])
            if valid:
                assert talk.dialogue.outcome["reward"] == {
                    str(n): int(table.rewards("points")[row, n]) for n in (0, 1)
                }


@pytest.mark.parametrize("kind", ["bargain-acts", "deal-acts"])
def test_only_arguments_and_ends_follow_an_act_and_every_walk_comes_to_its_end(kind: str) -> None:
    played = game(kind)
    tables, words = played.grammar.tables(CPU), played.grammar.words
    acts = set(played.grammar.acts)
    walks: list[tuple[int, list[int]]] = [(BEGIN, [])]
    seen = set()
    for _ in range(played.grammar.longest_spoken):
        walks = [
            (int(tables.goes[state, word]), [*said, word])
            for state, said in walks
            for word in tables.speaks[state].nonzero().squeeze(1).tolist()
            if not said or said[-1] != END_NUMBER
        ]
        seen |= {tuple(words[w] for w in said) for _, said in walks if said[-1] == END_NUMBER}
        # Of words that are alike one is enough to go on with.
        walks = list({(state, words[said[0]]): (state, said) for state, said in walks}.values())
        walks = [walk for walk in walks if walk[1][-1] != END_NUMBER]
    assert not walks
    assert {turn[0] for turn in seen} == acts
    for turn in seen:
        takes = played.grammar.acts[turn[0]].takes
        assert all(
            word in played.grammar.arguments[kind_].words
            for kind_, word in zip(takes, turn[1:], strict=False)
        )
        rest = turn[1 + len(takes) : -1]
        assert not rest or played.grammar.acts[rest[0]].is_joined
        assert "start" not in turn
        assert "<price:unknown>" not in turn


def test_what_is_allowed_follows_from_what_stands_in_every_state() -> None:
    played = BargainActs(SCALED)
    for bits in itertools.product((False, True), repeat=5):
        named_own, named_partner, offered_own, offered_partner, asked = bits
        table = played.table(scenarios("bargain-acts", 1), patience=MOST_TURNS)
        table.has_named[0] = torch.tensor([named_own, named_partner])
        table.has_offered[0] = torch.tensor([offered_own, offered_partner])
        table.is_asked[0, 0] = asked
        allowed = table.allowed(0)[0]
        may = {act for act in (*MESSAGES, *MOVES) if allowed[played.grammar.number[act]]}
        if offered_partner:
            assert may == {"accept", "reject", "quit"}
            continue
        named = named_own or named_partner
        left_out = {
            *(() if named else ("counter-price",)),
            *(("init-price",) if named else ()),
            *(() if named_own else ("insist",)),
            *(() if named_partner else ("agree",)),
            *(() if asked else ("inform",)),
            *(("offer",) if offered_own else ()),
            *("accept", "reject"),
        }
        assert may == {*MESSAGES, *MOVES} - left_out


def test_no_price_is_worse_than_what_the_partner_asks_and_none_is_taken_back() -> None:
    played = BargainActs(tuple(n / 100 for n in range(-100, 151)))
    # A buyer who would pay 100 for what is listed at 200, and the seller.
    sides = [
        BargainSide(role="buyer", target=100, price=200),
        BargainSide(role="seller", target=200, price=200),
    ]
    drawn = torch.tensor([scenario_numbers(sides)], dtype=torch.float64)

    def may_name(side: int, own: float, asked: float) -> tuple[float, float]:
        table = played.table(drawn, patience=MOST_TURNS)
        table.named[0, side], table.named[0, 1 - side] = own, asked
        table.has_named[0] = True
        allowed, prices = table.allowed(side)[0], table.prices[0, side]
        found = prices[allowed & prices.isfinite()]
        return float(found.min()), float(found.max())

    none = float("nan")
    assert may_name(0, none, 160) == (50, 160)
    assert may_name(0, 120, 160) == (120, 160)
    assert may_name(0, 120, none) == (120, 200)
    assert may_name(1, none, 120) == (120, 230)
    assert may_name(1, 180, 120) == (120, 180)
    # A partner that has come all the way can be taken at its word.
    assert may_name(0, 150, 140) == (140, 140)
    assert may_name(1, 150, 170) == (170, 170)


@pytest.mark.parametrize("kind", ["bargain-acts", "deal-acts"])
def test_a_beam_finds_the_likeliest_of_all_turns(kind: str) -> None:
    played, network = game(kind), tiny_network(kind, seed=6)
    tables = played.grammar.tables(CPU)
    table = played.table(scenarios(kind, 1, seed=2), patience=MOST_TURNS)
    memory = network.begin(table.knowledge(0))
    memory = network.hear(memory, torch.tensor([[0]]), torch.tensor([[3]]))
    allowed = table.allowed(0)
    # A few acts are enough.
    allowed[:, played.grammar.numbers(list(played.grammar.acts)[5:9])] = False
    if kind == "bargain-acts":
        allowed[:, played.values.abs().nan_to_num() > 0.9] = False
    longest = played.grammar.longest_spoken
    with torch.no_grad():
        wide = likeliest_turn(network, memory, allowed, tables, width=5000, longest=longest)
        found = likeliest_turn(network, memory, allowed, tables, width=5, longest=longest)
    scores = {
        turn: score(network, memory, allowed, tables, turn)
        for turn in every_turn(allowed, tables, longest)
    }
    best = max(scores, key=lambda turn: scores[turn])
    assert tuple(wide) == best
    assert scores[tuple(found)] >= sorted(scores.values())[-5]
    assert sum(torch.tensor(list(scores.values())).exp()) == pytest.approx(1.0, abs=1e-4)


def every_turn(allowed: Any, tables: Any, longest: int) -> list[tuple[int, ...]]:
    walks: list[tuple[int, tuple[int, ...]]] = [(BEGIN, ())]
    done = []
    for _ in range(longest):
        walks = [
            (int(tables.goes[state, word]), (*said, word))
            for state, said in walks
            for word in (tables.speaks[state] & allowed[0]).nonzero().squeeze(1).tolist()
        ]
        done += [said for _, said in walks if said[-1] == END_NUMBER]
        walks = [walk for walk in walks if walk[1][-1] != END_NUMBER]
    return done


def score(network: Any, memory: Any, allowed: Any, tables: Any, turn: tuple[int, ...]) -> float:
    """The log-probability of a turn, a word at a time."""
    state, total, last = torch.tensor([BEGIN]), 0.0, 2
    with torch.no_grad():
        for word in turn:
            logits, after = network.expect(memory, torch.tensor([last]))
            log_probs = allowed_logits(logits, state, allowed, tables).log_softmax(-1)
            total += float(log_probs[0, word])
            memory = dataclasses.replace(memory, state=after)
            state, last = tables.goes[state, torch.tensor([word])], word
    return total
