"""The words for how many more answers would tell systems apart."""

from collections.abc import Sequence

from palaver.analysis.planning import MOST_TIMES, Continuation
from palaver.analysis.planning.continuation import POWER
from palaver.analysis.rank_sets import MOST_NAMED as MOST_LISTED
from palaver.core.words import listed

# Of more systems, or labels, a sentence gives the ends, or the first few.
MOST_NAMED = 3
# Beyond this many times of what there is, a number is not worth its digits.
SILLY = 500
ASSUMED = (
    f"{POWER * 100:.0f} % power, if the difference is as large as it looks now and new answers vary "
    "like these"
)


def judge_unseen(systems: Sequence[str], done: str, lacks: str, least: str) -> str:
    """What to do about systems that nobody has judged.

    >>> judge_unseen(["A"], "compared with the others", "votes", "20 or more")
    'Have A compared with the others: it has no votes yet, and needs 20 or more.'
    """
    one = len(systems) == 1
    return (
        f"Have {listed(systems, most=MOST_LISTED)} {done}: {'it has' if one else 'they have'} no "
        f"{lacks} yet, and {'' if one else 'each '}needs {least}."
    )


def too_close(wanted: Continuation, what: str, pair: tuple[str, str] | None = None) -> str:
    """That more of the same will not tell, and how far off it is."""
    who = f"{pair[0]} and {pair[1]}" if pair else "The others"
    if wanted.needed is None:
        return f"{who} are exactly even so far: no number of {what} can be given."
    told = f" (about {roughly(wanted.needed)})" if wanted.needed < SILLY * wanted.have else ""
    return (
        f"{who} are too close for more {what} of this kind: it would take more than {MOST_TIMES} "
        f"times the {wanted.have:,} there are{told}. Treat them as equal, or ask what would set "
        "them apart."
    )


def roughly(number: int) -> str:
    """A number as exact as it can be known: from 100 on, two digits of it, rounded up.

    >>> roughly(12), roughly(100), roughly(1234)
    ('12', '100', '1,300')
    """
    unit = 10 ** max(0, len(str(number)) - 2)
    return f"{-(-number // unit) * unit:,}" if number > 100 else f"{number:,}"
