"""What a language model reads and should write, as padded tensors on the device where it computes."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import torch
from torch import Generator, Tensor
from torch.nn.utils.rnn import pad_sequence

# What stands for a token that nobody should write; PyTorch's cross-entropy passes over it.
IGNORED = -100
# Lengths in a batch differ by about this share, so that batches are not always the same.
_MIXING = 0.2


@dataclass(frozen=True, slots=True)
class TokenExample:
    """Tokens that are read, and those to be written.

    Of a causal model both are one row: `labels` are as long as `inputs`, and IGNORED where somebody
    else speaks. `unit` numbers the dialogue or the situation that it is of.
    """

    inputs: Sequence[int]
    labels: Sequence[int]
    unit: int


@dataclass(frozen=True, slots=True, eq=False)
class TokenBatch:
    """Some rows, padded at the end."""

    inputs: Tensor
    mask: Tensor
    labels: Tensor


@dataclass(frozen=True, slots=True, eq=False)
class TokenRows:
    """Examples on a device; sizes and units are on the CPU, so that nobody asks the device for them."""

    inputs: Tensor
    labels: Tensor
    lengths: Tensor
    sizes: Tensor
    label_sizes: Tensor
    units: tuple[int, ...] = field(default=())

    @classmethod
    def of(cls, examples: Sequence[TokenExample], *, pad: int, device: torch.device) -> "TokenRows":
        inputs = [torch.tensor(each.inputs, dtype=torch.int32) for each in examples]
        labels = [torch.tensor(each.labels, dtype=torch.int32) for each in examples]
        sizes = torch.tensor([len(each) for each in inputs])
        return cls(
            inputs=pad_sequence(inputs, batch_first=True, padding_value=pad).to(device),
            labels=pad_sequence(labels, batch_first=True, padding_value=IGNORED).to(device),
            lengths=sizes.to(device),
            sizes=sizes,
            label_sizes=torch.tensor([len(each) for each in labels]),
            units=tuple(each.unit for each in examples),
        )

    def __len__(self) -> int:
        return len(self.sizes)

    def taken(self, rows: Tensor) -> TokenBatch:
        """The rows of these numbers, which are on the CPU."""
        width, label_width = int(self.sizes[rows].max()), int(self.label_sizes[rows].max())
        there = rows.to(self.inputs.device)
        places = torch.arange(width, device=self.inputs.device)
        return TokenBatch(
            inputs=self.inputs[there, :width].long(),
            mask=(places < self.lengths[there, None]).long(),
            labels=self.labels[there, :label_width].long(),
        )

    def shuffled(self, batch: int, dice: Generator) -> Iterator[Tensor]:
        """The numbers of rows of about the same length together, in batches, in any order."""
        shuffled = torch.randperm(len(self), generator=dice)
        lengths = (self.sizes + self.label_sizes)[shuffled]
        longer = 1 + _MIXING * torch.rand(len(self), generator=dice)
        order = shuffled[(lengths * longer).argsort(stable=True)]
        steps = math.ceil(len(self) / batch)
        batches = order.tensor_split(steps)
        for number in torch.randperm(steps, generator=dice).tolist():
            yield batches[number]

    def parts(self, batch: int) -> Iterator[Tensor]:
        """The numbers of all rows, the shorter ones first, at most so many at once."""
        order = (self.sizes + self.label_sizes).argsort(stable=True)
        yield from (order[start : start + batch] for start in range(0, len(order), batch))
