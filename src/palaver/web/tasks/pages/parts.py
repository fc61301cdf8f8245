"""Small parts that several pages of a task are made of."""

from dataclasses import dataclass

from palaver.web.formatting import Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A version of a model or data set."""

    number: int
    made: Moment
    note: str = ""
