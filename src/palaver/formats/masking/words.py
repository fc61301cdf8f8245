"""Lists of words that tell names from other words."""

from functools import cache
from importlib.resources import files


@cache
def given_names() -> frozenset[str]:
    """Given names that are common somewhere, in small letters."""
    return _words("given_names")


@cache
def no_names() -> frozenset[str]:
    """Words that may stand where a name could and are none, in small letters."""
    return _words("no_names")


def _words(name: str) -> frozenset[str]:
    text = (files("palaver.formats.masking") / "lists" / f"{name}.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return frozenset(word for line in lines for word in line.casefold().split())
