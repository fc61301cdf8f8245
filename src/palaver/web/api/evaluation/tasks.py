"""Tasks: listed, shown as clients of Dynabench read them too, added, and decided about."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Body, Request, Response
from pydantic import Field

from palaver.core.evaluation.runs import TaskStatus
from palaver.evaluation.dynaboards import task_json
from palaver.evaluation.runs.results import task_status
from palaver.evaluation.submissions import terms_digest
from palaver.evaluation.tasks import add_task, set_policy, task_data, use_builtin_task
from palaver.evaluation.tasks.definition import parse_task
from palaver.evaluation.tasks.policy import MOST_HOURS, MOST_SUBMISSIONS, MOST_TERMS
from palaver.evaluation.tasks.samples import sample_answer, sample_question, sample_record
from palaver.formats.marked_yaml import parse_marked
from palaver.storage.evaluation.tasks import StoredTask, list_tasks
from palaver.web.api.access import Anybody, Editor, Here, Owner, Viewer
from palaver.web.api.errors import ANSWERS, FORBIDDEN, MISSING, TOO_LARGE, UNREADABLE
from palaver.web.api.evaluation.asking import (
    OPEN,
    OpenTask,
    ViewedTask,
    in_thread,
    refuse_python,
)
from palaver.web.api.models import Given, Model
from palaver.web.api.records import RecordRouter
from palaver.web.tasks.boards import boards_of
from palaver.web.uploads import sent_file

MOST_BYTES = 256 * 1024

router = RecordRouter(responses=ANSWERS, tags=["tasks"])


class TaskHead(Model):
    """A task in a list. `task_code` is its name in addresses, `name` its title."""

    id: int
    task_code: str
    name: str
    public: bool
    created: float


class TaskList(Model):
    """The tasks by name: all with a token, without one those that are public."""

    tasks: list[TaskHead]


class Policy(Model):
    """What the owner decided: who sees the board, what submitters accept, how much they submit."""

    public: bool
    terms: str
    terms_digest: str
    most_submissions: int
    submission_hours: float


class OrderedMetric(Model):
    """A column of the board; weights of the dynaboard are given in this order."""

    name: str
    field_name: str
    default_weight: float
    unit: str
    pretty_name: str
    utility_direction: int
    offset: float


class OrderedDataset(Model):
    """A scoring data set; weights of the dynaboard are given in this order."""

    id: int
    name: str
    default_weight: float


class TaskSheet(TaskHead):
    """A task. `definition` is its file; `example_…` are made-up records of its kind."""

    ordered_metrics: list[OrderedMetric]
    ordered_scoring_datasets: list[OrderedDataset]
    perf_metric_field_name: str
    round: dict[str, Any] | None
    about: str
    instructions: str
    content_warning: str
    policy: Policy
    definition: dict[str, Any]
    asked: list[str]
    targets: list[str]
    example_record: dict[str, Any]
    example_question: dict[str, Any]
    example_answer: dict[str, Any]


class StoredTaskState(Model):
    """What became of a task that was sent: new, the same as before, or changed in these parts."""

    id: int
    task_code: str
    state: str
    changed: list[str]


def _limits(**told: float) -> Any:
    """Limits that the document tells; whoever keeps them is the service."""
    return Field(json_schema_extra={**told})


class NewPolicy(Given):
    """What is to change; the rest stays as it is."""

    public: bool | None = None
    terms: Annotated[str, _limits(maxLength=MOST_TERMS)] | None = None
    most_submissions: Annotated[int, _limits(minimum=0, maximum=MOST_SUBMISSIONS)] | None = None
    submission_hours: Annotated[float, _limits(exclusiveMinimum=0, maximum=MOST_HOURS)] | None = (
        None
    )


@router.get("/tasks", openapi_extra=OPEN)
async def list_all_tasks(deployment: Here, person: Anybody) -> TaskList:
    """The tasks: all of them with a token, without one those that are public."""
    rows = await deployment.store.read(list_tasks)
    shown = [row for row in rows if person is not None or row.public]
    return TaskList(tasks=[TaskHead.model_validate(_head(row)) for row in shown])


@router.get("/tasks/{task}", responses=MISSING, openapi_extra=OPEN)
async def show_task(request: Request, asked: OpenTask) -> TaskSheet:
    """A task: its file, its metrics and scoring data sets in the order of the board, its policy."""
    boards = boards_of(request)
    board = await asked.read(
        lambda c: boards.read(c, asked.row, asked.task, public=asked.person is None)
    )
    task = asked.task
    return TaskSheet.model_validate(
        {
            **task_json(board, asked.row),
            **_head(asked.row),
            "about": task.about,
            "instructions": task.instructions,
            "content_warning": task.content_warning,
            "policy": _policy(asked.row),
            "definition": task_data(task),
            "asked": [each.name for each in task.asked],
            "targets": [each.name for each in task.targets],
            "example_record": sample_record(task),
            "example_question": sample_question(task),
            "example_answer": sample_answer(task),
        }
    )


@router.post(
    "/tasks",
    responses={**FORBIDDEN, **TOO_LARGE, 201: {"model": StoredTaskState, "description": "New."}},
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                kind: {"schema": {"type": "string"}} for kind in ("application/yaml", "text/plain")
            }
            | {"application/json": {"schema": {"type": "object"}}},
        }
    },
)
async def new_task(
    request: Request, response: Response, deployment: Here, person: Editor
) -> StoredTaskState:
    """Store a task, or its new wording: its file as YAML or JSON is the body.

    Once models were evaluated, only texts and weights may change. Python of one's own cannot be sent.
    """
    async with sent_file(request, name="task.yaml", most=MOST_BYTES) as sent:
        content = sent.path.read_bytes()
    data = parse_marked(content, file="task").data
    _refuse_own_python(data)
    task = await in_thread(lambda: parse_task(content, folder="", file="task"))
    now = deployment.clock.now()
    added = await deployment.store.write(lambda c: add_task(c, task, now=now))
    response.status_code = 201 if added.state == "new" else 200
    return _stored(added.row, added.state, list(added.changed))


@router.put("/tasks/{name}/builtin", responses={**FORBIDDEN, **MISSING})
async def use_builtin(deployment: Here, person: Editor, name: str) -> StoredTaskState:
    """Store the built-in task of this name, so that data sets and models can be added to it."""
    now = deployment.clock.now()
    added = await deployment.store.write(lambda c: use_builtin_task(c, name, now=now))
    return _stored(added.row, added.state, list(added.changed))


@router.patch("/tasks/{task}/policy", responses={**FORBIDDEN, **MISSING, **UNREADABLE})
async def change_policy(
    asked: ViewedTask, person: Owner, wanted: Annotated[NewPolicy, Body()]
) -> Policy:
    """Decide who sees the task's board, what submitters accept and how much they may submit."""
    row = await asked.write(lambda c: set_policy(c, asked.row, **wanted.model_dump()))
    return Policy.model_validate(_policy(row))


