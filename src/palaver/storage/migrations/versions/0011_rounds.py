"""Rounds in which people write examples against models, and the round of a data set."""

import sqlalchemy as sa
from alembic import op

from palaver.storage.schema import evaluation, metadata

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Add the table and the column, where the first migrations have not made them already."""
    bind = op.get_bind()
    metadata.create_all(bind, tables=[evaluation.rounds])
    if "round" not in {column["name"] for column in sa.inspect(bind).get_columns("datasets")}:
        op.add_column(
            "datasets", sa.Column("round", sa.Integer, nullable=False, server_default="0")
        )
