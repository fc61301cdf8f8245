"""Tables as graphs: nodes for rows, attributes and values, edges between them, as padded tensors.

A row leads to its values by the edge of their attribute, an attribute to its values by an edge of its
own, and every edge has one that leads back. Values that are spoken of without being in the table are
nodes without edges.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from palaver.games.mutual_friends.lexicon import Entity
from palaver.models.friends.tables import FriendsTable
from palaver.models.friends.tokens import FriendsToken
from palaver.models.friends.words import ITEM_NUMBER, PAD_NUMBER, FriendsWords

# More rows, and more edges of a node, are counted as so many.
MOST_ROWS = 12
# Nothing, less than a quarter, a half, three quarters, than all, and all rows of a table.
SHARES = 6
# What a node is: nothing, a row, an attribute, a value of the table, one that was only heard of.
NOTHING, ROW, ATTRIBUTE, VALUE, HEARD = range(5)


@dataclass(frozen=True)
class FriendsNodes:
    """The nodes of a table and of what was heard beside it, by number."""

    table: FriendsTable
    heard_of: tuple[Entity, ...] = ()

    def __len__(self) -> int:
        return len(self.table.rows) + len(self.table.columns) + len(self._entities)

    def of(self, token: FriendsToken) -> int:
        """The node of a token; -1 where it is a plain word, or names what is not here."""
        if token.row is not None:
            return token.row
        return -1 if token.entity is None else self.of_entity(token.entity)

    def of_entity(self, entity: Entity) -> int:
        """The node of a value; -1 where it is not here."""
        return self._entities.get(entity, -1)

    @property
    def values(self) -> tuple[tuple[int, Entity], ...]:
        """Every value with its node."""
        return tuple((number, entity) for entity, number in self._entities.items())

    def column(self, name: str) -> int:
        """The node of an attribute."""
        return len(self.table.rows) + self.table.columns.index(name)

    def is_row(self, node: int) -> bool:
        return 0 <= node < len(self.table.rows)

    def entity(self, node: int) -> Entity | None:
        """The value that a node stands for; None where it is none."""
        return self._by_number.get(node)

    @cached_property
    def _entities(self) -> dict[Entity, int]:
        first = len(self.table.rows) + len(self.table.columns)
        known = dict.fromkeys((*self.table.entities, *self.heard_of))
        return {entity: number for number, entity in enumerate(known, start=first)}

    @cached_property
    def _by_number(self) -> dict[int, Entity]:
        return {number: entity for entity, number in self._entities.items()}


@dataclass(frozen=True, slots=True)
class GraphTensors:
    """Graphs, one in each row, padded: a node that is nothing, and edges that lead nowhere.

    Features are numbers of classes, 0 where a node has none; edges lead from a node to another.
    """

    # (graphs, nodes): what a node is, and the word it is read as.
    kinds: Tensor
    words: Tensor
    # (graphs, nodes): type, number of edges to rows from 1, share of rows from 1.
    types: Tensor
    degrees: Tensor
    shares: Tensor
    # (graphs, edges): two nodes and the label between them; 0 for padding.
    starts: Tensor
    ends: Tensor
    labels: Tensor

    @classmethod
    def of(
        cls, nodes: Sequence[FriendsNodes], words: FriendsWords, device: torch.device
    ) -> "GraphTensors":
        columns = zip(*(_columns(each, words) for each in nodes), strict=True)
        return cls(
            *(
                pad_sequence([torch.tensor(each, dtype=torch.int16) for each in column], True).to(
                    device
                )
                for column in columns
            )
        )

    def __len__(self) -> int:
        return len(self.kinds)

    def taken(self, rows: Tensor) -> "GraphTensors":
        """Some graphs, as numbers to look up with."""
        return GraphTensors(*(getattr(self, each.name)[rows].long() for each in fields(self)))

    def cut(self, nodes: int, edges: int) -> "GraphTensors":
        """The same without padding that none of the graphs needs."""
        sizes = [nodes] * 5 + [edges] * 3
        return GraphTensors(
            *(
                getattr(self, each.name)[:, :size]
                for each, size in zip(fields(self), sizes, strict=True)
            )
        )


def type_count(types: int) -> int:
    """How many types nodes have, beside none: values and attributes of each kind, and rows."""
    return 2 * types + MOST_ROWS


def label_count(types: int) -> int:
    """How many labels edges have, beside none: an attribute's, that of attributes, and inverses."""
    return 2 * (types + 1)


def _columns(nodes: FriendsNodes, words: FriendsWords) -> tuple[list[int], ...]:
    """The numbers of a graph, in the order of the fields."""
    table, types = nodes.table, words.types
    rows = len(table.rows)
    degree = dict.fromkeys(table.entities, 0)
    for row in table.rows:
        for entity in row:
            degree[entity] += 1
    kinds = [ROW] * rows + [ATTRIBUTE] * len(table.columns)
    read_as = [ITEM_NUMBER] * rows + [PAD_NUMBER] * len(table.columns)
    of_type = [2 * types + min(n, MOST_ROWS - 1) + 1 for n in range(rows)]
    degrees, shares = [0] * rows, [0] * rows
    for name in table.columns:
        values = sum(entity.attribute == name for entity in table.entities)
        of_type.append(types + words.attribute(name) + 1)
        degrees.append(min(values, MOST_ROWS) + 1)
        shares.append(share_class(values, rows))
    for _, entity in nodes.values:
        held = degree.get(entity, 0)
        kinds.append(VALUE if entity in degree else HEARD)
        read_as.append(words.entity_number(entity))
        of_type.append(words.attribute(entity.attribute) + 1)
        degrees.append(min(held, MOST_ROWS) + 1)
        shares.append(share_class(held, rows))
    starts, ends, labels = _edges(nodes, words)
    return kinds, read_as, of_type, degrees, shares, starts, ends, labels


def share_class(count: int, rows: int) -> int:
    """The class of a share of the rows, from 1.

    >>> [share_class(count, 8) for count in (0, 1, 2, 4, 7, 8, 9)]
    [1, 2, 3, 4, 5, 6, 6]
    """
    if not count:
        return 1
    return SHARES if count >= rows else 2 + 4 * count // rows


def _edges(nodes: FriendsNodes, words: FriendsWords) -> tuple[list[int], list[int], list[int]]:
    """Every edge and its inverse; labels count from 1."""
    table, back = nodes.table, words.types + 1
    pairs = [
        (number, nodes.of_entity(entity), words.attribute(entity.attribute) + 1)
        for number, row in enumerate(table.rows)
        for entity in row
    ]
    pairs += [
        (nodes.column(entity.attribute), nodes.of_entity(entity), words.types + 1)
        for entity in table.entities
    ]
    both = pairs + [(end, start, label + back) for start, end, label in pairs]
    return [e[0] for e in both], [e[1] for e in both], [e[2] for e in both]
