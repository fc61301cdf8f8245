"""What the judgements of an example come to, whatever order they came in."""

from collections import Counter
from collections.abc import Iterable

from palaver.core.evaluation.rounds import Standing, Verdict


def standing_of(
    votes: Iterable[Verdict], *, matching: int, validators: int, owner: Verdict | None = None
) -> Standing:
    """The verdict that `matching` of the validators gave, or why there is none.

    An owner's verdict settles it. It is waiting while a verdict can still reach `matching` with the
    judgements that are to come, and split when none can, or when two have as many.

    >>> standing_of(["correct", "correct"], matching=2, validators=3)
    'correct'
    >>> standing_of(["correct", "incorrect"], matching=2, validators=3)
    'waiting'
    >>> standing_of(["correct", "incorrect", "flagged"], matching=2, validators=3)
    'split'
    """
    if owner is not None:
        return owner
    counts = Counter(votes).most_common()
    most = counts[0][1] if counts else 0
    leading = [verdict for verdict, count in counts if count == most]
    if most >= matching and len(leading) == 1:
        return leading[0]
    to_come = max(0, validators - sum(count for _, count in counts))
    return "waiting" if to_come and most + to_come >= matching else "split"
