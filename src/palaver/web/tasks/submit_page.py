"""How to submit to a task: what a model is asked and must answer, and what came of it."""

import json
from typing import Any

from sqlalchemy import Connection

from palaver.core.tasks import Field, Task
from palaver.core.words import counted, listed
from palaver.evaluation.dynaboards.entrants import read_sets
from palaver.evaluation.runs.status import RunStatus, TaskStatus, task_status
from palaver.evaluation.submissions import REMOTE_KINDS
from palaver.storage.evaluation.models import StoredModel
from palaver.storage.evaluation.submitters import Submitter
from palaver.web.desk.accounts import deployment_of
from palaver.web.tasks.access import Visit, task_shell
from palaver.web.tasks.pages import (
    FieldNote,
    Submission,
    SubmissionsPage,
    SubmitForm,
    SubmitPage,
    SubmittedRun,
    Team,
)
from palaver.web.tasks.submit_words import commands, field_words
from palaver.web.tasks.teams import team_words

STATES = {
    "waiting": "Waiting for its turn",
    "answering": "Answering",
    "scoring": "Being scored",
    "done": "Done",
    "failed": "Failed",
    "cancelled": "Cancelled",
}


async def submit_page(
    found: Visit,
    submitter: Submitter | None,
    *,
    form: SubmitForm | None = None,
    error: str = "",
) -> SubmitPage:
    """The page, with forms for the team where there is one."""
    store = deployment_of(found.request).store

    def read(connection: Connection) -> tuple[tuple[str, ...], Team | None]:
        sets = tuple(each.name for each in read_sets(connection, found.row.id))
        return sets, team_words(connection, found, submitter) if submitter else None

    sets, team = await store.read(read)
    question, answer = sample_lines(found.task)
    row = found.row
    return SubmitPage(
        shell=task_shell(found, f"Submit a model · {row.title}", "Submit"),
        url=f"{found.url}/submit",
        team_url=f"{found.url}/team",
        leave_url=f"{found.url}/team/leave",
        submissions_url=f"{found.url}/submissions",
        asked=tuple(_note(each) for each in found.task.asked),
        answered=tuple(_note(each, found.task) for each in found.task.outputs),
        question=_line(question),
        answer=_line(answer),
        checks=checks(found.task),
        sets=sets,
        kinds=REMOTE_KINDS,
        terms=row.terms.strip(),
        limit=f"{counted(row.most_submissions, 'submission')} in {row.submission_hours:g} hours",
        commands=commands(found, sets),
        team=team,
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


def submissions_page(
    connection: Connection, found: Visit, submitter: Submitter, *, notice: str = ""
) -> SubmissionsPage:
    """What a team submitted to the task, newest first."""
    return SubmissionsPage(
        shell=task_shell(found, f"Submissions of {submitter.team} · {found.row.title}", "Submit"),
        team=team_words(connection, found, submitter),
        submissions=submissions_of(connection, found, submitter),
        data_url=f"{found.url}/submissions.json",
        submit_url=f"{found.url}/submit",
        leave_url=f"{found.url}/team/leave",
        notice=notice,
    )


def submissions_of(
    connection: Connection, found: Visit, submitter: Submitter
) -> tuple[Submission, ...]:
    """The models of a team with their runs."""
    status = task_status(connection, found.row)
    own = [each for each in status.models if each.submitter_id == submitter.id]
    return tuple(_submission(found, status, each) for each in reversed(own) if each.retired is None)


def submission_json(each: Submission) -> dict[str, Any]:
    """What the page keeps up to date."""
    return {
        "key": each.key,
        "runs": [
            {
                "key": run.key,
                "state": run.state,
                "words": run.words,
                "done": run.done,
                "items": run.items,
                "reason": run.reason,
            }
            for run in each.runs
        ],
    }


def _submission(found: Visit, status: TaskStatus, model: StoredModel) -> Submission:
    open_sets = {
        each.name for each in status.datasets if each.access != "hidden" and each.parent_id is None
    }
    runs = [each for each in status.runs if each.model == model.name]
    hidden = [each for each in runs if each.dataset not in open_sets]
    address = f"{found.url}/models/{model.key}"
    return Submission(
        key=model.key,
        name=model.name,
        url=address,
        version=model.version.number,
        is_published=model.published,
        runs=tuple(
            _run(each, each.dataset if each in runs and each not in hidden else "hidden data set")
            for each in (*(one for one in runs if one not in hidden), *hidden)
        ),
        publish_url=f"{found.url}/submissions/{model.key}/publish",
        withdraw_url=f"{found.url}/submissions/{model.key}/withdraw",
    )


def _run(each: RunStatus, dataset: str) -> SubmittedRun:
    done = each.answered + each.refused
    words = STATES[each.state]
    if each.state == "answering":
        words = f"{words}: {done:,} of {each.items:,}"
    return SubmittedRun(
        key=each.key,
        dataset=dataset,
        state=each.state,
        words=words,
        done=done,
        items=each.items,
        reason=each.reason,
    )


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
