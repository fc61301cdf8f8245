"""One home behind every door: the command line, the HTTP API and the desk."""

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
    """The doors of a home with the task nli; olga, its owner, goes through all of them."""

    desk: Desk
    bench: Bench
    folder: Path

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

    def ask(self, method: str, path: str, body: Any) -> Any:
        """What the API answers; Refused with its words if it refuses."""
        answer = self.api.client.request(
            method, f"/api/v1{path}", headers=self.api.headers, json=body
        )
        if answer.status_code >= 400:
            raise Refused(answer.json()["error"]["message"])
        return answer.json()

    def send(self, path: str, *, on: str, **fields: str) -> None:
        """Send a form of the page `on` of the desk; Refused with its words if it is refused."""
        answer = self.desk.post(path, on=on, **fields)
        if answer.status_code >= 400:
            told = re.search(r'class="note error" role="alert">(.*?)</p>', answer.text, re.DOTALL)
            told = told or re.search(r'class="said">(.*?)</span>', answer.text, re.DOTALL)
            told = told or re.search(r'class="field-error"[^>]*>(.*?)</p>', answer.text, re.DOTALL)
            told = told or re.search(r"</h1>\s*<p[^>]*>(.*?)</p>", answer.text, re.DOTALL)
            assert told is not None, answer.text
            raise Refused(unescape(re.sub(r"<[^>]+>", "", told.group(1))).strip())


class Refused(Exception):
    """A door did not do it, and why."""


@contextmanager
def open_doors(folder: Path, *, studies: bool = False) -> Iterator[Doors]:
    """A running application and the command line over one new home; `studies` are served too."""
    with open_desk(folder, studies=studies) as desk:
        desk.deployment.folder = folder
        desk.sign_in("olga")
        yield Doors(desk, Bench(desk.deployment.evaluation, folder), folder)
