"""The watch: looks whether there is something to tell of the studies that are served, and has it told.

It looks after whatever was written, and now and then, because some occasions come of nothing but time.
How much a panel has to spend is asked there, rarely, and only while people are recruited.
"""

import asyncio
from functools import partial

from sqlalchemy import Connection

from palaver.core.errors import InputError, PalaverError, StoreUnavailableError
from palaver.core.logs import get_log
from palaver.core.money import Money
from palaver.crowds.panels.prolific import PROLIFIC
from palaver.storage.recruiting.recruitments import list_recruitments
from palaver.studies.file.notify_terms import Notify
from palaver.studies.notices.hook_sender import HookSender
from palaver.studies.notices.occasions import occasions_of
from palaver.studies.notices.telling import anything_new, tell
from palaver.studies.recruiting.clients import PanelClients
from palaver.studies.run.deployment import Deployment, RunningStudy

log = get_log(__name__)

# At least so long between two looks: what happens together is looked at together.
LOOK_SECONDS = 5.0
# Some occasions come of time alone, and other processes write as well.
RARELY_SECONDS = 60.0
# How old what is known of a panel's money may be.
BALANCE_SECONDS = 1800.0


class NoticeWatch:
    """Watches the studies of a deployment whose files name somebody to tell."""

    def __init__(self, deployment: Deployment, *, base: str) -> None:
        self._deployment = deployment
        self._store = deployment.store
        self._clock = deployment.clock
        self._base = base.rstrip("/")
        self._written = asyncio.Event()
        self._balance: Money | None = None
        self._asked: float | None = None
        self.sender = HookSender(deployment, base=self._base)
        self._store.watch(self._written.set)

    async def run(self) -> None:
        """Look, tell and send until cancelled."""
        sending = asyncio.create_task(self.sender.run())
        try:
            while True:
                self._written.clear()
                await self.look()
                await asyncio.sleep(LOOK_SECONDS)
                await self._until_written()
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)

    async def look(self) -> int:
        """Tell what is new of every study, once; how many notices were written."""
        written = 0
        for study in list(self._deployment.studies.values()):
            notify = study.definition.notify
            if notify is None or not notify.is_heard:
                continue
            try:
                written += await self._look_at(study, notify)
            except StoreUnavailableError as error:
                log.warning("notices_wait_for_store", error=str(error))
            except Exception as error:
                log.error("notices_failed", study=study.name, exc_info=error)
        if written:
            self.sender.wake()
        return written

    async def _look_at(self, study: RunningStudy, notify: Notify) -> int:
        now, balance = self._clock.now(), None
        if "money" in notify.of and await self._is_recruited(study):
            balance = await self._spendable(now)

        def read(connection: Connection) -> bool:
            found = occasions_of(connection, study, notify, now=now, balance=balance)
            return anything_new(connection, study, notify, found, now=now)

        if not await self._store.read(read):
            return 0

        def write(connection: Connection) -> int:
            found = occasions_of(connection, study, notify, now=now, balance=balance)
            return tell(connection, study, notify, found, base=self._base, now=now)

        written = await self._store.write(write)
        if written:
            log.info("notices_written", study=study.name, notices=written)
        return written

    async def _is_recruited(self, study: RunningStudy) -> bool:
        if study.definition.crowd.kind != PROLIFIC.name:
            return False
        known = await self._store.read(partial(list_recruitments, study_id=study.id))
        return any(each.is_live and each.wanted == "running" for each in known)

    async def _spendable(self, now: float) -> Money | None:
        """What the panel's account has to spend, as it was told lately; None where that is unknown."""
        if self._asked is not None and now - self._asked < BALANCE_SECONDS:
            return self._balance
        self._asked = now
        try:
            client = await PanelClients.of(self._deployment).prolific()
            self._balance = (await client.account.me()).balance
        except (InputError, PalaverError) as error:
            # The recruiter says what is wrong with the way to the panel.
            log.info("panel_balance_unknown", error=str(error))
            self._balance = None
        return self._balance

    async def _until_written(self) -> None:
        try:
            async with asyncio.timeout(RARELY_SECONDS):
                await self._written.wait()
        except TimeoutError:
            return
