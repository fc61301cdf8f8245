"""What a study found, in the three sentences that come first wherever it is told."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Headline:
    """The finding, how sure it is (with n and interval), and what to do next; each may be empty."""

    finding: str
    certainty: str = ""
    next: str = ""
