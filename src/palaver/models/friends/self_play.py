"""Two networks look for friends in many pairs of tables at once, turn by turn in lock step.

Sides speak by turns, an utterance each time. What one says the other hears in its own graph: a value
as its own node, a selection as the values of the friend. A partner's selection that is in the own
table is selected at once, nobody selects a friend twice, and a dialogue is over once both have
selected the same friend.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from palaver.models.friends.graphs import ROW
from palaver.models.friends.network import FriendsNetwork, State
from palaver.models.friends.pairs import PairTensors, SideTensors, TablePair
from palaver.models.friends.speech import Floor, Wording, drafted_turn
from palaver.models.friends.tensors import TurnTensors
from palaver.models.friends.words import END_NUMBER, PAD_NUMBER, SELECT_NUMBER, FriendsWords
from palaver.models.sampling import ChanceStream

# As many moves as the game gives two systems.
MOST_MOVES = 40
# Dialogues that are held at once.
AT_ONCE = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class FriendSeeker:
    """One side of all dialogues."""

    network: FriendsNetwork
    temperature: float = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class SoughtFriends:
    """A batch of dialogues, a row each. The first side begins."""

    pairs: tuple[TablePair, ...]
    # The turns in their order, first and second side by turns, as the speaker sees them; on the CPU.
    turns: tuple[TurnTensors, ...]
    # (rows,): whether the friend was found, and how many moves and selections there were.
    found: Tensor
    moves: Tensor
    selections: Tensor

    def __len__(self) -> int:
        return len(self.pairs)


@dataclass(slots=True)
class _SeekingSide:
    """What one side is in the middle of."""

    seeker: FriendSeeker
    tensors: SideTensors
    state: State
    selectable: Tensor
    # (rows,): the row selected last, and the own row that the partner selected last; -1 for none.
    last: Tensor
    partners: Tensor

    @classmethod
    def begin(cls, seeker: FriendSeeker, tensors: SideTensors) -> "_SeekingSide":
        nobody = torch.full_like(tensors.graphs.kinds[:, 0], -1)
        return cls(
            seeker,
            tensors,
            seeker.network.begin(tensors.graphs),
            tensors.graphs.kinds == ROW,
            nobody,
            nobody,
        )

    def floor(self, is_over: Tensor) -> Floor:
        """What this side may do now."""
        forced = torch.where(self.partners == self.last, -1, self.partners)
        return Floor(
            selectable=self.selectable,
            forced=forced,
            may_name=torch.ones_like(is_over),
            is_silent=is_over,
        )

    def note(self, turn: TurnTensors) -> Tensor:
        """Keep in mind what was selected in an own turn; the row (rows,), or -1."""
        is_selection = turn.words[:, 1] == SELECT_NUMBER
        place = 2 if turn.nodes.shape[1] > 2 else 1
        row = torch.where(is_selection, turn.nodes[:, place], -1)
        self.last = torch.where(row >= 0, row, self.last)
        chosen = torch.zeros_like(self.selectable).scatter(1, row.clamp(min=0)[:, None], True)
        self.selectable = self.selectable & ~(chosen & (row >= 0)[:, None])
        return row


def seek(
    sides: tuple[FriendSeeker, FriendSeeker],
    tensors: PairTensors,
    words: FriendsWords,
    dice: Generator,
    *,
    most_moves: int = MOST_MOVES,
) -> SoughtFriends:
    """A dialogue about each pair of tables; the first side begins. Chance lies on the CPU, so that
    dialogues are the same on any device, but for words on a razor's edge."""
    with torch.no_grad():
        return _sought(sides, tensors, words, dice, most_moves)


def seek_all(
    sides: tuple[FriendSeeker, FriendSeeker],
    pairs: Sequence[TablePair],
    words: FriendsWords,
    dice: Generator,
    *,
    device: torch.device,
    most_moves: int = MOST_MOVES,
) -> list[SoughtFriends]:
    """The same in batches."""
    return [
        seek(
            sides,
            PairTensors.of(pairs[start : start + AT_ONCE], words, device),
            words,
            dice,
            most_moves=most_moves,
        )
        for start in range(0, len(pairs), AT_ONCE)
    ]


