"""What a network looks at in one dialogue, turn by turn, drawn as its graph."""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from palaver.core.words import listed
from palaver.models.diagnosis.record import GraphNode, GraphPicture, GraphTurn
from palaver.models.friends.graphs import FriendsNodes
from palaver.models.friends.network import FriendsReader
from palaver.models.friends.tensors import ViewTensors
from palaver.models.friends.tokens import END, SELECT, FriendsToken
from palaver.models.friends.views import FriendsView
from palaver.models.friends.wording import spaced
from palaver.models.friends.words import PAD_NUMBER, FriendsWords

# A dialogue of so many exchanges is worth a picture, and so many views are looked through for one.
_EXCHANGES, _LOOKED_THROUGH = 4, 200
# Tables of more rows are too tall for a picture that repeats.
_TALLEST = 8


def graph_picture(
    reader: FriendsReader, views: Sequence[FriendsView], words: FriendsWords, device: torch.device
) -> GraphPicture:
    """The graph of one view in each of its turns, with the shares of what could be copied there."""
    view = max(views[:_LOOKED_THROUGH], key=_worth_a_picture)
    nodes = FriendsNodes(view.table, view.heard_of)
    columns = ["Friend", *view.table.columns]
    if view.heard_of:
        columns.append("Heard of")
    return GraphPicture(
        title="What it looks at in its table",
        caption="A dialogue of the file, as one side lives through it: its friends, the values they "
        "have, and values that it only heard of. The weights are the shares of what could be copied, "
        "where something is copied; elsewhere those of all places in the turn.",
        columns=tuple(columns),
        nodes=tuple(_drawn_nodes(view, nodes)),
        edges=tuple(
            (row, _drawn(nodes, nodes.of_entity(entity)))
            for row, values in enumerate(view.table.rows)
            for entity in values
        ),
        turns=tuple(_turns(reader, view, nodes, words, device)),
    )


def said_words(tokens: Sequence[FriendsToken]) -> str:
    """What was said, to be read; a row by its number."""
    found = []
    for utterance in _utterances(tokens):
        if utterance and utterance[0].word == SELECT:
            found.append(f"(selects {_selected(utterance[1:])})")
        else:
            found.append(_as_written(utterance))
    return " ".join(found)


def _worth_a_picture(view: FriendsView) -> tuple[bool, int]:
    said = sum(bool(each.said) for each in view.exchanges)
    return len(view.table.rows) <= _TALLEST, min(said, _EXCHANGES)


def _drawn(nodes: FriendsNodes, node: int) -> int:
    """The number of a node among those that are drawn: attributes are heads of columns."""
    return node if nodes.is_row(node) else node - len(nodes.table.columns)


def _drawn_nodes(view: FriendsView, nodes: FriendsNodes) -> Iterator[GraphNode]:
    for row in range(len(view.table.rows)):
        yield GraphNode(label=f"Friend {row + 1}", column=0, place=row)
    heads = [*view.table.columns, None]
    places = dict.fromkeys(heads, 0)
    for _, entity in nodes.values:
        head = entity.attribute if entity in view.table.own else None
        yield GraphNode(label=entity.value, column=1 + heads.index(head), place=places[head])
        places[head] += 1


def _turns(
    reader: FriendsReader,
    view: FriendsView,
    nodes: FriendsNodes,
    words: FriendsWords,
    device: torch.device,
) -> Iterator[GraphTurn]:
    batch = ViewTensors.of([view], words, device).taken(torch.tensor([0]))
    known = set(view.table.own)
    for number, (exchange, turn) in enumerate(
        zip(view.exchanges, reader.read(batch), strict=True), start=1
    ):
        named = {token.entity for token in exchange.heard if token.entity is not None}
        known |= named
        if not exchange.said:
            continue
        shares = _shares(turn.logits[0], turn.targets[0], len(words)).tolist()
        is_known = [True] * len(view.table.rows) + [e in known for _, e in nodes.values]
        weights = [*shares[: len(view.table.rows)], *(shares[node] for node, _ in nodes.values)]
        yield GraphTurn(
            title=f"Turn {number}",
            heard=said_words(exchange.heard),
            said=said_words(exchange.said),
            weights=tuple(w if k else None for w, k in zip(weights, is_known, strict=True)),
            named=frozenset(_drawn(nodes, nodes.of_entity(entity)) for entity in named),
        )


def _shares(logits: Tensor, targets: Tensor, vocabulary: int) -> Tensor:
    """The shares of nodes among all that could be copied, where something is, else everywhere."""
    is_copied = targets >= vocabulary
    places = is_copied if bool(is_copied.any()) else targets != PAD_NUMBER
    return logits[places][:, vocabulary:].float().softmax(1).mean(0).cpu()


def _utterances(tokens: Sequence[FriendsToken]) -> list[list[FriendsToken]]:
    found: list[list[FriendsToken]] = [[]]
    for token in tokens:
        if token.word == END and token.entity is None:
            found.append([])
        else:
            found[-1].append(token)
    return [each for each in found if each]


def _selected(tokens: Sequence[FriendsToken]) -> str:
    rows = [f"friend {token.row + 1}" for token in tokens if token.row is not None]
    return rows[0] if rows else listed([t.entity.value for t in tokens if t.entity is not None])


def _as_written(tokens: Sequence[FriendsToken]) -> str:
    """Words as they were read, and values as they stand in tables."""
    return spaced(token.word if token.entity is None else token.entity.value for token in tokens)
