"""Numbers and names in sentences."""

from collections.abc import Sequence
from math import floor, log10


def listed(names: Sequence[str], joint: str = "and") -> str:
    """Names as a sentence lists them.

    >>> listed(["A", "B", "C"])
    'A, B and C'
    """
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {joint} {names[-1]}"


def decimals(value: float, digits: int) -> str:
    """A number with so many digits and a true minus; what rounds to 0 has no sign.

    >>> decimals(-1234.567, 1), decimals(-0.001, 2)
    ('−1,234.6', '0.00')
    """
    text = f"{value:,.{digits}f}"
    return text.replace("-", "−") if float(text.replace(",", "")) else text.lstrip("-")


def readable(value: float) -> str:
    """A number with two digits after the point; more where it would else read 0.

    >>> readable(38.8349), readable(0.00268), readable(0.0)
    ('38.83', '0.0027', '0.00')
    """
    small = 0 < abs(value) < 0.01
    return decimals(value, min(9, 1 - floor(log10(abs(value)))) if small else 2)


def shortened(text: str, most: int) -> str:
    """A text of at most so many characters; dots at its end say that there was more.

    >>> shortened("a long story", 12), shortened("a long story", 8)
    ('a long story', 'a long…')
    """
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "rater"), counted(1200, "rater"), counted(0, "reply", "replies")
    ('1 rater', '1,200 raters', '0 replies')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
