"""Answers that are kept as they are given, until they are sent.

A page saves the questions that changed since its last save; two pages of one screen so leave each
other's answers alone. A save is refused if the screen was sent since its page was shown, or if the
visit no longer has this work: what was sent must not come back as a draft. An older save that comes
after a newer one of the same page changes nothing.
"""

from dataclasses import dataclass

import msgspec
from sqlalchemy import Connection

from palaver.core.errors import InputError
from palaver.storage.judging import slots
from palaver.storage.judging.drafts import Draft, KeptFields, draft_of, encoded, put_draft
from palaver.storage.people.participants import is_at
from palaver.storage.people.raters import lock_rater

# More than any form of ours holds; a form that is sent may have 256 KiB in all.
MOST_CHARACTERS = 200_000
# Of how many pages of one screen the last save is remembered.
MOST_PAGES = 8


@dataclass(frozen=True, slots=True)
class ScreenPlace:
    """A screen of a visit: where in the study it is, and the slot of its sheet if it has one."""

    assignment_id: int
    participant_id: int
    step: str
    screen: str
    slot_id: int | None


@dataclass(frozen=True, slots=True)
class Save:
    """What a page wants kept: the fields of the questions that changed, all of each.

    `page` names the page and `number` counts its saves; `sent` is how often the screen had been sent
    when the page was shown. `opened` is None where nothing was folded or unfolded.
    """

    page: str
    number: int
    sent: int
    fields: KeptFields
    opened: tuple[str, ...] | None = None


def keep(connection: Connection, place: ScreenPlace, save: Save, *, now: float) -> bool:
    """Keep what a page saves; False if its screen was sent, or is not this visit's any more."""
    lock_rater(connection, place.participant_id)
    if not _is_there(connection, place, now=now):
        return False
    draft = draft_of(connection, place.assignment_id, place.screen)
    if draft.sent != save.sent:
        return False
    if save.number <= draft.saves.get(save.page, 0):
        return True
    saves = {**draft.saves, save.page: save.number}
    kept = msgspec.structs.replace(
        draft,
        saves=dict(list(saves.items())[-MOST_PAGES:]),
        fields={**draft.fields, **save.fields},
        opened=draft.opened if save.opened is None else save.opened,
    )
    length = len(encoded(kept))
    if length > MOST_CHARACTERS:
        raise InputError(
            f"These answers take {length:,} characters; at most {MOST_CHARACTERS:,} can be kept. "
            "They are still here: shorten a text, or send them."
        )
    put_draft(connection, place.assignment_id, place.screen, kept, now=now)
    return True


def mark_sent(connection: Connection, place: ScreenPlace, *, now: float) -> None:
    """Forget what is kept of a screen whose answers are stored now, and refuse its late saves."""
    draft = draft_of(connection, place.assignment_id, place.screen)
    gone = Draft(sent=draft.sent + 1)
    put_draft(connection, place.assignment_id, place.screen, gone, now=now)


def _is_there(connection: Connection, place: ScreenPlace, *, now: float) -> bool:
    """Whether the visit still has this work; a sheet counts as worked on."""
    if place.slot_id is None:
        return is_at(connection, place.assignment_id, place.step)
    return slots.touch(connection, place.slot_id, assignment_id=place.assignment_id, now=now)
