"""The head that says who gets what: it reads both ways, and finds the word that settles it."""

import pytest
import torch

from palaver.models.deal.selection import Chooser, ContextEncoder, SelectionSettings
from palaver.models.deal.splits import best_split

SETTINGS = SelectionSettings(hidden=8, attention=8, layer=8)


@pytest.fixture
def chooser():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return Chooser(SETTINGS, inputs=5, context=4)


@torch.no_grad()
def test_numbers_a_network_never_saw_count_as_the_largest_it_knows():
    encoder = ContextEncoder(4)

    vectors = encoder(torch.tensor([[1, 10, 2, 10, 3, 10], [1, 99, 2, 10, 3, 11]]))

    assert torch.equal(vectors[0], vectors[1])
    assert not torch.equal(vectors[0], encoder(torch.tensor([[1, 9, 2, 10, 3, 10]]))[0])


@torch.no_grad()
def test_every_word_sees_the_words_before_and_after_it(chooser):
    read = torch.randn(1, 6, 5, generator=torch.Generator().manual_seed(0))
    lengths = torch.tensor([6])
    first, last = read.clone(), read.clone()
    first[0, 0] += 1
    last[0, 5] += 1

    states = [chooser._both_ways(each, lengths) for each in (read, first, last)]

    onward, back = slice(0, 8), slice(8, 16)
    assert not torch.allclose(states[0][0, 5, onward], states[1][0, 5, onward])
    assert not torch.allclose(states[0][0, 0, back], states[2][0, 0, back])
    torch.testing.assert_close(states[0][0, 5, back], states[1][0, 5, back])


@torch.no_grad()
def test_it_agrees_with_packed_rows_of_a_bidirectional_gru(chooser):
    whole = torch.nn.GRU(5, 8, batch_first=True, bidirectional=True)
    for name, weight in chooser.onward.named_parameters():
        getattr(whole, name).copy_(weight)
    for name, weight in chooser.back.named_parameters():
        getattr(whole, f"{name}_reverse").copy_(weight)
    read, lengths = torch.randn(3, 7, 5), torch.tensor([7, 2, 5])

    packed = torch.nn.utils.rnn.pack_padded_sequence(
        read, lengths, batch_first=True, enforce_sorted=False
    )
    expected, _ = torch.nn.utils.rnn.pad_packed_sequence(whole(packed)[0], batch_first=True)

    found = chooser._both_ways(read, lengths)
    for row, length in enumerate(lengths.tolist()):
        torch.testing.assert_close(found[row, :length], expected[row, :length])


def test_it_learns_which_word_settles_the_deal(chooser):
    dice = torch.Generator().manual_seed(1)
    contexts, lengths, context = torch.full((20, 6), 2), torch.full((20,), 5), torch.zeros(20, 4)
    taken = torch.randint(0, 3, (20, 1), generator=dice)
    places = torch.randint(0, 5, (20,), generator=dice)
    read = torch.randn(20, 5, 5, generator=dice)
    read[torch.arange(20), places] = torch.cat([3.0 * taken, torch.full((20, 4), 6.0)], dim=1)
    slots = torch.cat([taken, taken, taken, 2 - taken, 2 - taken, 2 - taken], dim=1)
    optimizer = torch.optim.Adam(chooser.parameters(), lr=0.05)

    for _ in range(40):
        optimizer.zero_grad()
        said = chooser(read, context, lengths, contexts)
        (-said.gather(2, slots[:, :, None]).mean()).backward()
        optimizer.step()

    with torch.no_grad():
        said = chooser(read, context, lengths, contexts)
        right = (best_split(said, contexts) == slots).all(1).float().mean()
        on_place = chooser.weights(read, lengths)[torch.arange(20), places].mean()
    assert right > 0.9
    assert on_place > 2 / 5
