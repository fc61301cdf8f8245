"""Notices by hook: signed, tried again, sent to nobody inside, and not lost."""

import asyncio
import base64
import hashlib
import hmac
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.core.clock import WallClock
from palaver.core.outbox import SendingAnswer, Sendings
from palaver.mail.server import MailServer
from palaver.storage import Store
from palaver.storage.engine.holders import new_holder
from palaver.storage.outbox.box import take
from palaver.storage.outbox.notices import HOOKS, list_notices
from palaver.studies.notices.beside import notices_beside
from palaver.studies.notices.hook_sender import post_once
from palaver.studies.run.letters import letters_beside
from support.hook_receiver import HookReceiver, hook_receiver
from support.mail_server import smtp_server
from support.noticing import BASE, HOUR, SECRET, Noticing, noticing

pytestmark = pytest.mark.asyncio
DONE = [{"chat": {"turns": {"exactly": 4}, "conditions": [{"systems": ["tern"], "needed": 1}]}}]


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[HookReceiver]:
    monkeypatch.setenv("PALAVER_SECRETS", str(tmp_path / "secrets"))
    monkeypatch.setenv("PALAVER_NOTICES_SECRET", SECRET)
    with hook_receiver() as found:
        yield found


def by_hook(receiver: HookReceiver) -> dict[str, object]:
    return {"notify": {"hook": receiver.url}, "stages": DONE}


async def finished(home: Noticing) -> None:
    """Something to tell."""
    home.seeder.place("g1", condition="tern")
    assert await home.watch.look() == 1


async def test_a_hook_is_signed_and_says_where_to_look(
    store: Store, tmp_path: Path, receiver: HookReceiver
) -> None:
    async with noticing(store, tmp_path, **by_hook(receiver)) as home:
        await finished(home)
        assert await home.watch.sender.send_due() == Sendings(sent=1)
        assert await home.watch.sender.send_due() == Sendings()
        (told,), (headers,), (body,) = receiver.told, receiver.headers, receiver.bodies
        assert told == {
            "id": told["id"],
            "event": "finished",
            "study": "birds",
            "words": "All that was wanted is done: 1 of 1 dialogue done.",
            "time": home.clock.now(),
            "address": f"{BASE}/desk/studies/birds",
        }
        sent = headers["X-Palaver-Timestamp"]
        assert float(sent) == home.clock.now()
        digest = hmac.new(SECRET.encode(), sent.encode() + body, hashlib.sha256).digest()
        assert headers["X-Palaver-Signature"] == base64.b64encode(digest).decode()
        assert home.told() == [("finished", "hook", "sent")]
        # The address may hold a secret of theirs: lists show where it goes, not all of it.
        (notice,) = store.read_now(lambda c: list_notices(c, home.study.id)).notices
        assert notice.recipient == f"127.0.0.1:{receiver.port}"


async def test_what_was_not_taken_is_tried_again_later_and_given_up_in_the_end(
    store: Store, tmp_path: Path, receiver: HookReceiver
) -> None:
    receiver.answer = lambda: 503
    async with noticing(store, tmp_path, **by_hook(receiver)) as home:
        await finished(home)
        assert await home.watch.sender.send_due() == Sendings(postponed=1)
        assert await home.watch.sender.send_due() == Sendings()
        (notice,) = store.read_now(lambda c: list_notices(c, home.study.id)).notices
        assert (notice.state, notice.attempts) == ("waiting", 1)
        assert notice.reason == f"127.0.0.1:{receiver.port} answered with status 503."
        for _ in range(30):
            await home.clock.sleep(3 * HOUR)
            await home.watch.sender.send_due()
        assert home.told() == [("finished", "hook", "failed")]
        assert len(receiver.bodies) == 26
        # The same bytes each time, so that the other side can tell a second one.
        assert len(set(receiver.bodies)) == 1


