"""What a word counts in a text and in a question: tf-idf as the advice baseline has it, and BM25.

A text's score for a question is `(text · question + noise) / divisor`; a weighting says what the two
vectors, the noise and the divisor are.
"""

from dataclasses import dataclass
from typing import Literal

from palaver.core.numeric import Numbers, np
from palaver.systems.retrieval.word_counts import WordCounts

Method = Literal["tfidf", "bm25"]
# So far up the noise goes that decides between equals under tf-idf.
NOISE = 1e-5
# BM25: how soon a repeated word stops counting, and how much long texts are held back.
K1, B = 1.5, 0.75


@dataclass(frozen=True)
class Weighting:
    """The weights of all texts, in the order of the counted table; factors of words in a question.

    `values` may be float16 or float32; they are what is stored, and what scores are exact about.
    """

    values: Numbers
    divisors: Numbers
    factors: Numbers


def question_weights(method: Method, factors: Numbers, times: Numbers) -> Numbers:
    """What words with these factors count in a question in which they stand so many times each."""
    if method == "bm25":
        return np.asarray(factors * times, dtype=np.float64)
    weights = times / max(times.sum(), 1) * factors
    return np.asarray(weights.astype(np.float16).astype(np.float64))


def weigh(counts: WordCounts, method: Method) -> Weighting:
    """The weighting by its name."""
    return tfidf(counts) if method == "tfidf" else bm25(counts)


def tfidf(counts: WordCounts) -> Weighting:
    """count / length × idf, rounded to 16 bits, divided by the text's norm (the question's is not).

    idf is ln(texts / (1 + texts with the word)), and ln 1.01 for all unknown words together. A text
    whose weights are all 0 is divided by 1: noise alone speaks for it.
    """
    table = counts.table
    idf = np.log(max(len(counts.lengths), 1) / (1.0 + _frequencies(counts)))
    idf[0] = np.log(1.01)
    sizes = np.diff(table.indptr)
    values = table.data / np.repeat(np.maximum(counts.lengths, 1), sizes)
    values *= idf[table.indices]
    values = values.astype(np.float16)
    norms = np.sqrt(row_sums(values.astype(np.float32) ** 2, table.indptr))
    norms[norms == 0] = 1.0
    return Weighting(values, norms, idf)


def bm25(counts: WordCounts) -> Weighting:
    """idf × count / (count + k₁ (1 − b + b × length / mean length)), words of the question repeated.

    idf is ln(1 + (texts − with + ½) / (with + ½)), as in Lucene; unknown words count nothing.
    """
    table, lengths = counts.table, counts.lengths
    with_word = _frequencies(counts)
    idf = np.log1p((len(lengths) - with_word + 0.5) / (with_word + 0.5))
    idf[0] = 0.0
    mean = float(lengths.mean()) if len(lengths) else 1.0
    held_back = K1 * (1 - B + B * lengths / (mean or 1.0))
    values = table.data / (table.data + np.repeat(held_back, np.diff(table.indptr)))
    values *= idf[table.indices]
    factors = (idf > 0).astype(np.float64)
    return Weighting(values.astype(np.float32), np.ones(len(lengths)), factors)


def row_sums(values: Numbers, starts: Numbers) -> Numbers:
    """The sum of each row, in 64 bits; a row without values sums to 0."""
    rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    return np.bincount(rows, weights=values, minlength=len(starts) - 1)


def _frequencies(counts: WordCounts) -> Numbers:
    return np.bincount(counts.table.indices, minlength=len(counts.words))
