"""Credits sent to panels that take one from a server, such as SONA: beside the deployment, by an outbox.

A credit is written with the end of the visit and sent afterwards. Between the panel's answer and our
note a crash leaves a credit that was given and is noted as waiting; it is sent again, and the panel
answers that it was given already, which is a success.
"""

from collections.abc import Mapping

from sqlalchemy import Connection

from palaver.core.clock import Backoff
from palaver.core.logs import get_log
from palaver.core.outbox import SendingAnswer
from palaver.core.studies.credits import Credit, CreditList
from palaver.crowds.panels import Arrival, Panel, filled
from palaver.storage.outbox.credits import credits_in, list_credits, revive_credits
from palaver.storage.outbox.sender import OutboxSender
from palaver.studies.run.deployment import Deployment, RunningStudy
from palaver.systems.attempt import AttemptError, ForbiddenError
from palaver.systems.web.client import call_once
from palaver.systems.web.destinations import Inside

log = get_log(__name__)

# How long one call may take.
CALL_SECONDS = 30.0
LONGEST_ANSWER = 64 * 1024


def retry_failed(connection: Connection, study_id: int, *, now: float) -> int:
    """Let credits that failed be tried again; how many they are."""
    return revive_credits(connection, study_id, now=now)


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
    await CreditSender(deployment, earning, inside=inside).run()


class CreditSender(OutboxSender[Credit]):
    """Sends the credits of studies that are being served."""

    look_seconds = 2.0
    # 10, 20, 40 … seconds, at most six hours: four days in all.
    pauses = Backoff(base=10.0, cap=6 * 3600.0)
    most_attempts = 27
    store_away = "credits_wait_for_store"

    def __init__(
        self, deployment: Deployment, studies: Mapping[int, RunningStudy], *, inside: Inside
    ) -> None:
        super().__init__(deployment.store, credits_in(studies), clock=deployment.clock)
        self._studies = studies
        self._inside = inside

    async def attempt(self, item: Credit) -> SendingAnswer:
        """What the panel says to a credit, or why it could not be asked."""
        crowd = self._studies[item.study_id].definition.crowd
        assert crowd.credit is not None, "only studies that earn credits are sent for"
        address = filled(crowd.credit, code=None, sent=Arrival(*item.sent_values))
        if address is None:
            told = "What the panel sent with this person is no longer known."
            return SendingAnswer(False, told)
        assert crowd.panel is not None, "only panels take credits"
        return await ask_panel(crowd.panel, address, inside=self._inside)

    def log_refusal(self, item: Credit, why: str) -> None:
        log.warning("credit_refused", credit=item.id, error=why)


async def ask_panel(panel: Panel, address: str, *, inside: Inside) -> SendingAnswer:
    """What a panel answers to a credit; a failure on the way may pass."""
    assert panel.read_credit is not None, "only panels that take a credit are asked"
    try:
        response = await call_once(
            "GET",
            address,
            headers={"Accept": "application/xml, text/xml"},
            longest=LONGEST_ANSWER,
            seconds=CALL_SECONDS,
            inside=inside,
        )
    except ForbiddenError as error:
        return SendingAnswer(False, str(error))
    except AttemptError as error:
        return SendingAnswer(False, f"{panel.title} could not be reached: {error}", may_pass=True)
    except TimeoutError:
        told = f"{panel.title} did not answer within {CALL_SECONDS:g} seconds."
        return SendingAnswer(False, told, may_pass=True)
    return panel.read_credit(response.status, response.body)
