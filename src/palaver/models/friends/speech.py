"""Making up a turn: what may be said at each place of it, and how words are drawn.

An utterance is words and values that are known to the speaker, never empty; or `<select>` and a row of
the own table that may be selected. Anything else has no probability, so that no network can be
illegal. A turn that is made up is one utterance.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from palaver.models.answering import check_wanted
from palaver.models.friends.graphs import ROW, GraphTensors
from palaver.models.friends.network import FriendsNetwork, State
from palaver.models.friends.tensors import TurnTensors
from palaver.models.friends.words import (
    END_NUMBER,
    GO_NUMBER,
    ITEM_NUMBER,
    PAD_NUMBER,
    SELECT_NUMBER,
    FriendsWords,
)
from palaver.models.sampling import ChanceStream, drawn_words, sharpened

# More words than this a message has not.
MOST_SAID = 60
# As published: selections are half as likely as the network thinks.
SELECT_LESS = math.log(2)
# Whether all are done is asked of a device every few words.
_ASKED_EVERY = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """What may be done by those who have the floor, one in each row."""

    # (rows, nodes): which rows of the table may be selected.
    selectable: Tensor
    # (rows,): the row that is to be selected now, or -1.
    forced: Tensor
    # (rows,): whether values may be named, and whether nothing is said at all.
    may_name: Tensor
    is_silent: Tensor

    @classmethod
    def open(cls, graphs: GraphTensors) -> "Floor":
        """Everything may be said, and every row selected."""
        yes = torch.ones_like(graphs.kinds[:, 0], dtype=torch.bool)
        return cls(
            selectable=graphs.kinds == ROW,
            forced=torch.full_like(graphs.kinds[:, 0], -1),
            may_name=yes,
            is_silent=~yes,
        )


@dataclass(frozen=True, slots=True)
class Wording:
    """How words are chosen: numbers of the vocabulary, and how sharply."""

    # How many words there are, and how many of them, from the first on, are nobody's.
    vocabulary: int
    marks: int
    temperature: float = 0.5

    @classmethod
    def of(cls, words: FriendsWords, temperature: float) -> "Wording":
        return cls(len(words), words.marks, temperature)


def drafted_turn(
    network: FriendsNetwork,
    state: State,
    graphs: GraphTensors,
    floor: Floor,
    wording: Wording,
    chances: ChanceStream,
) -> TurnTensors:
    """An utterance for each row that is not silent; one whose numbers are not finite says only
    padding."""
    draft = network.draft(state)
    words = torch.full_like(floor.forced, GO_NUMBER)
    nodes = torch.full_like(words, -1)
    is_over = floor.is_silent
    said, standing = [words.masked_fill(is_over, PAD_NUMBER)], [nodes]
    for place in range(MOST_SAID + 1):
        if place % _ASKED_EVERY == 0 and bool(is_over.all()):
            break
        check_wanted()
        logits, draft = network.step(words, nodes, draft)
        allowed = _allowed(logits, words, graphs, floor, wording, place)
        drawn = drawn_words(sharpened(allowed, wording.temperature), chances.next())
        is_node = drawn >= wording.vocabulary
        nodes = torch.where(is_node & ~is_over, drawn - wording.vocabulary, -1)
        read_as = graphs.words.gather(1, nodes.clamp(min=0)[:, None]).squeeze(1)
        words = torch.where(nodes >= 0, read_as, drawn.masked_fill(is_over, PAD_NUMBER))
        said.append(words)
        standing.append(nodes)
        is_over = is_over | (words == END_NUMBER) | (words == PAD_NUMBER)
    written = torch.stack(said, dim=1)
    lengths = (written != PAD_NUMBER).sum(1)
    return TurnTensors(written, torch.stack(standing, dim=1), lengths, lengths.cpu())


def _allowed(
    logits: Tensor,
    before: Tensor,
    graphs: GraphTensors,
    floor: Floor,
    wording: Wording,
    place: int,
) -> Tensor:
    """Logits of what may come after the words `before` (rows,), -inf for all else."""
    marks, size = wording.marks, wording.vocabulary
    is_row = graphs.kinds == ROW
    selects, has_selected = before == SELECT_NUMBER, before == ITEM_NUMBER
    is_forced = floor.forced >= 0
    is_chosen = torch.zeros_like(is_row).scatter(1, floor.forced.clamp(min=0)[:, None], True)
    selectable = torch.where(is_forced[:, None], is_chosen, floor.selectable & is_row)
    talks = ~(selects | has_selected | is_forced | (place >= MOST_SAID))
    values = (talks & floor.may_name)[:, None] & ~is_row
    allowed = torch.zeros_like(logits, dtype=torch.bool)
    allowed[:, marks:size] = talks[:, None]
    allowed[:, size:] = values | (selects[:, None] & selectable)
    if place == 0:
        allowed[:, SELECT_NUMBER] = selectable.any(1)
    else:
        allowed[:, END_NUMBER] = ~selects
    found = logits.float().masked_fill(~allowed, -math.inf)
    found[:, SELECT_NUMBER] -= SELECT_LESS
    return found
