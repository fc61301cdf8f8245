"""Models and their versions in the store."""

from collections.abc import Collection, Mapping
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, Select, func, insert, or_, select, update

from palaver.core.errors import UnknownNameError
from palaver.core.evaluation.models import UPLOADED, Model, ModelVersion
from palaver.core.registry import near
from palaver.storage.engine.keys import new_key
from palaver.storage.schema.evaluation import model_versions, models, runs, submitters


def register_model(
    connection: Connection, *, task_id: int, name: str, now: float, **values: Any
) -> int:
    """Store a model, or what changed about it (about, link, tags, published, anonymous, …)."""
    values = _written(values)
    known = connection.execute(
        select(models.c.id).where(models.c.task_id == task_id, models.c.name == name)
    ).scalar()
    if known is not None:
        if values:
            connection.execute(update(models).where(models.c.id == known).values(**values))
        return int(known)
    made = insert(models).values(
        task_id=task_id, name=name, key=new_key("m"), created=now, **values
    )
    return int(connection.execute(made.returning(models.c.id)).scalar_one())


def add_model_version(
    connection: Connection,
    *,
    model_id: int,
    kind: str,
    options: dict[str, Any],
    digest: str,
    folder: str = "",
    now: float,
) -> tuple[ModelVersion, bool]:
    """The version with this content, now the newest one, and whether it is new."""
    highest = select(func.max(model_versions.c.number)).where(model_versions.c.model_id == model_id)
    newest = connection.execute(highest).scalar() or 0
    known = version_with(connection, model_id, digest)
    if known is not None:
        return _as_newest(connection, known, newest), False
    row = connection.execute(
        insert(model_versions)
        .values(
            model_id=model_id,
            number=newest + 1,
            kind=kind,
            options=msgspec.json.encode(options).decode(),
            folder=folder,
            digest=digest,
            created=now,
        )
        .returning(model_versions)
    ).one()
    return _version(row), True


def version_with(connection: Connection, model_id: int, digest: str) -> ModelVersion | None:
    """The version with this content, if there is one."""
    row = connection.execute(
        select(model_versions).where(
            model_versions.c.model_id == model_id, model_versions.c.digest == digest
        )
    ).one_or_none()
    return None if row is None else _version(row)


def uploads_for(connection: Connection, task_id: int, digest: str) -> dict[int, str]:
    """The model versions of a task that have uploaded answers to the data with this digest: paths."""
    rows = connection.execute(
        select(model_versions.c.id, model_versions.c.options)
        .join(models, models.c.id == model_versions.c.model_id)
        .where(models.c.task_id == task_id, model_versions.c.kind == UPLOADED)
        .order_by(model_versions.c.id)
    )
    found = {row.id: msgspec.json.decode(row.options).get(digest) for row in rows}
    return {version_id: str(path) for version_id, path in found.items() if path is not None}


def add_uploads(connection: Connection, digest: str, paths: Mapping[int, str]) -> None:
    """Let model versions have uploaded answers to the data with this digest as well."""
    for version_id, path in paths.items():
        this = model_versions.c.id == version_id
        known = connection.execute(select(model_versions.c.options).where(this)).scalar_one()
        options = {**msgspec.json.decode(known), digest: path}
        written = msgspec.json.encode(dict(sorted(options.items()))).decode()
        connection.execute(update(model_versions).where(this).values(options=written))


def set_model(connection: Connection, model_id: int, **values: Any) -> None:
    """Change what is decided about a model: `published`, `anonymous`, `retired`, …"""
    if values:
        connection.execute(update(models).where(models.c.id == model_id).values(**_written(values)))


def list_models(connection: Connection, task_id: int) -> list[Model]:
    """The models of a task with their newest versions, oldest first; retired ones too.

    Their runs are not counted.
    """
    rows = connection.execute(
        _with_newest().where(models.c.task_id == task_id).order_by(models.c.id)
    )
    return [_model(row) for row in rows]


