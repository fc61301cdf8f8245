"""Studies that were stopped by their rule."""

from alembic import op

from palaver.storage.schema import metadata

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Create the table, where the first migration has not made it with the others."""
    metadata.create_all(op.get_bind(), tables=[metadata.tables["stops"]])
