"""A desk with a study that recruits at a stand-in of Prolific, and people in every state."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection
from starlette.testclient import TestClient

from palaver.core.money import Money
from palaver.core.recruiting.recruitments import Recruitment
from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.storage import Store
from palaver.storage.people.accounts import create_account
from palaver.studies.file.reader import load_study
from palaver.studies.recruiting import books
from palaver.studies.recruiting.money import orders
from palaver.studies.recruiting.places import recruit
from palaver.studies.recruiting.submissions import news
from palaver.studies.run.deployment import Deployment
from palaver.web.app import create_app
from palaver.web.settings import Settings
from support.databases import new_sqlite
from support.desks import ACCOUNTS, PASSWORD, Desk, hashed
from support.recruiting import ADA, BASE, Recruiting, write_study
from support.seeding import Seeder

T = TypeVar("T")


@dataclass
class RecruitingDesk(Desk):
    """A desk whose study recruits, and what happens over there."""

    recruiting: Recruiting = field(kw_only=True)
    address = "/desk/studies/birds/recruiting"

    def do(self, work: Callable[..., Awaitable[T]], *given: Any) -> T:
        """Do something where the application runs."""
        assert self.client.portal is not None
        return self.client.portal.call(work, *given)

    def published(self) -> Recruitment:
        """A recruitment that people can take part in."""
        return self.do(self.recruiting.published)

    def read(self, recruitment: Recruitment) -> Recruitment:
        """The recruitment after the panel's list was read."""

        async def work() -> Recruitment:
            await news.read_all(self.deployment, recruitment)
            return await recruit.find(self.deployment, recruitment.key)

        return self.do(work)

    def finished(self, recruitment: Recruitment, n: int) -> list[str]:
        """People who did all steps and went back: their submissions."""

        async def work() -> list[str]:
            there = await self.recruiting.come(recruitment, n)
            done = [await self.recruiting.finish(each) for each in there]
            return [each.external_id or "" for each in done]

        found = self.do(work)
        self.read(recruitment)
        return found

    def page(self, path: str = "") -> str:
        """The text of a page below the study's recruiting."""
        return str(self.client.get(self.address + path).text)

    def send(self, path: str, **fields: Any) -> Any:
        """Send a form below the study's recruiting; the response, not followed."""
        data = {"csrf": self.csrf(self.address), **fields}
        return self.client.post(self.address + path, data=data, follow_redirects=False)


@contextmanager
def open_recruiting_desk(folder: Path, stand_in: StandIn, **terms: Any) -> Iterator[RecruitingDesk]:
    """A running application with one account per role."""
    study = write_study(folder / "birds", **terms)
    store = Store(new_sqlite(folder / "palaver.db"))
    add_accounts(store)
    deployment = Deployment(store, [study], folder=folder)
    settings = Settings(requests_per_second=1e6, public_url=BASE)
    try:
        with TestClient(create_app(deployment, settings), base_url=BASE) as client:
            yield RecruitingDesk(
                client,
                deployment,
                Seeder(store, deployment.studies["birds"].id),
                recruiting=Recruiting(deployment, stand_in),
            )
    finally:
        store.close()


def add_accounts(store: Store) -> None:
    """An owner, a reviewer and a viewer."""
    for name, role in ACCOUNTS.items():
        store.write_now(
            lambda c, name=name, role=role: create_account(  # type: ignore[misc]
                c, name=name, role=role, password_hash=hashed(PASSWORD), one_time=False, now=0.0
            )
        )


async def fill(home: Recruiting, *, people: int = 60) -> Recruitment:
    """A recruitment with people in every state, what is due, and an order of which no answer came."""
    deployment, stand_in = home.deployment, home.stand_in
    recruitment = await home.published(places=people + 10)
    visits = await home.come(recruitment, people)
    for number, visit in enumerate(visits):
        piece = visit.external_id or ""
        if number % 10 < 6:
            await home.finish(visit)
        elif number % 10 == 6:
            stand_in.return_(piece)
        elif number % 10 == 7:
            await home.end(visit)
            stand_in.complete(piece, "=WRONG<script>"[:14])
        elif number % 10 == 8:
            await home.finish(visit, "quit")
    # They took 8 to 16 minutes, where 10 were promised.
    for number, known in enumerate(stand_in.submissions):
        if known.completed is not None:
            known.started = known.completed - (8 + number % 9) * 60
    await news.read_all(deployment, recruitment)
    done = [v.external_id or "" for n, v in enumerate(visits) if n % 10 < 2]

    def intend(c: Connection) -> None:
        orders.intend_by_hand(
            c,
            recruitment,
            {piece: Money(50, "GBP") for piece in done},
            words="for great talks",
            subject="talks",
            actor=ADA,
            now=deployment.clock.now(),
        )

    await deployment.store.write(intend)
    known = (await deployment.store.read(lambda c: books.read_payments(c, recruitment))).payments
    for part, breaks in ((known[:3], True), (known[3:6], False)):
        ids = [each.id for each in part]
        (order,) = await deployment.store.write(
            lambda c, ids=ids: orders.make_orders(  # type: ignore[misc]
                c, recruitment, ids, actor=ADA, now=deployment.clock.now()
            )
        )
        ready = await orders.set_up(deployment, order, actor=ADA)
        if breaks:
            stand_in.switches.break_next(on="/pay", how="drop", when="after")
        await orders.pay(deployment, ready, actor=ADA)
    return await recruit.find(deployment, recruitment.key)


def meanwhile(folder: Path, stand_in: StandIn, work: Callable[[Recruiting], Awaitable[T]]) -> T:
    """What happens while the study is served for a moment."""

    async def serve() -> T:
        store = Store(new_sqlite(folder / "birds" / "palaver.db"))
        deployment = Deployment(store, [load_study(folder / "birds")], folder=folder / "birds")
        await deployment.start()
        try:
            return await work(Recruiting(deployment, stand_in))
        finally:
            await deployment.stop()
            store.close()

    return asyncio.run(serve())
