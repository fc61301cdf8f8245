"""The seam of panels: what a panel appends to an address, what it wants back, and what to set up there.

A panel is a frozen value in a file of its own, found by name (`registry`); nothing else knows its name.
Whoever asks "what does this panel need?" asks the panel.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from string import Formatter
from typing import Literal
from urllib.parse import quote

from palaver.core.outbox import SendingAnswer
from palaver.core.studies.outcomes import Outcome
from palaver.crowds.links import Visitor

# For whom a panel needs something: nobody, those who are paid anything, everybody.
Need = Literal["nobody", "paid", "everybody"]

# What is left in a parameter that was not filled in, besides a panel's own placeholder.
_UNAVAILABLE = "ASSIGNMENT_ID_NOT_AVAILABLE"
_TEMPLATE = re.compile(r"\{\{|\}\}|\[%|%\]")
MAX_LENGTH = 200
# Where a panel names no piece of work, a person has one.
ONE_PIECE = "1"

# What stands for what the panel sent, and for our code, in an address that leads back.
PLACEHOLDERS = ("code", "participant", "session", "study")


@dataclass(frozen=True, slots=True)
class PayLine:
    """What a panel asks to be paid an hour, at least and better, in one currency."""

    currency: str
    minimum: float
    recommended: float | None = None


@dataclass(frozen=True, slots=True)
class Arrival:
    """What a panel sent with somebody: its names for the person, the piece of work, and its study."""

    participant: str
    session: str = ""
    study: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One panel: the parameters it appends, where people go back to, and what it must be told."""

    name: str
    title: str
    # Names of URL parameters; an empty one means that the panel has none.
    participant: str
    session: str = ""
    study: str = ""
    # What to write for each parameter in the address that the panel is given.
    filled_by: Mapping[str, str] = field(default_factory=dict)
    # Whether the panel appends its parameters by itself, to an address without any.
    appends: bool = False
    # Where people go back to, where the panel says so for all studies.
    returns: Mapping[Outcome, str] = field(default_factory=dict)
    returns_all: str | None = None
    # Who must not leave without a code that the panel knows, or without an address that leads back.
    needs_code: Need = "nobody"
    needs_return: Need = "nobody"
    # Whether each person gets a code that follows from their ids, and can be verified later.
    has_own_codes: bool = False
    back: str = "Go back"
    # What somebody is told who has neither a code nor a way back.
    without_code: str = ""
    set_up: tuple[str, ...] = ()
    pay: tuple[PayLine, ...] = ()
    # Reads the answer to a credit that we send, for panels that take one: status and body.
    read_credit: Callable[[int, bytes], SendingAnswer] | None = None

    def visitor(self, parameters: Mapping[str, str]) -> Visitor | None:
        """Who came; None for a preview: a parameter that is missing, or that nobody filled in."""
        sent = [parameters.get(name, "").strip() for name in self.parameters]
        needed = 2 if self.session else 1
        if not all(sent[:needed]) or not all(
            value == "" or self._is_filled(value) for value in sent
        ):
            return None
        found = dict(zip(self.parameters, sent, strict=True))
        session = found[self.session] if self.session else ONE_PIECE
        return Visitor(found[self.participant], session, panel_study=found.get(self.study, ""))

    def _is_filled(self, value: str) -> bool:
        """Whether somebody stands behind a parameter, and it fits into a row."""
        return (
            value != _UNAVAILABLE
            and value not in self.filled_by.values()
            and _TEMPLATE.search(value) is None
            and len(value) <= MAX_LENGTH
            and value.isprintable()
        )

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters that the panel appends, that of the person first."""
        return tuple(name for name in (self.participant, self.session, self.study) if name)

    def address(self, base: str, study: str) -> str:
        """The address to paste into the panel's form."""
        path = f"{base.rstrip('/')}/s/{quote(study)}"
        if self.appends:
            return path
        query = "&".join(f"{name}={self.filled_by.get(name, '…')}" for name in self.parameters)
        return f"{path}?{query}"

    def return_template(self, outcome: Outcome) -> str | None:
        """Where the panel itself wants people back who have this outcome; None if it does not say."""
        return self.returns.get(outcome, self.returns_all)


def filled(template: str, *, code: str | None, sent: Arrival) -> str | None:
    """An address that leads back, percent-encoded; None if it needs something that is not there.

    >>> filled("https://p.example/?cc={code}&id={participant}", code="A B", sent=Arrival("w/1"))
    'https://p.example/?cc=A%20B&id=w%2F1'
    """
    values = {
        "code": code or "",
        "participant": sent.participant,
        "session": sent.session,
        "study": sent.study,
    }
    needed = placeholders_of(template)
    if any(not values[name] for name in needed):
        return None
    return template.format(**{name: quote(values[name], safe="") for name in needed})


def placeholders_of(template: str) -> set[str]:
    """The placeholders of an address; ValueError if its braces are not in pairs."""
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}
