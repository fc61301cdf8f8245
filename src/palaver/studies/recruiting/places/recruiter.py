"""The recruiter: follows what panels say beside a deployment, and keeps places at what is needed.

It reads hooks as they come and every list slowly. It pauses recruiting for a reason (`holding`), goes on
when a reason has passed that passes by itself, and never resumes what a person paused, here or at the
panel. It offers more places when quotas are left, as far as the budget holds. Any number of processes
may do so side by side: each step says how things shall be, and asks first how they are.
"""

import asyncio
from dataclasses import replace
from functools import partial

from palaver.core.audit import SERVER
from palaver.core.errors import (
    ConflictError,
    InputError,
    PanelError,
    PanelTokenError,
    StoreUnavailableError,
)
from palaver.core.logs import get_log
from palaver.core.recruiting.recruitments import RESUMED, Recruitment
from palaver.storage.recruiting import recruitments as rows
from palaver.storage.recruiting.deliveries import has_waiting
from palaver.studies.recruiting.money.orders import mark_left_behind
from palaver.studies.recruiting.offering.need import missing_places
from palaver.studies.recruiting.offering.offers import may_grow
from palaver.studies.recruiting.places import recruit
from palaver.studies.recruiting.places.holding import reason_to_hold
from palaver.studies.recruiting.submissions import news
from palaver.studies.run.deployment import Deployment, RunningStudy

log = get_log(__name__)

# How often it is looked whether something is to be done; hooks wake it at once.
LOOK_SECONDS = 5.0
# How old the whole list may be: while people come, and once nobody comes any more.
POLL_SECONDS = 600.0
QUIET_SECONDS = 3600.0
# After this an answer that never came is looked for at the panel.
CREATING_SECONDS = 60.0


class Recruiter:
    """Follows the recruitments of a deployment."""

    def __init__(self, deployment: Deployment) -> None:
        self._deployment = deployment
        self._woken = asyncio.Event()
        self._tokenless = False

    @classmethod
    def of(cls, deployment: Deployment) -> "Recruiter":
        """The recruiter of a deployment."""
        kept = deployment.kept.setdefault(cls, cls(deployment))
        assert isinstance(kept, cls)
        return kept

    def wake(self) -> None:
        """Look now: a hook came, or somebody did something."""
        self._woken.set()

    async def run(self) -> None:
        """Follow until cancelled."""
        while True:
            self._woken.clear()
            try:
                await self.look()
            except StoreUnavailableError as error:
                log.warning("recruiter_waits_for_store", error=str(error))
            except Exception as error:
                log.error("recruiter_failed", exc_info=error)
            try:
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._woken.wait()
            except TimeoutError:
                continue

    async def look(self) -> None:
        """Do once what is to be done now."""
        deployment = self._deployment
        for order in await mark_left_behind(deployment):
            log.error("payment_unknown", order=order.key, amount=order.amount)
        known = await deployment.store.read(rows.list_recruitments)
        live = [each for each in known if each.is_live or each.state == "creating"]
        if not live:
            return
        try:
            told = await self._hooks()
            for each in live:
                await self._follow(each, is_told=(each.panel_id or "") in told)
            self._tokenless = False
        except (PanelTokenError, InputError) as error:
            # Said once: without a token nothing is asked, and nothing is lost.
            if not self._tokenless:
                log.warning("recruiter_has_no_token", error=str(error))
            self._tokenless = True

    async def _hooks(self) -> set[str]:
        """Apply what hooks brought; the studies over there that they were about."""
        if not await self._deployment.store.read(has_waiting):
            return set()
        return (await news.apply_hooks(self._deployment)).studies

    async def _follow(self, recruitment: Recruitment, *, is_told: bool) -> None:
        """Do for one recruitment what is to be done; what goes wrong is written beside it."""
        try:
            if recruitment.panel_id is None:
                await self._find(recruitment)
                return
            if is_told or self._is_due(recruitment):
                recruitment = await self._read(recruitment)
            running = self._deployment.studies.get(recruitment.study)
            if running is not None and recruitment.is_live and not recruitment.is_trial:
                recruitment = await self._hold_or_go(running, recruitment)
                await self._grow(running, recruitment)
        except PanelTokenError:
            raise
        except (PanelError, InputError, ConflictError) as error:
            await self._note(recruitment, str(error))

    async def _find(self, recruitment: Recruitment) -> None:
        if self._deployment.clock.now() - recruitment.created > CREATING_SECONDS:
            await recruit.find_created(self._deployment, recruitment)

    def _is_due(self, recruitment: Recruitment) -> bool:
        if recruitment.checked is None:
            return True
        quiet = recruitment.state in ("completed", "awaiting_review")
        old = self._deployment.clock.now() - recruitment.checked
        return old >= (QUIET_SECONDS if quiet else POLL_SECONDS)

    async def _read(self, recruitment: Recruitment) -> Recruitment:
        before = recruitment
        await news.read_all(self._deployment, recruitment)
        recruitment = await recruit.find(self._deployment, recruitment.key)
        was_ours = bool(before.held_for) or before.wanted != "running"
        if recruitment.state == "paused" and not was_ours and before.state == "active":
            # Somebody paused it over there: it is theirs to go on with.
            await self._deployment.store.write(lambda c: rows.want(c, recruitment, "paused"))
            log.info("recruiting_paused_at_panel", study=recruitment.study)
            return replace(recruitment, wanted="paused")
        return recruitment

    async def _hold_or_go(self, study: RunningStudy, recruitment: Recruitment) -> Recruitment:
        """Pause for a reason, or go on when it has passed."""
        if recruitment.wanted != "running":
            return recruitment
        now = self._deployment.clock.now()
        reason = await self._deployment.store.read(
            lambda c: reason_to_hold(c, study, recruitment, now=now)
        )
        if reason and (reason != recruitment.held_for or recruitment.state == "active"):
            if recruitment.state in ("active", "publishing") or recruitment.held_for:
                log.info("recruiting_held", study=study.name, reason=reason)
                return await recruit.pause(
                    self._deployment, recruitment, actor=SERVER, held_for=reason
                )
        elif not reason and recruitment.held_for in RESUMED and recruitment.held_for:
            log.info("recruiting_goes_on", study=study.name)
            return await recruit.resume(self._deployment, recruitment, actor=SERVER)
        return recruitment

    async def _grow(self, study: RunningStudy, recruitment: Recruitment) -> None:
        """Offer more places where quotas are left that those on offer cannot fill."""
        follows = recruitment.grows and may_grow(study.definition)
        if recruitment.wanted != "running" or recruitment.held_for or not follows:
            return
        missing = await self._deployment.store.read(lambda c: missing_places(c, study, recruitment))
        terms = study.definition.recruit
        if not missing:
            return
        places = recruitment.places + missing
        if terms is not None and terms.most_places is not None:
            places = min(places, terms.most_places)
        if places > recruitment.places:
            await recruit.set_places(
                self._deployment, recruitment, places, actor=SERVER, by_itself=True
            )
            log.info("recruiting_grew", study=study.name, places=places)

    async def _note(self, recruitment: Recruitment, words: str) -> None:
        if recruitment.trouble != words[:1000]:
            log.warning("recruiting_troubled", study=recruitment.study, error=words)
            await self._deployment.store.write(
                partial(rows.note_trouble, recruitment=recruitment, trouble=words[:1000])
            )
