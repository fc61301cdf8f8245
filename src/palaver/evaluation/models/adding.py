"""Adding a model: checked, its files kept, registered and its runs planned in one transaction."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from palaver.core.evaluation.runs import Run
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.tasks import Task
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.models.files import keep_files, model_files, version_digest
from palaver.evaluation.models.names import check_name
from palaver.evaluation.runs.planning import plan_for_model
from palaver.storage.evaluation.models import (
    ModelVersion,
    StoredModel,
    add_model_version,
    find_model,
    register_model,
    version_with,
)
from palaver.systems.build import build_predictor

Plan = Callable[..., list[Run]]

# Characters of a digest that stand in a path.
SHORT_DIGEST = 16
# Names of headers that hold keys.
_KEY = re.compile(r"authorization|key|token|cookie|secret", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedModel:
    """A model in the store: its version, whether that is new, and the runs that are due."""

    model: StoredModel
    version: ModelVersion
    is_new: bool
    runs: tuple[Run, ...]
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The model and its runs as plain data; options as they were written."""
        return {
            "key": self.model.key,
            "name": self.model.name,
            "kind": self.version.kind,
            "options": self.version.options,
            "version": self.version.number,
            "digest": self.version.digest,
            "is_new": self.is_new,
            "published": self.model.published,
            "anonymous": self.model.anonymous,
            "runs": [run.key for run in self.runs],
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What is told about a model; what is empty or None stays as it was."""

    submitter_id: int | None = None
    about: str = ""
    link: str = ""
    tags: Sequence[str] = ()
    published: bool | None = None
    anonymous: bool | None = None

    def given(self) -> dict[str, Any]:
        """What was told."""
        known = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in known.items() if value not in (None, "", ())}


def add_model(
    home: EvaluationHome,
    task_row: StoredTask,
    task: Task,
    *,
    name: str,
    kind: str,
    options: Mapping[str, Any],
    folder: Path | None = None,
    submitter_id: int | None = None,
    about: str = "",
    link: str = "",
    tags: Sequence[str] = (),
    published: bool | None = None,
    anonymous: bool | None = None,
    now: float,
    plan: Plan = plan_for_model,
) -> AddedModel:
    """Register a model, or a new version of it, and plan its runs.

    `folder` holds the files that it runs from; they are copied into the object store. Kind, options
    and files together are the version: the same again makes no new one.
    """
    check_name(name)
    build_predictor(kind, options, folder=folder or home.folder)
    files = [] if folder is None else model_files(folder)
    digest = version_digest(kind, options, files)
    place = ""
    if folder is not None:
        place = f"models/{task.name}/{name}/{digest[:SHORT_DIGEST]}"
        keep_files(home.objects, folder, files, place=place)
    told = About(
        submitter_id=submitter_id,
        about=about,
        link=link,
        tags=tags,
        published=published,
        anonymous=anonymous,
    )
    added = home.store.write_now(
        lambda connection: register(
            connection,
            task_row,
            name=name,
            kind=kind,
            options=dict(options),
            digest=digest,
            folder=place,
            told=told,
            now=now,
            plan=plan,
        )
    )
    return replace(added, notes=(*added.notes, *(_key_notes(options))))


def register(
    connection: Connection,
    task_row: StoredTask,
    *,
    name: str,
    kind: str,
    options: dict[str, Any],
    digest: str,
    folder: str = "",
    told: About,
    now: float,
    plan: Plan,
) -> AddedModel:
    """Store model and version, bring it back if it was retired, and plan its runs."""
    model_id = register_model(
        connection, task_id=task_row.id, name=name, now=now, retired=None, **told.given()
    )
    earlier = version_with(connection, model_id, digest)
    version, is_new = add_model_version(
        connection,
        model_id=model_id,
        kind=kind,
        options=options,
        digest=digest,
        folder=folder,
        now=now,
    )
    model = find_model(connection, task_row.id, name)
    runs = plan(connection, task_row, model, now=now)
    return AddedModel(
        model=model,
        version=version,
        is_new=is_new,
        runs=tuple(runs),
        notes=_notes(earlier, version),
    )


def _notes(earlier: ModelVersion | None, version: ModelVersion) -> tuple[str, ...]:
    if earlier is None or earlier.number == version.number:
        return ()
    return (
        f"It was version {earlier.number} before; it is version {version.number} now and counts "
        "again. What was computed then is kept.",
    )


def _key_notes(options: Mapping[str, Any]) -> list[str]:
    """Notes on keys that were written down instead of being named."""
    headers = options.get("headers")
    given = headers.items() if isinstance(headers, Mapping) else ()
    return [
        f"The header '{name}' seems to hold a key, which is now stored as it was written. Write "
        "${VARIABLE} instead and put the key into the environment."
        for name, value in given
        if _KEY.search(str(name)) and "${" not in str(value)
    ]
