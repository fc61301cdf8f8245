"""Accounts with sessions and rights, people who may not come again, the audit trail."""

import sqlalchemy as sa
from alembic import op

from palaver.storage.audit.adoption import adopt
from palaver.storage.schema import metadata
from palaver.storage.schema.audit import link_columns

revision = "0006"
down_revision = "0005"

# New tables, by name.
TABLES: tuple[str, ...] = (
    # How accounts sign in, and what they were granted.
    "sessions",
    "second_factors",
    "recovery_codes",
    "identities",
    "grants",
    # People who were erased.
    "tombstones",
    # How long systems take.
    "latencies",
    # Who did what, and what shows that nothing was changed.
    "chains",
    "chain_links",
    "checkpoints",
    "audit_entries",
)
# New columns of tables that were there before.
COLUMNS: tuple[tuple[str, sa.Column[object]], ...] = (
    (
        "accounts",
        sa.Column("granted_only", sa.Boolean, nullable=False, server_default=sa.false()),
    ),
    ("accounts", sa.Column("disabled", sa.Float(53))),
    ("accounts", sa.Column("removed", sa.Float(53))),
    ("erasures", sa.Column("by", sa.Text, nullable=False, server_default="participant")),
    *(("events", column) for column in link_columns()),
    *(("labels", column) for column in link_columns()),
)
# New indexes of tables that were there before.
INDEXES: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
# New indexes of some of a table's rows, as the schema writes them out.
PARTIAL_INDEXES = (
    "events_late ON events (dialogue_id) WHERE action = 'late'",
    "events_disguise ON events (dialogue_id) WHERE action = 'disguise'",
)


def upgrade() -> None:
    """Create what is new, where the first migration has not made the tables as they are today."""
    bind = op.get_bind()
    metadata.create_all(bind, tables=[metadata.tables[name] for name in TABLES])
    for table, column in COLUMNS:
        if column.name not in {each["name"] for each in sa.inspect(bind).get_columns(table)}:
            op.add_column(table, column)
    for name, table, columns in INDEXES:
        op.create_index(name, table, list(columns), if_not_exists=True)
    for written in PARTIAL_INDEXES:
        op.execute(f"CREATE INDEX IF NOT EXISTS {written}")
    # What was derived from the signing key so far goes on being derived from it.
    meta = metadata.tables["meta"]
    secret = bind.execute(sa.select(meta.c.value).where(meta.c.key == "secret")).scalar()
    lasting = bind.execute(sa.select(meta.c.value).where(meta.c.key == "lasting")).scalar()
    if secret is not None and lasting is None:
        bind.execute(meta.insert().values(key="lasting", value=secret))
    adopt(bind)
