"""Beam search: with enough room it finds what trying everything finds, and ends as it should."""

import itertools
import math

import pytest
import torch
from torch import Tensor

from palaver.models.beam import best_words, penalty

PAD, END, MOST = 0, 1, 4


def chain(seed: int, words: int = 4) -> Tensor:
    """How likely each word is after each; padding never is."""
    logits = torch.randn(words, words, generator=torch.Generator().manual_seed(seed))
    logits[:, PAD] = -math.inf
    return logits.log_softmax(-1)


def searched(table: Tensor, beams: int, alpha: float) -> list[int]:
    def step(words: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, tuple[Tensor, ...]]:
        return table[words], state

    first = table[2:3]
    found = best_words(
        first, (torch.zeros(1),), step, beams=beams, most=MOST, end=END, padding=PAD, alpha=alpha
    )
    return [word for word in found[0].tolist() if word != PAD]


def tried(table: Tensor, alpha: float) -> list[int]:
    """The best of all turns, by brute force."""
    best, score = [], -math.inf
    for length in range(1, MOST + 1):
        for said in itertools.product(range(1, len(table)), repeat=length):
            if END in said[:-1] or (length < MOST and said[-1] != END):
                continue
            log_prob = sum(
                float(table[before, word]) for before, word in zip((2, *said), said, strict=False)
            )
            worth = log_prob / float(penalty(torch.tensor(float(length)), alpha))
            if worth > score:
                best, score = list(said), worth
    return best


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("alpha", [0.0, 0.5, 2.0])
def test_with_room_for_all_it_finds_the_best(seed: int, alpha: float) -> None:
    table = chain(seed)
    assert searched(table, beams=64, alpha=alpha) == tried(table, alpha)


def test_one_beam_takes_the_likeliest_word_each_time() -> None:
    table = chain(3)
    word, said = 2, []
    while word != END and len(said) < MOST:
        word = int(table[word].argmax())
        said.append(word)
    assert searched(table, beams=1, alpha=0.5) == said


def test_the_penalty_is_that_of_wu_et_al() -> None:
    lengths = torch.tensor([1.0, 7.0])
    assert penalty(lengths, 0.5).tolist() == pytest.approx([1.0, 2**0.5])


def test_states_follow_their_words() -> None:
    def step(words: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, tuple[Tensor, ...]]:
        # What is kept is the word that was to come: a beam with the state of another has none.
        (due,) = state
        assert (due[words == 3] != END).all()
        table = torch.full((len(words), 4), -math.inf)
        table[words == 2, 3], table[words == 3, END] = -0.1, -0.1
        return table, (torch.where(words == 2, 3, END),)

    first = torch.tensor([[-math.inf, -math.inf, -0.5, -1.5], [-math.inf, -9.0, -math.inf, -0.2]])
    found = best_words(first, (torch.full((2,), -1),), step, beams=2, most=5, end=END, padding=PAD)
    assert found.tolist() == [[2, 3, END], [3, END, PAD]]
