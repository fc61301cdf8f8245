"""The fields of an answer of Prolific, read one by one: what is not known is passed over.

The service adds fields and words without notice, so nothing here asks for more than is needed. Only a
field of the wrong type is an error: what stood there cannot be trusted.
"""

import unicodedata
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeVar

from palaver.core.errors import PanelError
from palaver.core.moments import moment_of
from palaver.core.words import shortened

T = TypeVar("T")

# No text of the service is longer than anybody would read or a page should show.
MOST_LETTERS = 10_000
LARGEST = 10**15


def spoken(word: str) -> str:
    """A word of the service as we write it: "TIMED-OUT", "Awaiting review" → timed_out, awaiting_review.

    >>> spoken("TIMED-OUT"), spoken("AWAITING REVIEW"), spoken("awaiting_review")
    ('timed_out', 'awaiting_review', 'awaiting_review')
    """
    return plain_line(word, 40).strip().lower().replace(" ", "_").replace("-", "_")


def plain_line(text: str, most: int) -> str:
    """A text from outside as one line without control characters, of at most so many letters."""
    kept = "".join(" " if _is_odd(letter) else letter for letter in text[: most * 4])
    return shortened(" ".join(kept.split()), most)


def _is_odd(letter: str) -> bool:
    """Whether a letter is a control, turns others round, or is a half of one."""
    return unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp")


class AnswerFields:
    """One object of an answer; `what` names it in errors."""

    def __init__(self, raw: Any, what: str) -> None:
        if not isinstance(raw, Mapping):
            raise PanelError(
                f"Prolific's answer about {what} is not what was expected: an object, not "
                f"{plain_line(repr(raw), 60)}. Try again; if it stays so, its API has changed."
            )
        self._raw = raw
        self._what = what

    def has(self, name: str) -> bool:
        """Whether a field is there and says something."""
        return self._raw.get(name) is not None

    def text(self, name: str, *others: str, needed: bool = False) -> str:
        """A text, or "" where there is none; the first of several names that is there."""
        for each in (name, *others):
            value = self._raw.get(each)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, str | int):
                self._refuse(each, "a text", value)
            return str(value)[:MOST_LETTERS].replace("\0", "")
        if needed:
            self._refuse(name, "a text", None)
        return ""

    def word(self, name: str) -> str:
        """A word such as a status, as we write it; one we do not know is kept."""
        return spoken(self.text(name))

    def whole(self, name: str, usual: int = 0) -> int:
        """A whole number."""
        value = self._raw.get(name)
        if value is None:
            return usual
        number = self.number(name)
        if number is None or not number.is_integer():
            self._refuse(name, "a whole number", value)
        return int(value)

    def number(self, name: str) -> float | None:
        """A number, or None."""
        value = self._raw.get(name)
        if value is None:
            return None
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not abs(value) < LARGEST:
            self._refuse(name, "a number", value)
        return float(value)

    def flag(self, name: str, usual: bool = False) -> bool:
        """Yes or no."""
        value = self._raw.get(name)
        if value is None:
            return usual
        if not isinstance(value, bool):
            self._refuse(name, "true or false", value)
        return value

    def maybe(self, name: str) -> bool | None:
        """Yes, no, or not known."""
        return self.flag(name) if self.has(name) else None

    def moment(self, *names: str) -> float | None:
        """A time in seconds since the epoch, or None; the first of several names that is there."""
        name = next((each for each in names if self.has(each)), names[0])
        value = self._raw.get(name)
        if value is None or value == "":
            return None
        found = None if isinstance(value, bool) else moment_of(str(value))
        if found is None:
            self._refuse(name, "a time", value)
        return found

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts."""
        told = self._list(name)
        return tuple(AnswerFields({"one": each}, self._what).text("one") for each in told)

    def wholes(self, name: str) -> tuple[int, ...]:
        """A list of whole numbers."""
        return tuple(
            AnswerFields({name: each}, self._what).whole(name) for each in self._list(name)
        )

    def all_names(self) -> list[str]:
        """What the fields are called."""
        return [str(name)[:200] for name in self._raw]

    def plain(self) -> dict[str, Any]:
        """All fields as they came."""
        return {str(name): told for name, told in self._raw.items()}

    def each(self, name: str, read: Callable[["AnswerFields"], T]) -> tuple[T, ...]:
        """What `read` makes of each object of a list."""
        return tuple(read(each) for each in self.every(name))

    def every(self, name: str) -> list["AnswerFields"]:
        """The objects of a list."""
        return [AnswerFields(raw, self._what) for raw in self._list(name)]

    def inner(self, name: str) -> "AnswerFields":
        """An object inside this one; an empty one where it is missing."""
        raw = self._raw.get(name)
        return AnswerFields({} if raw is None else raw, self._what)

    def names(self, name: str) -> dict[str, str]:
        """An object of texts, or a list of texts or of ids with names, by what is sent back."""
        raw = self._raw.get(name)
        if isinstance(raw, Mapping):
            inner = AnswerFields(raw, self._what)
            return {str(key)[:200]: inner.text(key) for key in raw}
        found = {}
        for each in self._list(name):
            if isinstance(each, Mapping):
                inner = AnswerFields(each, self._what)
                found[inner.text("id", "value", "index")] = inner.text("label", "name", "title")
            else:
                found[str(each)[:200]] = str(each)[:MOST_LETTERS]
        return found

    def _list(self, name: str) -> list[Any]:
        value = self._raw.get(name)
        if value is None:
            return []
        if not isinstance(value, list):
            self._refuse(name, "a list", value)
        return value

    def _refuse(self, name: str, expected: str, value: Any) -> NoReturn:
        got = "nothing" if value is None else plain_line(repr(value), 60)
        raise PanelError(
            f"Prolific's answer about {self._what} is not what was expected: '{name}' is {got} and "
            f"not {expected}. Try again; if it stays so, its API has changed."
        )
