"""The sender of letters: hands those of the outbox to the mail server, over one connection a round."""

import asyncio
import secrets

from sqlalchemy import Connection

from palaver.core.clock import Backoff, Clock
from palaver.core.letters import Letter, checked_address
from palaver.core.logs import get_log
from palaver.core.outbox import HeldUp, SendingAnswer, Sendings
from palaver.mail.post import MailServerError, Post, PostponedError, RefusedError
from palaver.mail.server import MailServer
from palaver.storage import Store
from palaver.storage.outbox.box import revive
from palaver.storage.outbox.letters import LETTERS
from palaver.storage.outbox.sender import OutboxSender

log = get_log(__name__)

# A server that cannot be used is tried again after 10, 20, 40 … seconds.
SERVER_PAUSES = Backoff(base=10.0, cap=900.0)


async def send_waiting(store: Store, server: MailServer, *, clock: Clock) -> Sendings:
    """Send every letter that is due now, once."""
    return await MailSender(store, Post(server), clock=clock).send_due()


def retry_refused(connection: Connection, *, now: float) -> int:
    """Let letters that were refused be tried again; how many they are."""
    return revive(connection, LETTERS, now=now)


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


class MailSender(OutboxSender[Letter]):
    """Sends the letters of a store."""

    look_seconds = 5.0
    # 1, 2, 4 … minutes, at most six hours: four days in all.
    pauses = Backoff(base=60.0, cap=6 * 3600.0)
    most_attempts = 24
    store_away = "mail_waits_for_store"

    def __init__(self, store: Store, post: Post, *, clock: Clock) -> None:
        super().__init__(store, LETTERS, clock=clock)
        self._post = post
        self._failures = 0

    async def send_due(self) -> Sendings:
        """Send every letter that is due; stops at the first trouble with the mail server."""
        try:
            return await super().send_due()
        finally:
            await asyncio.to_thread(self._post.close)

    async def attempt(self, item: Letter) -> SendingAnswer | HeldUp:
        """Hand a letter to the mail server."""
        try:
            await asyncio.to_thread(self._post.send, item)
        except PostponedError as error:
            return SendingAnswer(False, str(error), may_pass=True)
        except RefusedError as error:
            return SendingAnswer(False, str(error))
        except MailServerError as error:
            return HeldUp(str(error))
        return SendingAnswer(True)

    def log_refusal(self, item: Letter, why: str) -> None:
        log.warning("letter_refused", letter=item.key, about=item.about, error=why)

    def worn_out(self, tried: int, why: str) -> str:
        return f"Not taken after {tried} attempts: {why}"

    def rest(self, done: Sendings) -> float:
        """Longer each time that the mail server cannot be used."""
        if not done.trouble:
            self._failures = 0
            return self.look_seconds
        self._failures += 1
        log.warning("mail_not_sent", error=done.trouble)
        return SERVER_PAUSES.seconds(self._failures)
