"""A new study while others are served: written from a template, registered, paused, and served.

It begins paused, so that nobody arrives before it is ready. A process beside this one on the same
database serves it after its next start.
"""

import asyncio
import re
import shutil
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from sqlalchemy import Connection

from palaver.core.audit import Actor
from palaver.core.errors import ConflictError, InputError, StudyError
from palaver.storage.audit.entries import record
from palaver.studies.file.definition import SLUG, Study
from palaver.studies.file.reader import load_study
from palaver.studies.file.starter import STUDY_FILE, find_template, titled
from palaver.studies.run.deployment import Deployment
from palaver.studies.run.life import change_life
from palaver.studies.run.prepared import prepare_study
from palaver.studies.run.registered import serve_version

PAUSED = "It is new: resume it when it is ready."
# How many studies one folder may get from afar.
MOST_STUDIES = 200


async def make_study(
    deployment: Deployment, *, template: str, name: str, title: str, actor: Actor
) -> list[str]:
    """Write a study of a template into the folder that is served, and serve it, paused; its names.

    InputError where no folder of studies is served or something is wrong with what was given,
    ConflictError where there is a study of this name.
    """
    folder = _folder(deployment)
    contents = _contents(template, name, title)
    async with deployment.versions.changing:
        _check_free(deployment, folder, contents)
        written = await asyncio.to_thread(_write, folder, contents)
        served: list[str] = []
        try:
            for place in written:
                definition = await asyncio.to_thread(load_study, place)
                await _serve(deployment, definition, template=template, actor=actor)
                served.append(definition.name)
        except BaseException:
            if not served:
                await asyncio.to_thread(_remove, written)
            raise
    return served


def _folder(deployment: Deployment) -> Path:
    if deployment.store.read_only:
        raise InputError("This is a read-only copy. Nothing can be changed in it.")
    if deployment.studies_folder is None:
        raise InputError(
            "This server serves one study. To make more at the desk, put its folder into a folder of "
            "studies and serve that: palaver serve FOLDER."
        )
    return deployment.studies_folder


def _contents(template: str, name: str, title: str) -> dict[str, dict[str, bytes]]:
    """The files of a template by the folder that they are written into."""
    if not SLUG.fullmatch(name):
        raise InputError(
            "The name takes lower-case letters, digits and '-', at most 64, and begins with a letter or "
            f"digit; got '{name[:64]}'."
        )
    chosen = find_template(template)
    if chosen.then != "serve":
        raise InputError(
            f"A study of the template '{template}' is begun with a command, because models are asked "
            f"first: palaver init FOLDER --template {template}."
        )
    files = titled(chosen.files(), title)
    several = [Path(each).parent.as_posix() for each in chosen.studies]
    if several == ["."]:
        return {name: files}
    found = {}
    for part in several:
        own = {
            path.removeprefix(f"{part}/"): files[path] for path in files if path.startswith(part)
        }
        found[f"{name}-{part}"] = {**own, STUDY_FILE: _renamed(own[STUDY_FILE], name, several)}
    return found


def _renamed(text: bytes, name: str, parts: list[str]) -> bytes:
    """A study file whose sources are the studies that were made with it."""
    known = "|".join(map(re.escape, parts))
    return re.sub(rf"(?m)^(\s*(?:- )?from: )({known})\b", rf"\1{name}-\2", text.decode()).encode()


def _check_free(
    deployment: Deployment, folder: Path, contents: Mapping[str, Mapping[str, bytes]]
) -> None:
    for name in contents:
        if name in deployment.studies or (folder / name).exists():
            raise ConflictError(f"There is a study '{name}' already. Choose another name.")
    if len(deployment.studies) + len(contents) > MOST_STUDIES:
        raise ConflictError(
            f"{len(deployment.studies)} studies are served here, and at most {MOST_STUDIES} are made at "
            "the desk. Take some out of the folder first."
        )


def _write(folder: Path, contents: Mapping[str, Mapping[str, bytes]]) -> list[Path]:
    written: list[Path] = []
    try:
        for name, files in contents.items():
            place = folder / name
            place.mkdir(mode=0o755)
            written.append(place)
            for file, content in files.items():
                (place / file).parent.mkdir(parents=True, exist_ok=True)
                (place / file).write_bytes(content)
    except OSError as error:
        _remove(written)
        raise InputError(
            f"A study cannot be written into {folder} ({error.strerror}). Make the folder writable for "
            "Palaver."
        ) from error
    return written


def _remove(written: list[Path]) -> None:
    for place in written:
        shutil.rmtree(place, ignore_errors=True)


async def _serve(deployment: Deployment, definition: Study, *, template: str, actor: Actor) -> None:
    """Register a study as paused, and only then serve it."""
    served = {**deployment.served, definition.name: definition}
    prepared = await asyncio.to_thread(prepare_study, deployment.store, definition, served)
    if prepared.problems:
        raise StudyError(list(prepared.problems))
    now = deployment.clock.now()
    begin = partial(_begin, definition=definition, template=template, actor=actor, now=now)
    await deployment.store.write(begin)
    await deployment.add(definition, prepared.materials)


def _begin(
    connection: Connection, *, definition: Study, template: str, actor: Actor, now: float
) -> None:
    found = serve_version(connection, definition, now=now)
    record(
        connection,
        "study.make",
        by=actor,
        now=now,
        subject=definition.name,
        study_id=found.id,
        detail={"template": template},
    )
    change_life(
        connection,
        found.id,
        definition.name,
        definition,
        "pause",
        actor=actor,
        reason=PAUSED,
        now=now,
    )
