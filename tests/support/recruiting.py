"""A study that is recruited for at a stand-in of Prolific, with a deployment in this process."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from palaver.core.audit import Actor
from palaver.core.clock import WallClock
from palaver.core.recruiting.recruitments import Recruitment
from palaver.core.studies.outcomes import OUTCOMES
from palaver.crowds.links import Visitor
from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.storage import Store
from palaver.storage.people.participants import Assignment, get_assignment
from palaver.studies.file.definition import Study
from palaver.studies.file.reader import load_study
from palaver.studies.recruiting.places import recruit
from palaver.studies.run import participation
from palaver.studies.run.arrival import begin
from palaver.studies.run.deployment import Deployment, RunningStudy
from support.databases import new_sqlite
from support.prolific import serve_stand_in

ADA = Actor(name="ada", via="desk")
BASE = "https://lab.example"
# A study without them is given them when it is offered: see test_codes.
CODES = {outcome: f"C0DE-{outcome.upper()}" for outcome in OUTCOMES}
TERMS: dict[str, Any] = {
    "title": "Talk with a bird",
    "name": "birds",
    "minutes": 10,
    "consent": {"version": "1", "text": "You talk with a program."},
    "pay": {"amount": 2.0, "currency": "GBP", "waiting_per_minute": 0.1, "budget": 200},
    "crowd": {"kind": "prolific", "codes": CODES},
    "recruit": {"description": "You talk with a program for ten minutes.", "most_places": 40},
    "systems": {"tern": {"kind": "scripted", "lines": ["Hello", "Good bye"]}},
    "stages": [
        {
            "chat": {
                "turns": {"exactly": 4},
                "conditions": [{"systems": ["tern"], "needed": 10}],
            }
        }
    ],
}


def write_study(folder: Path, **given: Any) -> Study:
    """A study file in a folder, with some keys otherwise; the study that it says."""
    folder.mkdir(parents=True, exist_ok=True)
    told = {**TERMS, **given}
    with (folder / "study.yaml").open("w", encoding="utf-8") as file:
        YAML().dump({key: value for key, value in told.items() if value is not None}, file)
    return load_study(folder)


@contextmanager
def prolific_in_reach(monkeypatch: pytest.MonkeyPatch, **given: Any) -> Iterator[StandIn]:
    """A stand-in that this process takes for Prolific, with its token in the environment."""
    with serve_stand_in(clock=WallClock(), **given) as stand_in:
        monkeypatch.setenv("PALAVER_PROLIFIC_TOKEN", stand_in.token)
        monkeypatch.setenv("PALAVER_PROLIFIC_URL", stand_in.base)
        yield stand_in


@dataclass
class Recruiting:
    """A deployment with one study, and the stand-in at which it recruits."""

    deployment: Deployment
    stand_in: StandIn

    @property
    def study(self) -> RunningStudy:
        """The study as it is served now."""
        (running,) = self.deployment.studies.values()
        return running

    async def published(self, **given: Any) -> Recruitment:
        """A recruitment that people can take part in."""
        made = await recruit.create(self.deployment, self.study.name, base=BASE, actor=ADA, **given)
        return await recruit.publish(self.deployment, made, actor=ADA)

    async def come(self, recruitment: Recruitment, n: int = 1) -> list[Assignment]:
        """People who take a place over there and begin here."""
        assert recruitment.panel_id is not None
        there = self.stand_in.arrive(n, study=recruitment.panel_id)
        return [
            await self.begin(each.participant, each.id, panel_study=recruitment.panel_id)
            for each in there
        ]

    async def begin(self, person: str, piece: str, *, panel_study: str = "") -> Assignment:
        """Somebody who opens the study with the panel's parameters."""
        visitor = Visitor(person, piece, panel_study=panel_study)
        now = self.deployment.clock.now()
        entered = await self.deployment.store.write(
            lambda c: begin(c, self.study, visitor, now=now)
        )
        return entered.assignment  # type: ignore[union-attr]

    async def end(self, visit: Assignment, reason: str = "complete") -> Assignment:
        """The visit as it stands once it has ended for a reason."""
        now, definition = self.deployment.clock.now(), self.study.definition
        await self.deployment.store.write(
            lambda c: participation.end(c, definition, visit, reason=reason, now=now)
        )
        return await self.deployment.store.read(lambda c: get_assignment(c, visit.key))

    async def finish(self, visit: Assignment, reason: str = "complete") -> Assignment:
        """Somebody who ends here and goes back with the code that they got."""
        ended = await self.end(visit, reason)
        assert ended.code
        assert ended.external_id
        self.stand_in.complete(ended.external_id, ended.code)
        return ended


@asynccontextmanager
async def recruiting(
    folder: Path, stand_in: StandIn, *, database_url: str | None = None, **given: Any
) -> AsyncIterator[Recruiting]:
    """A deployment that serves one study, in this process and without web pages."""
    write_study(folder, **given)
    async with deployed(folder, folder, stand_in, database_url=database_url) as found:
        yield found


@asynccontextmanager
async def deployed(
    folder: Path, home: Path, stand_in: StandIn, *, database_url: str | None = None
) -> AsyncIterator[Recruiting]:
    """A deployment of the study in a folder, with its state in a home."""
    store = Store(database_url or new_sqlite(home / "palaver.db"))
    deployment = Deployment(store, [load_study(folder)], folder=home)
    try:
        await deployment.start()
        yield Recruiting(deployment, stand_in)
    finally:
        await deployment.stop()
        store.close()
