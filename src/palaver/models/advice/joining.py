"""Which pieces are joined: learnt from the words of a text, the commonest pair first.

Pairs are counted once. A join changes the counts of its own words alone, and a heap has the commonest
pair on top, so that 50 MB of text take some twenty seconds. Of pairs that are as common the first by
alphabet is joined: the same texts always give the same vocabulary.
"""

import heapq
import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from palaver.models.advice.pieces import WORD, joined_pieces, shown

# Rarer words have nothing to say about which pieces are common.
_MOST_WORDS = 100_000

Pair = tuple[str, str]


def learnt_merges(texts: Iterable[str], count: int) -> list[Pair]:
    """At most so many pairs to join, in this order; a pair that occurs once is none."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(WORD.findall(text))
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_MOST_WORDS]
    words = JoinedWords([(list(shown(word)), times) for word, times in ranked])
    merges: list[Pair] = []
    while len(merges) < count and (pair := words.commonest()) is not None:
        words.join(pair)
        merges.append(pair)
    return merges


class JoinedWords:
    """Words in pieces, how often each occurs, and how often each pair of neighbours does."""

    def __init__(self, words: Sequence[tuple[list[str], int]]) -> None:
        self._pieces = [pieces for pieces, _ in words]
        self._times = [times for _, times in words]
        self._counts: Counter[Pair] = Counter()
        self._where: defaultdict[Pair, set[int]] = defaultdict(set)
        for n, (pieces, times) in enumerate(words):
            for pair in itertools.pairwise(pieces):
                self._counts[pair] += times
                self._where[pair].add(n)
        self._heap = [(-count, pair) for pair, count in self._counts.items()]
        heapq.heapify(self._heap)

    def commonest(self) -> Pair | None:
        """The pair that occurs most often; None where none occurs twice."""
        while self._heap:
            told, pair = self._heap[0]
            count = self._counts[pair]
            if -told == count:
                return pair if count > 1 else None
            # Counted anew since it was put there.
            heapq.heappop(self._heap)
            if 0 < count < -told:
                heapq.heappush(self._heap, (-count, pair))
        return None

    def join(self, pair: Pair) -> None:
        """Make one piece of a pair, wherever it stands."""
        changed: Counter[Pair] = Counter()
        for n in self._where.pop(pair):
            self._join_in(n, pair, changed)
        del self._counts[pair]
        for other, change in changed.items():
            if other != pair and change:
                self._counts[other] += change
                if change > 0:
                    heapq.heappush(self._heap, (-self._counts[other], other))

    def _join_in(self, n: int, pair: Pair, changed: Counter[Pair]) -> None:
        before, times = self._pieces[n], self._times[n]
        after = joined_pieces(before, pair)
        for other in itertools.pairwise(before):
            changed[other] -= times
        for other in itertools.pairwise(after):
            changed[other] += times
            self._where[other].add(n)
        self._pieces[n] = after
