"""Looking words up once per word of the vocabulary, and writing what was found in their case."""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from importlib.resources import files

from palaver.core.numeric import Numbers, np


@cache
def lines(name: str) -> tuple[str, ...]:
    """The lines of a list, without remarks and empty lines."""
    return tuple(line for line in _text(name).splitlines() if line and not line.startswith("#"))


@cache
def sections(name: str) -> dict[str, tuple[str, ...]]:
    """The lines under each remark of a list of names: "female" and "male"."""
    found: dict[str, list[str]] = {}
    under = ""
    for line in _text(name).splitlines():
        if line.startswith("#"):
            under = line.removeprefix("#").strip()
        elif line:
            found.setdefault(under, []).append(line)
    return {title: tuple(names) for title, names in found.items()}


def _text(name: str) -> str:
    place = files("palaver.evaluation.perturbations") / "lists" / f"{name}.txt"
    return place.read_text(encoding="utf-8")


APOSTROPHES = "'’"


def head(word: str) -> str:
    """A word up to its apostrophe.

    >>> head("Mary's"), head("she’ll"), head("cat")
    ('Mary', 'she', 'cat')
    """
    for at, char in enumerate(word):
        if char in APOSTROPHES:
            return word[:at]
    return word


@lru_cache(maxsize=1 << 16)
def in_case(new: str, old: str) -> str:
    """`new` in capitals, with a capital, or as it is, like `old`.

    >>> in_case("she", "HE"), in_case("she", "He"), in_case("Juan", "MARY"), in_case("we are", "We're")
    ('SHE', 'She', 'JUAN', 'We are')
    """
    if len(old) > 1 and old.isupper():
        return new.upper()
    return new[0].upper() + new[1:] if old[:1].isupper() else new


def looked_up(vocabulary: Sequence[str], find: Callable[[str], int | None]) -> Numbers:
    """For each word what `find` says of it; −1 where it says nothing."""
    found = (find(word) for word in vocabulary)
    return np.array([-1 if each is None else each for each in found], dtype=np.int64)


class Table:
    """Texts to write, each kept once; `add` gives its number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def add(self, text: str) -> int:
        return self._numbers.setdefault(text, len(self._numbers))

    @property
    def texts(self) -> list[str]:
        """The texts in the order of their numbers."""
        return list(self._numbers)
