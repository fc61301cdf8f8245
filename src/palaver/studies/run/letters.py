"""Letters sent beside a deployment, from the moment there is one and a mail server for it.

What it needs is imported then: a deployment that writes to nobody does not hold it.
"""

import asyncio
from importlib import import_module

from palaver.core.errors import StoreUnavailableError
from palaver.core.logs import get_log
from palaver.mail.server import MailServer, why_unsent
from palaver.storage.outbox.box import has_due
from palaver.storage.outbox.letters import LETTERS
from palaver.studies.run.deployment import Companion, Deployment

log = get_log(__name__)

LOOK_SECONDS = 5.0


def letters_beside(server: MailServer | None) -> Companion:
    """What sends the letters of a deployment while it is up."""

    async def send(deployment: Deployment) -> None:
        await _until_needed(deployment)
        if server is None:
            log.warning("letters_wait", error=why_unsent(None, 1))
            return
        post = (await asyncio.to_thread(import_module, "palaver.mail.post")).Post(server)
        module = await asyncio.to_thread(import_module, "palaver.mail.sender")
        await module.MailSender(deployment.store, post, clock=deployment.clock).run()

    return send


async def _until_needed(deployment: Deployment) -> None:
    while True:
        try:
            now = deployment.clock.now()
            if await deployment.store.read(lambda c: has_due(c, LETTERS, now=now)):  # noqa: B023
                return
        except StoreUnavailableError as error:
            log.warning("letters_wait_for_store", error=str(error))
        await asyncio.sleep(LOOK_SECONDS)
