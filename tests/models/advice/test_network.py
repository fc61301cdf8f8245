"""The encoder and the decoder: piece by piece as at once, padding, and gradients."""

import dataclasses
import math
from typing import Any

import pytest
import torch

from palaver.core.errors import InputError
from palaver.models.advice.network import (
    EncoderDecoder,
    EncoderDecoderSettings,
    GuidedAttention,
    turned,
)
from palaver.models.advice.pieces import PAD_NUMBER
from palaver.models.decoder import rotary_angles

SETTINGS = EncoderDecoderSettings(layers=2, width=16, heads=2, dropout=0.0)


def new_network(**more: Any) -> EncoderDecoder:
    torch.manual_seed(1)
    return EncoderDecoder(40, dataclasses.replace(SETTINGS, **more)).eval()


def numbers(rows: int, width: int, seed: int = 0) -> torch.Tensor:
    return torch.randint(3, 40, (rows, width), generator=torch.Generator().manual_seed(seed))


@torch.no_grad()
def test_piece_by_piece_is_as_at_once() -> None:
    network = new_network()
    sources, targets = numbers(3, 7), numbers(3, 5, seed=1)
    at_once = network(sources, targets)
    state = network.begin(sources)
    for n in range(5):
        logits, state = network.step(targets[:, n], state)
        assert torch.allclose(logits, at_once[:, n], atol=1e-5)
    picked = state.pick(torch.tensor([2, 2]))
    logits, _ = network.step(targets[[2, 2], 0], picked)
    whole = network(sources[[2]], torch.cat([targets[[2]], targets[[2], :1]], dim=1))
    assert torch.allclose(logits, whole[[0, 0], -1], atol=1e-5)


@torch.no_grad()
def test_padding_and_what_comes_later_change_nothing() -> None:
    network = new_network()
    sources, targets = numbers(1, 6), numbers(1, 4, seed=1)
    alone = network(sources, targets)
    longer = torch.cat([sources, torch.full((1, 3), PAD_NUMBER)], dim=1)
    later = torch.cat([targets, numbers(1, 2, seed=2)], dim=1)
    assert torch.allclose(network(longer, later)[:, :4], alone, atol=1e-5)
    other = sources.clone()
    other[0, 0] = 39 if other[0, 0] != 39 else 38
    assert not torch.allclose(network(other, targets), alone, atol=1e-3)


def test_attention_is_the_mean_of_values_by_how_well_keys_fit() -> None:
    torch.manual_seed(0)
    attention = GuidedAttention(4, 1)
    vectors = torch.randn(1, 3, 4)
    queries, (keys, values) = attention.asked(vectors, None), attention.kept(vectors, None)
    scores = (queries @ keys.transpose(2, 3) / math.sqrt(4)).softmax(-1)
    by_hand = attention.outputs((scores @ values)[:, 0])
    found = attention(queries, (keys, values), None, causal=False)
    assert torch.allclose(found, by_hand, atol=1e-6)


def test_places_matter_only_by_their_distance() -> None:
    torch.manual_seed(0)
    queries = torch.randn(1, 1, 2, 8)

    def score(first: int) -> torch.Tensor:
        places = torch.arange(first, first + 2)[None]
        one, other = turned(queries, rotary_angles(places, 8))[0, 0]
        return torch.dot(one, other)

    assert torch.allclose(score(0), score(11), atol=1e-4)
    assert not torch.allclose(score(0), queries[0, 0, 0] @ queries[0, 0, 1], atol=1e-4)


def test_the_gradient_reaches_every_weight() -> None:
    network = new_network().train()
    logits = network(numbers(2, 6), numbers(2, 4, seed=1))
    logits.square().mean().backward()
    without = [
        name
        for name, each in network.named_parameters()
        if each.grad is None or not each.grad.abs().sum()
    ]
    assert without == []


@torch.no_grad()
def test_bfloat16_says_about_the_same() -> None:
    network = new_network()
    exact = network(numbers(2, 6), numbers(2, 4, seed=1))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        rough = network(numbers(2, 6), numbers(2, 4, seed=1)).float()
    assert rough.shape == exact.shape
    assert torch.allclose(rough.softmax(-1), exact.softmax(-1), atol=0.05)


def test_heads_that_do_not_divide_the_width_are_refused() -> None:
    for heads in (3, 16):
        with pytest.raises(InputError, match=r"multiple of twice 'network\.heads'; got 16 and"):
            EncoderDecoder(40, dataclasses.replace(SETTINGS, heads=heads))
