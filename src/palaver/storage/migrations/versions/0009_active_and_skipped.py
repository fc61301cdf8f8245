"""How long people were at work on an answer, and sheets that they skipped."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add the columns, where the first migration has not made the tables as they are today."""
    for table, column in (("labels", "active"), ("slots", "skipped")):
        known = {each["name"] for each in sa.inspect(op.get_bind()).get_columns(table)}
        if column not in known:
            op.add_column(table, sa.Column(column, sa.Float(53)))