def find_model(connection: Connection, task_id: int, name: str) -> Model:
    """The model with that name or key, its runs not counted; UnknownNameError names what is near."""
    rows = connection.execute(
        _with_newest()
        .where(models.c.task_id == task_id, or_(models.c.name == name, models.c.key == name))
        .order_by(models.c.id)
    )
    found = next(map(_model, rows), None)
    if found is None:
        names = [each.name for each in list_models(connection, task_id)]
        raise UnknownNameError(f"No model '{name}' is stored here.{near(name, names)}")
    return found


def model_named(connection: Connection, task_id: int, name: str) -> Model | None:
    """The model with that name, its runs not counted; None if there is none."""
    this = _with_newest().where(models.c.task_id == task_id, models.c.name == name)
    row = connection.execute(this).one_or_none()
    return None if row is None else _model(row)


def submitter_of(connection: Connection, model_id: int) -> int | None:
    """The team that submitted a model; None if whoever runs the task added it."""
    return connection.execute(select(models.c.submitter_id).where(models.c.id == model_id)).scalar()


def count_runs(connection: Connection, version_ids: Collection[int]) -> dict[int, dict[str, int]]:
    """How many runs of each of these versions are in which state, states in the order they came."""
    rows = connection.execute(
        select(runs.c.model_version_id, runs.c.state, func.count())
        .where(runs.c.model_version_id.in_(version_ids))
        .group_by(runs.c.model_version_id, runs.c.state)
        .order_by(runs.c.model_version_id, func.min(runs.c.id))
    )
    found: dict[int, dict[str, int]] = {}
    for version_id, state, count in rows:
        found.setdefault(version_id, {})[state] = count
    return found


def find_model_version(connection: Connection, version_id: int) -> ModelVersion:
    row = connection.execute(select(model_versions).where(model_versions.c.id == version_id)).one()
    return _version(row)


def list_model_versions(connection: Connection, model_id: int) -> list[ModelVersion]:
    """Every version of a model, oldest first."""
    rows = connection.execute(
        select(model_versions)
        .where(model_versions.c.model_id == model_id)
        .order_by(model_versions.c.number)
    )
    return [_version(row) for row in rows]


def _as_newest(connection: Connection, version: ModelVersion, newest: int) -> ModelVersion:
    """An earlier version as the newest one again: whoever went back to it means it."""
    if version.version == newest:
        return version
    row = connection.execute(
        update(model_versions)
        .where(model_versions.c.id == version.version_id)
        .values(number=newest + 1)
        .returning(model_versions)
    ).one()
    return _version(row)


def _with_newest() -> Select[Any]:
    newest = (
        select(func.max(model_versions.c.number))
        .where(model_versions.c.model_id == models.c.id)
        .correlate(models)
        .scalar_subquery()
    )
    version = [column.label(f"version_{column.name}") for column in model_versions.c]
    return (
        select(models, *version, submitters.c.team, submitters.c.challenge_id)
        .join(
            model_versions,
            (model_versions.c.model_id == models.c.id) & (model_versions.c.number == newest),
        )
        .outerjoin(submitters, submitters.c.id == models.c.submitter_id)
    )


def _written(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values as the table holds them: tags are a JSON list."""
    tags = {"tags": msgspec.json.encode(list(values["tags"])).decode()} if "tags" in values else {}
    return {**values, **tags}


def _version(row: Row[Any]) -> ModelVersion:
    known = dict(row._mapping)
    return ModelVersion(
        version=known.pop("number"),
        version_id=known.pop("id"),
        options=msgspec.json.decode(known.pop("options")),
        **known,
    )


def _model(row: Row[Any]) -> Model:
    known = row._mapping
    own = {column.name: known[column.name] for column in models.c}
    own["tags"] = tuple(msgspec.json.decode(own["tags"]))
    return Model(
        **own,
        version=known["version_number"],
        kind=known["version_kind"],
        digest=known["version_digest"],
        options=msgspec.json.decode(known["version_options"]),
        folder=known["version_folder"],
        version_id=known["version_id"],
        version_created=known["version_created"],
        team=known["team"],
        challenge_id=known["challenge_id"],
        runs={},
    )
