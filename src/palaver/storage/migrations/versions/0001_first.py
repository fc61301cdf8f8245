"""The first schema: a new database is created whole, so there is nothing to alter."""

from alembic import op

from palaver.storage.schema import metadata

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create every table."""
    metadata.create_all(op.get_bind())
