"""The scenario that a place of a quota is for."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the column, where the first migration has not made the tables as they are today."""
    if "scenario" not in {each["name"] for each in sa.inspect(op.get_bind()).get_columns("places")}:
        op.add_column("places", sa.Column("scenario", sa.Text))
