"""Situations and their advice as numbers: one long row each on the device, from which batches are cut.

Padding all to the longest would take several times the memory, because few are long.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from palaver.models.advice.cases import AdvisedCase
from palaver.models.advice.inputs import AdviceQuestion, source_text, target_text
from palaver.models.advice.pieces import BEGIN_NUMBER, END_NUMBER, PAD_NUMBER, WordPieces


@dataclass(frozen=True, slots=True)
class AdviceBatch:
    """What is read (rows, pieces) and what is written (rows, pieces), from the begin to the end mark,
    both padded at the end."""

    sources: Tensor
    targets: Tensor


@dataclass(frozen=True, slots=True)
class PieceRows:
    """Rows of numbers, one after another on a device."""

    numbers: Tensor
    starts: Tensor
    lengths: Tensor
    # The lengths on the CPU, so that nobody asks the device for them.
    sizes: Tensor

    @classmethod
    def of(cls, rows: Iterable[Sequence[int]], device: torch.device) -> "PieceRows":
        joined, lengths = array("i"), array("q")
        for row in rows:
            joined.extend(row)
            lengths.append(len(row))
        numbers = torch.tensor(joined, dtype=torch.int32)
        sizes = torch.tensor(lengths, dtype=torch.int64)
        starts = sizes.cumsum(0) - sizes
        return cls(numbers.to(device), starts.to(device), sizes.to(device), sizes)

    def taken(self, rows: Tensor, width: int) -> Tensor:
        """Some rows (rows, width), none of which is longer, with padding."""
        places = torch.arange(width, device=rows.device)
        at = self.starts[rows][:, None] + places
        found = self.numbers[at.clamp(max=len(self.numbers) - 1)].long()
        return found.masked_fill(places >= self.lengths[rows][:, None], PAD_NUMBER)


@dataclass(frozen=True, slots=True)
class AdviceRows:
    """Situations, and the advice on them, that on one next to each other and the best first."""

    sources: PieceRows
    targets: PieceRows
    # By situation, on the CPU: where its advice begins, and how much there is.
    first: Tensor
    count: Tensor
    # By number of a piece, on the device: how many bytes it has.
    bytes: Tensor

    @classmethod
    def of(
        cls,
        cases: Sequence[AdvisedCase],
        pieces: WordPieces,
        *,
        source: int,
        target: int,
        device: torch.device,
        best_only: bool = False,
    ) -> "AdviceRows":
        advice = [case.advice[:1] if best_only else case.advice for case in cases]
        count = torch.tensor([len(some) for some in advice])
        return cls(
            PieceRows.of((source_numbers(case.question, pieces, source) for case in cases), device),
            PieceRows.of(
                (target_numbers(each, pieces, target) for some in advice for each in some), device
            ),
            count.cumsum(0) - count,
            count,
            torch.tensor([len(pieces.content(n)) for n in range(len(pieces))], device=device),
        )

    def __len__(self) -> int:
        return len(self.count)

    def sizes(self, which: Tensor) -> Tensor:
        """How many pieces are read and written in each situation, on the CPU, given its advice."""
        return self.sources.sizes + self.targets.sizes[which]

    def batch(self, rows: Tensor, which: Tensor) -> AdviceBatch:
        """Some situations with the advice on each, as numbers on the CPU."""
        device = self.sources.numbers.device
        return AdviceBatch(
            self.sources.taken(rows.to(device), int(self.sources.sizes[rows].max())),
            self.targets.taken(which.to(device), int(self.targets.sizes[which].max())),
        )

    def parts(self, pieces: int) -> Iterator[tuple[Tensor, AdviceBatch]]:
        """All situations with their best advice, shorter ones first, so many pieces at once with their
        padding; each part comes with its rows, on the CPU."""
        sizes = self.sizes(self.first)
        order = sizes.argsort(stable=True)
        while len(order):
            fit = sizes[order] * torch.arange(1, len(order) + 1) <= pieces
            rows, order = order.tensor_split([max(1, int(fit.sum()))])
            yield rows, self.batch(rows, self.first[rows])


def source_numbers(question: AdviceQuestion, pieces: WordPieces, most: int) -> list[int]:
    """What is read of a question; at least one piece."""
    read = pieces.numbers(source_text(question, most=most, size=pieces.size))
    return read[:most] or [END_NUMBER]


def target_numbers(advice: str, pieces: WordPieces, most: int) -> list[int]:
    """What is written: advice between its marks; what is longer is cut and has no end."""
    written = [BEGIN_NUMBER, *pieces.numbers(target_text(advice)), END_NUMBER]
    return written[: most + 2]


def padded(rows: Sequence[Sequence[int]], device: torch.device) -> Tensor:
    """Rows of numbers (rows, pieces), padded at the end."""
    numbers = [torch.tensor(row) for row in rows]
    return pad_sequence(numbers, batch_first=True, padding_value=PAD_NUMBER).to(device)
