"""The GRU and LSTM of Deal or No Deal: what their options do."""

import torch

from palaver.models.deal.recurrent import RecurrentSettings, RecurrentTalk
from palaver.models.deal.selection import SelectionSettings
from support.deal_lines import random_contexts
from support.deal_networks import random_words, tiny_recurrent


def test_the_published_size_has_the_published_parts():
    network = RecurrentTalk(473, RecurrentSettings(), SelectionSettings())

    sizes = {
        name: sum(weight.numel() for weight in part.parameters())
        for name, part in network.named_children()
    }

    # Lewis et al. 2017: words of 256, a GRU of 128 over words and a context of 64, and a layer back
    # to 256; the words to say are those that are read, without weights of their own.
    assert sizes["embedding"] == 473 * 256
    assert sizes["cell"] == 3 * 128 * (256 + 64 + 128 + 2)
    assert sizes["projection"] == 256 * 128 + 256
    assert sizes["context"] == 11 * 64 + 6 * 64 * 64 + 64


@torch.no_grad()
def test_dropped_weights_are_the_same_for_all_rows_and_words_of_a_batch():
    contexts, words = random_contexts(1).repeat(2, 1), random_words(1, 9).repeat(2, 1)
    network = tiny_recurrent(weight_dropout=0.5)
    quiet = network(contexts, words)

    network.train()
    torch.manual_seed(1)
    one, other = network(contexts, words)

    assert torch.equal(one, other)
    # The first word has no state behind it that a weight could lead from.
    torch.testing.assert_close(one[0], quiet[0, 0])
    assert not torch.allclose(one[1], quiet[0, 1], atol=1e-7)


@torch.no_grad()
def test_a_word_that_is_dropped_is_missing_from_the_whole_batch():
    network = tiny_recurrent(word_dropout=0.5).train()
    torch.manual_seed(1)

    vectors = network.embedded(torch.arange(20).repeat(3, 1))

    is_missing = (vectors == 0).all(2)
    assert torch.equal(is_missing[0], is_missing[1])
    assert 0 < is_missing[0].sum() < 20
    kept = ~is_missing[0]
    torch.testing.assert_close(vectors[2, kept], 2 * network.embedding.weight[kept])


def test_weights_begin_within_the_bounds_that_are_asked_for():
    network = tiny_recurrent(init=0.03)

    largest = max(float(weight.detach().abs().max()) for weight in network.parameters())

    assert 0.025 < largest <= 0.03


def test_half_precision_gives_numbers_that_can_be_learnt_from():
    network = tiny_recurrent(weight_dropout=0.3).train()
    lengths = torch.tensor([9, 5])

    with torch.autocast("cpu", dtype=torch.bfloat16):
        reading = network.read(random_contexts(2), random_words(2, 9), lengths)
    reading.logits.float().square().mean().backward()

    assert reading.slots.dtype == torch.float32
    assert network.cell.weight_hh_l0.grad.isfinite().all()
