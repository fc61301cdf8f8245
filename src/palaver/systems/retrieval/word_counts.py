"""How often each word stands in each text, as a sparse table.

Words get numbers by how often they occur in all texts, the most frequent first; number 0 stands for
all words that are too rare to have one.
"""

from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from palaver.core.numeric import Numbers, np, sparse

# What the words without a number share; its number is 0.
UNKNOWN = "UNK"


@dataclass(frozen=True)
class WordCounts:
    """`table[i, w]` is how often word `words[w]` stands in text i, `lengths[i]` how long it is."""

    words: tuple[str, ...]
    table: Any
    lengths: Numbers


class WordCounter:
    """Counts the words of texts that come one after another."""

    def __init__(self) -> None:
        self._numbers = _Numbers()
        self._words, self._times = array("i"), array("i")
        self._ends, self._lengths = array("q", [0]), array("i")

    def __len__(self) -> int:
        return len(self._lengths)

    def add(self, words: Iterable[str]) -> None:
        """Count one text."""
        found = Counter(words)
        self._words.extend(map(self._numbers.__getitem__, found))
        self._times.extend(found.values())
        self._ends.append(len(self._words))
        self._lengths.append(found.total())

    def counts(self, *, least: int) -> WordCounts:
        """What was counted; words that occur fewer than `least` times in all are unknown."""
        words = np.frombuffer(self._words, dtype=np.int32) if self._words else _none()
        times = np.frombuffer(self._times, dtype=np.int32) if self._times else _none()
        totals = np.bincount(words, weights=times, minlength=len(self._numbers))
        known = np.argsort(-totals, kind="stable")[: int((totals >= least).sum())]
        ranks = np.zeros(len(totals), dtype=np.int32)
        ranks[known] = np.arange(1, len(known) + 1)
        table = sparse.csr_array(
            (times.copy(), ranks[words], np.frombuffer(self._ends, dtype=np.int64)),
            shape=(len(self), len(known) + 1),
        )
        table.sum_duplicates()
        spelled = list(self._numbers)
        names = (UNKNOWN, *(spelled[number] for number in known))
        return WordCounts(names, table, np.array(self._lengths, dtype=np.int64))


class _Numbers(dict[str, int]):
    """Words by the order in which they were first seen."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


def _none() -> Numbers:
    return np.zeros(0, dtype=np.int32)
