"""Versions of study files, studies that open and close, and links that are kept."""

import sqlalchemy as sa
from alembic import op

from palaver.storage.schema import metadata

revision = "0012"
down_revision = "0011"

TABLES = ("study_versions", "study_states", "links")


def upgrade() -> None:
    """Add tables and columns, where the first migrations have not made them already.

    The file that a study is served with becomes its first version.
    """
    bind = op.get_bind()
    metadata.create_all(bind, tables=[metadata.tables[name] for name in TABLES])
    for table in ("assignments", "labels"):
        if "version" not in {each["name"] for each in sa.inspect(bind).get_columns(table)}:
            op.add_column(table, sa.Column("version", sa.Integer))
    bind.execute(
        sa.text(
            "INSERT INTO study_versions (study_id, number, digest, definition, via, time) "
            "SELECT id, 1, digest, definition, 'server', created FROM studies "
            "WHERE id NOT IN (SELECT study_id FROM study_versions)"
        )
    )
