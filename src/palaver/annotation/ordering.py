"""Which side of a pair is shown first: random over raters, the same again after a reload.

The order is recorded with every label; nothing after the page needs it.
"""

import random

from palaver.core.questions.comparative import FIRST, SECOND

Order = tuple[str, str]


def shown_order(rng: random.Random) -> Order:
    """The two sides of a pair in random order."""
    return (FIRST, SECOND) if rng.random() < 0.5 else (SECOND, FIRST)


def order_for(*, assignment_key: str, unit_key: str) -> Order:
    """The order in which this assignment sees this pair, always the same one.

    It is drawn from dice that the two keys seed, so that a page that is loaded again, by whichever
    process, shows what it showed before.
    """
    return shown_order(random.Random(f"{assignment_key}\n{unit_key}"))
