"""Views as tensors on the device where a network reads them: graphs, and turns one after the other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

import torch
from torch import Tensor

from palaver.models.friends.graphs import FriendsNodes, GraphTensors
from palaver.models.friends.tokens import GO, FriendsToken
from palaver.models.friends.views import FriendsView
from palaver.models.friends.words import PAD_NUMBER, FriendsWords

_GO = (FriendsToken(GO),)
# How much is read at once, in tokens with their padding.
TOKENS_AT_ONCE = 16_384


@dataclass(frozen=True, slots=True)
class TurnTensors:
    """A turn in each row, padded; a row without one has the length 0.

    What is heard is the words of a turn with their marks. What is said has `<go>` before it.
    """

    # (rows, places): words as they are read, and the nodes they stand for, -1 for plain words.
    words: Tensor
    nodes: Tensor
    lengths: Tensor
    # The lengths on the CPU.
    sizes: Tensor

    def targets(self, vocabulary: int) -> Tensor:
        """What is to be said at each place (rows, places - 1): a word, or after all words a node.

        Padding stays padding.
        """
        words, nodes = self.words[:, 1:], self.nodes[:, 1:]
        return torch.where(nodes >= 0, nodes + vocabulary, words)

    def taken(self, rows: Tensor) -> "TurnTensors":
        """Some rows; `rows` are on the CPU."""
        on_device = rows.to(self.words.device)
        return TurnTensors(
            self.words[on_device],
            self.nodes[on_device],
            self.lengths[on_device],
            self.sizes[rows],
        )


@dataclass(frozen=True, slots=True)
class ViewBatch:
    """Some views: their graphs, and the turns (heard, said) of each exchange."""

    graphs: GraphTensors
    exchanges: tuple[tuple[TurnTensors, TurnTensors], ...]
    # Which of all views these are; on the CPU.
    rows: Tensor

    def __len__(self) -> int:
        return len(self.graphs)


@dataclass(frozen=True, slots=True)
class ViewTensors:
    """All views on a device. Tokens lie one after the other, so that nothing of a turn is padding."""

    graphs: GraphTensors
    # (tokens,)
    words: Tensor
    nodes: Tensor
    # (views, 2 × exchanges + 1): where each turn begins; heard and said by turns.
    begins: Tensor
    # The same on the CPU, with how many nodes and edges each graph has.
    bounds: Tensor
    node_counts: Tensor
    edge_counts: Tensor

    @classmethod
    def of(
        cls, views: Sequence[FriendsView], words: FriendsWords, device: torch.device
    ) -> "ViewTensors":
        numbers: list[int] = []
        standing: list[int] = []
        begins: list[list[int]] = []
        every = [FriendsNodes(view.table, view.heard_of) for view in views]
        for view, nodes in zip(views, every, strict=True):
            begins.append([len(numbers)])
            for exchange in view.exchanges:
                for tokens in (exchange.heard, _GO + exchange.said if exchange.said else ()):
                    numbers += [words.number(token) for token in tokens]
                    standing += [nodes.of(token) for token in tokens]
                    begins[-1].append(len(numbers))
        most = max(map(len, begins))
        bounds = torch.tensor([each + each[-1:] * (most - len(each)) for each in begins])
        graphs = GraphTensors.of(every, words, torch.device("cpu"))
        return cls(
            GraphTensors(*(getattr(graphs, each.name).to(device) for each in fields(graphs))),
            torch.tensor(numbers, dtype=torch.int32, device=device),
            torch.tensor(standing, dtype=torch.int16, device=device),
            bounds.to(device),
            bounds,
            (graphs.kinds > 0).sum(1),
            (graphs.labels > 0).sum(1),
        )

    def __len__(self) -> int:
        return len(self.bounds)

    @property
    def lengths(self) -> Tensor:
        """How many tokens (views,) each view has, on the CPU."""
        return self.bounds[:, -1] - self.bounds[:, 0]

    @property
    def turns(self) -> Tensor:
        """How many turns (views,) each view has, on the CPU; an empty one first is none."""
        return (self.bounds.diff(dim=1) > 0).sum(1)

    def taken(self, rows: Tensor) -> ViewBatch:
        """Some views, by their numbers on the CPU."""
        on_device = rows.to(self.begins.device)
        graphs = self.graphs.cut(
            int(self.node_counts[rows].max()), int(self.edge_counts[rows].max())
        )
        sizes = self.bounds[rows].diff(dim=1)
        is_there = (sizes.sum(0) > 0).nonzero()
        last = int(is_there.max()) // 2 + 1 if len(is_there) else 0
        begins = self.begins[on_device]
        return ViewBatch(
            graphs.taken(on_device),
            tuple(
                (
                    self._turn(begins, sizes, 2 * number),
                    self._turn(begins, sizes, 2 * number + 1),
                )
                for number in range(last)
            ),
            rows,
        )

    def parts(self, tokens: int = TOKENS_AT_ONCE) -> Iterator[ViewBatch]:
        """All views, those of as many turns together, so many tokens at once with their padding."""
        order = self.turns.argsort(stable=True)
        widest = int(self.bounds.diff(dim=1).max())
        count = max(1, tokens // widest)
        for start in range(0, len(order), count):
            yield self.taken(order[start : start + count])

    def _turn(self, begins: Tensor, sizes: Tensor, number: int) -> TurnTensors:
        own = sizes[:, number]
        # Of two places, one is before the last, also where nobody says anything.
        places = torch.arange(max(2, int(own.max())), device=begins.device)
        lengths = begins[:, number + 1] - begins[:, number]
        is_word = places < lengths[:, None]
        at = (begins[:, number, None] + places).clamp(max=len(self.words) - 1)
        return TurnTensors(
            self.words[at].long().masked_fill(~is_word, PAD_NUMBER),
            self.nodes[at].long().masked_fill(~is_word, -1),
            lengths,
            own,
        )
