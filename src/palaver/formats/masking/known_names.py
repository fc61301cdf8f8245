"""Names that are known already: of the study's people and accounts, and said earlier in a dialogue.

A name is looked for whole and in its parts. A part that is an ordinary word ("Will", "Lane") counts
with its capital only; very short parts and names of roles ("admin") do not count.
"""

import re
from collections.abc import Iterable, Iterator

from palaver.formats.masking.finds import Find
from palaver.formats.masking.reading import ReadText, vocabulary
from palaver.formats.masking.words import no_names

_WORD = re.compile(r"\w+")
_ID = re.compile(r"\w+(?:[-.:@+/]+\w+)*")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,8}")
_ROLES = vocabulary(
    "admin administrator owner reviewer viewer user test tester demo root guest participant "
    "worker rater anonymous person people study researcher none null nobody person1 student "
    "staff system robot human model data main default van von der den del della dos das bin "
    "ben ibn the and"
)
# Where they begin a sentence these are more often verbs than people.
_VERBS = frozenset(
    ["will", "may", "can", "mark", "hope", "grant", "chase", "art", "bill", "rob", "sue", "pat"]
)
_SENTENCE_START = re.compile(r"(?:\A|[.!?\n]\s*|[-–—:\"“(]\s*)\Z")
_QUESTION = re.compile(
    r"\s(?:you|i|we|he|she|it|they|the|this|that|there|my|your|be)\b", re.IGNORECASE
)
_SHORTEST = 3


class KnownNames:
    """A set of names to look for; `names` are of people, `ids` what accounts and panels call them."""

    def __init__(self, names: Iterable[str] = (), *, ids: Iterable[str] = ()) -> None:
        self._words: set[str] = set()
        self._ids: set[str] = set()
        self._unspaced: set[str] = set()
        for name in names:
            self._learn(name)
        for id in ids:
            self._learn_id(id)

    def __bool__(self) -> bool:
        return bool(self._words or self._ids or self._unspaced)

    def with_names(self, names: Iterable[str]) -> "KnownNames":
        """These and more; what is known already is shared, not copied, where there is nothing new."""
        more = KnownNames(names)
        if not more:
            return self
        more._words |= self._words
        more._ids |= self._ids
        more._unspaced |= self._unspaced
        return more

    def find(self, reading: ReadText) -> Iterator[Find]:
        """Where the names stand in a text; words of one name are one find."""
        text = reading.text
        last: Find | None = None
        for found in self._found(reading):
            if last is not None and text[last.end : found.start] == " ":
                last = Find(last.start, found.end, "name")
                continue
            if last is not None:
                yield last
            last = found
        if last is not None:
            yield last
        for name in self._unspaced:
            yield from (Find(*found.span(), "name") for found in re.finditer(re.escape(name), text))

    def _found(self, reading: ReadText) -> Iterator[Find]:
        text = reading.text
        if not reading.words.isdisjoint(self._words):
            for word in _WORD.finditer(text):
                lowered = word.group().casefold()
                if lowered in self._words and self._counts(text, word, lowered):
                    yield Find(*word.span(), "name")
        if self._ids:
            for word in _ID.finditer(text):
                if word.group().casefold() in self._ids:
                    yield Find(*word.span(), "name")

    def _counts(self, text: str, word: re.Match[str], lowered: str) -> bool:
        if lowered not in no_names():
            return True
        if not word.group()[0].isupper() or text.isupper():
            return False
        begins = _SENTENCE_START.search(text, max(0, word.start() - 4), word.start())
        return not (begins and lowered in _VERBS and _QUESTION.match(text, word.end()))

    def _learn(self, name: str) -> None:
        if _UNSPACED.fullmatch(name):
            self._unspaced.add(name)
            return
        for part in _WORD.findall(name.casefold()):
            if len(part) >= _SHORTEST and not part.isdigit() and part not in _ROLES:
                self._words.add(part)

    def _learn_id(self, id: str) -> None:
        """An id of letters is a name; any other counts whole."""
        id = id.strip()
        if all(part.isalpha() for part in id.split()):
            self._learn(id)
        elif len(id) >= 4 and (not id.isdigit() or len(id) >= 5) and id.casefold() not in _ROLES:
            self._ids.add(id.casefold())
