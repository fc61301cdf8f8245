"""What holds for every network that reads lines: one battery for all of them."""

import pytest
import torch

from palaver.models.deal.network import CLASSES
from palaver.models.deal.splits import legal_slots
from palaver.models.deal.words import PAD_NUMBER
from support.deal_lines import random_contexts
from support.deal_networks import NETWORKS, WORDS, random_words, stepped, without

LENGTHS = torch.tensor([3, 17, 9, 12])


@pytest.fixture(params=NETWORKS)
def network(request):
    return NETWORKS[request.param]()


@pytest.fixture
def lines():
    return random_contexts(4), without(random_words(4, 17), LENGTHS), LENGTHS


@torch.no_grad()
def test_word_by_word_it_says_the_same_as_all_at_once(network):
    contexts, words = random_contexts(3), random_words(3, 17)

    torch.testing.assert_close(stepped(network, contexts, words), network(contexts, words))


@torch.no_grad()
def test_the_context_and_every_earlier_word_matter_and_no_later_one(network):
    contexts, words = random_contexts(1), random_words(1, 17)
    said = network(contexts, words)

    other_value, other_word = contexts.clone(), words.clone()
    other_value[0, 1] += 1 if contexts[0, 1] < 10 else -1
    other_word[0, 8] = 6 + (words[0, 8] - 5) % 14

    assert not torch.allclose(network(other_value, words)[0, 0], said[0, 0], atol=1e-7)
    changed = (network(contexts, other_word) - said).abs().amax(2)[0] > 1e-7
    assert changed.tolist() == [False] * 8 + [True] * 9


@torch.no_grad()
def test_padding_changes_neither_words_nor_choices(network, lines):
    contexts, words, lengths = lines
    together = network.read(contexts, words, lengths)

    for row, length in enumerate(lengths.tolist()):
        alone = network.read(
            contexts[row : row + 1], words[row : row + 1, :length], lengths[row : row + 1]
        )
        torch.testing.assert_close(alone.logits[0], together.logits[row, :length])
        torch.testing.assert_close(alone.slots[0], together.slots[row])


@torch.no_grad()
def test_a_reading_answers_as_each_question_alone(network, lines):
    contexts, words, lengths = lines

    reading = network.read(contexts, words, lengths)

    real = words != PAD_NUMBER
    torch.testing.assert_close(reading.logits[real], network(contexts, words)[real])
    torch.testing.assert_close(reading.slots, network.choose(contexts, words, lengths))
    assert reading.logits.shape == (4, 17, WORDS)
    assert reading.slots.shape == (4, 6, CLASSES)


@torch.no_grad()
def test_what_is_not_on_the_table_has_no_probability(network, lines):
    contexts, words, lengths = lines

    chances = network.choose(contexts, words, lengths).exp()

    assert torch.equal(chances > 0, legal_slots(contexts))
    torch.testing.assert_close(chances.sum(2), torch.ones(4, 6))


@torch.no_grad()
def test_attention_is_shared_out_among_the_words_of_a_row(network, lines):
    contexts, words, lengths = lines

    weights = network.attention(contexts, words, lengths)

    assert torch.equal(weights > 0, words != PAD_NUMBER)
    torch.testing.assert_close(weights.sum(1), torch.ones(4))


def test_gradients_reach_every_part(network, lines):
    contexts, words, lengths = lines
    network.train()
    torch.manual_seed(1)

    reading = network.read(contexts, words, lengths)
    # To take nothing of an item is always legal.
    (reading.logits.square().mean() - reading.slots[:, :, 0].mean()).backward()

    still = [
        name
        for name, weight in network.named_parameters()
        if weight.grad is None or not weight.grad.abs().sum() > 0
    ]
    assert still == []


@torch.no_grad()
def test_a_row_that_is_given_padding_waits(network):
    contexts, words = random_contexts(2), random_words(2, 8)
    said = network(contexts, words)

    waits = words.clone()
    waits[1, 4:] = PAD_NUMBER
    state = network.begin(contexts)
    for word in waits.unbind(1):
        logits, state = network.step(word, state)
    torch.testing.assert_close(logits[0], said[0, 7])
    for word in words[:, 4:].unbind(1):
        word = torch.stack([torch.tensor(PAD_NUMBER), word[1]])
        logits, state = network.step(word, state)

    torch.testing.assert_close(logits[1], said[1, 7])


@torch.no_grad()
def test_rows_of_a_state_can_be_picked_and_repeated(network):
    contexts, words = random_contexts(3), random_words(3, 6)
    state = network.begin(contexts)
    for word in words[:, :5].unbind(1):
        _, state = network.step(word, state)

    rows = torch.tensor([2, 0, 0])
    logits, _ = network.step(words[rows, 5], tuple(each[rows] for each in state))

    torch.testing.assert_close(logits, network(contexts, words)[rows, 5])


@torch.no_grad()
def test_dropout_is_at_work_in_training_only(network, lines):
    contexts, words, lengths = lines
    quiet = [network.read(contexts, words, lengths).logits for _ in range(2)]
    assert torch.equal(*quiet)

    network.train()
    torch.manual_seed(1)
    loud = [network.read(contexts, words, lengths).logits for _ in range(2)]
    torch.manual_seed(1)

    drops = any(
        getattr(part, "p", 0) or getattr(part, "dropout", 0) for part in network.modules()
    ) or bool(network.word_dropout or getattr(network, "weight_dropout", 0))
    assert torch.equal(*loud) != drops
    assert torch.equal(loud[0], network.read(contexts, words, lengths).logits)
