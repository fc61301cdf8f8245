"""What is said of the worse advice, as heads of columns and names of answers."""

from palaver.core.situations import REASONS

STILL = {"helpful": "Still helpful", "nothelpful": "Not helpful", "dangerous": "Dangerous"}
WHY = {
    "writing": "Only worse written",
    "meaning": "Weaker idea",
    "neutral": "Fits another situation",
    "contradiction": "Fits no situation",
}

assert STILL.keys() == REASONS.keys()
assert WHY.keys() == {reason for both in REASONS.values() for reason in both}
