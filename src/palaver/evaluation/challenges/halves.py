"""The public and the private half of a test set: drawn once by a key that nobody is shown.

Whether an item is public depends on the challenge's key and the item's id alone, so that it stays so
when items are added, in another order, or corrected. Before a phase is over, scores are on the public
half; teams cannot fit their runs to the other.
"""

import hashlib
import hmac
from collections.abc import Sequence
from typing import Literal

from palaver.core.evaluation.challenges import Part
from palaver.core.numeric import Numbers, np

Half = Literal["public", "private"]
_BYTES = 8


def part_of(salt: str, uid: str, share: float) -> Half:
    """Which half an item belongs to; about `share` of all items are public.

    >>> [part_of("a key", uid, 0.5) for uid in ("d1", "d2", "d3", "d4")]
    ['public', 'public', 'public', 'private']
    """
    drawn = hmac.digest(salt.encode(), uid.encode(), hashlib.sha256)[:_BYTES]
    return "public" if int.from_bytes(drawn) < share * 2 ** (8 * _BYTES) else "private"


def items_in(salt: str, uids: Sequence[str], *, share: float, part: Part) -> Numbers:
    """Of each item whether it belongs to a part; without a share all of them do."""
    if part == "all" or not share:
        return np.ones(len(uids), dtype=bool)
    return np.array([part_of(salt, uid, share) == part for uid in uids], dtype=bool)
