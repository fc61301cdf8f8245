"""A draft that is opened to test participants at the panel: the whole way, with nobody recruited."""

import re

from palaver.core.audit import Actor
from palaver.core.errors import InputError
from palaver.core.recruiting.recruitments import Recruitment
from palaver.crowds.prolific.records import TestRun
from palaver.storage.audit.entries import record
from palaver.studies.recruiting.clients import PanelClients
from palaver.studies.run.deployment import Deployment

_ADDRESS = re.compile(r"[^@\s]{1,64}@[^@\s]{1,190}")


async def try_out(
    deployment: Deployment, recruitment: Recruitment, *, actor: Actor, email: str = ""
) -> TestRun:
    """Open a draft to test participants; where they find it.

    With `email` a test participant of that address is made first; InputError once it is published.
    """
    given = email.strip()
    if given and not _ADDRESS.fullmatch(given):
        raise InputError(
            f"A test participant needs an e-mail address; got '{given[:80]}'. Nothing was changed."
        )
    if recruitment.panel_id is None or recruitment.state == "missing":
        raise InputError("The panel has no such draft. Nothing was changed.")
    if recruitment.published is not None:
        raise InputError("It is published, and the panel tries out drafts alone. Make a new draft.")
    client = await PanelClients.of(deployment).prolific()
    if given:
        await client.studies.make_test_participant(given)
    found = await client.studies.try_out(recruitment.panel_id)
    now = deployment.clock.now()
    await deployment.store.write(
        lambda c: record(
            c,
            "recruiting.try",
            by=actor,
            now=now,
            subject=recruitment.key,
            study_id=recruitment.study_id,
        )
    )
    return found