@router.get("/tasks/{task}/status", responses=MISSING)
async def show_status(asked: ViewedTask, person: Viewer) -> TaskStatus:
    """How far every model is on every data set."""
    return await asked.read(lambda c: task_status(c, asked.row))


def _head(row: StoredTask) -> dict[str, Any]:
    return {
        "id": row.id,
        "task_code": row.name,
        "name": row.title,
        "public": row.public,
        "created": row.created,
    }


def _policy(row: StoredTask) -> dict[str, Any]:
    return {
        "public": row.public,
        "terms": row.terms,
        "terms_digest": terms_digest(row.terms) if row.terms.strip() else "",
        "most_submissions": row.most_submissions,
        "submission_hours": row.submission_hours,
    }


def _stored(row: StoredTask, state: str, changed: list[str]) -> StoredTaskState:
    return StoredTaskState(id=row.id, task_code=row.name, state=state, changed=changed)


def _refuse_own_python(data: Mapping[str, Any]) -> None:
    """Raise InputError where a task file names Python: a token does not let code in."""
    refuse_python(str(data.get("function") or ""), "The function")
    listed = data.get("metrics")
    for each in [data.get("perf_metric"), *(listed if isinstance(listed, list) else [])]:
        name = each.get("metric") if isinstance(each, Mapping) else each
        refuse_python(str(name or ""), "The metric")
