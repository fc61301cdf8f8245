"""Tables as graphs, checked by hand."""

import torch

from palaver.games.mutual_friends.lexicon import Entity
from palaver.models.friends.graphs import (
    ATTRIBUTE,
    HEARD,
    ROW,
    VALUE,
    FriendsNodes,
    GraphTensors,
    label_count,
    share_class,
    type_count,
)
from palaver.models.friends.tables import FriendsTable
from palaver.models.friends.tensors import ViewTensors
from palaver.models.friends.tokens import FriendsToken
from palaver.models.friends.words import ITEM_NUMBER, OTHER_NUMBER, PAD_NUMBER

from .toys import CPU, made_views, table


def graph(nodes: FriendsNodes, words) -> GraphTensors:
    return GraphTensors.of([nodes], words, CPU).taken(torch.tensor([0]))


def test_nodes_and_edges_of_a_small_table(tmp_path) -> None:
    _, words = made_views(tmp_path)
    nodes = FriendsNodes(
        table(("Adele", "Chess"), ("Boris", "Chess")), heard_of=(Entity("Hobby", "Yoga"),)
    )
    found = graph(nodes, words)

    # Two rows, Name and Hobby, Adele, Chess, Boris, and Yoga, which was only heard of.
    assert found.kinds.tolist() == [[ROW] * 2 + [ATTRIBUTE] * 2 + [VALUE] * 3 + [HEARD]]
    name, hobby = (words.attribute(each) for each in ("Name", "Hobby"))
    types = words.types
    rows = [2 * types + 1, 2 * types + 2]
    assert found.types.tolist() == [
        [*rows, types + name + 1, types + hobby + 1, name + 1, hobby + 1, name + 1, hobby + 1]
    ]
    # Edges to rows, from 1 for none; those of attributes to their values.
    assert found.degrees.tolist() == [[0, 0, 3, 2, 2, 3, 2, 1]]
    assert found.shares.tolist() == [[0, 0, 6, 4, 4, 6, 4, 1]]
    back, has = types + 1, types + 1
    wanted = {
        (0, 4, name + 1), (0, 5, hobby + 1), (1, 6, name + 1), (1, 5, hobby + 1),
        (2, 4, has), (3, 5, has), (2, 6, has),
    }  # fmt: skip
    wanted |= {(end, start, label + back) for start, end, label in wanted}
    edges = (found.starts[0], found.ends[0], found.labels[0])
    assert set(zip(*(each.tolist() for each in edges), strict=True)) == wanted
    assert len(found.labels[0]) == 14
    assert nodes.of(FriendsToken("", row=1)) == 1
    assert nodes.of(FriendsToken("yoga", Entity("Hobby", "Yoga"))) == 7
    assert nodes.of(FriendsToken("yoga")) == -1


def test_tables_larger_than_any_that_was_learnt_from_and_other_schemas(tmp_path) -> None:
    _, words = made_views(tmp_path)
    many = table(*[(f"n{n}", "Chess") for n in range(30)], columns=("Town", "Hobby"))
    found = graph(FriendsNodes(many), words)

    assert found.types.max() <= type_count(words.types)
    assert found.labels.max() <= label_count(words.types)
    assert found.degrees.max() == 13
    assert found.types[0, 11] == found.types[0, 29]
    town = FriendsNodes(many).of_entity(Entity("Town", "n3"))
    assert found.words[0, [0, 30, town]].tolist() == [ITEM_NUMBER, PAD_NUMBER, OTHER_NUMBER]


def test_an_attribute_can_have_several_values_or_none() -> None:
    many = FriendsTable.of(
        [{"Name": "Ida", "Hobby": ["Chess", "Yoga"]}, {"Name": "Bo", "Hobby": None}]
    )
    assert [len(row) for row in many.rows] == [3, 1]
    assert many.find({"Hobby": ["Yoga", "Chess"], "Name": "Ida"}) == 0
    assert many.find({"Name": "Bo"}) == 1
    assert many.find({"Name": "Bo", "Town": "Ghent"}) is None


def test_shares_fall_into_six_classes() -> None:
    assert [share_class(n, 4) for n in range(6)] == [1, 3, 4, 5, 6, 6]
    assert [share_class(n, 12) for n in (1, 2, 3, 6, 9, 11)] == [2, 2, 3, 4, 5, 5]


def test_turns_of_a_batch_are_the_tokens_of_views_and_targets_copy_nodes(tmp_path) -> None:
    views, words = made_views(tmp_path, 5)
    batch = ViewTensors.of(views, words, CPU).taken(torch.tensor([7, 2]))

    for row, view in enumerate((views[7], views[2])):
        nodes = FriendsNodes(view.table, view.heard_of)
        for exchange, (heard, said) in zip(view.exchanges, batch.exchanges, strict=False):
            tokens = list(exchange.heard)
            assert heard.words[row, : len(tokens)].tolist() == [words.number(t) for t in tokens]
            assert heard.nodes[row, : len(tokens)].tolist() == [nodes.of(t) for t in tokens]
            assert not heard.words[row, len(tokens) :].any()
            targets = said.targets(len(words))[row, : len(exchange.said)]
            wanted = [
                nodes.of(t) + len(words) if nodes.of(t) >= 0 else words.number(t)
                for t in exchange.said
            ]
            assert targets.tolist() == wanted
            assert int(said.lengths[row]) == (len(wanted) + 1 if wanted else 0)


def test_every_view_comes_once_in_parts(tmp_path) -> None:
    views, words = made_views(tmp_path, 9)
    tensors = ViewTensors.of(views, words, CPU)
    rows = [row for part in tensors.parts(tokens=60) for row in part.rows.tolist()]
    assert sorted(rows) == list(range(18))
    assert int(tensors.lengths.sum()) == len(tensors.words)
