"""How near each prompt of a collection is to a question, from 0 to 1.

`TfIdf` is cosine similarity of log-tf × idf vectors over an inverted index: a query touches only
the postings of its own words, in plain Python, because numpy would take a fifth of the server's
memory for a corpus of some hundred lines. `Bm25` takes its scores from bm25s and divides them by
the best score each word of the query reaches anywhere, so that one threshold suits both.
"""

import math
import re
from collections import Counter
from typing import Any, Protocol

from palaver.core.errors import MissingExtraError

# Prompt number → score; prompts that share no word with the query are left out.
Scores = dict[int, float]

_WORD = re.compile(r"\w+(?:['’]\w+)*")


def words(text: str) -> list[str]:
    """The words of a text, in lower case."""
    return _WORD.findall(text.lower().replace("’", "'"))


class Ranking(Protocol):
    """Scores all prompts against weighted words."""

    def scores(self, query: Counter[str], context: Counter[str], weight: float) -> Scores:
        """Scores from 0 to 1 of the prompts; words of the context count `weight` times."""
        ...


class TfIdf:
    """Cosine similarity of tf-idf vectors."""

    def __init__(self, prompts: list[list[str]]) -> None:
        self._size = len(prompts)
        counts = [Counter(prompt) for prompt in prompts]
        found: dict[str, list[int]] = {}
        for number, count in enumerate(counts):
            for word in count:
                found.setdefault(word, []).append(number)
        self._idf = {word: math.log(1 + self._size / len(ids)) for word, ids in found.items()}
        lengths = [_length(self._weights(count)) for count in counts]
        self._postings = {
            word: [(i, self._weight(word, counts[i][word]) / lengths[i]) for i in ids]
            for word, ids in found.items()
        }

    def scores(self, query: Counter[str], context: Counter[str], weight: float) -> Scores:
        """The cosine of query and prompt, the context added to the query."""
        vector = self._weights(query)
        for word, value in self._weights(context).items():
            vector[word] = vector.get(word, 0.0) + weight * value
        total: Scores = {}
        length = _length(vector)
        for word, value in vector.items():
            for number, share in self._postings.get(word, ()):
                total[number] = total.get(number, 0.0) + share * value / length
        return total

    def _weights(self, count: Counter[str]) -> dict[str, float]:
        return {word: self._weight(word, times) for word, times in count.items()}

    def _weight(self, word: str, times: int) -> float:
        # A word nobody knows is as telling as one that occurs once, so that a query of unknown
        # words is far from everything.
        return (1 + math.log(times)) * self._idf.get(word, math.log(1 + self._size))


class Bm25:
    """BM25, as bm25s computes it."""

    def __init__(self, prompts: list[list[str]]) -> None:
        try:
            import bm25s  # type: ignore[import-untyped,unused-ignore]
        except ImportError as error:
            raise MissingExtraError("Retrieval with 'method: bm25'", "retrieval") from error
        self._size = len(prompts)
        self._index: Any = bm25s.BM25()
        self._index.index(prompts, show_progress=False)
        self._known = {word for prompt in prompts for word in prompt}
        self._tops: dict[str, float] = {}

    def scores(self, query: Counter[str], context: Counter[str], weight: float) -> Scores:
        """The share of the best possible score, the context added to the query."""
        total, best = self._raw(query)
        if context:
            extra, extra_best = self._raw(context)
            total, best = total + weight * extra, best + weight * extra_best
        if not best:
            return {}
        return {number: float(score) / best for number, score in enumerate(total) if score > 0}

    def _raw(self, query: Counter[str]) -> tuple[Any, float]:
        known = [word for word in query if word in self._known]
        # An unknown word counts as much as the average known one, so that it lowers the share.
        best = sum(self._top(word) for word in known)
        best *= len(query) / len(known) if known else 0.0
        if not known:
            return 0.0 * self._index.get_scores([next(iter(self._known))]), 0.0
        return self._index.get_scores(known), best

    def _top(self, word: str) -> float:
        if word not in self._tops:
            self._tops[word] = float(self._index.get_scores([word]).max())
        return self._tops[word]


def _length(vector: dict[str, float]) -> float:
    return math.sqrt(sum(value * value for value in vector.values())) or 1.0
