"""Validators: how each of those who judge the examples of a round has judged."""

from dataclasses import dataclass
from typing import ClassVar

from palaver.core.serial import if_any


@dataclass(frozen=True, slots=True, kw_only=True)
class Validator:
    """What one validator said in a round; `notes` is what stands out, in words with its counts.

    Of `compared` examples others had settled without them, and on `agreed` of these they said the
    same. A note excludes nobody: their votes count until somebody leaves them out.
    """

    derived: ClassVar[tuple[str, ...]] = ("votes",)

    rater: str
    correct: int
    incorrect: int
    flagged: int
    compared: int = 0
    agreed: int = 0
    notes: tuple[str, ...] = if_any(())

    @property
    def votes(self) -> int:
        return self.correct + self.incorrect + self.flagged
