"""Screens in somebody's hands: a form says under seals which work it fills in and when it was shown.

What a form says is believed only where this visit was handed exactly that. A form of other work, of
another visit or of nobody is refused alike, and stores nothing.
"""

import secrets
from dataclasses import dataclass

from starlette.datastructures import FormData

from palaver.core.numbers import whole_number
from palaver.studies.run.work import Work
from palaver.web.participant.rating.pages import Hidden
from palaver.web.participant.visit import Visit

# A page left open over lunch says nothing about how long an answer took.
LONGEST_SECONDS = 7200.0
# Pages count tenths of seconds in use; nobody is at one page for longer.
MOST_TENTHS = 10**7


@dataclass(frozen=True, slots=True)
class HandOut:
    """A screen of the work at hand, when it was shown, and how often it had been sent by then.

    `active` are the tenths of seconds in use that a page that was refused counted so far.
    """

    number: int
    shown: float
    sent: int = 0
    active: int | None = None

    def seconds(self, work: Work, now: float) -> float | None:
        """How long its answers took by the server's clock; None where that tells nothing.

        Two screens that were open side by side do not count the same time twice: it runs from the
        last answer if that came after this screen was shown.
        """
        seconds = now - max(self.shown, work.last_answered())
        return seconds if 0 <= seconds <= LONGEST_SECONDS else None


def hidden_fields(visit: Visit, work: Work, handed: HandOut) -> tuple[Hidden, ...]:
    """What a form carries along; nothing in it is a number of the store."""
    seals, holder = visit.deployment.seals, visit.assignment.key
    number = str(handed.number)
    return (
        Hidden(name="work", value=seals.seal("work", holder, work.name)),
        Hidden(name="screen", value=number),
        Hidden(name="shown", value=seals.stamp(handed.shown, "shown", holder, work.name, number)),
        Hidden(name="nonce", value=secrets.token_hex(8)),
        Hidden(name="kept", value=str(handed.sent)),
        # A page that has scripts fills it in as it is sent.
        Hidden(name="active", value="" if handed.active is None else str(handed.active)),
    )


def screen_of(visit: Visit, work: Work, form: FormData) -> int | None:
    """The screen of this work that a form belongs to; None if it belongs to other work."""
    number = whole_number(form.get("screen"), most=len(work.screens) - 1)
    if number is None:
        return None
    return number if is_work(visit, work, form) else None


def sent_back(visit: Visit, work: Work, form: FormData) -> HandOut | None:
    """The screen that a form fills in, as it was handed out; None if it never was."""
    number = screen_of(visit, work, form)
    if number is None:
        return None
    given, holder = str(form.get("shown", "")), visit.assignment.key
    shown = visit.deployment.seals.stamped(given, "shown", holder, work.name, str(number))
    if shown is None:
        return None
    active = whole_number(form.get("active"), most=MOST_TENTHS)
    return HandOut(number, shown, whole_number(form.get("kept")) or 0, active)


def is_work(visit: Visit, work: Work, form: FormData) -> bool:
    """Whether a form belongs to this work of this visit."""
    given, holder = str(form.get("work", "")), visit.assignment.key
    return visit.deployment.seals.is_seal(given, "work", holder, work.name)
