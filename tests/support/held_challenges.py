"""A challenge that is held in a home: two tracks of nli, two phases, teams that hand in runs."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from palaver.core.audit import COMMAND
from palaver.core.clock import VirtualClock
from palaver.core.deadlines import written_moment
from palaver.core.evaluation.challenge_entries import ChallengeTeam, Entry
from palaver.core.evaluation.challenges import StoredChallenge
from palaver.core.evaluation.tasks import terms_digest
from palaver.evaluation.challenges import entries, teams
from palaver.evaluation.challenges.definition import stored_definition
from palaver.evaluation.challenges.stored import add_challenge, find_challenge, set_challenge
from palaver.evaluation.home import EvaluationHome
from support.desks import Desk, open_desk
from support.endpoints import LABELS
from support.public_boards import home_folder
from support.runs import Bench, records
from support.seeding import NOW

DAY = 86_400.0
TERMS = "Use the data for *this challenge* alone."
ITEMS = 24
# When the practice phase closes, the test phase closes, and who sees its scores from when.
PRACTICE_ENDS = NOW + 5 * DAY
TEST_ENDS = NOW + 10 * DAY
OWN_FROM = NOW + 12 * DAY
EVERYBODY_FROM = NOW + 20 * DAY


def definition(name: str = "owl-cup", **changes: Any) -> dict[str, Any]:
    """The challenge file: practice with scores for everybody, a test in two halves by dates."""
    return {
        "name": name,
        "title": "The Owl Cup",
        "summary": "Entailment in two languages.",
        "contact": "chairs@owls.example",
        "pages": {
            "about": "# Why\n\nBecause *owls*.\n\n<script>alert(1)</script>",
            "rules": "One account per team.",
            "citation": "```\n@misc{owl}\n```",
        },
        "terms": TERMS,
        "registration": {"closes": _at(TEST_ENDS)},
        "tracks": {
            "english": {
                "title": "English",
                "task": "nli",
                "language": "en",
                "data": {"practice": "practice-en", "test": "test-en"},
            },
            "french": {
                "title": "French",
                "task": "nli",
                "language": "fr",
                "data": {"test": "test-fr"},
            },
        },
        "phases": {
            "practice": {
                "title": "Practice",
                "opens": _at(NOW - 10 * DAY),
                "closes": _at(PRACTICE_ENDS),
                "submissions": 5,
                "scores": "everybody",
            },
            "test": {
                "title": "Test",
                "opens": _at(PRACTICE_ENDS + 1),
                "closes": _at(TEST_ENDS),
                "late_hours": 24.0,
                "submissions": 3,
                "scores": {"own": _at(OWN_FROM), "everybody": _at(EVERYBODY_FROM)},
                "halves": {"public": 0.5, "final": "private"},
                "final": True,
            },
        },
        "files": {"training": {"title": "Training data", "file": "train.jsonl"}},
        "runs": 4,
        "final_runs": 2,
        **changes,
    }


def asking_tracks() -> dict[str, Any]:
    """Tracks that take endpoints: one whose data are there, one that people judge later, files."""
    return {
        "english": {
            "title": "English",
            "task": "nli",
            "language": "en",
            "takes": "both",
            "data": {"practice": "practice-en", "test": "test-en"},
        },
        "advice": {
            "title": "Advice",
            "task": "advice",
            "language": "en",
            "takes": "endpoints",
            "data": {"practice": "situations-1", "test": "situations-2"},
            "judged": {"practice": "round-1", "test": "round-2"},
        },
    }


def _at(moment: float) -> str:
    return written_moment(moment).replace(" UTC", "Z")


def answers(name: str, *, wrong: Sequence[int] = (), items: int = ITEMS) -> bytes:
    """Predictions for a data set of the challenge; those at the places in `wrong` are wrong."""
    lines = []
    for n, each in enumerate(items_of(name, items)):
        right = LABELS.index(each["label"])
        label = LABELS[(right + 1) % 3] if n in wrong else LABELS[right]
        lines.append(json.dumps({"uid": each["uid"], "label": label}))
    return ("\n".join(lines) + "\n").encode()


def items_of(name: str, items: int = ITEMS) -> list[dict[str, Any]]:
    """The items of a data set, with gold."""
    return [{**each, "uid": f"{name}-{each['uid']}"} for each in records(items)]


@dataclass
class HeldChallenge:
    """A challenge with a desk before it; `client` is a browser."""

    desk: Desk
    folder: Path
    name: str = "owl-cup"
    tokens: dict[str, str] = field(default_factory=dict)

    @property
    def home(self) -> EvaluationHome:
        return self.desk.deployment.evaluation

    @property
    def client(self) -> Any:
        return self.desk.client

    @property
    def now(self) -> float:
        return self.desk.deployment.clock.now()

    @property
    def row(self) -> StoredChallenge:
        return self.home.store.read_now(lambda c: find_challenge(c, self.name))

    def at(self, moment: float) -> None:
        """Let it be this time."""
        self.desk.deployment.clock = VirtualClock(moment)

    def public(self, public: bool = True) -> None:
        self.home.store.write_now(
            lambda c: set_challenge(c, self.row, public=public, by=COMMAND, now=self.now)
        )

    def team(self, name: str, *, approve: bool = True, accept: bool = True, **told: Any) -> str:
        """A team that registered; its token."""

        def register(connection: Any) -> str:
            contact = f"{re.sub('[^a-z]+', '.', name.lower())}@team.example"
            made = teams.register_team(
                connection, self.row, team=name, contact=contact, now=self.now, **told
            )
            if approve:
                teams.approve_team(connection, self.row, made.id, by=COMMAND, now=self.now)
            if accept:
                digest = terms_digest(stored_definition(self.row).terms)
                teams.accept_terms(connection, self.row, made, digest=digest, now=self.now)
            return made.token

        self.tokens[name] = self.home.store.write_now(register)
        return self.tokens[name]

    def found(self, team: str) -> ChallengeTeam:
        return self.home.store.read_now(lambda c: teams.find_team(c, self.row, team))

    def hand_in(
        self, team: str, track: str, wrong: Sequence[int] = (), *, run: int | None = None
    ) -> Entry:
        """A run of a team, which is scored at once."""
        phase = next(p for p in stored_definition(self.row).phases if p.takes(self.now))
        dataset = f"{phase.name}-{track[:2]}"
        return entries.submit_file(
            self.home,
            self.row,
            self.found(team),
            track=track,
            run=run,
            content=answers(dataset, wrong=wrong),
            name="answers.jsonl",
            now=self.now,
        )

    # --- a browser --------------------------------------------------------------------------------

    @property
    def url(self) -> str:
        return f"/challenges/{self.name}"

    def get(self, path: str = "") -> Any:
        return self.client.get(self.url + path, follow_redirects=False)

    def csrf(self, path: str = "/submit") -> str:
        found = re.search(r'name="csrf" value="([0-9a-f]+)"', self.get(path).text)
        assert found is not None, path
        return found.group(1)

    def post(self, path: str, *, on: str = "/submit", **fields: str) -> Any:
        """Send a form of the page `on`."""
        data = {"csrf": self.csrf(on), **fields}
        return self.client.post(self.url + path, data=data, follow_redirects=False)

    def enter(self, team: str) -> None:
        """Give a team's token to the browser."""
        assert self.post("/team", token=self.tokens[team]).status_code == 303

    def send(self, content: bytes, **fields: str) -> Any:
        """Send the form with a file, as a browser does."""
        data = {"csrf": self.csrf(), "act": "submit", "track": "english", "run": "", **fields}
        files = {"file": ("answers.jsonl", content)}
        return self.client.post(
            f"{self.url}/submit", data=data, files=files, follow_redirects=False
        )


@contextmanager
def hold_challenge(folder: Path, *, settings: str = "", **changes: Any) -> Iterator[HeldChallenge]:
    """A public challenge in a new home with these settings, in its practice phase."""
    home = home_folder(folder)
    if settings:
        (home / "palaver.yaml").write_text(settings, encoding="utf-8")
    with open_desk(home, studies=False) as desk:
        desk.deployment.folder = home
        held = HeldChallenge(desk, folder)
        bench = Bench(held.home, folder)
        for name in ("practice-en", "test-en", "test-fr"):
            bench.dataset(name, items_of(name), access="hidden")
        (folder / "train.jsonl").write_text('{"uid": "t1"}\n', encoding="utf-8")
        write_challenge(held, folder, **changes)
        held.public()
        yield held


def write_challenge(held: HeldChallenge, folder: Path, **changes: Any) -> None:
    """Write the challenge file and add it."""
    file = folder / "challenge.yaml"
    file.write_text(yaml.safe_dump(definition(**changes), sort_keys=False), encoding="utf-8")
    add_challenge(held.home, file, by=COMMAND, now=held.now)
