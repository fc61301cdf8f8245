"""What came of a study's dialogues, by who talked: systems, or people among themselves."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from palaver.analysis.comparisons import Successes
from palaver.metrics.outcomes import success
from palaver.storage.dialogues.outcomes import EndedDialogue, ended_dialogues

# What stands in the place of a system where two people talked.
PEOPLE = "people"


@dataclass(frozen=True, slots=True)
class StudyOutcomes:
    """Who talked in each dialogue, by its key, and how often the task was done, by who talked.

    `unknown` dialogues have ended without an outcome that says so.
    """

    held_by: Mapping[str, str] = field(default_factory=dict)
    successes: Mapping[str, Successes] = field(default_factory=dict)
    unknown: int = 0


def study_outcomes(connection: Connection, study_id: int) -> StudyOutcomes:
    """The outcomes of the dialogues that a study held or judges."""
    return outcomes_of(ended_dialogues(connection, study_id))


def outcomes_of(ended: list[EndedDialogue]) -> StudyOutcomes:
    """The same of dialogues that have been read.

    >>> ended = [EndedDialogue("d1", ("x",), {"reward": 1}), EndedDialogue("d2", (), {})]
    >>> found = outcomes_of(ended)
    >>> found.held_by, found.successes["x"].share, found.unknown
    ({'d1': 'x', 'd2': 'people'}, 1.0, 1)
    """
    held_by: dict[str, str] = {}
    counts: dict[str, list[bool]] = {}
    unknown = 0
    for key, systems, outcome in ended:
        held_by[key] = who = " and ".join(systems) or PEOPLE
        done = _success(outcome)
        if done is None:
            unknown += 1
        else:
            counts.setdefault(who, []).append(done)
    successes = {who: Successes(sum(done), len(done)) for who, done in counts.items()}
    return StudyOutcomes(held_by, successes, unknown)


def _success(outcome: dict[str, Any]) -> bool | None:
    """Whether the task was done; None where the outcome does not say: no failure is made of it."""
    if not outcome:
        return None
    try:
        return success(outcome)
    except ValueError:
        return None
