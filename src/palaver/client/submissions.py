"""What a team does with its token: accept terms, submit, look after its models."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from palaver.client.bodies import Body, File, content_of, form_body, json_body
from palaver.client.connection import Calls, quoted
from palaver.core.evaluation.models import AddedModel
from palaver.core.evaluation.submissions import Submission, TeamSheet


class SubmissionCalls(Calls):
    """The methods of a client that speak for a team."""

    def team(self) -> TeamSheet:
        """The token's team, the terms of the task, and what the team may still submit."""
        return self._get("/submissions/team", TeamSheet)

    def accept_terms(self, digest: str) -> TeamSheet:
        """Accept the terms, by the digest of the wording that was read (`team().terms_digest`)."""
        body = json_body({"digest": digest})
        return self._send("POST", "/submissions/terms", TeamSheet, body)

    def questions(self, dataset: str) -> list[dict[str, Any]]:
        """The questions of a data set that submissions are evaluated on."""
        lines = self._connection.lines(quoted("submissions", "questions", dataset))
        return [msgspec.json.decode(line) for line in lines]

    def submit_endpoint(
        self,
        name: str,
        kind: str,
        options: Mapping[str, Any],
        *,
        about: str = "",
        link: str = "",
        tags: Sequence[str] = (),
    ) -> AddedModel:
        """Submit an endpoint, `options={"url": …}`; it is unpublished at first."""
        wanted = {
            "name": name,
            "kind": kind,
            "options": dict(options),
            "about": about,
            "link": link,
            "tags": list(tags),
        }
        return self._added("/submissions/endpoint", json_body(wanted))

    def submit_predictions(
        self,
        name: str,
        files: Mapping[str, File],
        *,
        about: str = "",
        link: str = "",
        tags: Sequence[str] = (),
    ) -> AddedModel:
        """Submit predictions, a file per data set; the model is unpublished at first."""
        words = {"name": name, "about": about, "link": link, "tag": list(tags)}
        contents = {each: content_of(file) for each, file in files.items()}
        return self._added("/submissions/predictions", form_body(words, contents))

    def submissions(self) -> list[Submission]:
        """The team's models, newest first, with their runs and why one failed."""
        return self._get("/submissions", list[Submission], part="submissions")

    def submission(self, name: str) -> Submission:
        """One of the team's models by its name or key."""
        return self._get(quoted("submissions", "models", name), Submission)

    def publish(
        self, name: str, *, published: bool = True, anonymous: bool | None = None
    ) -> Submission:
        """Let the board show a model's name and team, only its name (`anonymous`), or neither."""
        wanted = {"published": published, "anonymous": anonymous}
        path = quoted("submissions", "models", name, "publication")
        return self._send("POST", path, Submission, json_body(wanted))

    def withdraw(self, name: str) -> Submission:
        """Take a model off the board; submitting it again brings it back."""
        path = quoted("submissions", "models", name, "withdrawal")
        return self._send("POST", path, Submission)

    def _added(self, path: str, body: Body) -> AddedModel:
        return self._send("POST", path, AddedModel, body)
