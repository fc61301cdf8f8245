"""What a request to add something to a task says: which task, by whom, and what was typed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from starlette.datastructures import FormData
from starlette.requests import Request

from palaver.evaluation.home import EvaluationHome
from palaver.web.desk.accounts import Person, check_writable, deployment_of
from palaver.web.desk.parts import plain
from palaver.web.desk.tasks.request import AskedTask, asked_task
from palaver.web.uploads import MEGABYTE, SentForm

# The longest that is kept of what was typed, so that nothing is lost when something is wrong.
LONGEST_TEXT = 20_000


@dataclass(frozen=True, slots=True)
class Adding:
    """A task that somebody adds something to."""

    request: Request
    person: Person
    asked: AskedTask

    @property
    def home(self) -> EvaluationHome:
        return deployment_of(self.request).evaluation

    @property
    def now(self) -> float:
        return deployment_of(self.request).clock.now()

    @property
    def by_owner(self) -> bool:
        """Whether whoever adds it runs this deployment."""
        return self.person.may("owner")

    @property
    def megabytes(self) -> int:
        """How much one request may bring."""
        return self.home.settings.upload_megabytes

    @property
    def most_bytes(self) -> int:
        return self.megabytes * MEGABYTE


async def adding(request: Request, person: Person) -> Adding:
    """The task of the address; AccessError where nothing can be changed."""
    check_writable(deployment_of(request))
    return Adding(request, person, await asked_task(request))


def typed(form: FormData | SentForm, names: Sequence[str]) -> dict[str, str]:
    """What was typed into these fields."""
    read = form.word if isinstance(form, SentForm) else lambda name: str(form.get(name, ""))
    return {name: plain(read(name), most=LONGEST_TEXT) for name in names}


def chosen(form: FormData, name: str) -> tuple[str, ...]:
    """Everything that was chosen of a list."""
    return tuple(plain(str(each)) for each in form.getlist(name))


def lines(form: Mapping[str, str], name: str) -> list[str]:
    """What stands on the lines of a field."""
    return [line.strip() for line in form[name].splitlines() if line.strip()]
