"""Numbers of boards in words; `dyna-board.js` writes them in the same way."""

from collections.abc import Sequence

from palaver.core.words import decimals, readable

NOTHING = "–"


def number(value: float | None) -> str:
    """A number with as many digits as one can read at a glance; a dash where there is none.

    >>> number(38.8349), number(1234.5), number(0.00268), number(None)
    ('38.83', '1,234', '0.0027', '–')
    """
    if value is None:
        return NOTHING
    return decimals(value, 0) if abs(value) >= 1000 else readable(value)


def between(ends: Sequence[float | None] | None) -> str:
    """An interval; empty where there is none.

    >>> between([37.12, 39.96]), between(None)
    ('37.12 to 39.96', '')
    """
    if ends is None or ends[0] is None or ends[1] is None:
        return ""
    return f"{number(ends[0])} to {number(ends[1])}"


def ranks(ends: Sequence[int] | None) -> str:
    """The ranks that a model may have; empty where that is not known.

    >>> ranks([1, 3]), ranks([2, 2]), ranks(None)
    ('1 to 3', '2', '')
    """
    if ends is None:
        return ""
    low, high = ends
    return str(low) if low == high else f"{low} to {high}"


def share(value: float) -> str:
    """A share of a weight as a percentage.

    >>> share(0.125)
    '12.5 %'
    """
    return f"{value * 100:.1f} %"


def weight(value: float) -> str:
    """A weight as it stands in a field and in an address.

    >>> weight(4.0), weight(0.25)
    ('4', '0.25')
    """
    return f"{value:g}"
