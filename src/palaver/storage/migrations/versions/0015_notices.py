"""What somebody is told of a study, by letter or by a hook of theirs."""

from alembic import op

from palaver.storage.schema import metadata

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Create the table, where the first migration has not made it with the others."""
    metadata.create_all(op.get_bind(), tables=[metadata.tables["notices"]])
