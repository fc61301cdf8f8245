"""Sheets that are sent: their answers are stored, they are done, and the next one is handed out.

When many raters are at work, some send while the last commit runs. Those are stored together: by the
statements that one sheet takes, and one more for each rater to find their next sheet. If anything is
wrong with one, the writer takes them apart and stores each alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from sqlalchemy import Connection

from palaver.annotation import assignment as handing
from palaver.annotation.assignment import Rater
from palaver.annotation.plan import RatePlan
from palaver.annotation.submission import Submission, submit_sheet
from palaver.storage.engine.writer import Joint
from palaver.storage.judging.drafts import forget_drafts


@dataclass(frozen=True, slots=True)
class SentSheet(Joint):
    """The last answers of a sheet that a rater holds."""

    plan: RatePlan
    rater: Rater
    slot_id: int
    submissions: tuple[Submission, ...]
    time: float

    def together(self, connection: Connection, sent: Sequence[Self]) -> list[None]:
        """Store these sheets, this one among them."""
        for some in _one_of_each(sent):
            submit_sheet(
                connection, [submission for sheet in some for submission in sheet.submissions]
            )
            for plan, mine in _by_plan(some):
                now = max(sheet.time for sheet in mine)
                held = {sheet.slot_id: sheet.rater for sheet in mine}
                handing.finish_all(connection, plan, held, now=now)
                forget_drafts(connection, [rater.assignment_id for rater in held.values()])
                # The page that follows shows the next sheet.
                handing.hand_on(connection, plan, list(held.values()), now=now)
        return [None] * len(sent)


def _one_of_each(sent: Sequence[SentSheet]) -> Iterator[list[SentSheet]]:
    """The sheets in order, cut before one whose rater or slot is among those before it."""
    some: list[SentSheet] = []
    for sheet in sent:
        if any(sheet.slot_id == other.slot_id or _same_rater(sheet, other) for other in some):
            yield some
            some = []
        some.append(sheet)
    yield some


def _same_rater(one: SentSheet, other: SentSheet) -> bool:
    return one.rater.participant_id == other.rater.participant_id


def _by_plan(sent: Sequence[SentSheet]) -> Iterator[tuple[RatePlan, list[SentSheet]]]:
    for place in dict.fromkeys((sheet.plan.study_id, sheet.plan.stage) for sheet in sent):
        mine = [s for s in sent if (s.plan.study_id, s.plan.stage) == place]
        yield mine[0].plan, mine
