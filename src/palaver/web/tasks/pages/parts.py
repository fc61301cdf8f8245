"""Small parts that several pages of a task are made of: numbers, weights, versions."""

from dataclasses import dataclass

from palaver.web.formatting import Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One number: as a text, its interval in words, n, and why it is missing where it is."""

    text: str
    interval: str = ""
    n: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weight:
    """A metric's or data set's weight; `amrs` and what follows belong to metrics."""

    key: str
    title: str
    unit: str = ""
    note: str = ""
    weight: str
    most: str = "5"
    share: str
    amrs: str = ""
    amrs_interval: str = ""
    set_aside: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A version of a model or data set."""

    number: int
    made: Moment
    note: str = ""
