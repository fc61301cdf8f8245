"""One home behind every door: the command line, the HTTP API, the desk, and what a team has."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from palaver.cli.main import palaver
from palaver.core.errors import PalaverError
from support.desks import Desk, open_desk
from support.evaluation_desk import ApiCaller
from support.runs import Bench


@dataclass
class Doors:
    """The doors of a home with the task nli; olga, its owner, goes through all of them.

    `token` is that of a team, for the doors that a team has: the API, and the pages of the task.
    """

    desk: Desk
    bench: Bench
    folder: Path
    token: str = ""

    @property
    def api(self) -> ApiCaller:
        """The API with a token of the owner."""
        return ApiCaller(self.desk, self.desk.token("olga"))

    def command(self, *words: str) -> str:
        """What a command prints; Refused with its words if it refuses."""
        done = CliRunner().invoke(palaver, [*words, "--home", str(self.folder)])
        if isinstance(done.exception, PalaverError):
            raise Refused(str(done.exception))
        if done.exit_code:
            raise Refused(done.output.strip())
        return done.output

    def document(self, *words: str) -> Any:
        """What a command prints with --json."""
        return json.loads(self.command(*words, "--json"))

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """What the API answers; Refused with its words if it refuses."""
        return checked(self._request(self.api, method, path, json=body)).json()

    def ask_as_team(self, method: str, path: str, **options: Any) -> Any:
        """What the API answers to the team's token; Refused with its words if it refuses."""
        team = ApiCaller(self.desk, self.token)
        return checked(self._request(team, method, path, **options)).json()

    def send(self, path: str, *, on: str, **fields: str) -> str:
        """What a form of the page `on` is answered with; Refused with its words if it is refused."""
        return str(checked(self.desk.post(path, on=on, **fields)).text)

    def send_as_team(self, path: str, *, files: Any = None, **fields: str) -> None:
        """Send a form of the task's pages after the token was given there."""
        page = "/tasks/nli/submit"
        checked(self.desk.post("/tasks/nli/team", on=page, token=self.token))
        data = {"csrf": self.desk.csrf(page), **fields}
        checked(
            self.desk.client.post(
                f"/tasks/nli{path}", data=data, files=files, follow_redirects=False
            )
        )

    def _request(self, caller: ApiCaller, method: str, path: str, **options: Any) -> Any:
        return caller.client.request(method, f"/api/v1{path}", headers=caller.headers, **options)


def checked(answer: Any) -> Any:
    """The answer; Refused with its words if it is a refusal."""
    if answer.status_code < 400:
        return answer
    if answer.headers["content-type"].startswith("application/json"):
        raise Refused(answer.json()["error"]["message"])
    for place in (
        r'class="line-note error" role="alert">(.*?)</p>',
        r'class="said">(.*?)</span>',
        r'class="field-error"[^>]*>(.*?)</p>',
        r"</h1>\s*<p[^>]*>(.*?)</p>",
    ):
        told = re.search(place, answer.text, re.DOTALL)
        if told is not None:
            raise Refused(unescape(re.sub(r"<[^>]+>", "", told.group(1))).strip())
    raise AssertionError(answer.text)


class Refused(Exception):
    """A door did not do it, and why."""


@contextmanager
def open_doors(folder: Path, *, studies: bool = False) -> Iterator[Doors]:
    """A running application and the command line over one new home; `studies` are served too."""
    with open_desk(folder, studies=studies) as desk:
        desk.sign_in("olga")
        yield Doors(desk, Bench(desk.deployment.evaluation, folder), folder)
