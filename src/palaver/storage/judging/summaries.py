"""Summaries: what was measured of a study's answers, kept until it is measured again."""

from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select

from palaver.storage.schema import summaries


@dataclass(frozen=True, slots=True)
class KeptSummary:
    """What was measured, when, and the mark of the answers it was measured of."""

    mark: str
    content: str
    time: float


def read_summary(connection: Connection, study_id: int, name: str) -> KeptSummary | None:
    """What is kept of a study under a name."""
    row = connection.execute(
        select(summaries.c.mark, summaries.c.content, summaries.c.time).where(
            summaries.c.study_id == study_id, summaries.c.name == name
        )
    ).one_or_none()
    return None if row is None else KeptSummary(*row)


def keep_summary(connection: Connection, study_id: int, name: str, summary: KeptSummary) -> None:
    """Keep a summary in the place of the one before."""
    kept = (summaries.c.study_id == study_id, summaries.c.name == name)
    connection.execute(delete(summaries).where(*kept))
    connection.execute(
        insert(summaries).values(
            study_id=study_id,
            name=name,
            mark=summary.mark,
            content=summary.content,
            time=summary.time,
        )
    )
