"""The text with the highest score for a question, exactly, without scoring all of them.

A score is `(text · question + noise) / divisor`. Words that many texts have cost most and tell least.
So only the words that few texts have are added up, over an inverted table; what the common ones may
add to a text is at most the length of the question's common part times the length of the text's
(Cauchy–Schwarz). Where that leaves too many texts, as it does where common words weigh much, the
common words are added up too, over a dense table. The few texts whose bound reaches the best score
known so far are scored exactly, in 64 bits, from their own rows. The answer is that of scoring every
text; equal scores go to the first.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from palaver.core.numeric import Numbers, np, sparse

# A word is common if more than this share of the texts have it.
COMMON = 0.2
# So many texts are scored first, to know what is worth a look, and so many at a time after that.
FIRST, BLOCK = 128, 4096
# With more than this share of the texts left, the dense table costs less than scoring them.
MANY = 0.005
# What one step in 32 bits may be wrong by, relatively; twice of it, for both factors.
_STEP = 2.0**-23


@dataclass(frozen=True)
class Nearest:
    """The row of the nearest text, and its score."""

    row: int
    score: float


# Lower than any score, and higher than the bound of a row that is left out.
_NONE = Nearest(-1, -1e38)


class NearestTexts:
    """Texts as weighted words, ready to be searched.

    `arrays` is all it is made of, under names, so that it can be kept and mapped into memory again.
    """

    def __init__(self, arrays: Mapping[str, Numbers]) -> None:
        self.arrays = dict(arrays)
        self._starts, self._words = arrays["row_starts"], arrays["row_words"]
        self._values, self._divisors = arrays["row_values"], arrays["divisors"]
        self._reach, self._lengths = arrays["common_reach"], arrays["longest"]
        # Where a common word stands in the dense table; −1 for the others.
        self._common = arrays["common_places"]
        self._dense = arrays["common_values"]
        size = len(self._divisors)
        parts = (arrays["posting_values"], arrays["posting_rows"], arrays["posting_starts"])
        self._postings = sparse.csr_array(parts, shape=(len(self._common), size))
        self._noise: Numbers = np.zeros(size)
        self._noise_share: Numbers = np.zeros(size, dtype=np.float32)

    @classmethod
    def of(cls, table: Any, values: Numbers, divisors: Numbers) -> "NearestTexts":
        """Out of a sparse table of texts × words, whose entries have these values."""
        return cls(_arrays(table, values, divisors))

    def __len__(self) -> int:
        return len(self._divisors)

    def add_noise(self, size: float, seed: int) -> None:
        """Decide between equals by noise from 0 to `size`, drawn once for each text."""
        self._noise = size * np.random.default_rng(seed).random(len(self))
        self._noise_share = (self._noise / self._divisors).astype(np.float32)

    def find(
        self, words: Numbers, weights: Numbers, *, without: Numbers | None = None
    ) -> Nearest | None:
        """The nearest text to a question of these words, rows in `without` left out; None if none."""
        question = np.zeros(len(self._common))
        question[words] = weights
        rare, common = self._rare_part(words, weights), self._common[words] >= 0
        bounds = rare + self._reach * np.float32(np.linalg.norm(weights[common]))
        if without is not None:
            bounds[without] = -np.inf
        best = self._best(_promising(bounds), question, _NONE)
        left = np.flatnonzero(bounds >= best.score)
        if len(left) > MANY * len(self):
            bounds = np.full(len(self), -np.inf, dtype=np.float32)
            bounds[left] = (rare + self._common_part(words, weights))[left]
            best = self._best(_promising(bounds), question, best)
            left = np.flatnonzero(bounds >= best.score)
        for begin in range(0, len(left), BLOCK):
            best = self._best(left[begin : begin + BLOCK], question, best)
        return None if best is _NONE else best

    def scores(self, rows: Numbers, question: Numbers) -> Numbers:
        """The exact scores of rows for a question that has a weight for every word."""
        starts = self._starts[rows]
        sizes = self._starts[rows + 1] - starts
        ends = np.cumsum(sizes)
        places = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + sizes, sizes)
        products = self._values[places].astype(np.float64) * question[self._words[places]]
        owners = np.repeat(np.arange(len(rows)), sizes)
        dots = np.bincount(owners, weights=products, minlength=len(rows))
        return np.asarray((dots + self._noise[rows]) / self._divisors[rows])

    def _rare_part(self, words: Numbers, weights: Numbers) -> Numbers:
        """What rare words and noise add to each score, and what 32 bits may be wrong by."""
        rare = self._common[words] < 0
        part = np.zeros(len(self), dtype=np.float32)
        if rare.any():
            part += self._postings[words[rare]].T @ weights[rare].astype(np.float32)
        part += self._noise_share
        longest = float(self._lengths[0]) * float(np.linalg.norm(weights))
        most_noise = float(self._noise_share.max(initial=0.0))
        part += np.float32(_STEP * (len(words) + 8) * (longest + most_noise))
        return part

    def _common_part(self, words: Numbers, weights: Numbers) -> Numbers:
        """What common words add to each score."""
        places = self._common[words]
        question = np.zeros(len(self._dense), dtype=np.float32)
        question[places[places >= 0]] = weights[places >= 0]
        return np.asarray(question @ self._dense)

    def _best(self, rows: Numbers, question: Numbers, best: Nearest) -> Nearest:
        """The best of these rows and the best so far."""
        if not len(rows):
            return best
        scores = self.scores(rows, question)
        place = int(np.argmax(scores))
        found = Nearest(int(rows[place]), float(scores[place]))
        return max(found, best, key=lambda each: (each.score, -each.row))


def _promising(bounds: Numbers) -> Numbers:
    """The row with the highest bound in each of some stretches; no row that is left out."""
    size = len(bounds) // FIRST
    rows = np.arange(len(bounds))
    if size > 1:
        stretches = bounds[: size * FIRST].reshape(FIRST, size)
        rows = np.argmax(stretches, axis=1) + size * np.arange(FIRST)
    return rows[bounds[rows] > -np.inf]


def _arrays(table: Any, values: Numbers, divisors: Numbers) -> dict[str, Numbers]:
    (rows, words), starts, numbers = table.shape, table.indptr, table.indices
    common = np.bincount(numbers, minlength=words) > COMMON * rows
    places = np.where(common, np.cumsum(common) - 1, -1)
    shares = values.astype(np.float32)
    shares /= np.repeat(divisors, np.diff(starts)).astype(np.float32)
    owners = np.repeat(np.arange(rows, dtype=np.int32), np.diff(starts))
    often = common[numbers]
    dense = np.zeros((int(common.sum()), rows), dtype=np.float32)
    dense[places[numbers[often]], owners[often]] = shares[often]
    lengths = np.bincount(owners, weights=np.square(shares), minlength=rows)
    squares = np.einsum("wi,wi->i", dense, dense, dtype=np.float64)
    postings = _postings(shares[~often], numbers[~often], owners[~often], (rows, words))
    return {
        "row_starts": starts.astype(np.int64),
        "row_words": numbers.astype(np.int32, copy=False),
        "row_values": values,
        "divisors": np.asarray(divisors, dtype=np.float64),
        "longest": np.sqrt(lengths.max(initial=0.0, keepdims=True)),
        "common_places": places,
        "common_values": dense,
        "common_reach": np.sqrt(squares).astype(np.float32),
        "posting_starts": postings.indptr,
        "posting_rows": postings.indices,
        "posting_values": postings.data,
    }


def _postings(shares: Numbers, words: Numbers, owners: Numbers, shape: tuple[int, int]) -> Any:
    """The rare words of the texts, by word; in 32 bits where they fit, for half the memory."""
    kind = np.int32 if len(shares) < 2**31 else np.int64
    starts = np.searchsorted(owners, np.arange(shape[0] + 1)).astype(kind)
    return sparse.csr_array((shares, words.astype(kind, copy=False), starts), shape=shape).tocsc()
