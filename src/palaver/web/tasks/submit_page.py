"""How to submit to a task: what a model is asked and must answer, and what came of it."""

import json
from typing import Any

from sqlalchemy import Connection

from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.submissions import Submission, SubmittedRun, Team, TeamSheet
from palaver.core.evaluation.tasks import terms_digest
from palaver.core.tasks import Field, Task
from palaver.core.words import counted, listed
from palaver.evaluation.dynaboards import columns_of
from palaver.evaluation.submissions import (
    REMOTE_KINDS,
    answerable_sets,
    own_submissions,
    team_sheet,
)
from palaver.web.desk.accounts import deployment_of
from palaver.web.formatting import submitted_words
from palaver.web.tasks.access import Visit, task_shell
from palaver.web.tasks.pages.submissions import (
    FieldNote,
    SubmissionsPage,
    SubmitForm,
    SubmitPage,
)
from palaver.web.tasks.submit_words import commands, field_words


async def submit_page(
    found: Visit,
    team: Team | None,
    *,
    form: SubmitForm | None = None,
    error: str = "",
) -> SubmitPage:
    """The page, with forms for the team where there is one."""
    store = deployment_of(found.request).store

    def read(connection: Connection) -> tuple[list[Dataset], TeamSheet | None]:
        known = answerable_sets(connection, found.row)
        return known, team_sheet(connection, team, found.row, now=found.now) if team else None

    known, sheet = await store.read(read)
    sets = tuple(each.name for each in known if each.parent_id is None)
    question, answer = sample_lines(found.task)
    row = found.row
    return SubmitPage(
        shell=task_shell(found, f"Submit a model · {row.title}", "Submit"),
        url=f"{found.url}/submit",
        team_url=f"{found.url}/team",
        leave_url=f"{found.url}/team/leave",
        submissions_url=f"{found.url}/submissions",
        terms_url=f"{found.url}/terms",
        questions_url=f"{found.url}/questions",
        asked=tuple(_note(each) for each in found.task.asked),
        answered=tuple(_note(each, found.task) for each in found.task.outputs),
        question=_line(question),
        answer=_line(answer),
        checks=checks(found.task),
        sets=sets,
        variants=tuple(each.name for each in known if each.parent_id is not None),
        kinds=REMOTE_KINDS,
        terms=row.terms.strip(),
        terms_digest=terms_digest(row.terms),
        limit=f"{counted(row.most_submissions, 'submission')} in {row.submission_hours:g} hours",
        commands=commands(found, sets),
        team=sheet,
        form=form or SubmitForm(),
        error=error,
        read_only=store.read_only,
    )


def sample_lines(task: Task) -> tuple[dict[str, Any], dict[str, Any]]:
    """An item as a model is sent it, and an answer to it, made up from the fields."""
    question: dict[str, Any] = {}
    for each in task.asked:
        question[each.name] = each.sample(question)
    answer: dict[str, Any] = {}
    for each in task.outputs:
        answer[each.name] = each.sample({**question, **answer})
    return {"uid": "item-1", **question}, {"uid": "item-1", **answer}


def checks(task: Task) -> tuple[str, ...]:
    """What is checked before anything is stored, in sentences."""
    needed = listed([f"“{each.name}”" for each in task.targets])
    return (
        "Every item of a data set has one line, by its “uid” (or “id”); none is missing, doubled or "
        "unknown.",
        f"Every line has {needed}.",
        *(f"“{each.name}” is {words}." for each in task.outputs if (words := field_words(each))),
        "A file is JSON Lines, plain or compressed with gzip. What is wrong is named by file, line "
        "and uid, and nothing is stored then.",
    )


def submissions_page(connection: Connection, found: Visit, team: Team) -> SubmissionsPage:
    """What a team submitted to the task, newest first."""
    return SubmissionsPage(
        shell=task_shell(found, f"Submissions of {team.team} · {found.row.title}", "Submit"),
        team=team_sheet(connection, team, found.row, now=found.now),
        submissions=tuple(own_submissions(connection, team, found.row)),
        scale=_scale(found),
        url=found.url,
        data_url=f"{found.url}/submissions.json",
        submit_url=f"{found.url}/submit",
        leave_url=f"{found.url}/team/leave",
    )


def live_submission(found: Visit, each: Submission) -> dict[str, Any]:
    """What the page keeps up to date."""
    scale = _scale(found)
    return {"key": each.key, "runs": [_live(run, scale) for run in each.runs]}


def _live(run: SubmittedRun, scale: float) -> dict[str, Any]:
    return {
        "key": run.key,
        "dataset": run.dataset,
        "state": run.state,
        "words": submitted_words(run, scale),
        "done": run.asked,
        "items": run.items,
        "reason": run.reason,
    }


def _scale(found: Visit) -> float:
    return columns_of(found.task)[0].scale


def _note(each: Field, task: Task | None = None) -> FieldNote:
    needed = task is None or each.name in task.gold
    return FieldNote(
        name=each.name,
        title=each.title if each.title != each.name else "",
        kind=field_words(each) or each.kind,
        about=each.about,
        needed=needed,
    )


def _line(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False)
