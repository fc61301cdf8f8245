"""A study is paused, changed and looked at by the client."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.client import Client, ClientError
from palaver.storage import Store
from palaver.storage.people.accounts import create_account, create_token
from palaver.web.app import create_app
from support.databases import new_sqlite
from support.desks import PASSWORD, PATIENT, hashed
from support.judging import running
from support.seeding import NOW, deploy, write_study


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    store = Store(new_sqlite(tmp_path / "palaver.db"))
    account = store.write_now(
        lambda c: create_account(
            c, name="olga", role="owner", password_hash=hashed(PASSWORD), one_time=False, now=NOW
        )
    )
    token = store.write_now(
        lambda c: create_token(c, account_id=account.id, name="t", role="owner", now=NOW)
    ).secret
    deployment = deploy(store, write_study(tmp_path / "studies", "pilot-2"))
    with running(create_app(deployment, PATIENT)) as base:
        yield Client(base, token)
    store.close()


def test_a_study_is_paused_and_changed(client: Client) -> None:
    assert client.study_state("pilot-2").takes_people
    paused = client.move_study("pilot-2", "pause", reason="budget")
    assert (paused.state, paused.reason, paused.via) == ("paused", "budget", "api")
    with pytest.raises(ClientError, match="Only a closed study"):
        client.move_study("pilot-2", "reopen")
    client.move_study("pilot-2", "resume")
    assert [each.state for each in client.study_states("pilot-2")] == ["paused", "open"]

    text = client.study_version("pilot-2", 1).definition
    made = client.change_study(
        "pilot-2", text.replace("needed: 60", "needed: 70"), note="n", base=1
    )
    assert (made.number, made.account, made.note) == (2, "olga", "n")
    places = [{"stage": 0, "condition": "terse|chatty", "needed": 80}]
    edited = client.edit_study(
        "pilot-2", places=places, dates={"closes": "2099-01-01 10:00"}, base=2
    )
    assert edited.number == 3
    assert [each.number for each in client.study_versions("pilot-2")] == [1, 2, 3]
    assert (
        "stages › 1 › chat › conditions › 1 › needed: 60 → 80"
        in client.study_diff("pilot-2", 1, 3).words
    )
    with pytest.raises(ClientError, match="made of version 1"):
        client.change_study("pilot-2", text, base=1)
