"""Credits that panels are to give, and what a panel calls its own study."""

import sqlalchemy as sa
from alembic import op

from palaver.storage.schema import metadata

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add a table and a column, where the first migrations have not made them already."""
    bind = op.get_bind()
    metadata.create_all(bind, tables=[metadata.tables["credits"]])
    present = {column["name"] for column in sa.inspect(bind).get_columns("assignments")}
    if "panel_study" not in present:
        op.add_column("assignments", sa.Column("panel_study", sa.Text))
