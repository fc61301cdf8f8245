"""The sender: takes letters from the outbox one after another and hands them to the mail server.

Any number of senders share a store; a letter's lease keeps them apart. What was taken by the mail
server is noted before the next letter is taken, so that a process that is killed loses none, and sends
at most one twice.
"""

import asyncio
import secrets
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from palaver.core.clock import Backoff, Clock
from palaver.core.errors import StoreError
from palaver.core.letters import Letter, checked_address
from palaver.core.logs import get_log
from palaver.mail.post import MailServerError, Post, PostponedError, RefusedError
from palaver.mail.server import MailServer
from palaver.storage import Store
from palaver.storage.engine.holders import new_holder
from palaver.storage.outbox import (
    claim_mail,
    has_due_mail,
    mark_sent,
    postpone,
    refuse,
    release,
    revive,
)

log = get_log(__name__)

LOOK_SECONDS = 5.0
# How long the letter under way may take once the sender is told to stop.
STOP_SECONDS = 5.0
# A letter that is postponed waits 1, 2, 4 … minutes, at most six hours: four days in all.
PAUSES = Backoff(base=60.0, cap=6 * 3600.0)
MOST_ATTEMPTS = 24
# A server that cannot be used is tried again after 10, 20, 40 … seconds.
SERVER_PAUSES = Backoff(base=10.0, cap=900.0)


@dataclass(frozen=True, slots=True)
class SentLetters:
    """How many letters were sent, will be tried again, and were refused for good.

    `trouble` is why the mail server could not be used; letters it concerns still wait.
    """

    sent: int = 0
    postponed: int = 0
    failed: int = 0
    trouble: str = ""


async def send_waiting(store: Store, server: MailServer, *, clock: Clock) -> SentLetters:
    """Send every letter that is due now, once."""
    return await MailSender(store, Post(server), clock=clock).send_due()


def retry_refused(connection: Connection, *, now: float) -> int:
    """Let letters that were refused be tried again; how many they are."""
    return revive(connection, now=now)


def send_trial(post: Post, address: str, *, now: float) -> None:
    """Send a letter to an address past the outbox; the error of `Post.send` if it is not taken."""
    letter = Letter(
        key=secrets.token_hex(16),
        recipient=checked_address(address),
        subject="A letter from Palaver",
        text="Letters of this server arrive: its mail settings are right.\n",
        state="waiting",
        attempts=0,
        due=now,
        created=now,
    )
    try:
        post.send(letter)
    finally:
        post.close()


class MailSender:
    """Sends the letters of a store."""

    def __init__(self, store: Store, post: Post, *, clock: Clock) -> None:
        self.holder = new_holder()
        self._store = store
        self._post = post
        self._clock = clock
        self._failures = 0

    async def run(self) -> None:
        """Send whatever is due until cancelled."""
        while True:
            await self._clock.sleep(await self._look())

    async def _look(self) -> float:
        """Send what is due; how many seconds to wait before the next look."""
        try:
            done = await self.send_due()
        except StoreError as error:
            log.warning("mail_waits_for_store", error=str(error))
            return LOOK_SECONDS
        if not done.trouble:
            self._failures = 0
            return LOOK_SECONDS
        self._failures += 1
        log.warning("mail_not_sent", error=done.trouble)
        return SERVER_PAUSES.seconds(self._failures)

    async def send_due(self) -> SentLetters:
        """Send every letter that is due; stops at the first trouble with the mail server."""
        done = SentLetters()
        try:
            while not done.trouble and (letter := await self._claimed()) is not None:
                done = _added(done, await self._unhurried(letter))
        finally:
            await asyncio.to_thread(self._post.close)
        return done

    async def _claimed(self) -> Letter | None:
        now = self._clock.now()
        if not await self._store.look_up(lambda c: has_due_mail(c, now=now)):
            return None
        return await self._store.write(lambda c: claim_mail(c, self.holder, now=now))

    async def _unhurried(self, letter: Letter) -> SentLetters:
        """Send a letter; whoever stops the sender waits a moment for it, so that none goes twice."""
        sending = asyncio.ensure_future(self._send(letter))
        try:
            return await asyncio.shield(sending)
        except asyncio.CancelledError:
            await asyncio.wait([sending], timeout=STOP_SECONDS)
            raise

    async def _send(self, letter: Letter) -> SentLetters:
        try:
            await asyncio.to_thread(self._post.send, letter)
        except PostponedError as error:
            return await self._try_later(letter, str(error))
        except RefusedError as error:
            return await self._give_up(letter, str(error))
        except MailServerError as error:
            why = str(error)
            await self._store.write(lambda c: release(c, letter, why))
            return SentLetters(trouble=why)
        await self._store.write(lambda c: mark_sent(c, letter, now=self._clock.now()))
        return SentLetters(sent=1)

    async def _try_later(self, letter: Letter, why: str) -> SentLetters:
        tried = letter.attempts + 1
        if tried >= MOST_ATTEMPTS:
            return await self._give_up(letter, f"Not taken after {tried} attempts: {why}")
        due = self._clock.now() + PAUSES.seconds(tried)
        await self._store.write(lambda c: postpone(c, letter, why, due=due))
        return SentLetters(postponed=1)

    async def _give_up(self, letter: Letter, why: str) -> SentLetters:
        log.warning("letter_refused", letter=letter.key, about=letter.about, error=why)
        await self._store.write(lambda c: refuse(c, letter, why))
        return SentLetters(failed=1)


def _added(done: SentLetters, more: SentLetters) -> SentLetters:
    return replace(
        more,
        sent=done.sent + more.sent,
        postponed=done.postponed + more.postponed,
        failed=done.failed + more.failed,
    )
