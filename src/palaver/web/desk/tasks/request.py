"""Which task, run, model or data set an address names."""

from dataclasses import dataclass
from urllib.parse import quote

from starlette.requests import Request

from palaver.core.evaluation.tasks import StoredTask
from palaver.core.numbers import whole_number
from palaver.core.tasks import Task
from palaver.evaluation.tasks import find_task, stored_task
from palaver.web.desk.accounts import deployment_of, root_of
from palaver.web.desk.parts import plain
from palaver.web.desk.tasks.measures import Measures

TASKS = "/desk/tasks"
RUN = TASKS + "/{task}/runs/{run}"
# A task's number has no more digits than this.


@dataclass(frozen=True, slots=True)
class AskedTask:
    """The task of an address, and where its pages are."""

    row: StoredTask
    task: Task
    measures: Measures
    address: str
    public_url: str

    @property
    def title(self) -> str:
        return self.row.title


async def asked_task(request: Request) -> AskedTask:
    """The task that the address names; UnknownNameError if there is none."""
    name = plain(request.path_params["task"])
    row = await deployment_of(request).store.read(lambda c: find_task(c, name))
    task, root = stored_task(row), root_of(request)
    own = quote(row.name, safe="")
    return AskedTask(row, task, Measures(task), f"{root}{TASKS}/{own}", f"{root}/tasks/{own}")


def asked_key(request: Request) -> str:
    """The key of a run in the address."""
    return plain(request.path_params["run"])


def asked_number(given: str | None, *, most: int = 10**9) -> int:
    """A whole number of an address; 0 where there is none or it is not one."""
    return min(whole_number(given) or 0, most)
