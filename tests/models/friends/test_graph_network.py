"""DynoNet against loops that a reader can check, and what it does not depend on."""

import math

import pytest
import torch

from palaver.models.friends.averaging import AveragedSeekers
from palaver.models.friends.graph_layers import (
    Edges,
    MessagePassing,
    NodeAttention,
    NodeProducts,
    UtteranceGate,
)
from palaver.models.friends.graphs import HEARD, VALUE
from palaver.models.friends.network import mentioned_nodes
from palaver.models.friends.tensors import TurnTensors, ViewBatch

from .toys import made_tensors, tiny_network

WAYS = {
    "dynonet": {},
    "stanonet": {"update": False},
    "published": {"feed": True},
    "products": {"compare": "product"},
    "one round": {"rounds": 1},
    "products, fed": {"compare": "product", "feed": True, "rounds": 0},
}


def logits_of(network, batch: ViewBatch) -> list[torch.Tensor]:
    with torch.no_grad():
        return [turn.logits for turn in network.read(batch)]


def test_messages_are_the_maximum_over_real_neighbours() -> None:
    torch.manual_seed(1)
    layer = MessagePassing(inputs=3, size=4, edge=2, types=2, rounds=3)
    nodes = torch.randn(2, 5, 3)
    edges = [[(0, 1, 2), (0, 2, 1), (3, 0, 6)], [(4, 0, 3)]]
    padded = torch.zeros(2, 3, 3, dtype=torch.long)
    for row, each in enumerate(edges):
        padded[row, : len(each)] = torch.tensor(each)

    found = layer(nodes, Edges(*padded.unbind(2)))

    assert found.shape == (2, 5, layer.size) == (2, 5, 3 + 3 * 4)
    for row in range(2):
        told = nodes[row]
        for number, weights in enumerate((0, 1, 1)):
            told = torch.stack([
                torch.stack([
                    torch.tanh(
                        layer.from_nodes[weights](told[end])
                        + layer.from_edges[weights](layer.edges.weight[label])
                    )
                    for start, end, label in edges[row]
                    if start == node
                ]).amax(0)
                if any(start == node for start, _, _ in edges[row])
                else torch.zeros(4)
                for node in range(5)
            ])  # fmt: skip
            at = 3 + 4 * number
            assert torch.allclose(found[row, :, at : at + 4], told, atol=1e-6)
    # All that a node is told may be below 0: padding does not lift it.
    assert bool((found[0, 0, 3:7] < 0).any())


def test_what_is_mentioned_is_taken_over_and_the_rest_fades() -> None:
    torch.manual_seed(1)
    gate = UtteranceGate(3)
    old, turn = torch.randn(1, 2, 3), torch.randn(1, 3)

    new = gate(old, turn, torch.tensor([[True, False]]))

    for node, said in ((0, turn[0]), (1, torch.zeros(3))):
        share = torch.sigmoid(gate.gate(torch.cat([old[0, node], said])))
        assert torch.allclose(new[0, node], (1 - share) * old[0, node] + share * said, atol=1e-6)


@pytest.mark.parametrize("kind", [NodeAttention, NodeProducts])
def test_scores_of_nodes_by_hand(kind) -> None:
    torch.manual_seed(2)
    layer = kind(state=3, node=4, size=5)
    states, nodes = torch.randn(1, 2, 3), torch.randn(1, 3, 4)
    was_said = torch.tensor([[[0.0, 0.0, 1.0], [1.0, 0.0, 1.0]]])

    scores = layer(states, layer.of_node(nodes), was_said)

    for place in range(2):
        for node in range(3):
            bit = was_said[0, place, node] * layer.of_bit
            asked, key = layer.of_state(states[0, place]), layer.of_node(nodes[0, node])
            if kind is NodeAttention:
                wanted = layer.score(torch.tanh(asked + key + bit)).squeeze()
            else:
                wanted = (asked / math.sqrt(5)) @ (key + bit)
            assert torch.allclose(scores[0, place, node], wanted, atol=1e-6)


@pytest.mark.parametrize("way", WAYS)
def test_a_turn_word_by_word_is_the_turn_as_a_whole(tmp_path, way) -> None:
    tensors, words = made_tensors(tmp_path)
    network = tiny_network(words, **WAYS[way])
    batch = tensors.taken(torch.arange(6))
    with torch.no_grad():
        state = network.begin(batch.graphs)
        for heard, said in batch.exchanges:
            state = network.hear(heard, state)
            draft, stepped = network.draft(state), []
            for place in range(said.words.shape[1] - 1):
                logits, draft = network.step(said.words[:, place], said.nodes[:, place], draft)
                stepped.append(logits)
            whole, state = network.say(said, state)
            is_word = said.targets(len(words)) > 0
            assert torch.allclose(torch.stack(stepped, 1)[is_word], whole[is_word], atol=1e-5)


@pytest.mark.parametrize("way", ["dynonet", "published"])
def test_a_view_is_read_alike_alone_and_among_larger_ones(tmp_path, way) -> None:
    tensors, words = made_tensors(tmp_path, 8)
    network = tiny_network(words, **WAYS[way])
    together = tensors.taken(torch.arange(16))
    for row in (0, 5, 15):
        alone = tensors.taken(torch.tensor([row]))
        turns = zip(
            alone.exchanges, logits_of(network, alone), logits_of(network, together), strict=False
        )
        for (_, said), one, other in turns:
            places, nodes = int(said.lengths[0]) - 1, one.shape[2]
            assert torch.allclose(
                one[0, :places], other[row, :places, :nodes], atol=1e-5, equal_nan=True
            )
            assert bool(other[row, :places, nodes:].isneginf().all())


