"""Numbers and names in sentences."""

from collections.abc import Sequence


def listed(names: Sequence[str], joint: str = "and") -> str:
    """Names as a sentence lists them.

    >>> listed(["A", "B", "C"])
    'A, B and C'
    """
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {joint} {names[-1]}"


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "rater"), counted(1200, "rater"), counted(0, "reply", "replies")
    ('1 rater', '1,200 raters', '0 replies')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
