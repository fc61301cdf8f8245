"""What confidence sequences can be made of."""

from palaver.core.errors import InputError
from palaver.core.numeric import Numbers, np


def check_confidence(confidence: float) -> None:
    """InputError unless above 0 and below 1."""
    if not 0 < confidence < 1:
        raise InputError(f"A confidence is above 0 and below 1; got {confidence}.")


def unit_values(values: Numbers) -> Numbers:
    """The values as numbers; InputError unless all are between 0 and 1."""
    found = np.asarray(values, dtype=float)
    if len(found) and not (found.min() >= 0 and found.max() <= 1):
        raise InputError("A sequence for a bounded mean takes values from 0 to 1.")
    return found
