"""A desk whose home has the task nli, and callers of its API."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from palaver.core.evaluation.tasks import terms_digest
from palaver.storage.evaluation.submitters import add_submitter
from palaver.storage.evaluation.tasks import find_task, set_task_policy
from support.desks import Desk, open_desk
from support.runs import NOW, Bench


class EvaluationDesk:
    """The API over a home with the task nli."""

    def __init__(self, desk: Desk, folder: Path) -> None:
        self.desk = desk
        desk.deployment.folder = folder / "home"
        self.bench = Bench(desk.deployment.evaluation, folder)

    def caller(self, name: str) -> "ApiCaller":
        """Somebody with a token of the account."""
        return ApiCaller(self.desk, self.desk.token(name))

    def stranger(self) -> "ApiCaller":
        """Somebody without a token."""
        return ApiCaller(self.desk, "")

    def policy(self, **values: Any) -> None:
        """Decide about the task."""
        self.desk.store.write_now(lambda c: set_task_policy(c, self.bench.row.id, **values))
        self.bench.row = self.desk.store.read_now(lambda c: find_task(c, "nli"))

    def team(self, name: str = "Team A") -> "ApiCaller":
        """A team that may submit."""
        made = self.desk.store.write_now(
            lambda c: add_submitter(c, task_id=self.bench.row.id, team=name, now=NOW)
        )
        return ApiCaller(self.desk, made.token)

    def accepted_team(self, name: str = "Team A") -> "ApiCaller":
        """A team that has accepted the terms."""
        team = self.team(name)
        terms = self.bench.row.terms
        if terms:
            team.post("/submissions/terms", {"digest": terms_digest(terms)})
        return team


class ApiCaller:
    """Calls the API with one token."""

    def __init__(self, desk: Desk, token: str) -> None:
        self.client = desk.client
        self.token = token
        self.headers = {"authorization": f"Bearer {token}"} if token else {}

    def send(self, method: str, path: str, status: int = 200, **options: Any) -> Any:
        """The response; its status must be as expected."""
        answer = self.client.request(method, f"/api/v1{path}", headers=self.headers, **options)
        assert answer.status_code == status, answer.text
        return answer

    def get(self, path: str, status: int = 200) -> Any:
        """The JSON of an address."""
        return self.send("GET", path, status).json()

    def post(self, path: str, body: Any = None, status: int = 200) -> Any:
        """The JSON that sending JSON is answered with."""
        options = {} if body is None else {"json": body}
        return self.send("POST", path, status, **options).json()

    def patch(self, path: str, body: Any, status: int = 200) -> Any:
        """The JSON that a change is answered with."""
        return self.send("PATCH", path, status, json=body).json()

    def refused(self, path: str, body: Any = None, status: int = 422) -> str:
        """The sentence with which something that is posted is refused."""
        return str(self.post(path, body, status)["error"]["message"])


@contextmanager
def open_evaluation_desk(folder: Path, *, database: str | None = None) -> Iterator[EvaluationDesk]:
    """A running application over a new store."""
    with open_desk(folder, studies=False, database=database) as desk:
        yield EvaluationDesk(desk, folder)
