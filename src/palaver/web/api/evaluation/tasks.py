"""Tasks: listed, shown as clients of Dynabench read them too, added, and decided about."""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Body, Request, Response
from pydantic import Field

from palaver.core.evaluation.runs import TaskStatus
from palaver.core.evaluation.tasks import AddedTask, Policy, StoredTask, TaskSheet, policy_of
from palaver.core.tasks import Task
from palaver.evaluation.dynaboards import task_sheet
from palaver.evaluation.runs.results import task_status
from palaver.evaluation.tasks import add_task, list_tasks, set_policy, use_builtin_task
from palaver.evaluation.tasks.definition import parse_task
from palaver.evaluation.tasks.entries import own_python
from palaver.evaluation.tasks.stored import MOST_HOURS, MOST_SUBMISSIONS, MOST_TERMS
from palaver.formats.marked_yaml import parse_marked
from palaver.web.api.access import Anybody, Editor, Here, Owner, Viewer
from palaver.web.api.errors import ANSWERS, FORBIDDEN, MISSING, TOO_LARGE, UNREADABLE
from palaver.web.api.evaluation.request import (
    OPEN,
    OpenTask,
    ViewedTask,
    in_thread,
)
from palaver.web.api.models import Given
from palaver.web.api.records import RecordRouter, answer
from palaver.web.desk.accounts import actor_of
from palaver.web.own_python import refuse_python
from palaver.web.tasks.board.view import boards_of
from palaver.web.uploads import sent_file

MOST_BYTES = 256 * 1024

router = RecordRouter(responses=ANSWERS, tags=["tasks"])


@dataclass(frozen=True, slots=True)
class TaskList:
    """The tasks by name: all with a token, only public ones without."""

    tasks: list[StoredTask]


def _limits(**told: float) -> Any:
    """Limits that the document tells; whoever keeps them is the service."""
    return Field(json_schema_extra={**told})


class NewPolicy(Given):
    """What to change; the rest stays as it is."""

    public: bool | None = None
    terms: Annotated[str, _limits(maxLength=MOST_TERMS)] | None = None
    most_submissions: Annotated[int, _limits(minimum=0, maximum=MOST_SUBMISSIONS)] | None = None
    submission_hours: Annotated[float, _limits(exclusiveMinimum=0, maximum=MOST_HOURS)] | None = (
        None
    )


@router.get("/tasks", openapi_extra=OPEN)
async def list_all_tasks(deployment: Here, person: Anybody) -> TaskList:
    """The tasks: all of them with a token, only public ones without."""
    rows = await deployment.store.read(list_tasks)
    if person is None:
        rows = [row.for_strangers() for row in rows if row.public]
    return TaskList(rows)


@router.get("/tasks/{task}", responses=MISSING, openapi_extra=OPEN)
async def show_task(request: Request, asked: OpenTask) -> TaskSheet:
    """A task: its file, its metrics and scoring data sets in the order of the board, its policy."""
    boards = boards_of(request)
    board = await asked.read(
        lambda c: boards.read(c, asked.row, asked.task, public=asked.person is None)
    )
    sheet = task_sheet(board, asked.row, asked.task)
    return sheet if asked.person is not None else sheet.for_strangers()


@router.post(
    "/tasks",
    responses={**FORBIDDEN, **TOO_LARGE, 201: answer(AddedTask, "New.")},
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
) -> AddedTask:
    """Store a task, or a new wording of it; the body is its file as YAML or JSON.

    Once models have been evaluated, only texts and weights may change. Your own Python cannot be sent.
    """
    async with sent_file(request, name="task.yaml", most=MOST_BYTES) as sent:
        content = sent.path.read_bytes()
    # Beside the event loop: a quarter of a megabyte of YAML takes seconds.
    task = await in_thread(lambda: _sent_task(content))
    now = deployment.clock.now()
    added = await deployment.store.write(lambda c: add_task(c, task, now=now))
    response.status_code = 201 if added.state == "new" else 200
    return added


def _sent_task(content: bytes) -> Task:
    for what, target in own_python(parse_marked(content, file="task").data):
        refuse_python(target, what)
    return parse_task(content, folder="", file="task")


@router.put("/tasks/{name}/builtin", responses={**FORBIDDEN, **MISSING})
async def use_builtin(deployment: Here, person: Editor, name: str) -> AddedTask:
    """Store the built-in task with this name, so that data sets and models can be added to it."""
    now = deployment.clock.now()
    return await deployment.store.write(lambda c: use_builtin_task(c, name, now=now))


@router.patch("/tasks/{task}/policy", responses={**FORBIDDEN, **MISSING, **UNREADABLE})
async def change_policy(
    request: Request, asked: ViewedTask, person: Owner, wanted: Annotated[NewPolicy, Body()]
) -> Policy:
    """Decide who sees the task's board, what submitters accept and how much they may submit."""
    actor, now = actor_of(request, person, "api"), asked.now
    changed = await asked.write(
        lambda c: set_policy(c, asked.row, actor=actor, now=now, **wanted.model_dump())
    )
    return policy_of(changed)


@router.get("/tasks/{task}/status", responses=MISSING)
async def show_status(asked: ViewedTask, person: Viewer) -> TaskStatus:
    """The progress of every model on every data set."""
    return await asked.read(lambda c: task_status(c, asked.row))
