"""A study that tells people of what happens, with a deployment whose time a test turns on."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from palaver.core.clock import Clock, VirtualClock
from palaver.storage import Store
from palaver.storage.outbox.notices import list_notices
from palaver.studies.notices.notice_watch import NoticeWatch
from palaver.studies.run.deployment import Deployment, RunningStudy
from support.recruiting import write_study
from support.seeding import NOW, Seeder

BASE = "https://lab.example"
SECRET = "a-secret-of-this-test"
HOUR = 3600.0


@dataclass
class Noticing:
    """A deployment with one study and the watch that tells of it."""

    deployment: Deployment
    clock: VirtualClock
    watch: NoticeWatch

    @property
    def store(self) -> Store:
        return self.deployment.store

    @property
    def study(self) -> RunningStudy:
        (running,) = self.deployment.studies.values()
        return running

    @property
    def seeder(self) -> Seeder:
        return Seeder(self.store, self.study.id, now=self.clock.now())

    def told(self) -> list[tuple[str, str, str]]:
        """Every notice: what it is about, how it goes, and its state; oldest first."""
        found = self.store.read_now(lambda c: list_notices(c, self.study.id)).notices
        return [(each.event, each.channel, each.state) for each in reversed(found)]

    def words(self) -> list[str]:
        """What the notices say, oldest first."""
        found = self.store.read_now(lambda c: list_notices(c, self.study.id)).notices
        return [each.words for each in reversed(found)]


@asynccontextmanager
async def noticing(
    store: Store, folder: Path, *, clock: Clock | None = None, **given: Any
) -> AsyncIterator[Noticing]:
    """A deployment that serves one study, and a watch that looks when the test says so."""
    told = {"notify": {"mail": ["ada@example.org"]}, "recruit": None, "crowd": None, **given}
    study = write_study(folder / "study", **told)
    (folder / "palaver.yaml").write_text("private_endpoints: true\n", encoding="utf-8")
    turned = VirtualClock(NOW)
    deployment = Deployment(store, [study], clock=clock or turned, folder=folder)
    await deployment.start()
    try:
        yield Noticing(deployment, turned, NoticeWatch(deployment, base=BASE))
    finally:
        await deployment.stop()
