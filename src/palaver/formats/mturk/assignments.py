"""One worker's go at one HIT, whichever file it was kept in.

Worker ids are personal data: they are replaced by pseudonyms as a file is read, and go no further.
"""

import re
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from palaver.core.errors import InputError, Problem
from palaver.core.money import Money, read_money

TurkStatus = Literal["Submitted", "Approved", "Rejected"]
STATUSES: tuple[TurkStatus, ...] = get_args(TurkStatus)
_REWARD = re.compile(r"\$\s*([0-9]+(?:\.[0-9]+)?)")


@dataclass(frozen=True, slots=True, kw_only=True)
class TurkAssignment:
    """An assignment; `worker` is a pseudonym, `line` where it stands in its file.

    `inputs` are the columns of the HIT, `answers` what the page sent: texts, lists of chosen ids, or
    whatever JSON a form put into its answer.
    """

    line: int
    hit: str
    assignment: str
    worker: str
    status: TurkStatus
    hit_type: str = ""
    title: str = ""
    batch: str = ""
    reward: Money | None = None
    accepted: float | None = None
    submitted: float | None = None
    approved: float | None = None
    rejected: float | None = None
    feedback: str = ""
    seconds: float | None = None
    inputs: dict[str, str] = field(default_factory=dict)
    answers: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class TurkBatch:
    """The assignments of a file, and what was wrong with it; an error took an assignment away."""

    assignments: list[TurkAssignment] = field(default_factory=list)
    rows: int = 0
    problems: list[Problem] = field(default_factory=list)

    def count(self, status: TurkStatus) -> int:
        """How many stand so."""
        return sum(each.status == status for each in self.assignments)


class BadAssignment(Exception):
    """An assignment that cannot be read, and why; caught by the reader of its file."""


def read_status(told: str) -> TurkStatus:
    """A status; BadAssignment for what is not one."""
    found = next((each for each in STATUSES if each == told.strip()), None)
    if found is None:
        raise BadAssignment(f"'AssignmentStatus' takes {', '.join(STATUSES)}; got '{told[:40]}'.")
    return found


def read_reward(told: str) -> Money | None:
    """A reward such as "$0.52"; None where there is none to be read."""
    found = _REWARD.fullmatch(told.strip())
    try:
        return None if found is None else read_money(found[1], "USD")
    except InputError:
        return None
