"""Turns drawn from networks that know nothing: whatever they like, what they say is legal."""

import random

import pytest
import torch
from torch import Tensor

from palaver.models.bargain.marks import (
    ACCEPT_NUMBER,
    END_NUMBER,
    OFFER_NUMBER,
    QUIT_NUMBER,
    REJECT_NUMBER,
    UNSAID,
)
from palaver.models.bargain.network import TurnSpeaker
from palaver.models.bargain.scenes import price_tables
from palaver.models.bargain.situations import situations, speech_room
from palaver.models.bargain.speech import (
    MOST_WORDS,
    SpeechRoom,
    WordChoice,
    said_log_probs,
    spoken_turns,
    stages,
)
from palaver.models.sampling import ChanceStream

from .toys import CPU, HELLO, OK, WORDS, dice, scenes, sides, tiny_network

ANSWERS = (ACCEPT_NUMBER, REJECT_NUMBER, QUIT_NUMBER)


def check_legal(turn: list[int], *, answers: bool, prices: Tensor) -> None:
    """Fail unless a turn is what our rules leave room for."""
    assert turn[-1] == END_NUMBER
    said = turn[:-1]
    assert 0 < len(said) <= MOST_WORDS
    assert min(turn) >= len(UNSAID)
    for word in said:
        if word in WORDS.prices:
            assert prices[word - WORDS.prices.start]
    if answers:
        assert len(said) == 1
        assert said[0] in ANSWERS
        return
    assert ACCEPT_NUMBER not in said
    assert REJECT_NUMBER not in said
    if OFFER_NUMBER in said:
        assert said.index(OFFER_NUMBER) == len(said) - 2
        assert said[-1] in WORDS.prices
    if QUIT_NUMBER in said:
        assert said.index(QUIT_NUMBER) == len(said) - 1


def spoken(network: TurnSpeaker, choice: WordChoice, *, answers: bool, rows: int = 8) -> list:
    about = scenes(rows)
    own = torch.arange(rows) % 2
    nothing = torch.zeros(rows, 2, 1, 3, dtype=torch.long)
    at = torch.zeros_like(own)
    situation = situations(about, nothing, torch.arange(rows), own, at, earlier=network.earlier)
    room = speech_room(about, torch.arange(rows), own, situation)
    assert not room.answers.any()
    room = SpeechRoom(answers=torch.full((rows,), answers), prices=room.prices)
    found = spoken_turns(
        network,
        situation,
        about.given[torch.arange(rows), own],
        room,
        choice,
        ChanceStream(dice(), rows, CPU),
    )
    return [
        ([word for word in row if word], room.prices[n]) for n, row in enumerate(found.tolist())
    ]


@pytest.mark.parametrize("answers", [False, True])
@pytest.mark.parametrize(
    "choice",
    [
        WordChoice(temperature=1.0),
        WordChoice(temperature=0.0),
        WordChoice(temperature=1.0, nucleus=0.6),
        WordChoice(beam=3),
    ],
)
@pytest.mark.parametrize("ends", [-20.0, 2.0])
def test_whatever_a_network_likes_it_says_what_is_legal(
    answers: bool, choice: WordChoice, ends: float
) -> None:
    network = tiny_network(seed=random.Random(str(choice)).randrange(99), ends=ends)
    # Marks are what it likes best.
    network.get_parameter("output_bias").data[: WORDS.prices.start] += 3.0
    turns = spoken(network, choice, answers=answers)
    for turn, prices in turns:
        check_legal(turn, answers=answers, prices=prices)
    if not answers and choice.temperature == 1.0 and ends == 2.0 and not choice.beam:
        assert len({tuple(turn) for turn, _ in turns}) > 3


def test_a_turn_that_never_ends_is_cut_off() -> None:
    network = tiny_network(ends=-60.0)
    bias = network.get_parameter("output_bias").data
    bias[OFFER_NUMBER : WORDS.prices.start] -= 60.0
    lengths = {len(turn) for turn, _ in spoken(network, WordChoice(temperature=1.0), answers=False)}
    assert lengths == {MOST_WORDS + 1}


def test_a_network_whose_numbers_are_none_says_nothing() -> None:
    network = tiny_network()
    network.get_parameter("output_bias").data.fill_(torch.nan)
    for choice in (WordChoice(), WordChoice(temperature=0.0), WordChoice(beam=2)):
        assert [turn for turn, _ in spoken(network, choice, answers=False)] == [[]] * 8


def test_what_may_be_said_has_all_of_the_probability() -> None:
    (buyer, _) = sides()
    _, prices = price_tables([buyer], WORDS)
    words = torch.tensor([[HELLO, OFFER_NUMBER, WORDS.prices[20], END_NUMBER]])
    logits = torch.zeros(1, 4, len(WORDS.said))
    found = said_log_probs(
        logits,
        stages(words),
        torch.arange(1, 5)[None],
        SpeechRoom(answers=torch.tensor([False]), prices=prices),
        WordChoice(temperature=1.0),
    ).exp()
    assert found.sum(-1).tolist()[0] == pytest.approx([1.0] * 4)
    allowed = [{n for n, prob in enumerate(row) if prob > 0} for row in found[0].tolist()]
    named = {WORDS.prices[n] for n in prices[0].nonzero().squeeze(1).tolist()}
    assert allowed[1] == named
    assert allowed[2] == {END_NUMBER}
    own = set(range(WORDS.prices.stop, len(WORDS.said)))
    assert allowed[0] == own | named | {END_NUMBER, OFFER_NUMBER, QUIT_NUMBER}
    assert 0 < len(named) < len(WORDS.prices)


def test_a_search_finds_a_turn_that_is_at_least_as_likely_as_the_greedy_one() -> None:
    network = tiny_network(seed=4, spread=0.4, ends=3.0)
    greedy = spoken(network, WordChoice(temperature=0.0), answers=False)
    wide = spoken(network, WordChoice(beam=6, alpha=0.0), answers=False)
    worth = [
        [_log_prob(network, n, turn) for n, (turn, _) in enumerate(each)] for each in (greedy, wide)
    ]
    assert all(best >= own - 1e-4 for own, best in zip(*worth, strict=True))
    assert any(best > own + 1e-4 for own, best in zip(*worth, strict=True))


def _log_prob(network: TurnSpeaker, row: int, turn: list[int]) -> float:
    about = scenes(8)
    own = torch.arange(8) % 2
    nothing = torch.zeros(8, 2, 1, 3, dtype=torch.long)
    rows = torch.tensor([row])
    situation = situations(about, nothing, rows, own[rows], rows * 0, earlier=network.earlier)
    given = about.given[row, own[row]][None]
    words = torch.tensor([turn])
    with torch.no_grad():
        logits = network(situation, torch.cat([given, words[:, :-1]], dim=1))[:, 1:]
    before = torch.cat([given[:, 1:], words[:, :-1]], dim=1)
    log_probs = said_log_probs(
        logits,
        stages(before),
        torch.arange(len(turn))[None],
        speech_room(about, rows, own[rows], situation),
        WordChoice(temperature=1.0),
    )
    return float(log_probs[0].gather(1, words.T).sum())


def test_the_same_chance_gives_the_same_turns() -> None:
    network = tiny_network()
    choice = WordChoice(temperature=1.0)
    one, other = (spoken(network, choice, answers=False) for _ in range(2))
    assert [turn for turn, _ in one] == [turn for turn, _ in other]
    assert HELLO != OK
