"""Metrics of texts as sums over items, and the value of sums, as sacrebleu computes it.

The rows hold sacrebleu's own statistics of each text, and beside them whether the references have a
word, because without any the score is undefined.
"""

from collections.abc import Sequence
from typing import Any

from palaver.core.numeric import Numbers, np
from palaver.metrics.class_sums import divided
from palaver.metrics.text.bleu import ORDER, bleu_scorer, cut_pieces, is_long, sp_bleu_scorer
from palaver.metrics.text.chrf import chrf_scorer
from palaver.metrics.text.library import statistics
from palaver.metrics.text.ter import ter_scorer

Texts = Sequence[str]
References = Sequence[tuple[str, ...]]
BETA_SQUARED = 4
NEVER = -9999999999.0  # sacrebleu's logarithm of 0
FLOOR = 0.1


def bleu_rows(predictions: Texts, references: References, **options: Any) -> Numbers:
    """Lengths, matches and n-grams of each order, whether a text is long, whether there is a word."""
    return _bleu_rows(bleu_scorer(**options), predictions, references)


def sp_bleu_rows(predictions: Texts, references: References, **options: Any) -> Numbers:
    """The same over the pieces of a SentencePiece model."""
    scorer, processor, _ = sp_bleu_scorer(**options)
    return _bleu_rows(scorer, *cut_pieces(processor, predictions, references))


def bleu_value(sums: Numbers, *, smooth: str = "exp", effective_order: bool = False) -> Numbers:
    """BLEU of sums; NaN where the references have no word, or no text has four."""
    sums = sums.astype(np.float64)
    given, wanted = sums[..., 0], sums[..., 1]
    right, total = sums[..., 2 : 2 + ORDER].copy(), sums[..., 2 + ORDER : 2 + 2 * ORDER].copy()
    if smooth == "add-k":
        right[..., 1:] += 1
        total[..., 1:] += 1
    logs, orders = _log_precisions(right, total, smooth)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        short = np.where(given > 0, np.exp(1 - wanted / given), 0.0)
        counted = orders if effective_order else np.full_like(orders, ORDER)
        within = np.arange(ORDER) < counted[..., None]
        mean = np.where(within, logs, 0.0).sum(axis=-1) / np.maximum(counted, 1)
        found = np.where(given < wanted, short, 1.0) * np.exp(mean)
    found = np.where(sums[..., 2 : 2 + ORDER].sum(axis=-1) > 0, found, 0.0)
    defined = (sums[..., -1] > 0) & ((sums[..., -2] > 0) | effective_order)
    return np.where(defined, found, np.nan)


def chrf_rows(
    predictions: Texts, references: References, *, word_order: int = 0, lowercase: bool = False
) -> Numbers:
    """N-grams given, wanted and shared of each order, and whether there is a word."""
    scorer = chrf_scorer(word_order=word_order, lowercase=lowercase)
    return _with_words(statistics(scorer, predictions, references), references)


def chrf_plus_plus_rows(predictions: Texts, references: References, **options: Any) -> Numbers:
    """The same with single words and pairs of words."""
    return chrf_rows(predictions, references, word_order=2, **options)


def chrf_value(sums: Numbers) -> Numbers:
    """chrF of sums; NaN where the references have no word."""
    counts = sums[..., :-1].reshape(*sums.shape[:-1], -1, 3)
    given, wanted, shared = (counts[..., n] for n in range(3))
    both = (given > 0) & (wanted > 0)
    orders = np.maximum(both.sum(axis=-1), 1)
    precision = np.where(both, divided(shared, given), 0.0).sum(axis=-1) / orders
    recall = np.where(both, divided(shared, wanted), 0.0).sum(axis=-1) / orders
    below = BETA_SQUARED * precision + recall
    above = 100 * (1 + BETA_SQUARED) * precision * recall
    return np.where(sums[..., -1] > 0, np.nan_to_num(divided(above, below)), np.nan)


def ter_rows(predictions: Texts, references: References, **options: Any) -> Numbers:
    """Edits, the mean length of the references, and whether there is a word."""
    return _with_words(statistics(ter_scorer(**options), predictions, references), references)


def ter_value(sums: Numbers) -> Numbers:
    """Edits per 100 words; NaN where the references have no word."""
    edits, length = sums[..., 0], sums[..., 1]
    found = np.where(length > 0, divided(edits, length), (edits > 0).astype(np.float64))
    return np.where(sums[..., -1] > 0, 100 * found, np.nan)


def _bleu_rows(scorer: Any, predictions: Texts, references: References) -> Numbers:
    counts = statistics(scorer, predictions, references)
    long = [
        given >= ORDER or any(is_long(scorer, text) for text in several)
        for given, several in zip(counts[:, 0], references, strict=True)
    ]
    return _with_words(np.column_stack([counts, np.array(long, dtype=np.float64)]), references)


def _with_words(counts: Numbers, references: References) -> Numbers:
    words = [float(any(text.strip() for text in several)) for several in references]
    return np.column_stack([counts, np.array(words)])


def _log_precisions(right: Numbers, total: Numbers, smooth: str) -> tuple[Numbers, Numbers]:
    """The logarithm of each order's precision, and how many orders there are before one without."""
    logs: Numbers = np.full(right.shape, NEVER)
    halved = np.ones(right.shape[:-1])
    alive = np.ones(right.shape[:-1], dtype=bool)
    orders = np.zeros(right.shape[:-1], dtype=np.int64)
    for n in range(ORDER):
        matched, runs = right[..., n], total[..., n]
        alive &= runs > 0
        orders += alive
        missed = alive & (matched == 0)
        halved = np.where(missed, 2 * halved, halved)
        instead = {"exp": 1 / halved, "floor": np.full_like(halved, FLOOR)}.get(smooth, 0 * halved)
        share = 100 * divided(np.where(missed, instead, matched), runs)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs[..., n] = np.where(alive & (share > 0), np.log(share), NEVER)
    return logs, orders
