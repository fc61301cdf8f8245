"""The network of LSTMs: attention by hand, padding without weight, and a gradient for every bank."""

import math

import pytest
import torch
from torch import Tensor

from palaver.models.bargain.attention import Bank, SummedAttention
from palaver.models.bargain.marks import END_NUMBER
from palaver.models.bargain.network import BargainSituation, TurnSpeaker
from palaver.models.bargain.smoothing import WordTable

from .toys import HELLO, NO, OK, WORDS, dice, tiny_network

FURNITURE = WORDS.said.number("<furniture>")
HEARD = [[FURNITURE, HELLO, OK, END_NUMBER], [FURNITURE, NO, END_NUMBER, 0]]
SAID = torch.tensor([[2, FURNITURE, OK, NO, END_NUMBER], [3, FURNITURE, NO, END_NUMBER, 0]])


def situation(pad: int = 0) -> BargainSituation:
    """Two situations, with so much more padding than they need."""

    def rows(*given: list[int]) -> Tensor:
        return torch.tensor([[*row, *[0] * pad] for row in given])

    return BargainSituation(
        heard=rows(*HEARD),
        lengths=torch.tensor([4, 3]),
        earlier=torch.stack(
            [
                rows([FURNITURE, OK, END_NUMBER], [0, 0, 0]),
                rows([FURNITURE, NO, END_NUMBER], [0] * 3),
            ],
            dim=1,
        ),
        title=rows([2, 3], [4, 0]),
        description=rows([3, 4, 2], [0, 0, 0]),
    )


def network(**given: object) -> TurnSpeaker:
    return tiny_network(spread=0.4, ends=0.0, **given)  # type: ignore[arg-type]


def test_attention_is_that_of_luong_summed_over_banks() -> None:
    attention = SummedAttention(3)
    chance = dice()
    states = torch.randn(1, 1, 3, generator=chance)
    attention.requires_grad_(False)
    banks = [
        Bank(torch.randn(1, n, 3, generator=chance), torch.ones(1, n, dtype=torch.bool))
        for n in (2, 4)
    ]
    expected = torch.zeros(3)
    for bank in banks:
        scores = [
            float(states[0, 0] @ attention.general.weight.T @ vector) for vector in bank.vectors[0]
        ]
        shares = [math.exp(score) / sum(map(math.exp, scores)) for score in scores]
        found = sum(
            (share * vector for share, vector in zip(shares, bank.vectors[0], strict=True)),
            torch.zeros(3),
        )
        expected = expected + torch.tanh(attention.joined.weight @ torch.cat([found, states[0, 0]]))
    assert attention(states, banks)[0, 0].tolist() == pytest.approx(expected.tolist(), abs=1e-5)
    weights = attention.weights(states, banks)
    assert [tuple(each.shape) for each in weights] == [(1, 1, 2), (1, 1, 4)]


def test_padding_and_empty_banks_have_no_weight() -> None:
    attention = SummedAttention(3)
    states, vectors = (
        torch.randn(1, 2, 3, generator=dice()),
        torch.randn(1, 4, 3, generator=dice(6)),
    )
    is_there = torch.tensor([[True, True, False, False]])
    with_padding = attention(states, [Bank(vectors, is_there)])
    without = attention(states, [Bank(vectors[:, :2], is_there[:, :2])])
    assert torch.allclose(with_padding, without)
    empty = Bank(vectors, torch.zeros_like(is_there))
    assert attention.weights(states, [empty])[0].eq(0).all()
    assert attention(states, [empty]).isfinite().all()


@pytest.mark.parametrize("tied", [False, True])
def test_more_padding_changes_nothing(tied: bool) -> None:
    speaker = network(tied=tied)
    near = speaker(situation(), SAID)
    far = speaker(situation(pad=3), SAID)
    assert torch.allclose(near, far, atol=1e-5)


@pytest.mark.parametrize("given", [{}, {"tied": True, "smooth_prices": True}, {"layers": 1}])
def test_word_by_word_it_foresees_what_it_foresees_at_once(given: dict[str, object]) -> None:
    speaker = network(**given)
    with torch.no_grad():
        at_once = speaker(situation(), SAID)
        state = speaker.begin(situation())
        for place, words in enumerate(SAID.unbind(1)):
            logits, state = speaker.step(words, state)
            assert torch.allclose(logits, at_once[:, place], atol=1e-5)


def test_what_follows_a_word_changes_nothing_before_it() -> None:
    speaker = network()
    other = SAID.clone()
    other[:, 3:] = HELLO
    assert torch.allclose(
        speaker(situation(), SAID)[:, :3], speaker(situation(), other)[:, :3], atol=1e-6
    )


@pytest.mark.parametrize("given", [{}, {"tied": True}, {"smooth_prices": True}])
def test_a_gradient_reaches_every_weight(given: dict[str, object]) -> None:
    speaker = network(**given)
    speaker(situation(), SAID).logsumexp(-1).sum().backward()
    none = [n for n, w in speaker.named_parameters() if w.grad is None or not w.grad.any()]
    # Of places of prices only those in the vocabulary's own tables are looked up here.
    assert [name for name in none if not name.endswith("places")] == []


@pytest.mark.parametrize("part", ["heard", "earlier 0", "earlier 1", "title", "description"])
def test_every_bank_counts(part: str) -> None:
    speaker = network()
    was, now = situation(), situation()
    name, _, number = part.partition(" ")
    tensor = getattr(now, name)
    row = tensor[0, int(number)] if number else tensor[0]
    row[1] = 3 if int(row[1]) != 3 else 4
    assert not torch.allclose(speaker(was, SAID)[0], speaker(now, SAID)[0], atol=1e-4)
    assert torch.allclose(speaker(was, SAID)[1], speaker(now, SAID)[1], atol=1e-6)


def test_weights_are_shares_of_each_part() -> None:
    looked = network().weights(situation(), SAID)
    assert len(looked) == 5
    for each in looked:
        assert each[0].sum(-1).tolist() == pytest.approx([1.0] * SAID.shape[1])
    # The second row has heard a shorter turn, and has neither turns before nor a description.
    assert looked[0][1, :, 3].eq(0).all()
    assert looked[1][1].eq(0).all()
    assert looked[4][1].eq(0).all()


def test_prices_near_each_other_have_something_in_common() -> None:
    prices = range(10, 171)
    table = WordTable(180, 5, prices=prices)
    assert table.places is not None
    with torch.no_grad():
        table.own.zero_()
        table.places.normal_(generator=dice())
    vectors = table.vectors()
    assert vectors[: prices.start].eq(0).all()
    assert vectors[prices.stop :].eq(0).all()
    middle = prices[len(prices) // 2]
    near, far = (torch.dist(vectors[middle], vectors[middle + n]) for n in (1, 60))
    assert near < far
    plain = WordTable(180, 5, prices=range(0))
    assert torch.equal(plain.vectors(), plain.own)


def test_words_are_missing_from_a_whole_batch_in_training_alone() -> None:
    table = WordTable(40, 3, prices=range(0), word_dropout=0.5)
    words = torch.arange(40).repeat(2, 1)
    torch.manual_seed(1)
    dropped = table(words).eq(0).all(-1)
    assert torch.equal(dropped[0], dropped[1])
    assert 5 < int(dropped[0].sum()) < 35
    table.eval()
    assert not table(words).eq(0).all(-1).any()
