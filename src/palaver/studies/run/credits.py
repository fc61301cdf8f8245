"""Credits sent to panels that take one from a server, such as SONA: beside the deployment, by an outbox.

A credit is written with the end of the visit and sent afterwards. Between the panel's answer and our
note a crash leaves a credit that was given and is noted as waiting; it is sent again, and the panel
answers that it was given already, which is a success.
"""

import asyncio
from urllib.parse import urlsplit

from sqlalchemy import Connection

from palaver.core.clock import Backoff
from palaver.core.errors import StoreError
from palaver.core.logs import get_log
from palaver.core.studies.credits import Credit, CreditList
from palaver.crowds.panels import Arrival, CreditAnswer, Panel, filled
from palaver.storage.credits import (
    claim_credit,
    has_due_credit,
    list_credits,
    mark_sent,
    postpone,
    refuse,
    revive,
)
from palaver.storage.engine.holders import new_holder
from palaver.studies.run.deployment import Deployment, RunningStudy
from palaver.systems.attempt import AttemptError, ForbiddenError
from palaver.systems.web.client import open_client
from palaver.systems.web.destinations import Inside

log = get_log(__name__)

LOOK_SECONDS = 2.0
# How long one call may take.
CALL_SECONDS = 30.0
# How long the call under way may take once the sender is told to stop.
STOP_SECONDS = 5.0
LONGEST_ANSWER = 64 * 1024
# A credit that could not be sent waits 10, 20, 40 … seconds, at most six hours: four days in all.
PAUSES = Backoff(base=10.0, cap=6 * 3600.0)
MOST_ATTEMPTS = 27


def retry_failed(connection: Connection, study_id: int, *, now: float) -> int:
    """Let credits that failed be tried again; how many they are."""
    return revive(connection, study_id, now=now)


def credits_of(connection: Connection, study_id: int) -> CreditList:
    """The credits of a study, newest first."""
    return list_credits(connection, study_id)


async def credits_beside(deployment: Deployment) -> None:
    """Send the credits of a deployment while it is up; nothing where no study earns any."""
    earning = {
        study.id: study for study in deployment.studies.values() if study.definition.crowd.credit
    }
    if not earning:
        return
    inside = deployment.evaluation.settings.private_endpoints
    sender = CreditSender(deployment, earning, inside=inside)
    while True:
        try:
            await sender.send_due()
        except StoreError as error:
            log.warning("credits_wait_for_store", error=str(error))
        await deployment.clock.sleep(LOOK_SECONDS)


class CreditSender:
    """Sends the credits of studies that are being served."""

    def __init__(
        self, deployment: Deployment, studies: dict[int, RunningStudy], *, inside: Inside
    ) -> None:
        self.holder = new_holder()
        self._store = deployment.store
        self._clock = deployment.clock
        self._studies = studies
        self._inside = inside

    async def send_due(self) -> int:
        """Send every credit that is due; how many were sent or noted."""
        done = 0
        while (credit := await self._claimed()) is not None:
            sending = asyncio.ensure_future(self._send(credit))
            try:
                await asyncio.shield(sending)
            except asyncio.CancelledError:
                # Whoever stops the sender waits a moment, so that few are sent twice.
                await asyncio.wait([sending], timeout=STOP_SECONDS)
                raise
            done += 1
        return done

    async def _claimed(self) -> Credit | None:
        now, ids = self._clock.now(), list(self._studies)
        if not await self._store.look_up(lambda c: has_due_credit(c, ids, now=now)):
            return None
        return await self._store.write(lambda c: claim_credit(c, ids, self.holder, now=now))

    async def _send(self, credit: Credit) -> None:
        answer = await self._answer(credit)
        now = self._clock.now()
        if answer.given:
            await self._store.write(lambda c: mark_sent(c, credit, reason=answer.reason, now=now))
        elif answer.may_pass and credit.attempts + 1 < MOST_ATTEMPTS:
            due = now + PAUSES.seconds(credit.attempts + 1)
            await self._store.write(lambda c: postpone(c, credit, answer.reason, due=due))
        else:
            log.warning("credit_refused", credit=credit.id, error=answer.reason)
            await self._store.write(lambda c: refuse(c, credit, answer.reason))

    async def _answer(self, credit: Credit) -> CreditAnswer:
        """What the panel says to a credit, or why it could not be asked."""
        crowd = self._studies[credit.study_id].definition.crowd
        assert crowd.credit is not None, "only studies that earn credits are sent for"
        address = filled(crowd.credit, code=None, sent=Arrival(*credit.sent_values))
        if address is None:
            return CreditAnswer(False, "What the panel sent with this person is no longer known.")
        assert crowd.panel is not None, "only panels take credits"
        return await ask_panel(crowd.panel, address, inside=self._inside)


async def ask_panel(panel: Panel, address: str, *, inside: Inside) -> CreditAnswer:
    """What a panel answers to a credit; a failure on the way may pass."""
    assert panel.read_credit is not None, "only panels that take a credit are asked"
    parts = urlsplit(address)
    client = open_client(
        f"{parts.scheme}://{parts.netloc}",
        headers={"Accept": "application/xml, text/xml"},
        limit=1,
        longest=LONGEST_ANSWER,
        inside=inside,
    )
    target = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
    try:
        async with asyncio.timeout(CALL_SECONDS):
            response = await client.call("GET", target)
    except ForbiddenError as error:
        return CreditAnswer(False, str(error))
    except AttemptError as error:
        return CreditAnswer(False, f"{panel.title} could not be reached: {error}", may_pass=True)
    except TimeoutError:
        told = f"{panel.title} did not answer within {CALL_SECONDS:g} seconds."
        return CreditAnswer(False, told, may_pass=True)
    finally:
        await client.close()
    return panel.read_credit(response.status, response.body)
