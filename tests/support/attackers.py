"""Somebody with a browser's cookies and no manners: requests as they are written, nothing followed."""

import http.client
import http.cookiejar
import itertools
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from palaver.core.accounts import Role
from palaver.storage import Store
from palaver.storage.people.accounts import create_account
from support.desks import PASSWORD, hashed
from support.seeding import NOW, write_study
from support.serving import Server, start_server

ACCOUNTS: dict[str, Role] = {"olga": "owner", "vera": "viewer", "mia": "member"}


@dataclass(frozen=True)
class Got:
    """What came back."""

    status: int
    text: str
    location: str


# Every request comes from another address of this machine, as from somebody with many machines: what
# is limited by address does not hide what is limited by account.
_ADDRESSES = (f"127.{n // 62500 + 1}.{n // 250 % 250}.{n % 250 + 1}" for n in itertools.count())


class _FromElsewhere(urllib.request.HTTPHandler):
    def http_open(self, request: urllib.request.Request) -> Any:
        """Connect from an address that was not used before."""
        return self.do_open(
            partial(http.client.HTTPConnection, source_address=(next(_ADDRESSES), 0)), request
        )


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Follow nothing."""


class Attacker:
    """A browser whose cookies can be taken, and that says of itself what it likes."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.jar = http.cookiejar.CookieJar()
        cookies = urllib.request.HTTPCookieProcessor(self.jar)
        self._opener = urllib.request.build_opener(cookies, _Stay(), _FromElsewhere())

    def get(self, path: str, **headers: str) -> Got:
        """Ask for a page; `sec_fetch_site` is the header Sec-Fetch-Site."""
        return self._send(path, None, headers)

    def post(self, path: str, form: dict[str, str], **headers: str) -> Got:
        """Send a form."""
        return self._send(path, urllib.parse.urlencode(form).encode(), headers)

    def csrf(self, page: str = "/desk/sign-in") -> str:
        """The token of the forms of a page."""
        found = re.search(r'name="csrf" value="([0-9a-f]+)"', self.get(page).text)
        assert found is not None, page
        return found[1]

    def sign_in(self, name: str, password: str = PASSWORD, **headers: str) -> Got:
        """Send the form to sign in."""
        form = {"csrf": self.csrf(), "name": name, "password": password}
        return self.post("/desk/sign-in", form, **headers)

    def steal(self) -> "Attacker":
        """Another browser with the same cookies."""
        thief = Attacker(self.base)
        for cookie in self.jar:
            thief.jar.set_cookie(cookie)
        return thief

    def is_in(self) -> bool:
        """Whether the desk opens."""
        return self.get("/desk/settings").status == 200

    def _send(self, path: str, body: bytes | None, headers: dict[str, str]) -> Got:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(f"{self.base}{path}", data=body, headers=named)
        try:
            with self._opener.open(request, timeout=60) as response:
                content = response.read()
        except urllib.error.HTTPError as error:
            response, content = error, error.read()
        text = content.decode("utf-8", errors="replace")
        return Got(response.status, text, response.headers.get("location", ""))


@contextmanager
def served_accounts(folder: Path, **environment: str) -> Iterator[Server]:
    """A real server with one study and an owner, a viewer and a member who know their passwords."""
    home = folder / "home"
    home.mkdir()
    store = Store(f"sqlite:///{home / 'palaver.db'}")
    for name, role in ACCOUNTS.items():
        store.write_now(
            lambda c, name=name, role=role: create_account(
                c, name=name, role=role, password_hash=hashed(PASSWORD), one_time=False, now=NOW
            )
        )
    store.close()
    study = write_study(folder / "studies", "pilot-2")
    server = start_server(study, home=home, environment=environment)
    try:
        yield server
    finally:
        server.stop()
