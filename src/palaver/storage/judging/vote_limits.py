"""Whether votes are wanted still, asked in the transaction that would hand out more work for them."""

from typing import Literal

from sqlalchemy import Connection, func, select

from palaver.core.studies.stops import VoteLimit
from palaver.storage.judging.answer_counts import count_answers, count_labels
from palaver.storage.schema import places, slots, stops

Wanted = Literal["wanted", "held", "stopped"]


def votes_wanted(
    connection: Connection, study_id: int, stage: int, limit: VoteLimit | None
) -> Wanted:
    """Whether one more vote is: not where the study was stopped, nor while others hold the last ones.

    Whoever holds one may give it back; where nobody does, the study's rule is about to speak.
    """
    if limit is None:
        return "wanted"
    if connection.scalar(select(stops.c.id).where(stops.c.study_id == study_id)) is not None:
        return "stopped"
    if limit.at_most is None:
        return "wanted"
    held = _held(connection, study_id, stage)
    # Most of the time it is far: labels are counted at once, those of them that count are not.
    if count_labels(connection, study_id, limit.question) + held < limit.at_most:
        return "wanted"
    counts = count_answers(connection, [study_id]).get(study_id)
    votes = 0 if counts is None else counts.by_question.get(limit.question, 0)
    return "held" if votes + held >= limit.at_most else "wanted"


def _held(connection: Connection, study_id: int, stage: int) -> int:
    """How many places and sheets of a stage somebody holds."""
    return sum(
        connection.scalar(
            select(func.count()).where(
                table.c.study_id == study_id, table.c.stage == stage, table.c.state == "held"
            )
        )
        or 0
        for table in (places, slots)
    )
