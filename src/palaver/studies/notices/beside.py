"""The watch beside a deployment, from the moment a study names somebody to tell.

What it needs is imported then: a deployment that tells nobody does not hold it.
"""

import asyncio
from importlib import import_module

from palaver.studies.run.deployment import Companion, Deployment


def notices_beside(base: str) -> Companion:
    """What tells people of the studies of a deployment that is reached at `base`."""

    async def watch(deployment: Deployment) -> None:
        while not any(each.definition.notify for each in deployment.studies.values()):
            # A new version of a file may name somebody.
            await deployment.versions.changed()
        module = await asyncio.to_thread(import_module, "palaver.studies.notices.notice_watch")
        await module.NoticeWatch(deployment, base=base).run()

    return watch
