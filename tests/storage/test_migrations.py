"""The migrations lead where the schema says, on both databases."""

from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, create_engine, inspect, text

import palaver.storage.database as database
from palaver.core.errors import StoreVersionError
from palaver.storage import Store
from palaver.storage.postgres import url_for_driver
from palaver.storage.schema import SCHEMA_VERSION, metadata
from support.databases import Postgres

MIGRATIONS = Path(database.__file__).parent / "migrations"


def alembic() -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    return config


def _options(index: Any) -> list[str]:
    return sorted(f"{name}={value}" for name, value in index.get("dialect_options", {}).items())


def shape(engine: Engine) -> dict[str, Any]:
    """Everything about the tables that a statement could notice."""
    seen = inspect(engine)
    return {
        table: {
            "columns": [
                (c["name"], str(c["type"]), c["nullable"], c["default"])
                for c in seen.get_columns(table)
            ],
            "key": seen.get_pk_constraint(table)["constrained_columns"],
            "foreign": sorted(
                (f["constrained_columns"], f["referred_table"], f["referred_columns"])
                for f in seen.get_foreign_keys(table)
            ),
            "unique": sorted(u["column_names"] for u in seen.get_unique_constraints(table)),
            "indexes": sorted(
                (str(i["name"]), i["column_names"], bool(i["unique"]), _options(i))
                for i in seen.get_indexes(table)
            ),
            "checks": sorted(str(c["name"]) for c in seen.get_check_constraints(table)),
        }
        for table in seen.get_table_names()
        if table != "alembic_version"
    }


def test_upgrading_an_empty_database_gives_the_schema_of_the_code(
    database_url: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if database_url.startswith("sqlite"):
        whole_url = f"sqlite:///{tmp_path / 'whole.db'}"
    else:
        server: Postgres = request.getfixturevalue("postgres")
        whole_url = server.new_database()
    migrated, whole = (create_engine(url_for_driver(url)) for url in (database_url, whole_url))
    try:
        with migrated.begin() as connection:
            config = alembic()
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
        metadata.create_all(whole)

        assert shape(migrated) == shape(whole)
    finally:
        migrated.dispose()
        whole.dispose()


def test_the_newest_migration_carries_the_number_of_the_schema() -> None:
    assert ScriptDirectory.from_config(alembic()).get_current_head() == f"{SCHEMA_VERSION:04d}"


def test_a_store_that_was_created_whole_counts_as_migrated(store: Store) -> None:
    found = store.read_now(lambda c: c.execute(text("SELECT version_num FROM alembic_version")))
    assert found is not None
    Store(store.url).close()


def test_an_unknown_newer_version_names_both_versions(store: Store) -> None:
    store.write_now(lambda c: c.execute(text("UPDATE alembic_version SET version_num = '0777'")))
    with pytest.raises(StoreVersionError, match=f"0777.*{SCHEMA_VERSION:04d}"):
        Store(store.url)
