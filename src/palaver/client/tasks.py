"""Tasks: what there is, adding one, and who may see it and submit to it."""

from collections.abc import Mapping
from typing import Any

from palaver.client.bodies import File, content_of, file_body, json_body
from palaver.client.calls import Calls, given
from palaver.client.connection import quoted
from palaver.core.evaluation.submissions import TeamToken
from palaver.core.evaluation.tasks import AddedTask, Policy, StoredTask, TaskSheet


class TaskCalls(Calls):
    """The methods of a client about tasks."""

    def tasks(self) -> list[StoredTask]:
        """The tasks: all of them with a token, only public ones without."""
        return self._get("/tasks", list[StoredTask], part="tasks")

    def task(self, task: str) -> TaskSheet:
        """A task by its name or number."""
        return self._get(quoted("tasks", task), TaskSheet)

    def add_task(self, file: File | Mapping[str, Any]) -> AddedTask:
        """Store a task file (a path, or its content), or a definition as a mapping."""
        if isinstance(file, Mapping):
            body = json_body(dict(file))
        else:
            body = file_body(content_of(file), "application/yaml")
        return self._send("POST", "/tasks", AddedTask, body)

    def use_builtin(self, task: str) -> AddedTask:
        """Store a built-in task, so that data sets and models can be added to it."""
        return self._send("PUT", quoted("tasks", task, "builtin"), AddedTask)

    def set_policy(
        self,
        task: str,
        *,
        public: bool | None = None,
        terms: str | None = None,
        most_submissions: int | None = None,
        submission_hours: float | None = None,
    ) -> Policy:
        """Decide who sees a task's board, what submitters accept, how much they may submit."""
        wanted = {
            "public": public,
            "terms": terms,
            "most_submissions": most_submissions,
            "submission_hours": submission_hours,
        }
        path = quoted("tasks", task, "policy")
        return self._send("PATCH", path, Policy, json_body(given(wanted)))

    def add_team(self, task: str, team: str, *, affiliation: str = "", link: str = "") -> TeamToken:
        """Let a team submit to a task; its token is shown only here."""
        wanted = {"team": team, "affiliation": affiliation, "link": link}
        return self._send("POST", quoted("tasks", task, "teams"), TeamToken, json_body(wanted))