async def test_a_redirect_is_not_followed_and_gone_means_gone(
    store: Store, tmp_path: Path, receiver: HookReceiver
) -> None:
    receiver.answer = lambda: 307
    async with noticing(store, tmp_path, **by_hook(receiver)) as home:
        await finished(home)
        await home.watch.sender.send_due()
        (notice,) = store.read_now(lambda c: list_notices(c, home.study.id)).notices
        assert notice.reason.endswith("status 307. It leads elsewhere, where nobody follows.")
        receiver.answer = lambda: 410
        await home.clock.sleep(HOUR)
        await home.watch.sender.send_due()
        assert home.told() == [("finished", "hook", "failed")]


async def test_nothing_is_sent_unsigned(
    store: Store, tmp_path: Path, receiver: HookReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PALAVER_NOTICES_SECRET")
    async with noticing(store, tmp_path, **by_hook(receiver)) as home:
        await finished(home)
        for _ in range(40):
            await home.watch.sender.send_due()
            await home.clock.sleep(3 * HOUR)
        (notice,) = store.read_now(lambda c: list_notices(c, home.study.id)).notices
        assert (notice.state, notice.attempts, receiver.bodies) == ("waiting", 0, [])
        assert "Set PALAVER_NOTICES_SECRET in the environment" in notice.reason
        monkeypatch.setenv("PALAVER_NOTICES_SECRET", SECRET)
        await home.watch.sender.send_due()
        assert home.told() == [("finished", "hook", "sent")]


async def test_an_address_inside_is_not_called(
    store: Store, tmp_path: Path, receiver: HookReceiver
) -> None:
    async with noticing(store, tmp_path, **by_hook(receiver)) as home:
        (tmp_path / "palaver.yaml").write_text("private_endpoints: false\n", encoding="utf-8")
        await finished(home)
        await home.watch.sender.send_due()
        (notice,) = store.read_now(lambda c: list_notices(c, home.study.id)).notices
        assert (notice.state, receiver.bodies) == ("failed", [])
        assert "is not on a public address" in notice.reason


async def test_one_that_a_dead_process_was_sending_is_sent_again_under_its_id(
    store: Store, tmp_path: Path, receiver: HookReceiver
) -> None:
    async with noticing(store, tmp_path, **by_hook(receiver)) as home:
        await finished(home)
        # A process took it, handed it over, and ended before it could write that down.
        gone = holder_that_ended()
        claimed = store.write_now(lambda c: take(c, HOOKS, gone, now=home.clock.now()))
        assert claimed is not None
        assert await home.watch.sender.send_due() == Sendings(sent=1)
        assert receiver.told[0]["id"] == claimed.key
        assert home.told() == [("finished", "hook", "sent")]


def holder_that_ended() -> str:
    """What a process of this machine is called that runs no more."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    machine, _, mark = new_holder().split(":")
    return f"{machine}:{ended.pid}:{mark}"


async def test_what_is_said_of_a_hook_that_cannot_be_reached_holds_no_secret_of_its_address(
    receiver: HookReceiver,
) -> None:
    told = await post_once("http://127.0.0.1:1/x?secret=word", b"{}", headers={}, inside=True)
    words = "127.0.0.1:1 could not be reached (unreachable)."
    assert told == SendingAnswer(False, words, may_pass=True)


async def test_beside_a_deployment_letters_and_hooks_leave_by_themselves(
    store: Store, tmp_path: Path, receiver: HookReceiver
) -> None:
    notify = {"mail": ["ada@example.org"], "hook": receiver.url}
    with smtp_server() as post_office:
        server = MailServer(host="127.0.0.1", port=post_office.port, sender="us@example.org")
        async with noticing(store, tmp_path, clock=WallClock(), stages=DONE, notify=notify) as home:
            home.seeder.place("g1", condition="tern")
            telling = asyncio.create_task(notices_beside(BASE)(home.deployment))
            (told,) = await asyncio.to_thread(receiver.wait_for, 1)
            assert told["event"] == "finished"
            sending = asyncio.create_task(letters_beside(server)(home.deployment))
            subjects = await asyncio.to_thread(post_office.wait_for, "ada@example.org")
            assert subjects == ["Talk with a bird: the study is finished"]
            for task in (telling, sending):
                task.cancel()
            await asyncio.gather(telling, sending, return_exceptions=True)
