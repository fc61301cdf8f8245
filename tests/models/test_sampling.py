"""The next word by lot: temperatures, the nucleus, and words as often as they are likely."""

import math

import pytest
import torch

from palaver.models.sampling import ChanceStream, drawn_words, nucleus, sharpened

PROBS = torch.tensor([[0.1, 0.5, 0.15, 0.25]])


@pytest.mark.parametrize(
    ("share", "kept"),
    [
        (0.01, {1}),
        (0.5, {1}),
        (0.51, {1, 3}),
        (0.75, {1, 3}),
        (0.8, {1, 2, 3}),
        (0.95, {0, 1, 2, 3}),
        (1.0, {0, 1, 2, 3}),
    ],
)
def test_the_nucleus_is_the_fewest_words_that_make_up_a_share(share: float, kept: set[int]) -> None:
    found = nucleus(PROBS.log(), share).exp()[0]
    assert {n for n, prob in enumerate(found.tolist()) if prob > 0} == kept
    of_all = PROBS[0].where(torch.tensor([n in kept for n in range(4)]), torch.zeros(()))
    assert found.tolist() == pytest.approx((of_all / of_all.sum()).tolist())


def test_each_row_has_a_nucleus_of_its_own() -> None:
    rows = torch.tensor([[0.9, 0.05, 0.05], [0.4, 0.35, 0.25]]).log()
    assert (nucleus(rows, 0.7).exp() > 0).tolist() == [[True, False, False], [True, True, False]]


def test_what_may_not_be_said_stays_out_of_the_nucleus() -> None:
    log_probs = torch.tensor([[0.0, -math.inf, -math.inf]])
    assert nucleus(log_probs, 0.9).exp().tolist() == [[1.0, 0.0, 0.0]]


def test_a_temperature_sharpens_and_none_leaves_the_likeliest() -> None:
    logits = PROBS.log()
    assert sharpened(logits, 0.5).exp()[0].tolist() == pytest.approx(
        (PROBS[0] ** 2 / (PROBS[0] ** 2).sum()).tolist()
    )
    assert sharpened(logits, 0.0).exp().tolist() == [[0.0, 1.0, 0.0, 0.0]]
    two = sharpened(logits.repeat(2, 1), torch.tensor([0.0, 1.0])).exp()
    assert two[0].tolist() == [0.0, 1.0, 0.0, 0.0]
    assert two[1].tolist() == pytest.approx(PROBS[0].tolist())


def test_words_are_drawn_as_often_as_they_are_likely() -> None:
    chances = (torch.arange(1000) + 0.5) / 1000
    drawn = drawn_words(PROBS.log().repeat(1000, 1), chances)
    assert (drawn.bincount() / 1000).tolist() == pytest.approx(PROBS[0].tolist(), abs=0.002)


def test_a_word_without_probability_is_never_drawn() -> None:
    log_probs = torch.tensor([[-math.inf, 0.0, -math.inf]]).repeat(3, 1)
    assert drawn_words(log_probs, torch.tensor([0.0, 0.5, 1 - 1e-7])).tolist() == [1, 1, 1]


def test_chance_is_alike_for_the_same_dice_however_it_is_asked_for() -> None:
    def stream() -> ChanceStream:
        return ChanceStream(torch.Generator().manual_seed(3), 2, torch.device("cpu"))

    one, other = stream(), stream()
    first = [one.next() for _ in range(40)]
    assert all(torch.equal(chance, other.next()) for chance in first)
    assert all(((chance >= 0) & (chance < 1)).all() for chance in first)
