"""Two tables that share a friend, as two graphs in which the same values are known to each other."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from palaver.core.errors import InputError
from palaver.models.chats import Chat
from palaver.models.friends.graphs import FriendsNodes, GraphTensors
from palaver.models.friends.tables import FriendsTable
from palaver.models.friends.views import tables_of
from palaver.models.friends.words import FriendsWords
from palaver.models.json_files import json_records


@dataclass(frozen=True)
class TablePair:
    """What a dialogue is about: the tables of both sides, and where it comes from."""

    id: str
    tables: tuple[FriendsTable, FriendsTable]

    def turned(self) -> "TablePair":
        """The same with sides exchanged."""
        return TablePair(self.id, (self.tables[1], self.tables[0]))

    def nodes(self, side: int) -> FriendsNodes:
        """The graph of a side, with all that it can hear of."""
        own, other = self.tables[side], self.tables[1 - side]
        heard_of = tuple(entity for entity in other.entities if entity not in own.own)
        return FriendsNodes(own, heard_of)


@dataclass(frozen=True, slots=True)
class SideTensors:
    """Graphs of one side, and what their nodes are to the other side."""

    graphs: GraphTensors
    # (pairs, nodes): the node of the same value in the other's graph, else -1.
    theirs: Tensor
    # (pairs, rows): the row of the same friend in the other's table, else -1.
    same: Tensor
    # (pairs, rows, values): the nodes of a friend's values, then -1.
    values: Tensor


@dataclass(frozen=True, slots=True)
class PairTensors:
    """Pairs of tables on a device."""

    pairs: tuple[TablePair, ...]
    sides: tuple[SideTensors, SideTensors]

    @classmethod
    def of(
        cls, pairs: Sequence[TablePair], words: FriendsWords, device: torch.device
    ) -> "PairTensors":
        nodes = [(pair.nodes(0), pair.nodes(1)) for pair in pairs]
        one, other = (
            SideTensors(
                GraphTensors.of([each[side] for each in nodes], words, device).taken(
                    torch.arange(len(pairs), device=device)
                ),
                _padded([_theirs(each[side], each[1 - side]) for each in nodes], device),
                _padded([_same(each[side], each[1 - side]) for each in nodes], device),
                _values([each[side] for each in nodes], device),
            )
            for side in (0, 1)
        )
        return cls(tuple(pairs), (one, other))

    def __len__(self) -> int:
        return len(self.pairs)


def pairs_of(chats: Iterable[Chat]) -> list[TablePair]:
    """The tables of some dialogues."""
    return [TablePair(chat.id, tables_of(chat)) for chat in chats]


def read_pairs(path: Path) -> list[TablePair]:
    """The tables of a file of scenarios, as `palaver scenarios generate` writes it, or of dialogues;
    InputError says what is wrong with it."""
    found = [_pair(raw, f"{path}: scenario {n}", n) for n, raw in enumerate(json_records(path), 1)]
    if not found:
        raise InputError(f"There is no scenario in {path}.")
    return found


def _pair(raw: Any, place: str, number: int) -> TablePair:
    scenario = raw.get("scenario", raw) if isinstance(raw, dict) else None
    kbs = scenario.get("kbs") if isinstance(scenario, dict) else None
    if not isinstance(scenario, dict) or not isinstance(kbs, list) or len(kbs) != 2:
        raise InputError(f"{place} has no 'kbs' of two tables. Give scenarios of MutualFriends.")
    extra = scenario.get("extra")
    listed = scenario.get("attributes") or (extra or {}).get("attributes") or ()
    columns = [str(each.get("name", "")) for each in listed if isinstance(each, dict)]
    try:
        first, second = (FriendsTable.of(kb, columns) for kb in kbs)
    except InputError as error:
        raise InputError(f"{place}: {error}") from error
    return TablePair(str(scenario.get("uuid") or scenario.get("id") or number), (first, second))


def _theirs(own: FriendsNodes, other: FriendsNodes) -> Tensor:
    found = torch.full((len(own),), -1)
    for node, entity in own.values:
        found[node] = other.of_entity(entity)
    return found


def _same(own: FriendsNodes, other: FriendsNodes) -> Tensor:
    theirs = {frozenset(row): number for number, row in enumerate(other.table.rows)}
    return torch.tensor([theirs.get(frozenset(row), -1) for row in own.table.rows])


def _values(nodes: Sequence[FriendsNodes], device: torch.device) -> Tensor:
    rows = [[[each.of_entity(e) for e in row] for row in each.table.rows] for each in nodes]
    height = max(map(len, rows))
    width = max(len(row) for table in rows for row in table)
    found = torch.full((len(nodes), height, width), -1)
    for pair, table in enumerate(rows):
        for number, row in enumerate(table):
            found[pair, number, : len(row)] = torch.tensor(row)
    return found.to(device)


def _padded(tensors: Sequence[Tensor], device: torch.device) -> Tensor:
    return pad_sequence(list(tensors), batch_first=True, padding_value=-1).to(device)
