"""How to submit to a task: what a model is asked and must answer, and what came of it."""

import json
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection

from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.tasks import terms_digest
from palaver.core.tasks import Field, Task
from palaver.core.words import counted, listed
from palaver.evaluation.dynaboards import columns_of
from palaver.evaluation.submissions import (
    REMOTE_KINDS,
    SubmittedModel,
    answerable_sets,
    own_submissions,
)
from palaver.evaluation.submissions import SubmittedRun as OwnRun
from palaver.storage.evaluation.submitters import Submitter
from palaver.web.desk.accounts import deployment_of
from palaver.web.formatting import between, number
from palaver.web.tasks.access import Visit, task_shell
from palaver.web.tasks.pages.submitting import (
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

    def read(connection: Connection) -> tuple[list[Dataset], Team | None]:
        known = answerable_sets(connection, found.row)
        return known, team_words(connection, found, submitter) if submitter else None

    known, team = await store.read(read)
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


def submissions_page(connection: Connection, found: Visit, submitter: Submitter) -> SubmissionsPage:
    """What a team submitted to the task, newest first."""
    return SubmissionsPage(
        shell=task_shell(found, f"Submissions of {submitter.team} · {found.row.title}", "Submit"),
        team=team_words(connection, found, submitter),
        submissions=submissions_of(connection, found, submitter),
        data_url=f"{found.url}/submissions.json",
        submit_url=f"{found.url}/submit",
        leave_url=f"{found.url}/team/leave",
    )


def submissions_of(
    connection: Connection, found: Visit, submitter: Submitter
) -> tuple[Submission, ...]:
    """The models of a team with their runs, newest first."""
    scale = columns_of(found.task)[0].scale
    return tuple(
        _submission(found, each, scale)
        for each in own_submissions(connection, submitter, found.row)
    )


def submission_json(each: Submission) -> dict[str, Any]:
    """What the page keeps up to date."""
    return {"key": each.key, "runs": [asdict(run) for run in each.runs]}


def _submission(found: Visit, own: SubmittedModel, scale: float) -> Submission:
    model = own.model
    address = f"{found.url}/submissions/{model.key}"
    return Submission(
        key=model.key,
        name=model.name,
        url=f"{found.url}/models/{model.key}",
        version=model.version.number,
        is_published=model.published,
        is_anonymous=model.anonymous,
        is_withdrawn=model.retired is not None,
        runs=tuple(_run(each, scale) for each in own.runs),
        publish_url=f"{address}/publish",
        hide_url=f"{address}/hide",
        withdraw_url=f"{address}/withdraw",
    )


def _run(each: OwnRun, scale: float) -> SubmittedRun:
    done = each.answered + each.refused
    words = STATES[each.state]
    if each.state == "answering":
        words = f"{words}: {done:,} of {each.items:,}"
    if each.state == "done" and each.value is not None:
        ends = None if each.low is None or each.high is None else (each.low, each.high)
        interval = between([end * scale for end in ends] if ends else None)
        words = f"{words}: {each.metric} {number(each.value * scale)}"
        words += f" ({interval})" if interval else ""
    return SubmittedRun(
        key=each.key,
        dataset=each.dataset,
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
