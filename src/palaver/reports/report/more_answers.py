"""The words for how many more answers would tell systems apart."""

from collections.abc import Sequence

from palaver.analysis.planning import MOST_TIMES, Continuation
from palaver.analysis.planning.continuation import POWER
from palaver.analysis.rank_sets import MOST_NAMED as MOST_LISTED
from palaver.core.words import listed

# Of more systems, or labels, a sentence gives the ends, or the first few.
MOST_NAMED = 3
# A larger number is not worth its digits: nobody collects so many for one difference.
MANY = 100_000
SHARPER = (
    "More of the same would not tell: ask a sharper question, or have longer dialogues judged."
)
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
    told = (
        f"about {roughly(wanted.needed)}"
        if wanted.needed <= MANY
        else f"more than {MANY:,} of them"
    )
    return (
        f"{who} are too close for more {what} of this kind: it would take more than {MOST_TIMES} "
        f"times the {wanted.have:,} there are ({told}). Treat them as equal, or ask what would set "
        "them apart."
    )


def would_tell(wanted: Continuation, what: str, pair: tuple[str, str]) -> str:
    """How many more would tell two systems apart; a few where there are enough but for chance.

    >>> would_tell(Continuation(have=40, needed=41, is_told=False), "votes", ("A", "B"))[:41]
    'About 1 more vote would tell A from B (80'
    """
    if wanted.needed is not None and wanted.needed <= wanted.have:
        return f"A few more {what} should tell {pair[0]} from {pair[1]} ({ASSUMED})."
    return f"{more_of(wanted.more or 1, what)} would tell {pair[0]} from {pair[1]} ({ASSUMED})."


def more_of(number: int, what: str) -> str:
    """So many more, as the beginning of a sentence.

    >>> more_of(1, "votes"), more_of(1234, "votes"), more_of(2_000_000, "votes")
    ('About 1 more vote', 'About 1,300 more votes', 'More than 100,000 more votes')
    """
    if number > MANY:
        return f"More than {MANY:,} more {what}"
    return f"About {roughly(number)} more {what if number != 1 else what.removesuffix('s')}"


def roughly(number: int) -> str:
    """A number as exact as it can be known: from 100 on, two digits of it, rounded up.

    >>> roughly(12), roughly(100), roughly(1234)
    ('12', '100', '1,300')
    """
    unit = 10 ** max(0, len(str(number)) - 2)
    return f"{-(-number // unit) * unit:,}" if number > 100 else f"{number:,}"
