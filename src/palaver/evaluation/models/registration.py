"""Adding a model: checked, its files kept, registered and its runs planned in one transaction."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from palaver.core.evaluation.models import AddedModel, ModelVersion
from palaver.core.evaluation.runs import Run
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.serial import extended
from palaver.core.tasks import Task
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.models.decisions import check_name, check_told, publication
from palaver.evaluation.models.files import keep_files, model_files, own_files, version_digest
from palaver.evaluation.models.views import key_notes, shown_options
from palaver.evaluation.runs.plans import plan_for_model
from palaver.storage.evaluation.models import (
    add_model_version,
    find_model,
    register_model,
    version_with,
)
from palaver.systems.build import build_predictor

Plan = Callable[..., list[Run]]

# Characters of a digest that stand in a path.
SHORT_DIGEST = 16


def add_model(
    home: EvaluationHome,
    task_row: StoredTask,
    task: Task,
    *,
    name: str,
    kind: str,
    options: Mapping[str, Any],
    folder: Path | None = None,
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
    and files together are the version: the same again makes no new one. What is told about it stays
    as it was where it is empty or None.
    """
    check_name(name)
    told = told_values(about=about, link=link, tags=tags, published=published, anonymous=anonymous)
    build_predictor(kind, options, folder=folder or home.folder)
    own = own_files(kind, options, folder, usual=home.folder)
    files = [] if own.folder is None else model_files(own.folder, is_closed=own.is_closed)
    digest = version_digest(kind, own.options, files)
    place = ""
    if own.folder is not None:
        place = f"models/{task.name}/{name}/{digest[:SHORT_DIGEST]}"
        keep_files(home.objects, own.folder, files, place=place)
    added = home.store.write_now(
        lambda connection: register(
            connection,
            task_row,
            name=name,
            kind=kind,
            options=dict(own.options),
            digest=digest,
            folder=place,
            told=told,
            now=now,
            plan=plan,
        )
    )
    return replace(added, notes=(*added.notes, *key_notes(options)))


def told_values(
    *, about: str, link: str, tags: Sequence[str], published: bool | None, anonymous: bool | None
) -> dict[str, Any]:
    """What is told about a model that is brought, as it is stored; InputError if it may not be."""
    check_told(about=about, link=link, tags=tags)
    told: dict[str, Any] = {"about": about, "link": link, "tags": tuple(tags)}
    given = {name: value for name, value in told.items() if value}
    return {**given, **publication(published, anonymous)}


def register(
    connection: Connection,
    task_row: StoredTask,
    *,
    name: str,
    kind: str,
    options: dict[str, Any],
    digest: str,
    folder: str = "",
    told: Mapping[str, Any],
    now: float,
    plan: Plan,
) -> AddedModel:
    """Store model and version, bring it back if it was retired, and plan its runs."""
    model_id = register_model(
        connection, task_id=task_row.id, name=name, now=now, retired=None, **told
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
    runs = plan(connection, task_row, find_model(connection, task_row.id, name), now=now)
    # A team that submits claims the model while it is planned.
    model = find_model(connection, task_row.id, name)
    return extended(
        model,
        AddedModel,
        options=shown_options(model.options),
        is_new=is_new,
        runs=tuple(run.key for run in runs),
        notes=_notes(earlier, version),
        due=tuple(runs),
    )


def _notes(earlier: ModelVersion | None, version: ModelVersion) -> tuple[str, ...]:
    if earlier is None or earlier.version == version.version:
        return ()
    return (
        f"It was version {earlier.version} before; now it is version {version.version} and counts "
        "again. Its earlier results are kept.",
    )
