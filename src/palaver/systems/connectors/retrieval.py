"""`kind: retrieval`: answers with the reply whose prompt is most like what was just said.

The exchanges are a JSONL file of {"prompt": …, "reply": …}. A reply is given once per dialogue;
when nothing left is near enough, a fallback is said.

How near a prompt is to what was said goes from 0 to 1. `TfIdf` is cosine similarity of log-tf × idf
vectors over an inverted index: a query touches only the postings of its own words, in plain Python,
because numpy would take a fifth of the server's memory for a corpus of some hundred lines. `Bm25`
takes its scores from bm25s and divides them by the best score each word of the query reaches
anywhere, so that one threshold suits both.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol

import msgspec
from pydantic import Field

from palaver.core.errors import InputError, MissingExtraError
from palaver.core.events import Move, say
from palaver.core.protocols import DraftListener, Place
from palaver.systems.attempt import shorten
from palaver.systems.connectors.scripted import Words
from palaver.systems.options import CallOptions, find_file, read_text
from palaver.systems.reach import Reach
from palaver.systems.transcript import Transcript, TranscriptSession

# Prompt number → score; prompts that share no word with the query are left out.
Scores = dict[int, float]

_WORD = re.compile(r"\w+(?:['’]\w+)*")


class RetrievalOptions(CallOptions):
    """What to search, how, and what to say when nothing is found."""

    file: Path = Field(description='JSONL file of exchanges: {"prompt": "…", "reply": "…"}')
    method: Literal["tfidf", "bm25"] = Field(
        default="tfidf", description="how similarity is measured; bm25 needs the extra 'retrieval'"
    )
    threshold: float = Field(
        default=0.2, ge=0, le=1, description="similarity below which a fallback is said"
    )
    context: float = Field(
        default=0.2, ge=0, le=1, description="weight of what was said before the last message"
    )
    openers: list[Words] = Field(
        default=["Hello! How are you today?"], description="what it may say first"
    )
    fallbacks: list[Words] = Field(
        default=[
            "Tell me more about that.",
            "That is interesting. What makes you say so?",
            "I am not sure I follow. Could you put it another way?",
            "Let us talk about something else. What do you like to do at weekends?",
        ],
        description="what it may say when nothing is near; empty: it stays silent",
    )


class Exchange(msgspec.Struct, frozen=True):
    """Something that was said, and what was answered."""

    prompt: str
    reply: str


class Retrieval:
    """A system that looks its replies up."""

    options_type: ClassVar[type[CallOptions]] = RetrievalOptions
    reach: ClassVar[Reach] = "folder"

    def __init__(self, options: RetrievalOptions, *, folder: Path) -> None:
        self.options = options
        path = find_file(options.file, folder=folder, option="file")
        exchanges = read_exchanges(path)
        self._replies = [exchange.reply.strip() for exchange in exchanges]
        self._numbers: dict[str, list[int]] = {}
        for number, reply in enumerate(self._replies):
            self._numbers.setdefault(reply, []).append(number)
        prompts = [words(exchange.prompt) for exchange in exchanges]
        self._ranking: PromptScorer = Bm25(prompts) if options.method == "bm25" else TfIdf(prompts)

    def new_session(self, place: Place) -> "RetrievalSession":
        return RetrievalSession(self, place)

    async def close(self) -> None:
        """Nothing to let go of."""

    def find(self, transcript: Transcript) -> str | None:
        """The nearest reply not yet given in this dialogue; None when none is near enough."""
        query, context = Counter(words(transcript.heard)), Counter(words(transcript.before))
        if not query:
            return None
        scores = self._ranking.scores(query, context, self.options.context)
        for number in (n for reply in transcript.own for n in self._numbers.get(reply, [])):
            scores.pop(number, None)
        # The first of equals, so that the same dialogue always gets the same reply.
        best = max(scores, key=lambda number: (scores[number], -number), default=None)
        if best is None or scores[best] <= 0 or scores[best] < self.options.threshold:
            return None
        return self._replies[best]


class RetrievalSession(TranscriptSession[Retrieval]):
    """One dialogue with the retrieval system."""

    async def send(self, draft: DraftListener | None = None) -> Sequence[Move]:
        """The nearest reply, an opener, a fallback, or silence where there is none."""
        options = self._system.options
        if not self.transcript.heard:
            candidates = options.openers
        else:
            reply = self._system.find(self.transcript)
            candidates = options.fallbacks if reply is None else [reply]
        return [say(self.transcript.choose(candidates))] if candidates else []


class PromptScorer(Protocol):
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


def read_exchanges(path: Path) -> list[Exchange]:
    """The exchanges of a JSONL file; the line that is wrong is named."""
    exchanges = []
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            exchange = msgspec.json.decode(line, type=Exchange)
        except msgspec.DecodeError as error:
            raise InputError(
                f"{path}:{number}: {error}; got {shorten(line.strip(), 80)!r}, "
                'expected {"prompt": "…", "reply": "…"}.'
            ) from error
        if not exchange.prompt.strip() or not exchange.reply.strip():
            raise InputError(f"{path}:{number}: an empty prompt or reply; write text or drop it.")
        exchanges.append(exchange)
    if not exchanges:
        raise InputError(f"{path}: no exchanges. Write one JSON object per line.")
    return exchanges


def words(text: str) -> list[str]:
    """The words of a text, in lower case."""
    return _WORD.findall(text.lower().replace("’", "'"))


def _length(vector: dict[str, float]) -> float:
    return math.sqrt(sum(value * value for value in vector.values())) or 1.0
