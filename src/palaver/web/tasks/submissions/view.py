"""How a team submits to a task: what a model is asked and must answer, and what came of it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import msgspec
from sqlalchemy import Connection

from palaver.core.errors import UnknownNameError
from palaver.core.evaluation.boards import BoardColumn
from palaver.core.evaluation.datasets import Dataset, DatasetVersion
from palaver.core.evaluation.models import RankingOutlook
from palaver.core.evaluation.submissions import Submission, SubmittedRun, Team, TeamSheet
from palaver.core.evaluation.tasks import StoredTask, terms_digest
from palaver.core.tasks import Field, Task
from palaver.core.words import listed
from palaver.evaluation.datasets import read_examples
from palaver.evaluation.dynaboards import columns_of
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.models.advice import described
from palaver.evaluation.models.outlook import ranking_outlooks
from palaver.evaluation.submissions import (
    REMOTE_KINDS,
    answerable_sets,
    own_submissions,
    team_sheet,
)
from palaver.evaluation.tasks.samples import sample_answer, sample_question
from palaver.web.desk.accounts import deployment_of
from palaver.web.formatting import submitted_words
from palaver.web.tasks.access import TaskShell, TaskVisit, task_shell

BLOCK = 200
# The fields of a form that submits a model.
TYPED = ("name", "about", "link", "tags", "kind", "url", "options")
UNTYPED: Mapping[str, str] = dict.fromkeys(TYPED, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitPage:
    """How to submit; a team gives its token, then accepts the terms, then has the form."""

    template: ClassVar[str] = "tasks/submissions/submit.html"
    kinds: ClassVar[tuple[str, ...]] = REMOTE_KINDS
    shell: TaskShell
    # The address of the task.
    url: str
    row: StoredTask
    task: Task
    question: str
    answer: str
    checks: tuple[str, ...]
    sets: tuple[str, ...]
    variants: tuple[str, ...]
    # What will be ranked of files for every scoring data set, and of an endpoint.
    files_outlook: RankingOutlook
    model_outlook: RankingOutlook
    terms: str
    terms_digest: str
    commands: tuple[tuple[str, str], ...]
    team: TeamSheet | None
    # What was typed, by field, so that nothing is lost when something is wrong.
    form: Mapping[str, str]
    error: str
    read_only: bool

    def holds(self, field: Field) -> str:
        """What a field of the task holds, in words."""
        return described(field)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionsPage:
    """What a team submitted, live; `column` is the metric as the board has it."""

    template: ClassVar[str] = "tasks/submissions/submissions.html"
    shell: TaskShell
    # The address of the task.
    url: str
    team: TeamSheet
    submissions: tuple[Submission, ...]
    column: BoardColumn


async def submit_page(
    found: TaskVisit,
    team: Team | None,
    *,
    form: Mapping[str, str] = UNTYPED,
    error: str = "",
) -> SubmitPage:
    """The page, with forms for the team where there is one."""
    store = deployment_of(found.request).store

    def read(
        connection: Connection,
    ) -> tuple[list[Dataset], list[RankingOutlook], TeamSheet | None]:
        known = answerable_sets(connection, found.row)
        files = {each.digest for each in known if each.parent_id is None}
        outlooks = ranking_outlooks(connection, found.row, found.task, [files, None])
        sheet = team_sheet(connection, team, found.row, now=found.now) if team else None
        return known, outlooks, sheet

    known, (files_outlook, model_outlook), sheet = await store.read(read)
    sets = tuple(each.name for each in known if each.parent_id is None)
    row = found.row
    return SubmitPage(
        shell=task_shell(found, f"Submit a model · {row.title}", "Submit"),
        url=found.url,
        row=row,
        task=found.task,
        question=_line(sample_question(found.task)),
        answer=_line(sample_answer(found.task)),
        checks=checks(found.task),
        sets=sets,
        variants=tuple(each.name for each in known if each.parent_id is not None),
        files_outlook=files_outlook,
        model_outlook=model_outlook,
        terms=row.terms.strip(),
        terms_digest=terms_digest(row.terms),
        commands=commands(found, sets),
        team=sheet,
        form=form,
        error=error,
        read_only=store.read_only,
    )


OWN_CHECK = (
    "The task has a check of its own beside these, which says what is wrong with an answer that it "
    "refuses."
)


def checks(task: Task) -> tuple[str, ...]:
    """What is checked before anything is stored, in sentences."""
    written = task.answers.name
    needed = listed([f"“{written(target.name)}”" for target in task.targets])
    return (
        "Every item of a data set has one line, by its “uid” (or “id”); none is missing, doubled or "
        "unknown.",
        f"Every line has {needed}.",
        *(f"“{written(output.name)}” is {described(output)}." for output in task.outputs),
        *((OWN_CHECK,) if task.verify else ()),
        "A file is JSON Lines or one JSON array, plain or compressed with gzip. What is wrong is "
        "named by file, line and uid, and nothing is stored then.",
    )


def submissions_page(connection: Connection, found: TaskVisit, team: Team) -> SubmissionsPage:
    """What a team submitted to the task, newest first."""
    return SubmissionsPage(
        shell=task_shell(found, f"Submissions of {team.team} · {found.row.title}", "Submit"),
        team=team_sheet(connection, team, found.row, now=found.now),
        submissions=tuple(own_submissions(connection, team, found.row)),
        column=columns_of(found.task)[0],
        url=found.url,
    )


def live_submission(found: TaskVisit, each: Submission) -> dict[str, Any]:
    """What the page keeps up to date."""
    column = columns_of(found.task)[0]
    return {"key": each.key, "runs": [_live(run, column) for run in each.runs]}


def answerable(connection: Connection, found: TaskVisit, name: str) -> DatasetVersion:
    """The newest version of a data set that submissions are evaluated on."""
    for each in answerable_sets(connection, found.row):
        if each.name == name:
            return each
    raise UnknownNameError(f"There is no data set '{name}' to answer.")


def question_lines(home: EvaluationHome, task: Task, version: DatasetVersion) -> Iterator[bytes]:
    """The questions as JSON lines, in blocks; no gold, no tags. The file is read before the first."""
    examples = read_examples(home, task, version)
    encode = msgspec.json.Encoder().encode_lines
    return (
        encode([task.question(example) for example in examples[start : start + BLOCK]])
        for start in range(0, len(examples), BLOCK)
    )


def commands(found: TaskVisit, sets: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """How programs submit: a title and the lines to type."""
    server = str(found.request.base_url).rstrip("/")
    files = sets if found.task.takes_predictions else ()
    return (("With curl", _curl(server, files)), ("From Python", _python(server, files)))


def _live(run: SubmittedRun, column: BoardColumn) -> dict[str, Any]:
    return {
        "key": run.key,
        "dataset": run.dataset,
        "state": run.state,
        "words": submitted_words(run, column),
        "done": run.asked,
        "items": run.items,
        "reason": run.reason,
    }


def _line(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False)


def _curl(server: str, sets: tuple[str, ...]) -> str:
    token = '-H "Authorization: Bearer $TOKEN"'
    questions = [
        f"curl {token} {server}/api/v1/submissions/questions/{name} -o {name}-questions.jsonl"
        for name in sets
    ]
    files = [f"  -F {name}=@{name}.jsonl \\" for name in sets]
    handed_in = [
        "# What a model is asked, one JSON object per line:",
        *questions,
        "# Its answers, a file per data set:",
        f"curl {token} -F name=my-model \\",
        *files,
        f"  {server}/api/v1/submissions/predictions",
    ]
    return "\n".join(
        [
            *(handed_in if sets else []),
            "# Or an endpoint:" if sets else "# An endpoint:",
            f"curl {token} --json \\",
            """  '{"name": "my-model", "kind": "http", "options": {"url": "https://…"}}' \\""",
            f"  {server}/api/v1/submissions/endpoint",
            "# Its progress, and what of it will be ranked:",
            f"curl {token} {server}/api/v1/submissions",
        ]
    )


def _python(server: str, sets: tuple[str, ...]) -> str:
    files = ", ".join(f'"{name}": "{name}.jsonl"' for name in sets)
    return "\n".join(
        [
            "from palaver.client import Client",
            "",
            f'client = Client("{server}", token)',
            f'added = client.submit_predictions("my-model", {{{files}}})'
            if sets
            else 'added = client.submit_endpoint("my-model", "http", {"url": "https://…"})',
            "print(*added.outlook.told)  # which data sets are covered, what will be ranked",
            "client.submissions()",
        ]
    )
