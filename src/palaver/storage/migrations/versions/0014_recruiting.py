"""Recruitments at panels, their submissions and hooks, payments and budgets."""

from alembic import op

from palaver.storage.schema import recruiting

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Create the tables, where the first migration has not made them with the others."""
    recruiting.metadata.create_all(op.get_bind(), tables=list(recruiting.RECRUITING_TABLES))
