"""What a study found, in the three sentences that come first wherever it is told."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Headline:
    """The finding, how sure it is (with n and interval), and what to do next; each may be empty.

    `without` says what would be found without raters whose work stands out, where there are any.
    """

    finding: str
    certainty: str = ""
    next: str = ""
    without: str = ""

    @property
    def sentences(self) -> tuple[str, ...]:
        """All that it says, in the order in which it is read."""
        told = (self.finding, self.certainty, self.without, self.next)
        return tuple(each for each in told if each)
