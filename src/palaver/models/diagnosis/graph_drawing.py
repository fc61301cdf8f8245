"""Where the nodes and lines of a graph lie in its picture, in pixels."""

from dataclasses import dataclass

from palaver.core.words import percent, shortened
from palaver.models.diagnosis.record import GraphNode, GraphPicture, GraphTurn

# Width of a column, height of a place, and room above and at the left of the first.
_COLUMN, _PLACE, _TOP, _LEFT = 176, 26, 34, 12
# As many letters of a label fit into a column, with a number beside it and without.
_LETTERS, _LETTERS_BESIDE = 22, 15
# From a dot to the beginning of its label, and the width of a letter; lines begin behind labels.
_TO_LABEL, _LETTER = 13, 7
# From which strength on lines are drawn in colour, and numbers stand beside labels.
_STRONG = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnNode:
    """A node: where its dot lies, what stands beside it, and how strongly it is drawn."""

    x: int
    y: int
    label: str
    weight: str
    strength: float
    is_named: bool

    @property
    def radius(self) -> float:
        return 4 + 5 * self.strength

    @property
    def end(self) -> int:
        """Where its label ends."""
        letters = len(self.label) + (len(self.weight) + 1 if self.weight else 0)
        return self.x + _TO_LABEL + _LETTER * letters


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnLine:
    """A line between two dots."""

    x1: int
    y1: int
    x2: int
    y2: int
    is_strong: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnGraph:
    """All of a picture, with its size and the heads of its columns."""

    width: int
    height: int
    heads: tuple[tuple[int, str], ...]
    nodes: tuple[DrawnNode, ...]
    lines: tuple[DrawnLine, ...]


def drawn_graph(turn: GraphTurn, graph: GraphPicture) -> DrawnGraph:
    """The picture of one turn; nodes that are not known yet have no place in it."""
    nodes = {
        number: _node(turn, graph.nodes[number], weight, number in turn.named)
        for number, weight in enumerate(turn.weights)
        if weight is not None
    }
    lines = [
        DrawnLine(
            x1=nodes[start].end,
            y1=nodes[start].y,
            x2=nodes[end].x,
            y2=nodes[end].y,
            is_strong=max(nodes[start].strength, nodes[end].strength) >= _STRONG,
        )
        for start, end in graph.edges
        if start in nodes and end in nodes
    ]
    return DrawnGraph(
        width=_LEFT + _COLUMN * len(graph.columns),
        height=_TOP + _PLACE * (1 + max((node.place for node in graph.nodes), default=0)),
        heads=tuple((_LEFT + _COLUMN * n, head) for n, head in enumerate(graph.columns)),
        nodes=tuple(nodes.values()),
        lines=tuple(sorted(lines, key=lambda line: line.is_strong)),
    )


def _node(turn: GraphTurn, node: GraphNode, weight: float, is_named: bool) -> DrawnNode:
    strength = min(1.0, weight / turn.full) if turn.full else 0.0
    is_told = strength >= _STRONG
    return DrawnNode(
        x=_LEFT + _COLUMN * node.column,
        y=_TOP + _PLACE * node.place,
        label=shortened(node.label, _LETTERS_BESIDE if is_told else _LETTERS),
        weight=percent(weight, 0) if is_told else "",
        strength=strength,
        is_named=is_named,
    )
