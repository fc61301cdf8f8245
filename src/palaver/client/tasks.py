"""Tasks, their data sets and their models: what there is, adding and changing it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from palaver.client.bodies import File, content_of, file_body, form_body, json_body
from palaver.client.connection import Calls, given, quoted
from palaver.core.evaluation.datasets import Access, AddedDataset, Dataset, Perturbed
from palaver.core.evaluation.models import AddedModel, Model, ModelSheet
from palaver.core.evaluation.submissions import TeamToken
from palaver.core.evaluation.tasks import AddedTask, Policy, StoredTask, TaskSheet


class TaskCalls(Calls):
    """The methods of a client about tasks, their data sets and their models."""

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

    def datasets(self, task: str) -> list[Dataset]:
        """The data sets of a task, oldest first."""
        return self._get(quoted("tasks", task, "datasets"), list[Dataset], part="datasets")

    def add_dataset(
        self,
        task: str,
        name: str,
        source: File,
        *,
        access: Access | None = None,
        about: str | None = None,
        round: int | None = None,
        reader: str | None = None,
        parent: str | None = None,
        kind: str | None = None,
        map: Mapping[str, str] | None = None,
        filename: str | None = None,
    ) -> AddedDataset:
        """Add a data set: a file, its content, or an http(s) address that the server fetches.

        `map` says which key of the file is which field of the task.
        """
        pairs = [f"{field}={key}" for field, key in (map or {}).items()]
        options = {
            "access": access,
            "about": about,
            "round": round,
            "reader": reader,
            "parent": parent,
            "kind": kind,
            "map": pairs or None,
        }
        path = quoted("tasks", task, "datasets", name)
        if isinstance(source, str) and source.startswith(("http://", "https://")):
            wanted = json_body({"url": source, **given(options)})
            return self._send("POST", f"{path}/fetch", AddedDataset, wanted)
        content = content_of(source)
        called = filename or (content.name if isinstance(content, Path) else f"{name}.jsonl")
        query = {**options, "filename": called}
        return self._send("POST", path, AddedDataset, file_body(content), query)

    def perturb(
        self,
        task: str,
        dataset: str,
        kind: str,
        *,
        seed: int = 1,
        only: Sequence[str] = (),
        fields: Sequence[str] = (),
    ) -> Perturbed:
        """Perturb a stored data set; the variants are registered beside it and evaluated."""
        wanted = {"kind": kind, "seed": seed, "only": list(only), "fields": list(fields)}
        path = quoted("tasks", task, "datasets", dataset, "perturb")
        return self._send("POST", path, Perturbed, json_body(wanted))

    def variants(
        self,
        task: str,
        records: Sequence[Mapping[str, Any]],
        kind: str,
        *,
        seed: int = 1,
        only: Sequence[str] = (),
    ) -> list[dict[str, Any]]:
        """Variants of up to 10,000 records; nothing is stored."""
        wanted = {"kind": kind, "seed": seed, "only": list(only), "records": list(records)}
        found = self._send(
            "POST", quoted("tasks", task, "perturb"), dict[str, Any], json_body(wanted)
        )
        return list(found["variants"])

    def models(self, task: str) -> list[Model]:
        """The models of a task, oldest first."""
        return self._get(quoted("tasks", task, "models"), list[Model], part="models")

    def model(self, task: str, name: str) -> ModelSheet:
        """A model by its name or key, with its options, versions and runs."""
        return self._get(quoted("tasks", task, "models", name), ModelSheet)

    def add_model(
        self,
        task: str,
        name: str,
        kind: str,
        options: Mapping[str, Any],
        *,
        about: str = "",
        link: str = "",
        tags: Sequence[str] = (),
        published: bool | None = None,
        anonymous: bool | None = None,
    ) -> AddedModel:
        """Add an endpoint, `options={"url": …}`, and evaluate it on every scoring data set."""
        wanted = {
            "name": name,
            "kind": kind,
            "options": dict(options),
            "about": about,
            "link": link,
            "tags": list(tags),
            "published": published,
            "anonymous": anonymous,
        }
        path = quoted("tasks", task, "models")
        return self._send("POST", path, AddedModel, json_body(given(wanted)))

    def upload_predictions(
        self,
        task: str,
        name: str,
        files: Mapping[str, File],
        *,
        about: str = "",
        link: str = "",
        tags: Sequence[str] = (),
        partial: bool = False,
    ) -> AddedModel:
        """Add a model by its answers: a file per scoring data set, by the name of the set."""
        words = {"about": about, "link": link, "tag": list(tags), "partial": str(partial).lower()}
        body = form_body(words, {each: content_of(file) for each, file in files.items()})
        path = quoted("tasks", task, "models", name, "predictions")
        return self._send("POST", path, AddedModel, body)

    def change_model(self, task: str, name: str, **values: Any) -> ModelSheet:
        """Change `published`, `anonymous`, `retired`, `about`, `link` or `tags` of a model.

        `published=True` shows its name and its team; with `anonymous=True` only its name.
        """
        path = quoted("tasks", task, "models", name)
        return self._send("PATCH", path, ModelSheet, json_body(values))
