"""Models: endpoints, uploaded predictions, and what is said about them."""

from collections.abc import Mapping, Sequence
from typing import Any

from palaver.client.bodies import File, content_of, form_body, json_body
from palaver.client.calls import Calls, given
from palaver.client.connection import quoted
from palaver.core.evaluation.models import AddedModel, Model, ModelSheet


class ModelCalls(Calls):
    """The methods of a client about models."""

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
