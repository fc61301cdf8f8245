"""A served home as others meet it: over HTTP, with a browser's cookies or with a token."""

import http.cookiejar
import json
import re
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from typing import Any

from support.made_home import PASSWORD, STUDIES, TOKENS

# Names and keys of what a home holds, by what they name.
Held = dict[str, list[str]]


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    media: str
    text: str

    @property
    def value(self) -> Any:
        """The JSON that came back; each line of it where there are many."""
        if "ndjson" in self.media:
            return [json.loads(line) for line in self.text.splitlines()]
        return json.loads(self.text)


class ServedHome:
    """The address of a server, and calls to it."""

    def __init__(self, base: str) -> None:
        self.base = base

    def api(
        self, method: str, path: str, *, token: str = "olga", body: Any = None, **headers: str
    ) -> Answer:
        """Call the API with the token of an account or of a team; "" sends none."""
        secret = TOKENS["teams"].get(token) or TOKENS.get(token)
        if secret:
            headers["authorization"] = f"Bearer {secret}"
        content = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        if content is not None:
            headers.setdefault("content-type", "application/json")
        request = urllib.request.Request(
            f"{self.base}/api/v1{path}", data=content, headers=headers, method=method
        )
        return _answer(urllib.request.build_opener(), request)

    def rows(self, path: str, key: str) -> list[Any]:
        """The list that an answer of the API holds under a key."""
        answer = self.api("GET", path)
        assert answer.status == 200, answer.text
        found: list[Any] = answer.value[key]
        return found

    def held(self) -> Held:
        """What stands for a name in braces in the addresses of this home."""
        runs = [(each["state"], each["key"]) for each in self.rows("/runs?task=nli", "runs")]
        saved = {each["kind"]: each["key"] for each in self.rows("/tasks/nli/saved", "boards")}
        models = {each["name"]: each["key"] for each in self.rows("/tasks/nli/models", "models")}
        dialogues = [self.rows(f"/studies/{each}/dialogues", "dialogues") for each in STUDIES]
        return {
            "study": STUDIES,
            "question": [
                each["name"] for each in self.rows("/studies/judging/questions", "questions")
            ],
            "dialogue": [found[0]["id"] for found in dialogues if found],
            "rater": [each["rater"] for each in self.rows("/studies/judging/raters", "raters")],
            "task": ["nli", "qa", "mine"],
            # The newest and the oldest of each state.
            "run": sorted({*dict(runs).values(), *dict(reversed(runs)).values()}),
            "model": list(models),
            "dataset": [each["name"] for each in self.rows("/tasks/nli/datasets", "datasets")],
            "public": [models["rules"], models["hidden"]],
            "fork": [saved["fork"]],
            "snapshot": [saved["snapshot"]],
        }

    def browser(self, name: str = "") -> "Browser":
        """A browser, signed in at the desk where a name is given."""
        browser = Browser(self.base)
        if name:
            browser.sign_in(name)
        return browser


class Browser:
    """A browser's cookies."""

    def __init__(self, base: str) -> None:
        self.base = base
        self._jar = http.cookiejar.CookieJar()
        cookies = urllib.request.HTTPCookieProcessor(self._jar)
        self._opener = urllib.request.build_opener(cookies)

    def cookie(self) -> str:
        """The header that its cookies are sent in."""
        return "; ".join(f"{each.name}={each.value}" for each in self._jar)

    def get(self, path: str) -> Answer:
        """A page, after redirects."""
        return _answer(self._opener, urllib.request.Request(f"{self.base}{path}"))

    def send(self, path: str, *, on: str, **form: str) -> None:
        """Send a form of the page `on`."""
        found = re.search(r'name="csrf" value="([0-9a-f]+)"', self.get(on).text)
        assert found is not None, on
        content = urllib.parse.urlencode({"csrf": found.group(1), **form}).encode()
        sent = urllib.request.Request(f"{self.base}{path}", data=content)
        assert _answer(self._opener, sent).status == 200, path

    def sign_in(self, name: str) -> None:
        """Sign in at the desk."""
        self.send("/desk/sign-in", on="/desk/sign-in", name=name, password=PASSWORD)

    def enter_team(self, team: str, *, task: str) -> None:
        """Show the token of a team on the pages of a task."""
        on = f"/tasks/{task}/submit"
        self.send(f"/tasks/{task}/team", on=on, token=TOKENS["teams"][team])


def _answer(opener: urllib.request.OpenerDirector, request: urllib.request.Request) -> Answer:
    try:
        with opener.open(request, timeout=60) as response:
            content = response.read()
    except urllib.error.HTTPError as error:
        response, content = error, error.read()
    text = content.decode("utf-8", errors="replace")
    return Answer(response.status, response.headers.get("content-type", ""), text)
