"""Views of bargains as padded tensors: an example is a turn of one's own, and what was before it.

All turns lie on the device once. An example names the rows of the turn that it answers and of those
before, so that nothing is copied until an update needs it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from palaver.models.bargain.marks import OFFER_NUMBER, PAD_NUMBER, go_number
from palaver.models.bargain.network import BargainSituation
from palaver.models.bargain.turns import BargainView, as_rules_have_it

# What comes before the first word that is learnt: the mark of the role, and the category.
GIVEN = 2


@dataclass(frozen=True, slots=True)
class SpokenTurns:
    """Turns to be learnt: the situation of each, and what was said (rows, words), padding after it.

    A row is the mark of the role, the category, the words and the end. `lengths` lie on the CPU.
    """

    situation: BargainSituation
    said: Tensor
    lengths: Tensor

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def inputs(self) -> Tensor:
        """The words (rows, words) after which something was said."""
        return self.said[:, :-1]

    def targets(self) -> tuple[Tensor, Tensor]:
        """Where, in rows of `inputs` put end to end, a word was to be chosen; and which it was."""
        places = torch.arange(self.said.shape[1] - 1)
        is_chosen = (places >= GIVEN - 1) & (places < self.lengths[:, None] - 1)
        where = is_chosen.flatten().nonzero().squeeze(1).to(self.said.device)
        return where, self.said[:, 1:].flatten()[where]


@dataclass(frozen=True, slots=True, kw_only=True)
class BargainTurns:
    """All examples of some views."""

    # (turns, words) on the device, the first row padding alone; how long each is, on the CPU.
    turns: Tensor
    turn_sizes: Tensor
    # (examples, words) on the device: what is to be learnt.
    said: Tensor
    sizes: Tensor
    # (examples, 1 + earlier) on the CPU: the row of the turn that is answered, then those before.
    before: Tensor
    # On the CPU: the view of each example, and whether it answers an offer.
    views: Tensor
    answers: Tensor
    # What is for sale in each view, on the device.
    titles: Tensor
    descriptions: Tensor

    @classmethod
    def of(
        cls,
        views: Sequence[BargainView],
        *,
        earlier: int,
        device: torch.device,
        by_rules: bool = True,
    ) -> "BargainTurns":
        turns: list[Tensor] = [torch.tensor([PAD_NUMBER])]
        said: list[Tensor] = []
        before: list[list[int]] = []
        owners: list[int] = []
        answers: list[bool] = []
        for number, view in enumerate(views):
            first = len(turns)
            turns += [torch.tensor(turn) for turn in view.turns]
            for each in learnt_turns(view, by_rules=by_rules):
                said.append(torch.tensor([go_number(view.side), *each.words]))
                rows = [first + each.place - 1 - back for back in range(1 + earlier)]
                before.append([row if row >= first else 0 for row in rows])
                owners.append(number)
                answers.append(each.answers_offer)
        return cls(
            turns=padded(turns).to(device),
            turn_sizes=torch.tensor([len(turn) for turn in turns]),
            said=padded(said).to(device),
            sizes=torch.tensor([len(turn) for turn in said]),
            before=torch.tensor(before, dtype=torch.long).view(len(said), 1 + earlier),
            views=torch.tensor(owners, dtype=torch.long),
            answers=torch.tensor(answers, dtype=torch.bool),
            titles=padded([torch.tensor(view.title) for view in views]).to(device),
            descriptions=padded([torch.tensor(view.description) for view in views]).to(device),
        )

    def __len__(self) -> int:
        return len(self.sizes)

    def taken(self, rows: Tensor) -> SpokenTurns:
        """Some examples (on the CPU), as wide as the longest."""
        before, device = self.before[rows], self.said.device
        widths = self.turn_sizes[before].amax(0)
        there, views = before.to(device), self.views[rows].to(device)
        situation = BargainSituation(
            heard=self.turns[there[:, 0], : int(widths[0])],
            lengths=self.turn_sizes[before[:, 0]],
            earlier=self.turns[there[:, 1:], : int(widths[1:].amax()) if len(widths) > 1 else 1],
            title=self.titles[views],
            description=self.descriptions[views],
        )
        lengths = self.sizes[rows]
        return SpokenTurns(situation, self.said[rows.to(device), : int(lengths.max())], lengths)

    def parts(self, words: int) -> Iterator[tuple[Tensor, SpokenTurns]]:
        """All examples, shorter ones first, so many words at once with their padding; each part comes
        with its rows."""
        order = self.sizes.argsort(stable=True)
        while len(order):
            widths = self.sizes[order]
            fit = widths * torch.arange(1, len(order) + 1) <= words
            count = max(1, int(fit.sum()))
            rows, order = order[:count], order[count:]
            yield rows, self.taken(rows)


@dataclass(frozen=True, slots=True)
class LearntTurn:
    """A turn of its own that a view teaches, and its place in the view."""

    place: int
    words: tuple[int, ...]
    answers_offer: bool


def learnt_turns(view: BargainView, *, by_rules: bool) -> Iterator[LearntTurn]:
    """The turns that a view teaches: with `by_rules` as far as our rules leave room for them."""
    is_offered = has_offered = False
    for n, turn in enumerate(view.turns):
        if n % 2 == 0:
            is_offered = is_offered or OFFER_NUMBER in turn
            continue
        words = as_rules_have_it(turn, is_offered, has_offered) if by_rules else turn
        if words is not None and len(words) > GIVEN:
            yield LearntTurn(n, words, is_offered)
        has_offered = has_offered or OFFER_NUMBER in turn


def padded(rows: Sequence[Tensor]) -> Tensor:
    """Rows of numbers as one tensor, at least a place wide."""
    least = torch.tensor([PAD_NUMBER])
    return pad_sequence([*rows, least], batch_first=True, padding_value=PAD_NUMBER)[:-1].long()