@pytest.mark.parametrize("way", WAYS)
def test_the_gradient_reaches_every_part(tmp_path, way) -> None:
    tensors, words = made_tensors(tmp_path)
    network = tiny_network(words, **WAYS[way])
    loss = sum(
        torch.nn.functional.cross_entropy(
            turn.logits.flatten(0, 1), turn.targets.flatten(), ignore_index=0, reduction="sum"
        )
        for turn in network.read(tensors.taken(torch.arange(8)))
    )
    loss.backward()
    without = {n for n, w in network.named_parameters() if w.grad is None or not w.grad.any()}
    # Without rounds nobody asks what edges are.
    assert without == ({"messages.edges.weight"} if WAYS[way].get("rounds") == 0 else set())
    assert all(bool(w.grad.isfinite().all()) for w in network.parameters() if w.grad is not None)


def test_only_dynonet_keeps_the_turns_in_which_nodes_were_mentioned(tmp_path) -> None:
    tensors, words = made_tensors(tmp_path)
    batch = tensors.taken(torch.arange(4))
    for network, keeps in ((tiny_network(words), True), (tiny_network(words, update=False), False)):
        state = network.begin(batch.graphs)
        for heard, said in batch.exchanges[:2]:
            _, state = network.say(said, network.hear(heard, state))
        heard_vectors, said_vectors = state[5:7]
        assert bool(heard_vectors.any()) is bool(said_vectors.any()) is keeps


def test_a_turn_that_names_nothing_goes_to_those_of_the_last_that_did(tmp_path) -> None:
    tensors, words = made_tensors(tmp_path)
    network = tiny_network(words)
    batch = tensors.taken(torch.tensor([0]))
    value = int((batch.graphs.kinds[0] == VALUE).nonzero()[0])
    names = turn([[9, 9, 3]], [[-1, value, -1]])
    silent = turn([[9, 9, 3]], [[-1, -1, -1]])
    with torch.no_grad():
        before = network.begin(batch.graphs)
        nothing = network.hear(silent, before)
        once = network.hear(names, nothing)
        twice = network.hear(silent, once)
    assert not bool(nothing[5].any())
    for state in (once, twice):
        assert mentioned_nodes(torch.tensor([[value]]), state[8].shape[1]).equal(state[8])
    assert not torch.allclose(once[5][0, value], twice[5][0, value])
    others = torch.arange(once[5].shape[1]) != value
    assert not bool(once[5][0, others].any())


def test_values_can_be_copied_once_they_were_heard(tmp_path) -> None:
    tensors, words = made_tensors(tmp_path)
    network = tiny_network(words)
    has_heard = (tensors.graphs.kinds == HEARD).any(1).nonzero().squeeze(1)
    batch = tensors.taken(has_heard[:1])
    node = int((batch.graphs.kinds[0] == HEARD).nonzero()[0])
    go = torch.tensor([2]), torch.tensor([-1])
    with torch.no_grad():
        state = network.begin(batch.graphs)
        before, _ = network.step(*go, network.draft(state))
        state = network.hear(turn([[9, 9, 3]], [[-1, node, -1]]), state)
        after, _ = network.step(*go, network.draft(state))
    assert before[0, len(words) + node].isneginf()
    assert after[0, len(words) + node].isfinite()


def test_gradients_go_back_as_far_as_is_asked(tmp_path) -> None:
    tensors, words = made_tensors(tmp_path)
    network = tiny_network(words)
    batch = tensors.taken(torch.arange(6))

    def last_gradient(reach: int) -> torch.Tensor:
        network.zero_grad()
        *_, last = network.read(batch, reach)
        last.logits[..., : len(words)].sum().backward()
        return network.said_gate.gate.weight.grad

    values = [[t.logits for t in network.read(batch, reach)] for reach in (0, 1)]
    assert all(torch.equal(one, other) for one, other in zip(*values, strict=True))
    assert last_gradient(0).any()
    # What was said in the exchange before is out of reach.
    assert last_gradient(1) is None or not last_gradient(1).any()


def test_several_networks_say_the_mean_of_their_probabilities(tmp_path) -> None:
    tensors, words = made_tensors(tmp_path)
    members = [tiny_network(words, seed=1, spread=0.5), tiny_network(words, seed=2, feed=True)]
    both = AveragedSeekers(members)
    batch = tensors.taken(torch.arange(4))
    found = logits_of(both, batch)
    each = [logits_of(member, batch) for member in members]
    for mean, *own in zip(found, *each, strict=True):
        wanted = torch.stack([logits.softmax(-1) for logits in own]).mean(0)
        assert torch.allclose(mean.softmax(-1), wanted, atol=1e-6)
    with torch.no_grad():
        state = both.hear(batch.exchanges[0][0], both.begin(batch.graphs))
        first, _ = both.step(torch.full((4,), 2), torch.full((4,), -1), both.draft(state))
    is_there = batch.exchanges[0][1].lengths > 0
    assert torch.allclose(first[is_there], found[0][is_there, 0], atol=1e-5)


def turn(words: list[list[int]], nodes: list[list[int]]) -> TurnTensors:
    sizes = torch.tensor([len(each) for each in words])
    return TurnTensors(torch.tensor(words), torch.tensor(nodes), sizes, sizes)
