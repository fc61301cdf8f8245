"""Lines as padded tensors on the device where a network reads them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence

from palaver.models.deal.lines import DealLine
from palaver.models.deal.words import PAD_NUMBER, numbers_of
from palaver.models.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class LineTensors:
    """Lines on a device, the words padded at the end."""

    contexts: Tensor
    words: Tensor
    lengths: Tensor
    slots: Tensor
    # The lengths on the CPU; empty where lines were taken, so that nobody asks the device for them.
    sizes: Tensor

    @classmethod
    def of(
        cls, lines: Sequence[DealLine], vocabulary: Vocabulary, device: torch.device
    ) -> "LineTensors":
        words = [torch.tensor(numbers_of(line.words, vocabulary)) for line in lines]
        sizes = torch.tensor([len(each) for each in words])
        return cls(
            torch.tensor([line.context for line in lines], device=device),
            pad_sequence(words, batch_first=True, padding_value=PAD_NUMBER).to(device),
            sizes.to(device),
            torch.tensor([line.slots for line in lines], device=device),
            sizes,
        )

    def __len__(self) -> int:
        return len(self.sizes)

    def taken(self, rows: Tensor, width: int) -> "LineTensors":
        """Some rows, of which none is longer than `width`."""
        return LineTensors(
            self.contexts[rows],
            self.words[rows, :width],
            self.lengths[rows],
            self.slots[rows],
            self.sizes[:0],
        )

    def parts(self, words: int) -> Iterator[tuple[Tensor, "LineTensors"]]:
        """All lines, shorter ones first, so many words at once with their padding; each part comes
        with its rows, on the CPU."""
        order = self.sizes.argsort(stable=True)
        while len(order):
            widths = self.sizes[order]
            fit = widths * torch.arange(1, len(order) + 1) <= words
            count = max(1, int(fit.sum()))
            rows, order = order[:count], order[count:]
            yield rows, self.taken(rows.to(self.words.device), int(widths[count - 1]))


def next_words(words: Tensor) -> Tensor:
    """The word after each (rows, words); after the last, padding."""
    return functional.pad(words[:, 1:], (0, 1), value=PAD_NUMBER)
