"""The evaluation server beside a deployment: it scans declared data sets and works on runs.

What it needs is imported once there is a task: a deployment that only collects does not hold it.
"""

import asyncio
from importlib import import_module

from palaver.core.errors import PalaverError, StoreUnavailableError
from palaver.core.logs import get_log
from palaver.evaluation.home import FILE, EvaluationHome
from palaver.storage.evaluation.tasks import has_tasks
from palaver.studies.run.deployment import Deployment

log = get_log(__name__)

LOOK_SECONDS = 5.0


async def evaluate_beside(deployment: Deployment) -> None:
    """Work on runs for as long as the deployment is up, from the moment there is a task."""
    await _until_needed(deployment)
    try:
        home = deployment.evaluation
        await asyncio.to_thread(_scan, home, deployment.clock.now())
    except PalaverError as error:
        # Wrong settings must not stop what is served beside them.
        log.error("evaluation_not_started", error=str(error))
        return
    # In a thread: it takes a while, and people are served meanwhile.
    module = await asyncio.to_thread(import_module, "palaver.evaluation.jobs.worker")
    await module.Worker(home).run()


def _scan(home: EvaluationHome, now: float) -> None:
    """Add the tasks and data sets that the home's settings declare; what is wrong stops no other."""
    tasks = import_module("palaver.evaluation.tasks").scan_tasks(home, now=now)
    tell = import_module("palaver.evaluation.challenges.gold").plan_and_tell
    found = import_module("palaver.evaluation.datasets.declared_folder").scan_datasets(
        home, now=now, plan=tell
    )
    for problem in (*tasks.problems, *found.problems):
        log.warning("not_added", problem=str(problem))
    for added in found.added:
        for warning in added.warnings:
            log.warning("data_set_added", task=added.task, data_set=added.name, warning=warning)


async def _until_needed(deployment: Deployment) -> None:
    while not (deployment.folder / FILE).is_file():
        try:
            if await deployment.store.read(has_tasks):
                return
        except StoreUnavailableError as error:
            log.warning("evaluation_waits_for_store", error=str(error))
        await asyncio.sleep(LOOK_SECONDS)