def _sought(
    seekers: tuple[FriendSeeker, FriendSeeker],
    tensors: PairTensors,
    words: FriendsWords,
    dice: Generator,
    most_moves: int,
) -> SoughtFriends:
    sides = [_SeekingSide.begin(*each) for each in zip(seekers, tensors.sides, strict=True)]
    nobody = sides[0].last
    chances = ChanceStream(dice, len(tensors), nobody.device)
    is_over, found = nobody > 0, nobody > 0
    moves, selections = torch.zeros_like(nobody), torch.zeros_like(nobody)
    turns: list[TurnTensors] = []
    for number in range(most_moves):
        if bool(is_over.all()):
            break
        speaker, hearer = sides[number % 2], sides[1 - number % 2]
        turn = _spoken(speaker, is_over, words, chances)
        # A network whose numbers are not finite has nothing to say.
        is_mute = (turn.lengths < 2) & ~is_over
        turns.append(_on_cpu(turn))
        row = speaker.note(turn)
        hearer.state = hearer.seeker.network.hear(
            heard_turn(turn, row, speaker.tensors), hearer.state
        )
        same = speaker.tensors.same.gather(1, row.clamp(min=0)[:, None]).squeeze(1)
        hearer.partners = torch.where(row >= 0, same, hearer.partners)
        moves = moves + (~is_over & ~is_mute)
        selections = selections + (row >= 0)
        is_match = (row >= 0) & (same >= 0) & (same == hearer.last)
        found = found | is_match
        is_over = is_over | is_match | is_mute
    return SoughtFriends(
        pairs=tensors.pairs,
        turns=tuple(turns),
        found=found.cpu(),
        moves=moves.cpu(),
        selections=selections.cpu(),
    )


def _spoken(
    side: _SeekingSide, is_over: Tensor, words: FriendsWords, chances: ChanceStream
) -> TurnTensors:
    """The turn that a side makes up, which becomes part of what it knows."""
    network, graphs = side.seeker.network, side.tensors.graphs
    wording = Wording.of(words, side.seeker.temperature)
    turn = drafted_turn(network, side.state, graphs, side.floor(is_over), wording, chances)
    _, side.state = network.say(turn, side.state)
    return turn


def heard_turn(turn: TurnTensors, row: Tensor, speaker: SideTensors) -> TurnTensors:
    """What the other side hears of a turn; `row` is the row that was selected, or -1."""
    words, nodes = turn.words[:, 1:], turn.nodes[:, 1:]
    theirs = speaker.theirs.gather(1, nodes.clamp(min=0))
    nodes = torch.where(nodes >= 0, theirs, -1)
    selected_words, selected_nodes = _selection(row, speaker)
    width = max(words.shape[1], selected_words.shape[1])
    is_selection = (row >= 0)[:, None]
    words = torch.where(
        is_selection, _wide(selected_words, width, PAD_NUMBER), _wide(words, width, PAD_NUMBER)
    )
    nodes = torch.where(is_selection, _wide(selected_nodes, width, -1), _wide(nodes, width, -1))
    lengths = (words != PAD_NUMBER).sum(1)
    return TurnTensors(words, nodes, lengths, lengths.cpu())


def _selection(row: Tensor, speaker: SideTensors) -> tuple[Tensor, Tensor]:
    """`<select>`, the values of the row as the other side knows them, and the end."""
    at = row.clamp(min=0)[:, None, None].expand(-1, 1, speaker.values.shape[2])
    own = speaker.values.gather(1, at).squeeze(1)
    is_value = own >= 0
    of_own = own.clamp(min=0)
    nodes = torch.where(is_value, speaker.theirs.gather(1, of_own), -1)
    read_as = torch.where(is_value, speaker.graphs.words.gather(1, of_own), PAD_NUMBER)
    first = torch.full_like(row, SELECT_NUMBER)[:, None]
    words = torch.cat([first, read_as, torch.full_like(first, PAD_NUMBER)], dim=1)
    words = words.scatter(1, 1 + is_value.sum(1, keepdim=True), END_NUMBER)
    nothing = torch.full_like(first, -1)
    return words, torch.cat([nothing, nodes, nothing], dim=1)


def _wide(tensor: Tensor, width: int, padding: int) -> Tensor:
    return torch.nn.functional.pad(tensor, (0, width - tensor.shape[1]), value=padding)


def _on_cpu(turn: TurnTensors) -> TurnTensors:
    return TurnTensors(turn.words.cpu(), turn.nodes.cpu(), turn.sizes, turn.sizes)
