"""The baseline of the DialEval tasks: turns as sums of word vectors, read by three stacked BiLSTMs.

As published but for this: word vectors are trained here instead of taken from GloVe; one network learns
both tasks, where the original trains one for each; which head answers is chosen by who speaks, where the
original takes every other turn for the help desk's; and no head has a class for padding.

Z. Zeng, S. Kato, T. Sakai, I. Kang (2020), Overview of the NTCIR-15 Dialogue Evaluation (DialEval-1)
task, NTCIR-15.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from palaver.models.dialeval.dialogues import CUSTOMER, HELPDESK, NUGGETS, POINTS, SCALES
from palaver.models.dialeval.tensors import DialogueTensors, JudgedLogs, nugget_logs


class TurnSums(nn.Module):
    """Turns as sums of word vectors, in the half of a vector that belongs to who speaks."""

    def __init__(self, words: int, width: int) -> None:
        super().__init__()
        self.vectors = nn.EmbeddingBag(words, width, mode="sum", padding_idx=0)
        self.width = 2 * width

    def forward(self, batch: DialogueTensors) -> Tensor:
        """Vectors (dialogues, turns, 2 · width)."""
        sums = self.vectors(batch.words.flatten(0, 1)).unflatten(0, batch.senders.shape)
        halves = [sums * (batch.senders == sender).unsqueeze(-1) for sender in (0, 1)]
        return torch.cat(halves, dim=-1)


class BothWays(nn.Module):
    """One LSTM reads turns forwards and one backwards; neither sees the padding before its turns.

    Two networks and a reversed order do what packed sequences do, without asking the GPU for lengths.
    """

    def __init__(self, width: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.forwards = nn.LSTM(width, hidden, batch_first=True)
        self.backwards = nn.LSTM(width, hidden, batch_first=True)
        self.dropout = dropout

    def forward(self, turns: Tensor, reverse: Tensor) -> Tensor:
        """States (dialogues, turns, 2 · hidden); `reverse` says from where each place takes its turn."""
        there, _ = self.forwards(turns)
        back, _ = self.backwards(_taken(turns, reverse))
        return self._thinned(torch.cat([there, _taken(back, reverse)], dim=-1))

    def _thinned(self, states: Tensor) -> Tensor:
        """Variational dropout: what is left out stays out through the whole dialogue."""
        if not self.training or not self.dropout:
            return states
        kept = torch.full_like(states[:, :1], 1 - self.dropout)
        return states * torch.bernoulli(kept) / (1 - self.dropout)


class DialogueBiLstm(nn.Module):
    """Stacked BiLSTMs over turns, with a head per sender for nuggets and one per scale for quality."""

    def __init__(
        self,
        *,
        vocabulary: int,
        words: int,
        hidden: int,
        layers: int,
        dropout: float,
        tasks: Sequence[str],
    ) -> None:
        super().__init__()
        self.turns = TurnSums(vocabulary, words)
        widths = [self.turns.width, *([2 * hidden] * (layers - 1))]
        self.layers = nn.ModuleList(BothWays(width, hidden, dropout) for width in widths)
        wanted = {
            **({who: len(NUGGETS[who]) for who in NUGGETS} if "nugget" in tasks else {}),
            **({"quality": len(SCALES) * len(POINTS)} if "quality" in tasks else {}),
        }
        self.heads = nn.ModuleDict(
            {name: nn.Linear(2 * hidden, size) for name, size in wanted.items()}
        )

    def forward(self, batch: DialogueTensors) -> JudgedLogs:
        states = self.turns(batch)
        reverse = _reverse(batch.present)
        for layer in self.layers:
            states = layer(states, reverse)
        nugget = quality = None
        if CUSTOMER in self.heads:
            logits = self.heads[CUSTOMER](states), self.heads[HELPDESK](states)
            nugget = nugget_logs(*logits, batch.senders)
        if "quality" in self.heads:
            total = (states * batch.present.unsqueeze(-1)).sum(dim=1)
            logits = self.heads["quality"](total).unflatten(-1, (len(SCALES), len(POINTS)))
            quality = torch.log_softmax(logits.float(), dim=-1)
        return JudgedLogs(nugget, quality)


def _reverse(present: Tensor) -> Tensor:
    """From where each place takes its turn when the turns are reversed and the padding stays behind."""
    places = torch.arange(present.shape[1], device=present.device)
    turned = present.sum(dim=1, keepdim=True) - 1 - places
    return torch.where(turned >= 0, turned, places)


def _taken(turns: Tensor, places: Tensor) -> Tensor:
    return turns.gather(1, places.unsqueeze(-1).expand_as(turns))
