"""A database of version 7 with teams and submissions learns of challenges and keeps every row."""

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import (
    Column,
    Engine,
    Float,
    ForeignKey,
    Index,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    create_engine,
    inspect,
    text,
)

import palaver.storage.engine.database as database
from palaver.core.errors import ConflictError, StoreVersionError
from palaver.storage import Store
from palaver.storage.engine.postgres import url_for_driver
from palaver.storage.evaluation.submitters import find_submitter, list_submitters
from palaver.storage.schema import Id, metadata
from support.databases import Postgres

# What version 8 brought, and what it changed.
NEW = ("challenges", "announcements", "mails")
CHANGED = ("submitters", "submissions")
TOKEN = "ps_" + "x" * 43


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database of each kind in turn in which nothing was made yet."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'palaver.db'}"
    server: Postgres = request.getfixturevalue("postgres")
    return server.empty_database()


def old_tables() -> list[Table]:
    """Every table as version 7 had it, in an order in which they can be made."""
    before = MetaData()
    for name, table in metadata.tables.items():
        if name not in (*NEW, *CHANGED):
            table.to_metadata(before)
    Table(
        "submitters",
        before,
        Column("id", Id, primary_key=True),
        Column("task_id", ForeignKey("tasks.id"), nullable=False),
        Column("team", Text, nullable=False),
        Column("affiliation", Text, nullable=False, server_default=""),
        Column("link", Text, nullable=False, server_default=""),
        Column("digest", Text, nullable=False, unique=True),
        Column("terms_digest", Text),
        Column("accepted", Float(53)),
        Column("created", Float(53), nullable=False),
        Column("revoked", Float(53)),
        UniqueConstraint("task_id", "team"),
    )
    Table(
        "submissions",
        before,
        Column("id", Id, primary_key=True),
        Column("submitter_id", ForeignKey("submitters.id"), nullable=False),
        Column("model_version_id", ForeignKey("model_versions.id"), nullable=False),
        Column("created", Float(53), nullable=False),
        Index("submissions_by_submitter", "submitter_id", "created"),
    )
    return before.sorted_tables


ROWS = (
    "INSERT INTO tasks (id, name, title, definition, digest, created) "
    "VALUES (1, 'nli', 'NLI', '{}', 'd', 0)",
    "INSERT INTO submitters (id, task_id, team, affiliation, digest, terms_digest, accepted, created) "
    "VALUES (4, 1, 'Otters', 'River', 'DIGEST', 'abc', 7, 5)",
    "INSERT INTO submitters (id, task_id, team, digest, created, revoked) "
    "VALUES (5, 1, 'Newts', 'other', 6, 8)",
    "INSERT INTO models (id, key, task_id, name, submitter_id, created) "
    "VALUES (1, 'm_1', 1, 'rules', 4, 9)",
    "INSERT INTO model_versions (id, model_id, number, kind, options, digest, created) "
    "VALUES (1, 1, 1, 'http', '{}', 'd', 9)",
    "INSERT INTO submissions (id, submitter_id, model_version_id, created) VALUES (1, 4, 1, 9)",
)


def make_version_7(engine: Engine) -> None:
    """A home of version 7 with two teams and a submission."""
    digest = sha256(TOKEN.encode()).hexdigest()
    with engine.begin() as connection:
        for table in old_tables():
            table.create(connection)
        connection.execute(
            text("CREATE TABLE alembic_version (version_num VARCHAR(32) PRIMARY KEY)")
        )
        connection.execute(text("INSERT INTO alembic_version VALUES ('0007')"))
        for statement in ROWS:
            connection.exec_driver_sql(statement.replace("DIGEST", digest))


def shape(engine: Engine, table: str) -> dict[str, Any]:
    """What a statement could notice of a table; the order of its columns is none of it."""
    seen = inspect(engine)
    return {
        "columns": sorted(
            (c["name"], str(c["type"]), c["nullable"], c["default"])
            for c in seen.get_columns(table)
        ),
        "foreign": sorted(
            (f["constrained_columns"], f["referred_table"], f["referred_columns"])
            for f in seen.get_foreign_keys(table)
        ),
        "unique": sorted(u["column_names"] for u in seen.get_unique_constraints(table)),
        "indexes": sorted((str(i["name"]), i["column_names"]) for i in seen.get_indexes(table)),
        "checks": sorted(str(c["name"]) for c in seen.get_check_constraints(table)),
    }


def test_a_row_that_refers_to_nothing_stops_it_and_changes_nothing(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'palaver.db'}"
    old = create_engine(url)
    make_version_7(old)
    with old.begin() as connection:
        connection.exec_driver_sql("DELETE FROM tasks")
    engines = database.make_engines(url)
    with pytest.raises(StoreVersionError, match="refers to a row of 'tasks' that is not there"):
        database.migrate(engines[0])
    for engine in engines:
        engine.dispose()
    assert not inspect(old).has_table("challenges")
    old.dispose()


def test_teams_and_submissions_are_kept(
    database_url: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if database_url.startswith("sqlite"):
        whole_url = f"sqlite:///{tmp_path / 'whole.db'}"
    else:
        server: Postgres = request.getfixturevalue("postgres")
        whole_url = server.empty_database()
    old, whole = (create_engine(url_for_driver(url)) for url in (database_url, whole_url))
    try:
        make_version_7(old)
        metadata.create_all(whole)
        engines = database.make_engines(database_url)
        database.migrate(engines[0])
        for engine in engines:
            engine.dispose()
        for table in (*NEW, *CHANGED, "models"):
            assert shape(old, table) == shape(whole, table), table
    finally:
        old.dispose()
        whole.dispose()

    store = Store(database_url)
    try:
        otters, newts = store.read_now(lambda c: list_submitters(c, 1))
        assert (otters.team, otters.affiliation, otters.accepted_digest) == (
            "Otters",
            "River",
            "abc",
        )
        assert (otters.state, otters.contact, otters.members) == ("approved", "", ())
        assert (otters.task_id, otters.challenge_id, otters.is_baseline) == (1, None, False)
        assert newts.revoked == 8
        holder = store.read_now(lambda c: find_submitter(c, TOKEN))
        assert holder is not None
        assert holder.id == 4
        kept = store.read_now(
            lambda c: c.execute(
                text("SELECT submitter_id, created, key, run, late, final, path FROM submissions")
            ).one()
        )
        assert tuple(kept) == (4, 9, None, None, False, False, "")
        owner = "SELECT submitter_id FROM models"
        assert store.read_now(lambda c: c.execute(text(owner)).scalar()) == 4
        with pytest.raises(ConflictError, match=r"submitter_state|CHECK constraint"):
            store.write_now(
                lambda c: c.execute(text("UPDATE submitters SET state = 'unknown' WHERE id = 4"))
            )
    finally:
        store.close()
