"""Turning what somebody said around: "my dog and I" becomes "your dog and you"."""

import re
from collections.abc import Mapping

_EDGES = " \t\n.,!?;:\"'"


class Reflections:
    """A table of words and phrases with their counterparts, applied in one pass."""

    def __init__(self, table: Mapping[str, str]) -> None:
        self._table = {_key(phrase): counterpart for phrase, counterpart in table.items()}
        # The longest phrase wins, so that "i am" is tried before "i".
        phrases = sorted(filter(None, self._table), key=len, reverse=True)
        words = "|".join(map(_expression, phrases))
        whole = rf"(?<![\w'’])(?:{words})(?![\w'’])"
        self._pattern = re.compile(whole, re.IGNORECASE) if words else None

    def reflect(self, text: str) -> str:
        """`text` with every known phrase replaced, without the punctuation around it."""
        bare = text.strip(_EDGES)
        if self._pattern is None:
            return bare
        # Some letters match without being equal in lower case (İ and i): those words stay.
        return self._pattern.sub(lambda match: self._table.get(_key(match[0]), match[0]), bare)


def _expression(phrase: str) -> str:
    return re.escape(phrase).replace(r"\ ", r"\s+").replace("'", "['’]")


def _key(phrase: str) -> str:
    return " ".join(phrase.lower().replace("’", "'").split())
