"""What requests about tasks have in common: the task they name, and whether it is open to them."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Path
from sqlalchemy import Connection

from palaver.core.errors import MissingError, UnknownNameError
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.tasks import Task
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.tasks import find_task, stored_task
from palaver.studies.run.deployment import Deployment
from palaver.web.api.access import Anybody, Here, Viewer, unauthorized
from palaver.web.desk.accounts import Person
from palaver.web.uploads import MEGABYTE

T = TypeVar("T")

TaskName = Annotated[
    str,
    Path(
        pattern=r"^([0-9]{1,15}|[a-z0-9][a-z0-9_-]{0,62})$", description="A task's name or number."
    ),
]
# Any name finds or makes the data set of its normal form.
MOST_GIVEN = 200
DatasetName = Annotated[
    str,
    Path(
        min_length=1,
        max_length=MOST_GIVEN,
        description="A data set's name: letters, digits and '-'; any other becomes one.",
    ),
]
ModelName = Annotated[
    str, Path(pattern=r"^[a-zA-Z0-9_-]{1,64}$", description="A model's name or key.")
]
# For operations that answer without a token where a task is public.
OPEN: dict[str, Any] = {"security": [{}]}
Key = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$")]


@dataclass(frozen=True, slots=True)
class TaskRequest:
    """A task that somebody asks for; `person` is None where anybody may see it."""

    deployment: Deployment
    row: StoredTask
    task: Task
    person: Person | None

    @property
    def home(self) -> EvaluationHome:
        return self.deployment.evaluation

    @property
    def now(self) -> float:
        return self.deployment.clock.now()

    @property
    def is_owner(self) -> bool:
        """Whether whoever asks runs this deployment."""
        return self.person is not None and self.person.may("owner")

    async def read(self, work: Callable[[Connection], T]) -> T:
        """What `work` reads; a name that it does not find is missing at this address."""
        with missing():
            return await self.deployment.store.read(work)

    async def write(self, work: Callable[[Connection], T]) -> T:
        """What `work` comes to after it was committed."""
        with missing():
            return await self.deployment.store.write(work)


@contextmanager
def missing() -> Iterator[None]:
    """Let a name of the address that is not known be an address that is not there."""
    try:
        yield
    except UnknownNameError as error:
        raise MissingError(str(error)) from error


async def _viewed(deployment: Here, person: Viewer, task: TaskName) -> TaskRequest:
    return await _asked(deployment, person, task)


async def _open(deployment: Here, person: Anybody, task: TaskName) -> TaskRequest:
    try:
        asked = await _asked(deployment, person, task)
    except MissingError:
        if person is None:
            raise _not_public() from None
        raise
    if person is None and not asked.row.public:
        raise _not_public()
    return asked


async def _asked(deployment: Deployment, person: Person | None, name: str) -> TaskRequest:
    with missing():
        row = await deployment.store.read(lambda c: find_task(c, name))
    return TaskRequest(deployment, row, stored_task(row), person)


def _not_public() -> Exception:
    return unauthorized(
        "No public task has this name. Send a valid token as 'Authorization: Bearer …' to ask for "
        "others."
    )


ViewedTask = Annotated[TaskRequest, Depends(_viewed)]
OpenTask = Annotated[TaskRequest, Depends(_open)]


async def in_thread(work: Callable[[], T]) -> T:
    """What `work` comes to, beside everything else that is served."""
    return await asyncio.to_thread(work)


def most_bytes(home: EvaluationHome) -> int:
    """How much one request may bring."""
    return home.settings.upload_megabytes * MEGABYTE
