"""Every operation of the API and every method of the client is described, and nothing else is."""

import re
from pathlib import Path

from palaver.client import Client
from palaver.core.clock import VirtualClock
from palaver.storage import Store
from palaver.studies.run.deployment import Deployment
from palaver.web.api.routes import create_api

from .reading import CODE, page

OPERATION = re.compile(r"^\| `(GET|POST|PUT|PATCH|DELETE) (/[^`]*)` \|", re.MULTILINE)


def test_every_operation_is_described(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'palaver.db'}")
    try:
        document = create_api(Deployment(store, [], clock=VirtualClock(0.0))).openapi()
    finally:
        store.close()
    known = {
        (method.upper(), path) for path, methods in document["paths"].items() for method in methods
    }
    assert set(OPERATION.findall(page("api.md"))) == known


def test_every_method_of_the_client_is_described() -> None:
    methods = {name for name in dir(Client) if not name.startswith("_")}
    cells = [line.split("|")[1] for line in page("client.md").splitlines() if line[:3] == "| `"]
    described = {found.partition("(")[0] for cell in cells for found in CODE.findall(cell)}
    assert described == methods
