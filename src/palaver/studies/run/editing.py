"""A study changed from afar, at the desk or over the API: what may be changed there, and by whom.

Each door that strangers could reach calls these, and never `change_study` itself: a new file is looked
at for how far it reaches before anything of it is built or read.
"""

import asyncio
from functools import partial

from palaver.core.accounts import Rights
from palaver.core.audit import Actor
from palaver.core.errors import InputError, Problem, StudyError
from palaver.core.studies.versions import ForeseenChange, StudyVersion, StudyVersionSheet
from palaver.formats.key_problems import place_problems
from palaver.formats.marked_yaml import parse_marked
from palaver.studies.file.definition import Study
from palaver.studies.file.reach import reach_problems
from palaver.studies.file.reader import load_study_text
from palaver.studies.run.deployment import Deployment
from palaver.studies.run.versions import change_study, foresee_change, latest_version

# How many texts are checked at once here, and how long one check may take: it reads what is named.
AT_ONCE = 2
CHECK_SECONDS = 60.0


class _Checks(asyncio.Semaphore):
    """How many checks may still begin in a deployment."""


async def foresee_text(
    deployment: Deployment, study: str, text: str, *, rights: Rights
) -> ForeseenChange:
    """What would happen if somebody gave a study this file; nothing is done, built or read of it
    that is not theirs to name.
    """
    latest = await latest_file(deployment, study)
    problems = await asyncio.to_thread(_reach, deployment, study, latest, text, rights)
    if problems:
        return ForeseenChange(
            base=latest.number, problems=tuple(problems), refusals=(), lines="", words=()
        )
    try:
        checks = deployment.kept.setdefault(_Checks, _Checks(AT_ONCE))
        async with asyncio.timeout(CHECK_SECONDS), checks:
            return await foresee_change(deployment, study, text)
    except TimeoutError as error:
        raise InputError(
            f"Checking took longer than {CHECK_SECONDS:.0f} seconds: the files that the study names "
            "are large. Check it on the server: palaver check FOLDER."
        ) from error


async def save_text(
    deployment: Deployment,
    study: str,
    text: str,
    *,
    rights: Rights,
    actor: Actor,
    note: str = "",
    base: int | None = None,
) -> StudyVersion:
    """Serve a study with a new file from now on; StudyError where it reaches too far.

    See `change_study` for everything else that is refused.
    """
    latest = await latest_file(deployment, study)
    if problems := await asyncio.to_thread(_reach, deployment, study, latest, text, rights):
        raise StudyError(problems)
    return await change_study(deployment, study, text, actor=actor, note=note, base=base)


async def draft_of(deployment: Deployment, study: str, text: str, *, rights: Rights) -> Study:
    """The study of a text that is not saved; StudyError with everything wrong with it."""
    latest = await latest_file(deployment, study)
    if problems := await asyncio.to_thread(_reach, deployment, study, latest, text, rights):
        raise StudyError(problems)
    running = deployment.study(study)
    draft = await asyncio.to_thread(load_study_text, text, running.definition.file)
    if draft.name != study:
        raise InputError(
            f"The name of a study stays: it is '{study}'; the text says '{draft.name}'."
        )
    return draft


async def latest_file(deployment: Deployment, study: str) -> StudyVersionSheet:
    """The version of a study that is served, with its file."""
    if deployment.store.read_only:
        raise InputError("This is a read-only copy. Nothing can be changed in it.")
    running = deployment.study(study)
    found = await deployment.store.read(partial(latest_version, study_id=running.id))
    assert found is not None, "it is served"
    return found


def _reach(
    deployment: Deployment, study: str, latest: StudyVersionSheet, text: str, rights: Rights
) -> list[Problem]:
    """Where a text reaches further than the present file, with line and column."""
    file = deployment.study(study).definition.file
    try:
        new = parse_marked(text.encode(), file=str(file))
        old = parse_marked(latest.definition.encode(), file=str(file))
    except StudyError as error:
        return error.problems
    found = reach_problems(
        old.data,
        new.data,
        folder=file.parent,
        owner=rights.may("owner"),
        sees=lambda name: rights.may("reviewer", name),
    )
    return place_problems(new, found)
