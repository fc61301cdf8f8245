"""How well a model of advice predicts what people wrote, and what its own advice is like.

What is counted of a situation are sums, from which every figure is a quotient; situations are what an
interval draws anew.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from palaver.models.advice.overlap import different, rouge_l, words_of
from palaver.models.advice.pieces import PAD_NUMBER
from palaver.models.advice.tensors import AdviceBatch, AdviceRows
from palaver.models.advice.writing import AdvicePanel
from palaver.models.measured import MeasuredFigure, Numbers, mean_figure, ratio_figure

UNIT = "situations"
# Columns of what is counted: NLL of pieces, pieces that were the likeliest, pieces, bytes.
_NLL, _RIGHT, _PIECES = range(3)
_COUNTED = "all pieces of people's best advice, with the mark of its end"
# Pieces that are read at once, padding included.
_AT_ONCE = 16_384


def advice_tallies(panel: AdvicePanel, rows: AdviceRows) -> Numbers:
    """What is counted of the best advice on each situation (situations, 4)."""
    found = torch.zeros(len(rows), 4, dtype=torch.float64)
    with torch.no_grad():
        for which, batch in rows.parts(_AT_ONCE):
            found[which] = _tally(panel, batch, rows.bytes).cpu().double()
    return found.numpy()


def measured_advice(tallies: Numbers) -> dict[str, float]:
    """Measures over all situations."""
    sums = tallies.sum(0)
    return {
        "perplexity": float(np.exp(sums[_NLL] / sums[_PIECES])),
        "token_accuracy": float(sums[_RIGHT] / sums[_PIECES]),
    }


def reading_figures(tallies: Numbers, *, seed: int = 1) -> list[MeasuredFigure]:
    """How well advice of people is predicted."""
    nll, right, pieces, letters = tallies.T
    bits = nll / np.log(2)

    def figure(name: str, upper: Numbers, lower: Numbers, about: str) -> MeasuredFigure:
        is_perplexity = name == "perplexity"
        return ratio_figure(
            name,
            upper,
            lower,
            about=about,
            unit=UNIT,
            seed=seed,
            write=np.exp if is_perplexity else None,
        )

    return [
        figure("perplexity", nll, pieces, f"exp of the mean NLL of {_COUNTED}"),
        figure(
            "bits_per_byte",
            bits,
            letters,
            "the same NLL in bits, by byte of the advice: alike for all vocabularies",
        ),
        figure(
            "token_accuracy", right, pieces, f"share that is the likeliest piece, of {_COUNTED}"
        ),
    ]


def answer_figures(
    said: Sequence[str], meant: Sequence[str] | None = None, *, seed: int = 1
) -> list[MeasuredFigure]:
    """What advice is like, one text a situation; beside the best of people if it is given."""
    words = [words_of(each) for each in said]
    lengths = np.array([float(len(each)) for each in words])
    found = [mean_figure("words", lengths, about="words of advice", unit=UNIT, seed=seed)]
    for n, told in ((1, "words"), (2, "pairs of words")):
        shares, counts = map(np.array, different(words, n))
        if counts.any():
            about = f"different {told} among all {told}"
            figure = ratio_figure(
                f"distinct_{n}", shares, counts, about=about, unit=UNIT, seed=seed
            )
            found.append(figure)
    if meant is not None:
        pairs = zip(words, map(words_of, meant), strict=True)
        shared = np.array([rouge_l(one, other) for one, other in pairs])
        about = "F1 of the longest common subsequence of words with people's best advice"
        found.append(mean_figure("rouge_l", shared, about=about, unit=UNIT, seed=seed))
    return found


def spread(count: int, most: int) -> list[int]:
    """So many numbers of things, or all, from the whole of them."""
    many = min(count, most)
    return [n * count // many for n in range(many)]


def _tally(panel: AdvicePanel, batch: AdviceBatch, bytes_of: Tensor) -> Tensor:
    given, targets = batch.targets[:, :-1], batch.targets[:, 1:]
    log_probs = panel.read(batch.sources, given)
    there = targets != PAD_NUMBER
    nll = -log_probs.gather(2, targets[:, :, None]).squeeze(2) * there
    is_right = (log_probs.argmax(2) == targets) & there
    columns = (nll.sum(1), is_right.sum(1), there.sum(1), bytes_of[targets].sum(1))
    return torch.stack([each.to(nll) for each in columns], dim=1)
