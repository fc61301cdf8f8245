"""BLEU of answers against what was said, over all answers of some dialogues together.

    BLEU-N = min(1, exp(1 − r / c)) · exp(1/N Σ log p_n),    n = 1 … N

with p_n the share of n-grams of the answers that stand in the reference as well (each as often as it
does there), c the length of all answers and r that of all references (Papineni et al. 2002). Without
smoothing, 0 where no n-gram of some length is right.
"""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from palaver.models.measured import DRAWS, MeasuredFigure, Numbers, left_out

LONGEST = 4
# Columns of what is counted: lengths of answers and references, then right and all n-grams by length.
COLUMNS = 2 + 2 * LONGEST
_BLOCK = 100


def bleu_counts(answer: Sequence[int], reference: Sequence[int]) -> list[int]:
    """What is counted of one answer.

    >>> bleu_counts([1, 2, 3], [1, 2, 2, 3])
    [3, 4, 3, 3, 2, 2, 0, 1, 0, 0]
    """
    found = [len(answer), len(reference)]
    for n in range(1, LONGEST + 1):
        own, other = _ngrams(answer, n), _ngrams(reference, n)
        found += [sum((own & other).values()), sum(own.values())]
    return found


def bleu(counts: Numbers, longest: int = LONGEST) -> Numbers:
    """BLEU of each row (…, COLUMNS) of sums; NaN where there was nothing to answer."""
    own, other = counts[..., 0], counts[..., 1]
    right, every = counts[..., 2 : 2 + 2 * longest : 2], counts[..., 3 : 3 + 2 * longest : 2]
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.log(right / every).mean(-1)
        brevity = np.minimum(0.0, 1 - other / own)
        found = np.exp(precision + brevity)
    return np.asarray(np.where(other > 0, np.nan_to_num(found, nan=0.0), math.nan))


def bleu_figure(counts: Numbers, longest: int, *, seed: int) -> MeasuredFigure:
    """BLEU of all dialogues (dialogues, COLUMNS) with a 95 % interval that draws them anew."""
    n, dice = len(counts), np.random.default_rng(seed)
    drawn = np.concatenate(
        [
            bleu(dice.multinomial(n, np.full(n, 1 / n), size=_BLOCK) @ counts, longest)
            for _ in range(DRAWS // _BLOCK)
        ]
    )
    tail = left_out(n)
    low, high = np.quantile(drawn[np.isfinite(drawn)], [tail, 1 - tail])
    return MeasuredFigure(
        name=f"BLEU-{longest}",
        value=float(bleu(counts.sum(0), longest)),
        low=float(low),
        high=float(high),
        n=n,
        unit="dialogues",
        about=f"BLEU up to {longest} words of what it says in place of each turn, a value as one "
        "word, all turns together",
    )


def _ngrams(words: Sequence[int], n: int) -> Counter[tuple[int, ...]]:
    return Counter(tuple(words[at : at + n]) for at in range(len(words) - n + 1))
