"""A challenge on the task nli in a home: two tracks, a practice and a final phase, and its teams."""

import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from palaver.core.audit import COMMAND
from palaver.core.deadlines import read_moment
from palaver.core.errors import AccessError, InputError
from palaver.core.evaluation.challenge_entries import ChallengeTeam, Entry
from palaver.core.evaluation.challenges import Audience, StoredChallenge
from palaver.core.evaluation.tasks import terms_digest
from palaver.evaluation.challenges.definition import stored_definition
from palaver.evaluation.challenges.entries import list_entries, submit_file
from palaver.evaluation.challenges.stored import add_challenge, find_challenge
from palaver.evaluation.challenges.teams import accept_terms, add_team, find_team
from palaver.evaluation.home import EvaluationHome
from support.endpoints import LABELS
from support.runs import Bench, records

PRACTICE = read_moment("2026-09-15 12:00 UTC")
FINAL = read_moment("2026-11-15 12:00 UTC")
# When the final phase closes: 2026-11-30 23:59:59 anywhere on earth.
DEADLINE = read_moment("2026-12-01 11:59:59 UTC")
HOUR = 3600.0

FILE = """\
name: cup
title: The NLI Cup
summary: Who reads best?
contact: cup@example.org
pages:
  about: about.md
  rules: Play fair.
terms: terms.md
tracks:
  english:
    title: English
    task: nli
    language: en
    data: {practice: dev, final: test}
  chinese:
    title: Chinese
    task: nli
    language: zh
    data: {final: test-zh}
phases:
  practice:
    title: Practice
    opens: 2026-09-01 00:00 UTC
    closes: 2026-10-31 23:59 AoE
    submissions: 20
    scores: own
  final:
    title: Final
    opens: 2026-11-10 00:00 UTC
    closes: 2026-11-30 23:59 AoE
    late_hours: 12
    submissions: 3
    hours: 24
    final: true
    scores: {everybody: 2026-12-15 12:00 UTC}
files:
  training:
    title: Training data
    file: train.txt
    from: 2026-09-02 00:00 UTC
runs: 4
final_runs: 2
"""


def answers(items: list[dict[str, Any]], *, right: int | None = None, key: str = "uid") -> bytes:
    """A file that answers items, the first `right` of them rightly and the others wrongly."""
    most = len(items) if right is None else right
    lines = []
    for n, item in enumerate(items):
        label = item["label"]
        wrong = LABELS[(LABELS.index(label) + 1) % len(LABELS)]
        lines.append({key: item["uid"], "label": label if n < most else wrong})
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


DEV = records(4)
TEST = records(6, start=100)
TEST_ZH = records(6, start=200)


class Cup:
    """A challenge in a home, with its data; the final data sets are hidden."""

    def __init__(self, home: EvaluationHome, folder: Path, *, text: str = FILE) -> None:
        self.home = home
        self.folder = folder / "cup"
        self.folder.mkdir()
        (self.folder / "about.md").write_text("# About\n\nIt is about *reading*.\n")
        (self.folder / "terms.md").write_text("Use the data for research only.\n")
        (self.folder / "train.txt").write_text("training\n")
        self.bench = Bench(home, folder)
        self.bench.dataset("dev", DEV, access="standard")
        self.bench.dataset("test", TEST, access="hidden")
        self.bench.dataset("test-zh", TEST_ZH, access="hidden")
        self.add(text)

    @property
    def row(self) -> StoredChallenge:
        """The challenge as it is stored."""
        return self.home.store.read_now(lambda c: find_challenge(c, "cup"))

    def add(self, text: str) -> Any:
        """Add the challenge file with this text."""
        file = self.folder / "challenge.yaml"
        file.write_text(text, encoding="utf-8")
        return add_challenge(self.home, file, by=COMMAND, now=PRACTICE)

    def team(self, name: str = "Otters", *, accepts: bool = True, **given: Any) -> ChallengeTeam:
        """A team that the organisers added, and that accepted the terms."""
        digest = terms_digest(stored_definition(self.row).terms)

        def join(connection: Any) -> ChallengeTeam:
            made = add_team(connection, self.row, team=name, by=COMMAND, now=PRACTICE, **given)
            if accepts:
                accept_terms(connection, self.row, made, digest=digest, now=PRACTICE)
            return find_team(connection, self.row, made.id)

        return self.home.store.write_now(join)

    def submit(
        self,
        team: ChallengeTeam,
        content: bytes | Path | None = None,
        *,
        track: str = "english",
        run: int | None = None,
        name: str = "answers.jsonl",
        now: float = FINAL,
    ) -> Entry:
        """Hand in a file; all right answers to the test data of the track unless told otherwise."""
        if content is None:
            content = answers(TEST if track == "english" else TEST_ZH)
        return submit_file(
            self.home, self.row, team, track=track, run=run, content=content, name=name, now=now
        )

    def entries(
        self,
        team: ChallengeTeam | None = None,
        *,
        now: float = FINAL,
        audience: Audience = "organisers",
    ) -> list[Entry]:
        """What was handed in."""
        return self.home.store.read_now(
            lambda c: list_entries(c, self.row, team=team, now=now, audience=audience)
        )

    def scores(self, entry: Entry) -> Mapping[str, float | None]:
        """The scores of an entry as the organisers see them, once everything is worked through."""
        self.bench.work()
        return next(each.scores for each in self.entries() if each.key == entry.key)


def at_once(*works: Callable[[], Any]) -> list[str]:
    """What becomes of works that begin together: "entry", or the name of the error."""
    said: list[str] = []
    start = threading.Barrier(len(works))

    def through(work: Callable[[], Any]) -> None:
        start.wait()
        try:
            work()
            said.append("entry")
        except InputError as error:
            said.append(type(error).__name__)
        except AccessError as error:
            said.append(type(error).__name__)

    threads = [threading.Thread(target=through, args=[work]) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return said
