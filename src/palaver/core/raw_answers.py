"""What a model really sent where that is no answer: kept for whoever has to find out why.

The text is a stranger's: it is bounded here, and escaped wherever it is shown.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from palaver.core.characters import NULL

# How much of a text is kept.
LONGEST = 4000


@dataclass(frozen=True, slots=True)
class RawAnswer:
    """The beginning of what came, and how many characters all of it had."""

    text: str
    length: int

    @property
    def is_cut(self) -> bool:
        """Whether there was more."""
        return self.length > len(self.text)


def raw_answer(given: Any, *, hide: Callable[[str], str] = str) -> RawAnswer:
    """What came as text: a text as it is, anything else as JSON; `hide` takes secrets out of it.

    >>> raw_answer("<h1>Oops</h1>"), raw_answer({"label": "maybe"})
    (RawAnswer(text='<h1>Oops</h1>', length=13), RawAnswer(text='{"label":"maybe"}', length=17))
    """
    # Hidden before it is cut, lest half a secret be left at the edge.
    text = hide(given if isinstance(given, str) else _as_json(given))
    # Halves of surrogate pairs and null characters can be received, and neither stored nor shown.
    kept = text[:LONGEST].encode("utf-8", "replace").decode("utf-8").replace(NULL, "\u2400")
    return RawAnswer(kept, len(text))


def _as_json(given: Any) -> str:
    try:
        return json.dumps(given, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        # Code of somebody's own answers with objects of any kind.
        return repr(given)
