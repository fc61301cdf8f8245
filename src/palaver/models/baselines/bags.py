"""Features as numbers with weights: bags of any size, side by side in flat arrays."""

import math
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from palaver.models.baselines.examples import NothingToLearnError
from palaver.models.baselines.features import FeatureRow

Floats = NDArray[np.float32]
Whole = NDArray[np.int64]


class Bags(NamedTuple):
    """A batch of bags as `embedding_bag` takes them."""

    numbers: Tensor
    weights: Tensor
    offsets: Tensor


class Bagger(Protocol):
    """Turns a row of features into a bag."""

    @property
    def size(self) -> int:
        """How many features it can tell apart."""
        ...

    def bag(self, row: FeatureRow) -> tuple[list[int], list[float]]:
        """The numbers of the features, each once, and their weights."""
        ...


class WeighedWords:
    """Features of a vocabulary by tf-idf: (1 + log tf) · idf, each group scaled to length 1.

    idf is log((1 + rows) / (1 + rows with it)) + 1, as scikit-learn smooths it. Features of a row that
    is `plain` weigh 1.
    """

    def __init__(self, words: Sequence[str], idf: Sequence[float], *, plain: bool) -> None:
        self.words = list(words)
        self.idf = list(idf)
        self.plain = plain
        self._numbers = {word: n for n, word in enumerate(self.words)}

    @classmethod
    def of(
        cls, rows: Iterable[FeatureRow], *, least: int, most: int, plain: bool
    ) -> "WeighedWords":
        """The features that stand in `least` rows or more, the most frequent first."""
        counts: Counter[str] = Counter()
        total = 0
        for row in rows:
            total += 1
            counts.update({each for group in row for each in group})
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        kept = [(word, count) for word, count in ranked[:most] if count >= least]
        if not kept:
            raise NothingToLearnError(
                f"The vocabulary is empty: of {len(counts):,} words and pairs none occurs in {least} "
                f"of {total:,} texts ('words.least'). Give more examples."
            )
        idf = [math.log((1 + total) / (1 + count)) + 1 for _, count in kept]
        return cls([word for word, _ in kept], idf, plain=plain)

    @property
    def size(self) -> int:
        return len(self.words)

    def bag(self, row: FeatureRow) -> tuple[list[int], list[float]]:
        if self.plain:
            known = dict.fromkeys(
                number
                for group in row
                for each in group
                if (number := self._numbers.get(each)) is not None
            )
            return list(known), [1.0] * len(known)
        numbers: list[int] = []
        weights: list[float] = []
        for group in row:
            own = Counter(n for each in group if (n := self._numbers.get(each)) is not None)
            values = [(1 + math.log(count)) * self.idf[n] for n, count in own.items()]
            length = math.sqrt(math.fsum(value * value for value in values)) or 1.0
            numbers += own
            weights += [value / length for value in values]
        return numbers, weights


class HashedWords:
    """Features by a hash of their letters, each with its share of the row: what is averaged.

    Only the first group counts, the words and their runs: how texts overlap is no part of a mean.
    """

    def __init__(self, buckets: int) -> None:
        self.size = buckets

    def bag(self, row: FeatureRow) -> tuple[list[int], list[float]]:
        own = Counter(
            zlib.crc32(each.encode("utf-8", "surrogatepass")) % self.size for each in row[0]
        )
        total = own.total() or 1
        return list(own), [count / total for count in own.values()]


@dataclass(frozen=True, slots=True)
class BagTable:
    """Bags one after another: the features of bag n begin at `starts[n]` and end at `starts[n + 1]`."""

    numbers: NDArray[np.int32]
    weights: Floats
    starts: Whole

    @classmethod
    def of(cls, rows: Iterable[FeatureRow], bagger: Bagger) -> "BagTable":
        numbers: list[NDArray[np.int32]] = [np.empty(0, np.int32)]
        weights: list[Floats] = [np.empty(0, np.float32)]
        starts = [0]
        for row in rows:
            own, weighed = bagger.bag(row)
            numbers.append(np.array(own, np.int32))
            weights.append(np.array(weighed, np.float32))
            starts.append(starts[-1] + len(own))
        return cls(np.concatenate(numbers), np.concatenate(weights), np.array(starts, np.int64))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def picked(self, rows: Whole, device: torch.device) -> Bags:
        """These bags, in this order."""
        begin, sizes = self.starts[rows], self.starts[rows + 1] - self.starts[rows]
        offsets = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)[: len(rows)]
        places = np.repeat(begin - offsets, sizes) + np.arange(int(sizes.sum()))
        return Bags(
            _moved(self.numbers[places].astype(np.int64), device),
            _moved(self.weights[places], device),
            _moved(offsets, device),
        )


def _moved(values: NDArray[Any], device: torch.device) -> Tensor:
    return torch.from_numpy(values).to(device, non_blocking=True)
