"""What participants reported with "Something is wrong"."""

from sqlalchemy import Connection, insert, select

from palaver.core.studies.visits import ReportedProblem
from palaver.storage.schema import assignments, participants, problems, studies


def report_problem(
    connection: Connection, *, study_id: int, assignment_id: int | None, text: str, now: float
) -> None:
    """Keep a participant's report."""
    connection.execute(
        insert(problems).values(study_id=study_id, assignment_id=assignment_id, text=text, time=now)
    )


def list_problems(connection: Connection, study: str, *, limit: int = 100) -> list[ReportedProblem]:
    """The newest reports of a study."""
    rows = connection.execute(
        select(
            problems.c.id,
            studies.c.name,
            participants.c.alias,
            problems.c.text,
            problems.c.time,
        )
        .join(studies, studies.c.id == problems.c.study_id)
        .outerjoin(assignments, assignments.c.id == problems.c.assignment_id)
        .outerjoin(participants, participants.c.id == assignments.c.participant_id)
        .where(studies.c.name == study)
        .order_by(problems.c.id.desc())
        .limit(limit)
    )
    return [ReportedProblem(*row) for row in rows]
