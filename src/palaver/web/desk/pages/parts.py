"""Small parts that several pages of the desk are made of."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Pager:
    """The pages before and after; empty where there is none."""

    previous_url: str = ""
    next_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One choice of a filter."""

    value: str
    label: str
    chosen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CountRow:
    """How often something was the case; `url` leads to what is counted."""

    words: tuple[str, ...]
    count: int
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A name and what it is; `url` leads on."""

    name: str
    value: str
    url: str = ""
