"""Notices by hook, sent: signed, through the guarded way out, again until the other side takes them.

Between the answer of the other side and our note a crash leaves a notice that was taken and is noted as
waiting; it is sent again under the same id, by which the other side knows it.
"""

import asyncio
from urllib.parse import urlsplit

from palaver.core.clock import Backoff
from palaver.core.errors import InputError
from palaver.core.logs import get_log
from palaver.core.outbox import HeldUp, SendingAnswer
from palaver.core.serial import encode
from palaver.core.studies.notices import Notice
from palaver.crowds.prolific.hooks import signature_of
from palaver.crowds.secrets import NOTICES, read_secret, secrets_file
from palaver.storage.outbox.notices import HOOKS
from palaver.storage.outbox.sender import OutboxSender
from palaver.studies.run.deployment import Deployment
from palaver.systems.attempt import AttemptError, ForbiddenError
from palaver.systems.web.client import call_once
from palaver.systems.web.destinations import Inside

log = get_log(__name__)

SIGNATURE = "X-Palaver-Signature"
SENT = "X-Palaver-Timestamp"
# How long one call may take.
CALL_SECONDS = 20.0
LONGEST_ANSWER = 64 * 1024
# How long notices wait for a secret before it is looked for again.
SECRET_SECONDS = 60.0


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


class HookSender(OutboxSender[Notice]):
    """Sends the notices by hook of a store."""

    look_seconds = 5.0
    # 10, 20, 40 … seconds, at most three hours: two days in all.
    pauses = Backoff(base=10.0, cap=3 * 3600.0)
    most_attempts = 26
    store_away = "notices_wait_for_store"

    def __init__(self, deployment: Deployment, *, base: str) -> None:
        super().__init__(deployment.store, HOOKS, clock=deployment.clock)
        self._deployment = deployment
        self._base = base

    async def attempt(self, item: Notice) -> SendingAnswer | HeldUp:
        """Hand a notice over, signed: nothing is sent unsigned, and that is not its own fault."""
        try:
            secret = await asyncio.to_thread(read_secret, NOTICES)
        except InputError as error:
            return _unsigned(str(error))
        if secret is None:
            return _unsigned(
                f"There is no secret to sign with. Set {NOTICES} in the environment, or put it into "
                f"{secrets_file()}."
            )
        body, sent = notice_body(item, base=self._base), f"{self._clock.now():.3f}"
        headers = {
            "Content-Type": "application/json",
            SENT: sent,
            SIGNATURE: signature_of(secret, sent, body),
        }
        inside = self._deployment.evaluation.settings.private_endpoints
        return await post_once(item.address, body, headers=headers, inside=inside)

    def log_refusal(self, item: Notice, why: str) -> None:
        log.warning("notice_refused", notice=item.key, error=why)


def _unsigned(why: str) -> HeldUp:
    log.warning("notices_not_signed", error=why)
    return HeldUp(why, pause=SECRET_SECONDS)


async def post_once(
    address: str, body: bytes, *, headers: dict[str, str], inside: Inside
) -> SendingAnswer:
    """What an address of somebody else says to one POST: only success means that it was taken."""
    host = urlsplit(address).netloc
    try:
        response = await call_once(
            "POST",
            address,
            body,
            headers=headers,
            longest=LONGEST_ANSWER,
            seconds=CALL_SECONDS,
            inside=inside,
        )
    except (InputError, ForbiddenError) as error:
        return SendingAnswer(False, str(error))
    except AttemptError as error:
        # Its own words name the path, which may be a secret.
        return SendingAnswer(False, f"{host} could not be reached ({error.kind}).", may_pass=True)
    except TimeoutError:
        told = f"{host} did not answer within {CALL_SECONDS:g} seconds."
        return SendingAnswer(False, told, may_pass=True)
    if 200 <= response.status < 300:
        return SendingAnswer(True)
    led = " It leads elsewhere, where nobody follows." if 300 <= response.status < 400 else ""
    told = f"{host} answered with status {response.status}.{led}"
    return SendingAnswer(False, told, may_pass=response.status != 410)
