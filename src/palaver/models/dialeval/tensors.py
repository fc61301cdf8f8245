"""Dialogues as padded tensors: what every network for them reads, and what it should say."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import torch
from torch import Tensor
from torch.nn import functional

from palaver.models.dialeval.dialogues import POINTS, SCALES, HelpDialogue
from palaver.models.dialeval.words import MARKS, SURFACE, sender_number, surface, turn_words
from palaver.models.vocabulary import Vocabulary

# A turn of the customer has so many labels; one of the help desk has one less, and a 0 in its place.
MOST_NUGGETS = 4


@dataclass(frozen=True, slots=True, eq=False)
class DialogueTensors:
    """Some dialogues, turns padded at the end.

    `words` is (dialogues, turns, words), `surface` (dialogues, turns, features), `senders` and
    `present` (dialogues, turns). The shares are `nugget` (dialogues, turns, 4) and `quality`
    (dialogues, 3, 5), 0 where there are no labels.
    """

    words: Tensor
    surface: Tensor
    senders: Tensor
    present: Tensor
    nugget: Tensor
    quality: Tensor

    def __len__(self) -> int:
        return len(self.words)

    def rows(self, chosen: Tensor) -> "DialogueTensors":
        """The dialogues of these numbers, in this order."""
        return DialogueTensors(*(getattr(self, each.name)[chosen] for each in fields(self)))

    def split(self, size: int) -> "list[DialogueTensors]":
        """The same in parts of `size` dialogues or fewer, in order."""
        parts = [getattr(self, each.name).split(size) for each in fields(self)]
        return [DialogueTensors(*part) for part in zip(*parts, strict=True)]

    def on(self, device: torch.device) -> "DialogueTensors":
        return DialogueTensors(*(getattr(self, each.name).to(device) for each in fields(self)))


@dataclass(frozen=True, slots=True)
class JudgedLogs:
    """What a network says: log-probabilities shaped as the shares; None for a task it did not learn.

    A label that does not belong to the sender of a turn has the probability 0. `members` is what each
    network of a panel says, whose mean it is.
    """

    nugget: Tensor | None
    quality: Tensor | None
    members: "tuple[JudgedLogs, ...]" = ()


def vocabulary_of(dialogues: Sequence[HelpDialogue], *, least: int, most: int) -> Vocabulary:
    """The words of the first `most` of each turn that occur `least` times or more."""
    texts = (turn_words(turn, most) for each in dialogues for turn in each.turns)
    return Vocabulary.of(texts, marks=MARKS, least=least)


def as_tensors(
    dialogues: Sequence[HelpDialogue], vocabulary: Vocabulary, *, most: int
) -> DialogueTensors:
    """Dialogues by the numbers of the first `most` words of their turns."""
    words = [
        [torch.tensor(vocabulary.numbers(turn_words(turn, most))) for turn in each.turns]
        for each in dialogues
    ]
    count, turns = len(dialogues), max(len(each.turns) for each in dialogues)
    width = max(len(turn) for each in words for turn in each)
    found = DialogueTensors(
        words=torch.zeros(count, turns, width, dtype=torch.int32),
        surface=torch.zeros(count, turns, len(SURFACE)),
        senders=torch.zeros(count, turns, dtype=torch.long),
        present=torch.zeros(count, turns, dtype=torch.bool),
        nugget=torch.zeros(count, turns, MOST_NUGGETS),
        quality=torch.zeros(count, len(SCALES), len(POINTS)),
    )
    for row, dialogue in enumerate(dialogues):
        length = len(dialogue.turns)
        for place, numbers in enumerate(words[row]):
            found.words[row, place, : len(numbers)] = numbers
        found.surface[row, :length] = torch.tensor(surface(dialogue))
        found.senders[row, :length] = torch.tensor([sender_number(t) for t in dialogue.turns])
        found.present[row, :length] = True
        for place, shares in enumerate(dialogue.nugget):
            found.nugget[row, place, : len(shares)] = torch.tensor(shares)
        for place, scale in enumerate(SCALES):
            if scale in dialogue.quality:
                found.quality[row, place] = torch.tensor(dialogue.quality[scale])
    return found


def nugget_logs(customer: Tensor, helpdesk: Tensor, senders: Tensor) -> Tensor:
    """Log-probabilities (…, 4) by who speaks, from logits (…, 4) and (…, 3) for all turns."""
    other = functional.pad(helpdesk.float(), (0, 1), value=float("-inf"))
    chosen = torch.where((senders == 1).unsqueeze(-1), other, customer.float())
    return torch.log_softmax(chosen, dim=-1)
