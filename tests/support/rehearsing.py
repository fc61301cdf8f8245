"""Somebody who signs in at the desk of a served house and rehearses its studies."""

import re
from typing import Any

from sqlalchemy import inspect, text

from palaver.core.accounts import Role
from palaver.storage import Store
from palaver.storage.people.accounts import create_account
from support.desks import PASSWORD, hashed
from support.houses import House
from support.participants import Participant
from support.seeding import NOW

# What the server writes by itself, whoever does what: signatures of what is stored.
BY_ITSELF = frozenset({"checkpoints"})


class Rehearser(Participant):
    """A researcher with a browser, who sees what a participant sees."""

    async def __aenter__(self) -> "Rehearser":
        return self

    @classmethod
    def at(cls, house: House, name: str = "ruth") -> "Rehearser":
        """Somebody with an account at the desk of a house."""
        cls.account(house, name)
        rehearser = cls(f"{house.server.base}/desk/sign-in")
        rehearser.name = name
        return rehearser

    @staticmethod
    def account(house: House, name: str, *, role: Role = "reviewer") -> None:
        """Make an account, if there is none of this name."""
        if house.rows("SELECT id FROM accounts WHERE name = :name", name=name):
            return
        house.store.write_now(
            lambda c: create_account(
                c,
                name=name,
                role=role,
                password_hash=hashed(PASSWORD),
                one_time=False,
                now=NOW,
            )
        )

    name: str

    async def sign_in(self) -> None:
        """Sign in at the desk."""
        await self.open(self.link)
        await self.post("/desk/sign-in", name=self.name, password=PASSWORD)

    async def post(self, path: str, **form: str) -> None:
        """Send a form of this page to an address of the server."""
        data = {"csrf": self.hidden().get("csrf", ""), **form}
        async with self.session.post(f"{self.base}{path}", data=data) as response:
            await self._arrive(response)

    async def rehearse(self, study: str) -> None:
        """Begin a rehearsal of a study from its page at the desk."""
        await self.open(f"{self.base}/desk/studies/{study}/rehearsal")
        await self.post(f"/desk/studies/{study}/rehearsal")

    async def second_seat(self) -> "Rehearser":
        """The same browser's other tab, in which one is one more person."""
        tab = Rehearser(self.link)
        await tab.session.close()
        tab.session, tab.page, tab.url = self.session, self.page, self.url
        await tab.send("rehearsal/seat")
        return tab

    def steps(self) -> list[str]:
        """The steps that the bar on top offers."""
        return re.findall(r'name="step" value="[^"]*">([^<]*)<', self.page)


def contents(store: Store) -> dict[str, list[Any]]:
    """Every row of every table, but for what the server signs by itself."""

    def read(connection: Any) -> dict[str, list[Any]]:
        names = set(inspect(connection).get_table_names()) - BY_ITSELF
        return {
            name: sorted(map(repr, connection.execute(text(f'SELECT * FROM "{name}"'))))
            for name in names
        }

    return store.read_now(read)
