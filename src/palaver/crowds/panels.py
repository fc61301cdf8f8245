"""Panels that append URL parameters: who came, and for which piece of work.

A missing parameter means a preview: the page is shown and nothing is stored.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from palaver.crowds.links import Visitor

# What a panel leaves in a parameter that it did not fill in.
_UNFILLED = frozenset({"", "ASSIGNMENT_ID_NOT_AVAILABLE"})
MAX_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Panel:
    """The parameters a panel appends to the study's address."""

    name: str
    participant: str
    assignment: str
    # Parameters that are understood and need not be stored.
    others: tuple[str, ...] = ()

    def visitor(self, parameters: Mapping[str, str]) -> Visitor | None:
        """Who came; None for a preview."""
        person = parameters.get(self.participant, "").strip()
        assignment = parameters.get(self.assignment, "").strip()
        if not _given(person) or not _given(assignment):
            return None
        return Visitor(person, assignment)


def _given(value: str) -> bool:
    return (
        value not in _UNFILLED
        and len(value) <= MAX_LENGTH
        and "{{" not in value
        and value.isprintable()
    )


PROLIFIC = Panel("prolific", "PROLIFIC_PID", "SESSION_ID", ("STUDY_ID",))
CHATEVAL = Panel("chateval", "worker_id", "assignment_id")
BUILT_IN = {panel.name: panel for panel in (PROLIFIC, CHATEVAL)}


def panel(kind: str, *, participant: str, assignment: str) -> Panel:
    """The panel of a crowd: a built-in one, or one whose parameter names the study gives."""
    return BUILT_IN.get(kind) or Panel(kind, participant, assignment)
