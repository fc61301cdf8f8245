"""A look at a team's endpoint: only where it may be asked, and with nothing told that it should not."""

import asyncio
from collections.abc import Mapping
from typing import Any

from palaver.core.evaluation.models import ProbedEndpoint
from palaver.core.tasks import Task
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.jobs.endpoint_probe import PROBE_SECONDS, probe_model
from palaver.evaluation.submissions.endpoints import (
    check_endpoint,
    check_patience,
    strangers_options,
)


async def probe_endpoint(
    home: EvaluationHome,
    task: Task,
    kind: str,
    options: Mapping[str, Any],
    *,
    seconds: float = PROBE_SECONDS,
) -> ProbedEndpoint:
    """What a team's endpoint answers to made-up questions of a task within so many seconds.

    InputError if it may not be asked at all, or its options are wrong.
    """
    private = home.settings.private_endpoints
    await asyncio.to_thread(check_endpoint, kind, options, private=private)
    check_patience(options)
    asked_with = strangers_options(options, private=private)
    return await probe_model(home, task, kind, asked_with, inside=private, seconds=seconds)
