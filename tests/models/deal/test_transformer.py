"""The Transformer of Deal or No Deal: what it knows of places, and what its options may be."""

import pytest
import torch

from palaver.core.errors import InputError
from palaver.models.deal.splits import best_split
from palaver.models.deal.words import THEM_NUMBER, YOU_NUMBER
from support.deal_lines import random_contexts
from support.deal_networks import random_words, tiny_transformer, without


@torch.no_grad()
def test_it_knows_who_speaks():
    contexts, words = random_contexts(1), random_words(1, 15)
    swapped = words.clone()
    swapped[words == YOU_NUMBER], swapped[words == THEM_NUMBER] = THEM_NUMBER, YOU_NUMBER
    network = tiny_transformer()
    network.embedding.weight[YOU_NUMBER] = network.embedding.weight[THEM_NUMBER]

    assert not torch.allclose(network(contexts, words), network(contexts, swapped), atol=1e-6)


@torch.no_grad()
@pytest.mark.parametrize("positions", ["none", "rotary"])
def test_words_know_their_place_within_a_turn(positions):
    contexts, words = random_contexts(1), random_words(1, 15)
    words[0, 1:3] = torch.tensor([7, 8])
    exchanged = words.clone()
    exchanged[0, 1:3] = torch.tensor([8, 7])
    network = tiny_transformer(positions=positions)

    said, otherwise = network(contexts, words), network(contexts, exchanged)

    assert not torch.allclose(said[0, 14], otherwise[0, 14], atol=1e-7)


@torch.no_grad()
def test_a_very_long_dialogue_is_still_read():
    words = random_words(1, 300)

    said = tiny_transformer()(random_contexts(1), words)

    assert said.isfinite().all()


@pytest.mark.parametrize(
    "options", [{"width": 30, "heads": 4}, {"width": 12, "heads": 4, "positions": "rotary"}]
)
def test_heads_that_do_not_fit_the_width_are_refused(options):
    with pytest.raises(InputError, match=r"multiple of 'network\.heads'"):
        tiny_transformer(**options)


@torch.no_grad()
@pytest.mark.parametrize("head", ["tokens", "gru", "words"])
def test_words_are_dropped_from_what_both_questions_are_asked_of(head):
    network = tiny_transformer(head, dropout=0.0, word_dropout=0.5).train()
    contexts, words, lengths = random_contexts(2), random_words(2, 9), torch.tensor([9, 5])

    torch.manual_seed(1)
    readings = [network.read(contexts, words, lengths) for _ in range(2)]

    for one, other in zip(*readings, strict=True):
        assert not torch.allclose(one, other)


def test_half_precision_gives_numbers_that_can_be_learnt_from():
    network = tiny_transformer(positions="rotary", attention_dropout=0.1).train()
    lengths = torch.tensor([9, 5])

    with torch.autocast("cpu", dtype=torch.bfloat16):
        reading = network.read(random_contexts(2), random_words(2, 9), lengths)
    reading.slots[:, :, 0].mean().backward()

    assert reading.slots.dtype == torch.float32
    assert network.slots.weight.grad.isfinite().all()


def test_a_head_with_words_of_its_own_leaves_those_of_the_talk_alone():
    network, lengths = tiny_transformer("words"), torch.tensor([9, 5])

    network.read(random_contexts(2), random_words(2, 9), lengths).slots[:, :, 0].sum().backward()

    moved = {
        name.split(".")[0] for name, each in network.named_parameters() if each.grad is not None
    }
    assert moved == {"own_words", "context", "chooser"}


@pytest.mark.parametrize("head", ["tokens", "words"])
def test_its_moves_learn_what_was_said(head):
    network = tiny_transformer(head)
    words, contexts = random_words(18, 6), torch.full((18, 6), 2)
    lengths = torch.randint(4, 7, (18,), generator=torch.Generator().manual_seed(0))
    taken = torch.arange(18) % 3
    words[:, 2] = 10 + taken
    words = without(words, lengths)
    slots = torch.stack([taken] * 3 + [2 - taken] * 3, dim=1)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)

    for _ in range(30):
        optimizer.zero_grad()
        said = network.choose(contexts, words, lengths)
        (-said.gather(2, slots[:, :, None]).mean()).backward()
        optimizer.step()

    with torch.no_grad():
        said = network.choose(contexts, words, lengths)
    assert torch.equal(best_split(said, contexts), slots)
