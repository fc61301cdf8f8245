"""What every question kind has in common.

A question is declared in a study file, checked on the server, and knows its measurement level, so
that no later table picks the wrong coefficient. A kind is one class here and one template.
"""

import hashlib
from typing import Any, Literal, Protocol

import msgspec

Level = Literal["nominal", "ordinal", "interval", "ratio", "pairwise", "text"]


class Question(Protocol):
    """A question of some kind."""

    @property
    def name(self) -> str:
        """The name by which studies and tables know it."""
        ...

    @property
    def kind(self) -> str:
        """The name of its class in the registry, and of its template."""
        ...

    @property
    def text(self) -> str:
        """What the rater reads."""
        ...

    @property
    def required(self) -> bool:
        """Whether it must be answered."""
        ...

    @property
    def level(self) -> Level:
        """Its measurement level."""
        ...

    @property
    def version(self) -> str:
        """Changes whenever anything a rater sees changes."""
        ...

    def read(self, answer: Any, *, shown_order: tuple[str, ...] | None) -> Any:
        """The value to store for what the page sent; AnswerError if it is not an answer."""
        ...


def content_version(question: msgspec.Struct) -> str:
    """A short digest of everything a question says."""
    encoded = msgspec.json.encode(question, order="deterministic")
    return hashlib.sha256(encoded).hexdigest()[:12]
