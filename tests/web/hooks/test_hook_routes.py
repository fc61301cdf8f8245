"""The address that hooks call: what is signed is kept once, and nothing else is kept or told."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from palaver.crowds.secrets import PROLIFIC_HOOK
from palaver.storage import Store
from palaver.storage.recruiting.deliveries import Delivery, waiting_deliveries
from palaver.studies.run.deployment import Deployment
from palaver.web.app import create_app
from support.databases import new_sqlite
from support.desks import PATIENT
from support.recruiting import write_study

SECRET = "whsec-1"


class Hooks:
    """A server that is told of events."""

    def __init__(self, client: TestClient, store: Store) -> None:
        self.client = client
        self.store = store

    def tell(
        self,
        status: str = "AWAITING REVIEW",
        *,
        name: str = "e1",
        secret: str = SECRET,
        sent: float | None = None,
        body: bytes | None = None,
    ) -> int:
        """Call the address as the panel would; the status of the answer."""
        told = {
            "event_type": "submission.status.change",
            "resource_id": "5f0000000000000000000001",
            "participant_id": "5f0000000000000000000002",
            "status": status,
        }
        raw = json.dumps(told).encode() if body is None else body
        moment = str(int(time.time() if sent is None else sent))
        digest = hmac.new(secret.encode(), moment.encode() + raw, hashlib.sha256).digest()
        headers = {
            "X-Prolific-Request-Signature": base64.b64encode(digest).decode(),
            "X-Prolific-Request-Timestamp": moment,
            "X-Event-ID": name,
            "X-Timestamp": "1800000000.5",
        }
        return self.client.post("/hooks/prolific", content=raw, headers=headers).status_code

    def kept(self) -> list[Delivery]:
        """What was kept and not applied yet."""
        return self.store.read_now(waiting_deliveries)


@pytest.fixture
def hooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hooks]:
    monkeypatch.setenv(PROLIFIC_HOOK, SECRET)
    store = Store(new_sqlite(tmp_path / "palaver.db"))
    deployment = Deployment(store, [write_study(tmp_path)], folder=tmp_path)
    with TestClient(create_app(deployment, PATIENT)) as client:
        yield Hooks(client, store)
    store.close()


def test_what_is_signed_is_kept_once(hooks: Hooks) -> None:
    assert [hooks.tell(), hooks.tell(), hooks.tell(name="e2")] == [204, 204, 204]
    first, _ = hooks.kept()
    assert (first.status, first.time) == ("awaiting_review", 1_800_000_000.5)


def test_a_bad_signature_keeps_nothing_and_learns_nothing(hooks: Hooks) -> None:
    assert hooks.tell(secret="guessed") == 403
    answer = hooks.client.post("/hooks/prolific", content=b"{}")
    assert (answer.status_code, answer.text) == (403, "Nothing was kept.")
    assert hooks.kept() == []


def test_a_copy_of_an_old_request_is_refused(hooks: Hooks) -> None:
    assert hooks.tell(sent=time.time() - 3600) == 403
    assert hooks.tell(sent=time.time() + 3600) == 403
    assert hooks.kept() == []


def test_json_that_was_written_anew_does_not_match(hooks: Hooks) -> None:
    raw = b'{"event_type":"submission.status.change","resource_id":"5f01","status":"ACTIVE"}'
    moment = str(int(time.time()))
    digest = hmac.new(SECRET.encode(), moment.encode() + raw, hashlib.sha256).digest()
    answer = hooks.client.post(
        "/hooks/prolific",
        content=json.dumps(json.loads(raw)).encode(),
        headers={
            "X-Prolific-Request-Signature": base64.b64encode(digest).decode(),
            "X-Prolific-Request-Timestamp": moment,
            "X-Event-ID": "e1",
        },
    )
    assert answer.status_code == 403
    assert hooks.kept() == []


def test_a_signed_body_that_says_nothing_is_refused(hooks: Hooks) -> None:
    for body in (b"", b"[]", b"not json", b"[" * 5000, b'{"event_type": {}}'):
        assert hooks.tell(body=body) == 422, body[:20]
    assert hooks.kept() == []


def test_a_body_that_is_too_large_is_refused(hooks: Hooks) -> None:
    assert hooks.tell(body=b"x" * 200_000) == 413


def test_without_a_secret_nothing_is_accepted(
    hooks: Hooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(PROLIFIC_HOOK)
    monkeypatch.setenv("PALAVER_SECRETS", "/nonexistent/secrets")
    assert hooks.tell(secret="") == 403
    assert hooks.tell() == 403


def test_only_a_post_is_understood(hooks: Hooks) -> None:
    assert hooks.client.get("/hooks/prolific").status_code == 405
    assert hooks.client.post("/hooks/other", content=b"{}").status_code == 404
