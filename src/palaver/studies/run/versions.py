"""Changing a study while people take part: what a new file would do, and doing it.

One action for every door. A file is refused with all that is wrong with it (`StudyError`), or because
it would spoil what was collected, or because somebody else was faster (`ConflictError`). What is
refused changes nothing. See docs/study-life.md and docs/design/study-versions.md.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sqlalchemy import Connection

from palaver.collection.plan import ChatPlan
from palaver.core.audit import Actor
from palaver.core.errors import ConflictError, InputError, MissingError, Problem, StudyError
from palaver.core.studies.versions import (
    ForeseenChange,
    StudyVersion,
    StudyVersionList,
    StudyVersionSheet,
    VersionDiff,
)
from palaver.formats.key_problems import place_problems
from palaver.formats.marked_yaml import parse_marked
from palaver.storage import Store
from palaver.storage.studies import versions as stored_versions
from palaver.storage.studies.studies import hold_study, new_version
from palaver.studies.check import check_reading
from palaver.studies.file.definition import Study
from palaver.studies.file.differences import difference
from palaver.studies.file.disk import digest_on_disk, staged_file
from palaver.studies.file.edits import StudyEdit
from palaver.studies.file.reach import reach_problems
from palaver.studies.file.reader import ReadStudy, load_study_text, read_study_text
from palaver.studies.run.deployment import Deployment
from palaver.studies.run.plans import chat_plan, set_quotas
from palaver.studies.run.prepared import prepare_study
from palaver.studies.run.spoilt import refusals
from palaver.studies.stages import ChatStage, WriteStage

MOST_NOTE = 500
# The doors of those who are on the server already.
ON_THE_SERVER = ("command", "server")


@dataclass(frozen=True, slots=True)
class StudyInStore:
    """A study as a change finds it: its latest version, that file, and all that is served with it."""

    store: Store
    id: int
    latest: StudyVersionSheet
    definition: Study
    served: Mapping[str, Study]


@dataclass(frozen=True, slots=True)
class _Foreseen:
    """What a change would do, and the study that it would make where it can be made."""

    change: ForeseenChange
    text: str
    study: Study | None


async def foresee_change(deployment: Deployment, study: str, text: str) -> ForeseenChange:
    """What would happen if a study got this file: problems, refusals, what changes; nothing is done."""
    found = await _in_store(deployment, study)
    foreseen = await asyncio.to_thread(_foresee, found, text, outside=True)
    return foreseen.change


async def change_study(
    deployment: Deployment,
    study: str,
    text: str,
    *,
    actor: Actor,
    note: str = "",
    base: int | None = None,
) -> StudyVersion:
    """Serve a study with a new file from now on; its new version.

    `base` is the version that the change was made of: ConflictError if there is a later one, or if
    the file would spoil what was collected; StudyError with everything that is wrong with it, or where
    it brings a program from outside the server.
    """
    keeper = deployment.versions
    async with keeper.changing:
        found = await _in_store(deployment, study)
        outside = actor.via not in ON_THE_SERVER
        foreseen = await asyncio.to_thread(_foresee, found, text, outside=outside)
        definition = _accepted(found, foreseen, note=note, base=base)
        running = deployment.study(study)
        with staged_file(definition.file, text) as file:
            staged = await keeper.stage(running, definition)
            try:
                made = await deployment.store.write(
                    partial(
                        _store_version,
                        found=found,
                        foreseen=foreseen,
                        actor=actor,
                        note=note,
                        now=deployment.clock.now(),
                    )
                )
            except BaseException:
                await staged.discard()
                raise
            # From here on it is what is served: whoever is killed is followed by one that reads it.
            file.replace()
            await keeper.swap(running, staged, made.number)
    return made


def foresee_stored(found: StudyInStore, text: str) -> ForeseenChange:
    """What would happen if a study got this file, wherever it is served; nothing is done."""
    return _foresee(found, text).change


def change_stored(
    found: StudyInStore,
    text: str,
    *,
    actor: Actor,
    note: str = "",
    base: int | None = None,
    now: float,
) -> StudyVersion:
    """The same as `change_study` past any server; one that is up follows within seconds."""
    foreseen = _foresee(found, text)
    definition = _accepted(found, foreseen, note=note, base=base)
    with staged_file(definition.file, text) as file:
        made = found.store.write_now(
            partial(_store_version, found=found, foreseen=foreseen, actor=actor, note=note, now=now)
        )
        file.replace()
    return made


async def edit_study(
    deployment: Deployment,
    study: str,
    edit: StudyEdit,
    *,
    actor: Actor,
    note: str = "",
    base: int | None = None,
) -> StudyVersion:
    """Change places, raters or dates of a study that is served; its new version."""
    found = await _in_store(deployment, study)
    text = edit.applied(found.latest.definition, found.definition)
    made_of = found.latest.number if base is None else base
    return await change_study(deployment, study, text, actor=actor, note=note, base=made_of)


def edit_stored(
    found: StudyInStore, edit: StudyEdit, *, actor: Actor, note: str = "", now: float
) -> StudyVersion:
    """The same past any server; one that is up follows within seconds."""
    text = edit.applied(found.latest.definition, found.definition)
    return change_stored(found, text, actor=actor, note=note, base=found.latest.number, now=now)


async def return_to_version(
    deployment: Deployment, study: str, number: int, *, actor: Actor, base: int | None = None
) -> StudyVersion:
    """Serve the file of an older version again, as a new version."""
    study_id = deployment.study(study).id
    older = await deployment.store.read(partial(read_version, study_id=study_id, number=number))
    note = f"back to version {number}"
    return await change_study(
        deployment, study, older.definition, actor=actor, note=note, base=base
    )


def study_in_store(
    store: Store, study_id: int, file: Path, served: Mapping[str, Study]
) -> StudyInStore:
    """A study as its latest version says, which may be another than its file on disk."""
    latest = store.read_now(partial(stored_versions.latest_version, study_id=study_id))
    if latest is None:
        raise MissingError(f"The study at {file} was never served here.")
    definition = load_study_text(latest.definition, file)
    return StudyInStore(store, study_id, latest, definition, served)


def read_versions(connection: Connection, study_id: int) -> StudyVersionList:
    """The versions of a study, oldest first."""
    return StudyVersionList(stored_versions.list_versions(connection, study_id))


def read_version(connection: Connection, study_id: int, number: int) -> StudyVersionSheet:
    """A version of a study with its file; MissingError if there is none of this number."""
    return stored_versions.get_version(connection, study_id, number)


def latest_version(connection: Connection, study_id: int) -> StudyVersionSheet | None:
    """The version of a study that is served, with its file; None where it was never served."""
    return stored_versions.latest_version(connection, study_id)


def read_diff(connection: Connection, study_id: int, old: int, new: int) -> VersionDiff:
    """What one version of a study has that another has not."""
    before, after = (read_version(connection, study_id, number) for number in (old, new))
    return difference(before.definition, after.definition, before=old, after=new)


async def _in_store(deployment: Deployment, study: str) -> StudyInStore:
    """A study that is served here, at its latest version."""
    if deployment.store.read_only:
        raise InputError("This is a read-only copy. Nothing can be changed in it.")
    running = deployment.study(study)
    return await asyncio.to_thread(
        study_in_store, deployment.store, running.id, running.definition.file, deployment.served
    )


def _foresee(found: StudyInStore, text: str, *, outside: bool = False) -> _Foreseen:
    old = found.definition
    told = difference(
        found.latest.definition,
        text,
        before=found.latest.number,
        after=found.latest.number + 1,
    )

    def change(problems: Sequence[Problem], spoils: tuple[str, ...] = ()) -> ForeseenChange:
        return ForeseenChange(
            base=found.latest.number,
            problems=tuple(problems),
            refusals=spoils,
            lines=told.lines,
            words=told.words,
        )

    try:
        reading = read_study_text(text, old.file)
    except StudyError as error:
        return _Foreseen(change(error.problems), text, None)
    if outside and (reached := _overreach(reading, found)):
        return _Foreseen(change(reached), text, None)
    problems = check_reading(reading)
    new = _whole(reading)
    if new is None or any(not problem.warning for problem in problems):
        return _Foreseen(change(problems), text, None)
    if new.name == old.name:
        served = {**found.served, new.name: new}
        more = prepare_study(found.store, new, served).problems
        known = {problem.message for problem in problems}
        problems = [*problems, *(p for p in more if p.message not in known)]
    work = found.store.read_now(partial(stored_versions.collected_work, study_id=found.id))
    return _Foreseen(change(problems, refusals(old, new, work)), text, new)


def _overreach(reading: ReadStudy, found: StudyInStore) -> list[Problem]:
    """Where a file from outside reaches further on this server than what is served.

    It is looked for before anything of the file is built or read. What a reviewer may not, beside that,
    is asked in `editing`.
    """
    file = found.definition.file
    old = parse_marked(found.latest.definition.encode(), file=str(file)).data
    reached = reach_problems(
        old, reading.marked.data, folder=file.parent, owner=True, sees=lambda _: True
    )
    return place_problems(reading.marked, reached)


def _whole(reading: ReadStudy) -> Study | None:
    wrong = any(not problem.warning for problem in reading.key_problems)
    return None if wrong else reading.study


def _accepted(found: StudyInStore, foreseen: _Foreseen, *, note: str, base: int | None) -> Study:
    """The study that a change makes; raises where it is not to be made."""
    change, number = foreseen.change, found.latest.number
    if len(note) > MOST_NOTE or "\0" in note:
        raise InputError(f"A note has at most {MOST_NOTE} characters; got {len(note):,}.")
    if base is not None and base != number:
        raise ConflictError(
            f"This change was made of version {base}, and version {number} is served by now. Look at "
            "what has changed, and make it again of that."
        )
    if change.wrong or foreseen.study is None:
        raise StudyError(list(change.wrong))
    if change.refusals:
        raise ConflictError("\n".join(change.refusals))
    if change.same:
        raise ConflictError("This is the file that is served already. Nothing was changed.")
    on_disk = digest_on_disk(found.definition.file)
    if on_disk is not None and on_disk not in (foreseen.study.digest, found.latest.digest):
        known = found.store.read_now(
            partial(stored_versions.versions_of_file, study_id=found.id, digest=on_disk)
        )
        if not known:
            raise ConflictError(
                f"{found.definition.file} was edited on disk and is not served so far; a change here "
                "would overwrite that. Apply it first: palaver study apply "
                f"{found.definition.folder}"
            )
    return foreseen.study


def _store_version(
    connection: Connection,
    *,
    found: StudyInStore,
    foreseen: _Foreseen,
    actor: Actor,
    note: str,
    now: float,
) -> StudyVersion:
    """The transaction of a change: what was foreseen is looked at once more, then it is so."""
    new = foreseen.study
    assert new is not None, "it was accepted"
    hold_study(connection, found.id)
    latest = stored_versions.latest_version(connection, found.id)
    if latest is None or latest.number != found.latest.number:
        raise ConflictError("Somebody else changed the study at the same time. Look at it again.")
    for plan in _chat_plans(new, found.id):
        set_quotas(connection, plan)
    spoils = refusals(found.definition, new, stored_versions.collected_work(connection, found.id))
    if spoils:
        raise ConflictError("\n".join(spoils))
    made = new_version(
        connection,
        found.id,
        name=new.name,
        title=new.title,
        digest=new.digest,
        definition=foreseen.text,
        actor=actor,
        note=note.strip(),
        now=now,
    )
    return made.head


def _chat_plans(study: Study, study_id: int) -> list[ChatPlan]:
    """What the places of a study follow; those of write stages follow their rounds."""
    return [
        chat_plan(study, study_id, index, stage, {})
        for index, stage in enumerate(study.stages)
        if isinstance(stage, ChatStage) and not isinstance(stage, WriteStage)
    ]
