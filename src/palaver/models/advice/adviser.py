"""What advises from trained networks: questions in, texts out, in batches of about the same length."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from palaver.core.errors import InputError
from palaver.models.advice.inputs import AdviceQuestion, advice_text
from palaver.models.advice.pieces import WordPieces
from palaver.models.advice.tensors import padded, source_numbers
from palaver.models.advice.writing import (
    AdvicePanel,
    AdviceWriting,
    PieceRules,
    drawn,
    question_chances,
    searched,
)

# Questions that are answered at a time, and pieces of theirs with their padding.
_ROWS, _PIECES = 64, 32_768


@dataclass(frozen=True, slots=True, kw_only=True)
class Adviser:
    """Networks with their vocabulary, and how long they read and write."""

    panel: AdvicePanel
    pieces: WordPieces
    source: int
    target: int
    writing: AdviceWriting
    device: torch.device

    def advise(self, questions: Sequence[AdviceQuestion]) -> list[str]:
        """A text for each question, in their order, and never an empty one."""
        rows = [source_numbers(each, self.pieces, self.source) for each in questions]
        order = sorted(range(len(rows)), key=lambda n: len(rows[n]))
        rules = PieceRules.of(self.pieces, self.device)
        found: dict[int, str] = {}
        while order:
            count = _fitting([len(rows[n]) for n in order[:_ROWS]])
            now, order = order[:count], order[count:]
            sources = padded([rows[n] for n in now], self.device)
            written = self._written(sources, [questions[n] for n in now], rules)
            for n, numbers in zip(now, written.tolist(), strict=True):
                found[n] = advice_text(self.pieces.text(numbers))
        if not all(found.values()):
            raise InputError(
                "The model wrote nothing: its weights give numbers that are not finite. Train it anew."
            )
        return [found[n] for n in range(len(rows))]

    def _written(
        self, sources: Tensor, questions: Sequence[AdviceQuestion], rules: PieceRules
    ) -> Tensor:
        if self.writing.beams:
            return searched(self.panel, sources, self.target, rules, self.writing.beams)
        chances = torch.stack([question_chances(each, self.target) for each in questions])
        return drawn(self.panel, sources, chances.to(self.device), rules, self.writing)


def _fitting(sizes: Sequence[int]) -> int:
    """How many of some rows, shorter ones first, are answered at a time; at least one."""
    return max(1, sum(size * (n + 1) <= _PIECES for n, size in enumerate(sizes)))
