"""Notices by hook, sent: signed, through the guarded way out, again until the other side takes them.

Between the answer of the other side and our note a crash leaves a notice that was taken and is noted as
waiting; it is sent again under the same id, by which the other side knows it.
"""

import asyncio
from urllib.parse import urlsplit

from palaver.core.clock import Backoff
from palaver.core.errors import InputError, StoreError
from palaver.core.logs import get_log
from palaver.core.serial import encode
from palaver.core.studies.notices import Notice
from palaver.crowds.prolific.hooks import signature_of
from palaver.crowds.secrets import NOTICES, read_secret, secrets_file
from palaver.storage.engine.holders import new_holder
from palaver.storage.notices import claim_hook, has_due_hook, mark_sent, postpone, refuse
from palaver.studies.run.deployment import Deployment
from palaver.systems.attempt import AttemptError, ForbiddenError
from palaver.systems.web.client import open_client
from palaver.systems.web.destinations import Inside

log = get_log(__name__)

SIGNATURE = "X-Palaver-Signature"
SENT = "X-Palaver-Timestamp"
LOOK_SECONDS = 5.0
# How long one call may take.
CALL_SECONDS = 20.0
# How long the call under way may take once the sender is told to stop.
STOP_SECONDS = 5.0
LONGEST_ANSWER = 64 * 1024
# A notice that was not taken waits 10, 20, 40 … seconds, at most three hours: two days in all.
PAUSES = Backoff(base=10.0, cap=3 * 3600.0)
MOST_ATTEMPTS = 26
# How long notices wait for a secret before it is looked for again.
SECRET_SECONDS = 60.0


class NotTakenError(Exception):
    """The other side did not take a notice; `may_pass` says whether it is tried again."""

    def __init__(self, words: str, *, may_pass: bool = True) -> None:
        super().__init__(words)
        self.may_pass = may_pass


def notice_body(notice: Notice, *, base: str) -> bytes:
    """What is sent of a notice: the same bytes whenever it is sent."""
    return encode(
        {
            "id": notice.key,
            "event": notice.event,
            "study": notice.study,
            "words": notice.words,
            "time": notice.created,
            "address": base + notice.path,
        }
    )


class HookSender:
    """Sends the notices by hook of a store."""

    def __init__(self, deployment: Deployment, *, base: str) -> None:
        self.holder = new_holder()
        self._deployment = deployment
        self._store = deployment.store
        self._clock = deployment.clock
        self._base = base
        self._woken = asyncio.Event()

    def wake(self) -> None:
        """Look now: something was written."""
        self._woken.set()

    async def run(self) -> None:
        """Send whatever is due until cancelled."""
        while True:
            self._woken.clear()
            try:
                await self.send_due()
            except StoreError as error:
                log.warning("notices_wait_for_store", error=str(error))
            try:
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._woken.wait()
            except TimeoutError:
                continue

    async def send_due(self) -> int:
        """Send every notice that is due, once; how many were taken or noted."""
        done = 0
        while (notice := await self._claimed()) is not None:
            sending = asyncio.ensure_future(self._send(notice))
            try:
                await asyncio.shield(sending)
            except asyncio.CancelledError:
                # Whoever stops the sender waits a moment, so that few are sent twice.
                await asyncio.wait([sending], timeout=STOP_SECONDS)
                raise
            done += 1
        return done

    async def _claimed(self) -> Notice | None:
        now = self._clock.now()
        if not await self._store.look_up(lambda c: has_due_hook(c, now=now)):
            return None
        return await self._store.write(lambda c: claim_hook(c, self.holder, now=now))

    async def _send(self, notice: Notice) -> None:
        try:
            secret = await asyncio.to_thread(read_secret, NOTICES)
        except InputError as error:
            await self._wait_for_secret(notice, str(error))
            return
        if secret is None:
            told = (
                f"There is no secret to sign with. Set {NOTICES} in the environment, or put it into "
                f"{secrets_file()}."
            )
            await self._wait_for_secret(notice, told)
            return
        try:
            await self._post(notice, secret)
        except NotTakenError as error:
            await self._not_taken(notice, error)
            return
        now = self._clock.now()
        await self._store.write(lambda c: mark_sent(c, notice, now=now))

    async def _wait_for_secret(self, notice: Notice, why: str) -> None:
        """Nothing is sent unsigned: a notice waits, and that is not its own fault."""
        due = self._clock.now() + SECRET_SECONDS
        log.warning("notices_not_signed", error=why)
        await self._store.write(lambda c: postpone(c, notice, why, due=due, counts=False))

    async def _not_taken(self, notice: Notice, error: NotTakenError) -> None:
        tried, why = notice.attempts + 1, str(error)
        if error.may_pass and tried < MOST_ATTEMPTS:
            due = self._clock.now() + PAUSES.seconds(tried)
            await self._store.write(lambda c: postpone(c, notice, why, due=due))
            return
        log.warning("notice_refused", notice=notice.key, error=why)
        await self._store.write(lambda c: refuse(c, notice, why))

    async def _post(self, notice: Notice, secret: str) -> None:
        """Hand a notice over; NotTakenError unless the other side says that it has it."""
        body, sent = notice_body(notice, base=self._base), f"{self._clock.now():.3f}"
        inside = self._deployment.evaluation.settings.private_endpoints
        headers = {
            "Content-Type": "application/json",
            SENT: sent,
            SIGNATURE: signature_of(secret, sent, body),
        }
        await post_once(notice.address, body, headers=headers, inside=inside)


async def post_once(address: str, body: bytes, *, headers: dict[str, str], inside: Inside) -> None:
    """One POST to an address of somebody else; NotTakenError unless it is answered with success."""
    parts = urlsplit(address)
    target = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
    try:
        client = open_client(
            f"{parts.scheme}://{parts.netloc}",
            headers=headers,
            limit=1,
            longest=LONGEST_ANSWER,
            inside=inside,
        )
    except InputError as error:
        raise NotTakenError(str(error), may_pass=False) from error
    try:
        async with asyncio.timeout(CALL_SECONDS):
            response = await client.call("POST", target, body)
    except ForbiddenError as error:
        raise NotTakenError(str(error), may_pass=False) from error
    except AttemptError as error:
        # Its own words name the path, which may be a secret.
        raise NotTakenError(f"{parts.netloc} could not be reached ({error.kind}).") from error
    except TimeoutError as error:
        raise NotTakenError(
            f"{parts.netloc} did not answer within {CALL_SECONDS:g} seconds."
        ) from error
    finally:
        await client.close()
    if not 200 <= response.status < 300:
        led = " It leads elsewhere, where nobody follows." if 300 <= response.status < 400 else ""
        gone = response.status == 410
        raise NotTakenError(
            f"{parts.netloc} answered with status {response.status}.{led}", may_pass=not gone
        )
