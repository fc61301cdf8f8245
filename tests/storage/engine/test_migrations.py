"""The migrations lead where the schema says, on both databases."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import (
    CheckConstraint,
    Column,
    Engine,
    ForeignKey,
    Index,
    MetaData,
    Table,
    UniqueConstraint,
    create_engine,
    inspect,
    text,
)

import palaver.storage.engine.database as database
from palaver.core.errors import StoreVersionError
from palaver.storage import Store
from palaver.storage.audit.verification import verify
from palaver.storage.engine.postgres import url_for_driver
from palaver.storage.schema import SCHEMA_VERSION, metadata
from support.databases import Postgres

MIGRATIONS = Path(database.__file__).parents[1] / "migrations"


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database of each kind in turn in which nothing was made yet."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'palaver.db'}"
    server: Postgres = request.getfixturevalue("postgres")
    return server.empty_database()


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
        whole_url = server.empty_database()
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


# What later versions brought: tables, and columns of the tables that were there.
NEW = {
    *("sheets", "sheet_people", "slots", "screenings", "standings", "exclusions", "intakes"),
    *("drafts", "summaries", "chains", "chain_links", "checkpoints", "audit_entries"),
    "stops",
}
LATER = {
    "labels": {"label", "slot_id", "pastes", "pasted", "section", "active", "link", "proof"}
    | {"version"},
    "dialogues": {"source_id", "source", "purpose", "ending"},
}


def migrated(url: str) -> Store:
    """A store that was brought to this version."""
    engines = database.make_engines(url)
    database.migrate(engines[0])
    for engine in engines:
        engine.dispose()
    return Store(url)


def _copy(column: Any) -> Column[Any]:
    return Column(
        column.name,
        column.type,
        *(ForeignKey(key.target_fullname) for key in column.foreign_keys),
        primary_key=column.primary_key,
        nullable=column.nullable,
        server_default=None if column.server_default is None else column.server_default.arg,
    )


def _before(table: Table, before: MetaData) -> Table:
    """A table without the columns, and the indexes of them, that later versions brought."""
    later = LATER[table.name]
    since = {"labels_by_slot", "labels_by_rater", "dialogues_by_source", "dialogues_by_condition"}
    checks = [each for each in table.constraints if isinstance(each, CheckConstraint)]
    uniques = [each for each in table.constraints if isinstance(each, UniqueConstraint)]
    return Table(
        table.name,
        before,
        *(_copy(column) for column in table.columns if column.name not in later),
        *(CheckConstraint(str(check.sqltext), name=check.name) for check in checks),
        *(UniqueConstraint(*(column.name for column in unique.columns)) for unique in uniques),
        *(
            Index(index.name, *(column.name for column in index.columns))
            for index in table.indexes
            if index.name not in since
        ),
    )


def make_version_1(engine: Engine) -> None:
    """The tables as version 1 had them, with a label in them."""
    old = [table for name, table in metadata.tables.items() if name not in {*NEW, *LATER}]
    before = MetaData()
    for table in old:
        table.to_metadata(before)
    dialogues, labels = (_before(metadata.tables[name], before) for name in ("dialogues", "labels"))
    with engine.begin() as connection:
        metadata.create_all(connection, tables=[metadata.tables["studies"]])
        dialogues.create(connection)
        metadata.create_all(connection, tables=old)
        labels.create(connection)
        connection.execute(
            text("CREATE TABLE alembic_version (version_num VARCHAR(32) PRIMARY KEY)")
        )
        connection.execute(text("INSERT INTO alembic_version VALUES ('0001')"))
        for statement in (
            "INSERT INTO studies (id, name, title, digest, definition, created) "
            "VALUES (1, 's', 'S', '', '', 0)",
            "INSERT INTO units (id, study_id, key, kind) VALUES (1, 1, 'item:1', 'item')",
            "INSERT INTO raters (id, key, kind, created) VALUES (1, 'sim:1', 'simulated', 0)",
            "INSERT INTO labels (id, study_id, unit_id, question, question_version, purpose, "
            "rater_id, value, abstained, time) "
            "VALUES (1, 1, 1, 'apt', 'v1', 'real', 1, '\"yes\"', false, 5)",
        ):
            connection.execute(text(statement))


def test_a_database_of_version_1_is_brought_up_and_keeps_its_labels(
    database_url: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if database_url.startswith("sqlite"):
        whole_url = f"sqlite:///{tmp_path / 'whole.db'}"
    else:
        server: Postgres = request.getfixturevalue("postgres")
        whole_url = server.empty_database()
    old, whole = (create_engine(url_for_driver(url)) for url in (database_url, whole_url))
    try:
        make_version_1(old)
        metadata.create_all(whole)

        store = migrated(database_url)
        [label] = store.read_now(
            lambda c: c.execute(text("SELECT question, value, label, slot_id FROM labels")).all()
        )
        store.close()

        assert tuple(label) == ("apt", '"yes"', None, None)
        assert shape(old) == shape(whole)
    finally:
        old.dispose()
        whole.dispose()


def test_a_database_of_version_4_learns_of_sections(store: Store) -> None:
    for statement in (
        "ALTER TABLE labels DROP COLUMN section",
        "UPDATE alembic_version SET version_num = '0004'",
    ):
        store.write_now(lambda c, each=statement: c.exec_driver_sql(each))  # type: ignore[misc]

    after = migrated(store.url)
    assert after.read_now(lambda c: c.execute(text("SELECT section FROM labels")).all()) == []
    after.close()


def test_a_database_of_version_8_learns_of_seconds_in_use_and_skipping(store: Store) -> None:
    for statement in (
        "ALTER TABLE labels DROP COLUMN active",
        "ALTER TABLE slots DROP COLUMN skipped",
        "UPDATE alembic_version SET version_num = '0008'",
    ):
        store.write_now(lambda c, each=statement: c.exec_driver_sql(each))  # type: ignore[misc]

    after = migrated(store.url)
    after.read_now(lambda c: c.execute(text("SELECT active FROM labels")).all())
    after.read_now(lambda c: c.execute(text("SELECT skipped FROM slots")).all())
    after.close()


def test_a_database_of_version_9_learns_of_stops(store: Store) -> None:
    for statement in ("DROP TABLE stops", "UPDATE alembic_version SET version_num = '0009'"):
        store.write_now(lambda c, each=statement: c.exec_driver_sql(each))  # type: ignore[misc]

    after = migrated(store.url)
    assert after.read_now(lambda c: c.execute(text("SELECT votes FROM stops")).all()) == []
    after.close()


def test_a_database_of_version_6_learns_of_places_of_scenarios(store: Store) -> None:
    for statement in (
        "INSERT INTO studies (id, name, title, digest, definition, created) "
        "VALUES (1, 's', 'S', '', '', 0)",
        "INSERT INTO places (id, study_id, stage, condition, number, state) "
        "VALUES (1, 1, 0, 'a', 1, 'done')",
        "ALTER TABLE places DROP COLUMN scenario",
        "UPDATE alembic_version SET version_num = '0006'",
    ):
        store.write_now(lambda c, each=statement: c.exec_driver_sql(each))  # type: ignore[misc]

    after = migrated(store.url)
    kept = after.read_now(lambda c: c.execute(text("SELECT state, scenario FROM places")).all())
    assert [tuple(row) for row in kept] == [("done", None)]
    after.close()


def make_version_3(store: Store) -> None:
    """Take away what version 4 brought, from a store that holds a dialogue of a training sheet."""
    for statement in (
        "INSERT INTO studies (id, name, title, digest, definition, created) "
        "VALUES (1, 's', 'S', '', '', 0)",
        *(
            "INSERT INTO dialogues (id, key, study_id, stage, condition, group_key, scenario, "
            f"created) VALUES ({id}, '{key}', 1, 0, '', '{key}', '{{}}', 0)"
            for id, key in enumerate(("practice", "real", "running"), start=1)
        ),
        "INSERT INTO sheets (id, key, study_id, stage, purpose, name, group_key, position, content) "
        "VALUES (1, 'k', 1, 0, 'training', 'n', 'g', 0, "
        '\'{"parts":[{"dialogues":["practice"],"ask":["apt"]}]}\')',
        *(
            "INSERT INTO events (dialogue_id, seq, action, data, time) "
            f"VALUES ({id}, 1, 'end', {data}, 5)"
            for id, data in ((1, '\'{"reason":"imported"}\''), (2, "NULL"))
        ),
        *(
            f"DROP INDEX {name}"
            for name in ("dialogues_by_source", "dialogues_by_condition", "dialogues_running")
        ),
        *(
            f"ALTER TABLE {table} DROP COLUMN {column}"
            for table, column in (
                *(("dialogues", name) for name in ("source_id", "source", "purpose", "ending")),
                *(("labels", name) for name in ("pastes", "pasted", "section", "active")),
                ("slots", "skipped"),
            )
        ),
        "DROP TABLE drafts",
        "DROP TABLE summaries",
        "DROP TABLE stops",
        "UPDATE alembic_version SET version_num = '0003'",
    ):
        store.write_now(lambda c, each=statement: c.exec_driver_sql(each))  # type: ignore[misc]


def test_a_database_of_version_3_learns_what_dialogues_are_for_and_how_they_ended(
    store: Store,
) -> None:
    make_version_3(store)

    after = migrated(store.url)
    found = after.read_now(
        lambda c: c.execute(text("SELECT key, purpose, ending FROM dialogues ORDER BY id")).all()
    )
    after.close()

    assert [tuple(row) for row in found] == [
        ("practice", "training", "imported"),
        ("real", "real", ""),  # why it ended was erased
        ("running", "real", None),
    ]


def test_a_database_of_version_3_keeps_the_names_that_files_gave_to_dialogues(store: Store) -> None:
    make_version_3(store)
    # As version 3 wrote them: a dialogue of a file, and one of a DCH-2 data set.
    from_file = '{"id":"imported","extra":{"file_id":"\u0645\u0644\u0641-7","more":1}}'
    statement = text("UPDATE dialogues SET scenario = :scenario WHERE key = :key")
    for key, scenario in (("practice", from_file), ("real", '{"id":"dch2:4031"}')):
        values = {"key": key, "scenario": scenario}
        store.write_now(lambda c, values=values: c.execute(statement, values))  # type: ignore[misc]

    after = migrated(store.url)
    found = after.read_now(
        lambda c: c.execute(text("SELECT source_id, scenario FROM dialogues ORDER BY id")).all()
    )
    after.close()

    assert [row.source_id for row in found] == ["\u0645\u0644\u0641-7", "4031", None]
    assert [msgspec.json.decode(row.scenario) for row in found] == [
        {"id": "imported", "extra": {"more": 1}},
        {"id": "dch2"},
        {},
    ]


def old_file(folder: Path) -> str:
    """The address of a file that version 3 left."""
    store = Store(f"sqlite:///{folder}/palaver.db")
    make_version_3(store)
    store.close()
    return store.url


@pytest.mark.parametrize("read_only", [True, False])
def test_a_file_of_version_3_is_left_as_it_is(tmp_path: Path, read_only: bool) -> None:
    url = old_file(tmp_path)
    before = (tmp_path / "palaver.db").read_bytes()

    with pytest.raises(StoreVersionError, match=r"schema 0003, now .*palaver migrate"):
        Store(url, read_only=read_only)

    assert (tmp_path / "palaver.db").read_bytes() == before


def test_what_an_older_version_stored_is_taken_into_chains(store: Store) -> None:
    make_version_3(store)
    for statement in (
        "UPDATE events SET link = NULL, proof = NULL",
        "DELETE FROM chain_links",
        "DELETE FROM chains",
    ):
        store.write_now(lambda c, each=statement: c.exec_driver_sql(each))  # type: ignore[misc]

    after = migrated(store.url)
    found = after.read_now(lambda c: verify(c, None))
    after.close()

    assert found.breaks == ()
    assert (found.links, found.kinds["dialogue"], found.kinds["event"]) == (5, 3, 2)


def test_an_old_file_that_cannot_be_written_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = old_file(tmp_path)

    def refuse(engine: Engine) -> None:
        with engine.begin() as connection:
            connection.exec_driver_sql("PRAGMA query_only = ON")
            connection.exec_driver_sql("DROP TABLE labels")

    monkeypatch.setattr(database, "_upgrade", refuse)
    with pytest.raises(StoreVersionError, match=r"schema 0003.*Make the file and its folder"):
        migrated(url)
