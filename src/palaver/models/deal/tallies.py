"""How well a network reads lines: perplexity, the words it would have said, the outcomes it tells.

What is counted of a line are sums, from which every measure is a quotient. Lines are two views of a
dialogue, so that dialogues are what an interval draws anew.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from palaver.models.deal.lines import DealLine
from palaver.models.deal.reading import LineReader
from palaver.models.deal.splits import best_split, is_deal
from palaver.models.deal.tensors import LineTensors, next_words
from palaver.models.deal.words import PAD_NUMBER
from palaver.models.measured import MeasuredFigure, Numbers, ratio_figure

# Columns of what is counted: NLL of words, words that were the likeliest, words, deals told, deals.
_NLL, _RIGHT, _WORDS, _TOLD, _DEALS = range(5)
_COUNTED = "all tokens after the first, marks included, unknown words as one class"
# Words that are read at once, padding included.
_WORDS_AT_ONCE = 16_384


@dataclass(frozen=True, slots=True)
class LineMeasure:
    """A quotient of two columns, of which `is_perplexity` takes the exponential."""

    part: int
    whole: int
    about: str
    is_perplexity: bool = False

    def of(self, sums: Numbers) -> Numbers:
        """The measure of each row of sums; NaN where there was nothing to count."""
        whole = sums[..., self.whole]
        share = sums[..., self.part] / np.where(whole == 0, math.nan, whole)
        return np.asarray(np.exp(share) if self.is_perplexity else share)


MEASURES: Mapping[str, LineMeasure] = {
    "perplexity": LineMeasure(_NLL, _WORDS, f"exp of the mean NLL of {_COUNTED}", True),
    "token_accuracy": LineMeasure(
        _RIGHT, _WORDS, f"share that is the likeliest word, of {_COUNTED}"
    ),
    "selection_accuracy": LineMeasure(
        _TOLD,
        _DEALS,
        "share of agreed lines of which the likeliest outcome that adds up has all six slots right",
    ),
}


def line_tallies(reader: LineReader, lines: LineTensors) -> Numbers:
    """What is counted of each line (lines, 5); the reader is in eval mode."""
    found = torch.zeros(len(lines), 5, dtype=torch.float64)
    for rows, part in lines.parts(_WORDS_AT_ONCE):
        found[rows] = _tally(reader, part).double().cpu()
    return found.numpy()


def measured_lines(tallies: Numbers) -> dict[str, float]:
    """Every measure of all lines together; where nothing was agreed, no deal was told right.

    NaN stays NaN: as 0 it would be the best perplexity there is.
    """
    sums = tallies.sum(0)
    return {
        name: float(each.of(sums)) if sums[each.whole] else 0.0 for name, each in MEASURES.items()
    }


def line_figures(lines: Sequence[DealLine], tallies: Numbers, *, seed: int) -> list[MeasuredFigure]:
    """Every measure that is defined, with an interval that draws dialogues anew."""
    dialogues = _by_dialogue(lines, tallies)
    return [
        ratio_figure(
            name.replace("_", " "),
            dialogues[:, measure.part],
            dialogues[:, measure.whole],
            about=measure.about,
            unit="dialogues",
            seed=seed,
            is_share=not measure.is_perplexity,
            write=np.exp if measure.is_perplexity else None,
        )
        for name, measure in MEASURES.items()
        if dialogues[:, measure.whole].any()
    ]


def _tally(reader: LineReader, lines: LineTensors) -> Tensor:
    reading = reader.read(lines.contexts, lines.words, lines.lengths)
    targets = next_words(lines.words)
    nll = functional.cross_entropy(
        reading.logits.transpose(1, 2).float(),
        targets,
        ignore_index=PAD_NUMBER,
        reduction="none",
    )
    is_right = (reading.logits.argmax(2) == targets) & (targets != PAD_NUMBER)
    is_told = (best_split(reading.slots, lines.contexts) == lines.slots).all(1)
    agreed = is_deal(lines.slots)
    columns = (nll.sum(1), is_right.sum(1), lines.lengths - 1, is_told & agreed, agreed)
    return torch.stack([each.float() for each in columns], dim=1)


def _by_dialogue(lines: Sequence[DealLine], tallies: Numbers) -> Numbers:
    numbers: dict[str, int] = {}
    where = [numbers.setdefault(line.dialogue, len(numbers)) for line in lines]
    found = np.zeros((len(numbers), tallies.shape[1]))
    np.add.at(found, where, tallies)
    return found
