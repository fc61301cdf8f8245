"""The section of a released data set that a label comes from."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the column, where the first migration has not made the tables as they are today."""
    if "section" not in {each["name"] for each in sa.inspect(op.get_bind()).get_columns("labels")}:
        op.add_column("labels", sa.Column("section", sa.Text))
