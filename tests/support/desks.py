"""A desk to sign in to: a served study with people in it, and one account per role."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import CodeType
from typing import Any

from jinja2 import BytecodeCache, Environment
from jinja2.bccache import Bucket
from starlette.testclient import TestClient

from palaver.accounts.passwords import hash_password
from palaver.core.accounts import Role
from palaver.storage import Store
from palaver.storage.people.accounts import create_account, create_token
from palaver.studies.run.deployment import Deployment
from palaver.web import rendering
from palaver.web.app import create_app
from palaver.web.settings import Settings
from support import operations  # noqa: F401
from support.databases import new_sqlite
from support.seeding import NOW, Seeder, deploy, write_study

PASSWORD = "correct horse"
# Tests call faster than any client may.
PATIENT = Settings(requests_per_second=1e6)


class Compiled(BytecodeCache):
    """What templates were compiled to, for every application of this process."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], CodeType | None] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._kept.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._kept[bucket.key, bucket.checksum] = bucket.code


# A server compiles each template once; a test process would for every application that it opens.
rendering.Environment = partial(Environment, bytecode_cache=Compiled())  # type: ignore[assignment,misc]
ACCOUNTS: dict[str, Role] = {"olga": "owner", "ruth": "reviewer", "vera": "viewer"}


@cache
def hashed(password: str) -> str:
    """The hash of a password, made once for all tests."""
    return hash_password(password)


@dataclass
class Desk:
    """A client without cookies yet, and what stands behind it."""

    client: TestClient
    deployment: Deployment
    study: Seeder

    @property
    def store(self) -> Store:
        """The store behind the desk."""
        return self.deployment.store

    def csrf(self, path: str = "/desk/sign-in") -> str:
        """The token of the forms on a page."""
        found = re.search(r'name="csrf" value="([0-9a-f]+)"', self.client.get(path).text)
        assert found is not None, path
        return found.group(1)

    def sign_in(self, name: str, password: str = PASSWORD, **fields: str) -> Any:
        """Send the sign-in form; the response, not followed."""
        data = {"csrf": self.csrf(), "name": name, "password": password, **fields}
        return self.client.post("/desk/sign-in", data=data, follow_redirects=False)

    def post(self, path: str, *, on: str, **fields: str) -> Any:
        """Send a form of the page `on`; the response, not followed."""
        data = {"csrf": self.csrf(on), **fields}
        return self.client.post(path, data=data, follow_redirects=False)

    def token(self, name: str) -> str:
        """A new API token of an account, with all that its role allows."""
        number = list(ACCOUNTS).index(name) + 1
        role = ACCOUNTS[name]
        return self.store.write_now(
            lambda c: create_token(c, account_id=number, name="test", role=role, now=NOW)
        ).secret


@contextmanager
def open_desk(folder: Path, *, studies: bool = True, database: str | None = None) -> Iterator[Desk]:
    """A running application over a new store, on SQLite unless a database is named."""
    store = Store(database or new_sqlite(folder / "palaver.db"))
    served = write_study(folder / "studies", "pilot-2") if studies else None
    deployment = deploy(store, served)
    # What a study or the evaluation server writes belongs there, and not where the tests are run from.
    deployment.folder = folder
    for name, role in ACCOUNTS.items():
        store.write_now(
            lambda c, name=name, role=role: create_account(
                c, name=name, role=role, password_hash=hashed(PASSWORD), one_time=False, now=NOW
            )
        )
    try:
        with TestClient(create_app(deployment, PATIENT)) as client:
            study_id = deployment.studies["pilot-2"].id if studies else 0
            yield Desk(client, deployment, Seeder(store, study_id))
    finally:
        store.close()
