"""`kind: retrieval`: answers with the reply whose prompt is most like what was just said.

The exchanges are a JSONL file of {"prompt": …, "reply": …}. A reply is given once per dialogue;
when nothing left is near enough, a fallback is said.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from palaver.core.events import Move, say
from palaver.core.protocols import DraftListener, Place
from palaver.systems.connectors.ranking import Bm25, Ranking, TfIdf, words
from palaver.systems.connectors.scripted import Words
from palaver.systems.files import find_file, read_exchanges
from palaver.systems.options import CallOptions
from palaver.systems.transcript import Transcript, TranscriptSession


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


class Retrieval:
    """A system that looks its replies up."""

    options_type: ClassVar[type[CallOptions]] = RetrievalOptions

    def __init__(self, options: RetrievalOptions, *, folder: Path) -> None:
        self.options = options
        path = find_file(options.file, folder=folder, option="file")
        exchanges = read_exchanges(path)
        self._replies = [exchange.reply.strip() for exchange in exchanges]
        self._numbers: dict[str, list[int]] = {}
        for number, reply in enumerate(self._replies):
            self._numbers.setdefault(reply, []).append(number)
        prompts = [words(exchange.prompt) for exchange in exchanges]
        self._ranking: Ranking = Bm25(prompts) if options.method == "bm25" else TfIdf(prompts)

    def new_session(self, place: Place) -> "RetrievalSession":
        """A session that has heard nothing yet."""
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


class RetrievalSession(TranscriptSession):
    """One dialogue with the retrieval system."""

    def __init__(self, system: Retrieval, place: Place) -> None:
        super().__init__(place)
        self._system = system

    async def send(self, draft: DraftListener | None = None) -> Sequence[Move]:
        """The nearest reply, an opener, a fallback, or silence where there is none."""
        options = self._system.options
        if not self.transcript.heard:
            candidates = options.openers
        else:
            reply = self._system.find(self.transcript)
            candidates = options.fallbacks if reply is None else [reply]
        return [say(self.transcript.choose(candidates))] if candidates else []
