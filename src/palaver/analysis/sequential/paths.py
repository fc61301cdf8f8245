"""A confidence sequence as it stood after each value."""

from dataclasses import dataclass

from palaver.core.numeric import Numbers, np


@dataclass(frozen=True, slots=True)
class Path:
    """After each value: the centre and reach by that value alone, and the ends intersected so far.

    `low` never falls and `high` never rises; where they have crossed (which happens at most as often
    as the sequence may err) nothing is left between them.
    """

    centre: Numbers
    reach: Numbers
    low: Numbers
    high: Numbers


def running(centre: Numbers, reach: Numbers) -> Path:
    """The intersection over time of `centre` ± `reach`."""
    return Path(
        centre,
        reach,
        np.maximum.accumulate(centre - reach),
        np.minimum.accumulate(centre + reach),
    )
