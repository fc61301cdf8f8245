"""A home with the studies and boards that the browser benchmark looks at, and ways to its pages.

People come by signed links and send the forms of the pages, as their browsers would.
"""

import json
import re
import time
from pathlib import Path
from urllib.parse import urljoin

from playwright.sync_api import BrowserContext
from sqlalchemy import Connection

from benchmarks.dynaboard import furnish
from benchmarks.furnishing import open_store
from palaver.crowds.links import new_person, sign_link
from palaver.storage.evaluation.tasks import find_task, set_task_policy

STUDIES = {
    "talk": """\
title: Talk with a helpful partner
minutes: 10
consent: {version: "1", text: "You talk with a **computer program**. You may stop at any time."}
instructions: "Plan a weekend in a town you do not know.\\n\\n- Ask for three things to do."
pay: {amount: 2.50, currency: GBP}
systems:
  guide:
    kind: scripted
    lines: ["How about the old harbour? It costs nothing.", "There is a museum of ships."]
stages:
  - chat:
      turns: {at_least: 40}
      conditions: [{systems: [guide], needed: 100}]
      personas: {person: ["You have two days and 100 euros."]}
      pace: {reading: 0, characters_per_second: 10000}
""",
    "meet": """\
title: Meet somebody
stages:
  - chat: {arrangement: people, turns: {at_least: 4}, conditions: [{people: true, needed: 5}]}
""",
    "whole": """\
title: Judge conversations
stages:
  - rate:
      ask: [quality_likert, would_talk_again, overall_comment]
      data: talks.jsonl
      raters: 90
      per_visit: 1
""",
    "turns": """\
title: Judge replies
stages:
  - rate: {ask: [empathy], data: talks.jsonl, raters: 90, per_visit: 1}
""",
    "compare": """\
title: Which conversation is better?
stages:
  - rate: {ask: [preference], data: pairs.jsonl, raters: 90, per_visit: 1}
""",
}
QUESTIONS = ["What can I do at the weekend?", "And if it rains?", "How much does that cost?"]
REPLIES = [
    "You could walk along the old harbour, which costs nothing, or take the ferry to the island.",
    "Then the museum of ships is a good place: it is dry, warm and open until six.",
    "About nine euros for grown-ups, half of that for children.",
]
HIDDEN = re.compile(r'<input type="hidden" name="([\w-]+)" value="([^"]*)"')


def write_studies(folder: Path) -> Path:
    """The studies in a folder, with what is judged in them."""
    turns = [
        [who, said]
        for question, reply in zip(QUESTIONS * 2, REPLIES * 2, strict=True)
        for who, said in (("user", question), ("system", reply))
    ]
    talk = {"id": "d1", "turns": turns}
    pair = {"id": "p1", "pair": [talk, {"id": "d2", "turns": turns[:-2]}]}
    for name, study in STUDIES.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "study.yaml").write_text(f"name: {name}\n{study}", encoding="utf-8")
        (folder / name / "talks.jsonl").write_text(json.dumps(talk) + "\n", encoding="utf-8")
        (folder / name / "pairs.jsonl").write_text(json.dumps(pair) + "\n", encoding="utf-8")
    return folder


def write_board(home: Path, models: int) -> None:
    """A public board of so many models."""

    def work(connection: Connection) -> None:
        task = furnish(connection, models, sets=3, items=200)
        set_task_policy(connection, find_task(connection, task.name).id, public=True)

    store = open_store(home)
    try:
        store.write_now(work)
    finally:
        store.close()


def link(base: str, home: Path, study: str) -> str:
    """The link of a new person."""
    store = open_store(home)
    try:
        secret = store.secret()
    finally:
        store.close()
    return f"{base}/s/{study}?link={sign_link(secret, study=study, person=new_person())}"


class Visitor:
    """One person: the cookies of a browser and the page that is shown to them."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.context = context
        response = context.request.get(address)
        self.url, self.html = response.url, response.text()
        found = re.match(r"https?://[^/]+/take/[^/?]+", self.url)
        assert found is not None, f"{address} led to {self.url}"
        self.visit = found.group(0)

    def send(self, path: str, **given: str) -> None:
        """Send a form of the page."""
        form = {**{name: value for name, value in HIDDEN.findall(self.html) if value}, **given}
        response = self.context.request.post(
            f"{self.visit}/{path}", form=form, headers={"origin": urljoin(self.visit, "/")[:-1]}
        )
        assert response.ok, f"{path}: {response.status}"
        self.url, self.html = response.url, response.text()

    def wait_for(self, words: str, seconds: float = 60.0) -> None:
        """Read the page again until something is on it, such as sheets that are being taken in."""
        deadline = time.monotonic() + seconds
        while words not in self.html:
            assert time.monotonic() < deadline, f"no {words} on {self.visit}"
            time.sleep(0.2)
            self.html = self.context.request.get(self.visit).text()
