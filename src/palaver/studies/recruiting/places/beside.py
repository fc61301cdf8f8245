"""The recruiter beside a deployment, from the moment there is something to follow.

What it needs is imported then: a deployment that recruits nobody does not hold it.
"""

import asyncio
from importlib import import_module

from palaver.core.errors import StoreUnavailableError
from palaver.core.logs import get_log
from palaver.storage.recruiting.recruitments import has_recruitments
from palaver.studies.run.deployment import Deployment

log = get_log(__name__)

LOOK_SECONDS = 5.0


async def recruit_beside(deployment: Deployment) -> None:
    """Follow the recruitments of a deployment for as long as it is up."""
    while not await _is_needed(deployment):
        await asyncio.sleep(LOOK_SECONDS)
    module = await asyncio.to_thread(import_module, "palaver.studies.recruiting.places.recruiter")
    await module.Recruiter.of(deployment).run()


async def _is_needed(deployment: Deployment) -> bool:
    try:
        return await deployment.store.read(has_recruitments)
    except StoreUnavailableError as error:
        log.warning("recruiting_waits_for_store", error=str(error))
        return False
