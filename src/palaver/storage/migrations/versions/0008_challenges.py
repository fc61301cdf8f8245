"""Challenges with their teams and submissions, and letters to be sent."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from palaver.storage.schema import Id, metadata
from palaver.storage.schema.evaluation import submissions, submitters

revision = "0008"
down_revision = "0007"

TABLES = ("challenges", "announcements", "mails")
STATES = "state IN ('waiting', 'approved', 'refused', 'left')"


def upgrade() -> None:
    """Create what is new, where an earlier migration has not made the tables as they are today."""
    bind = op.get_bind()
    metadata.create_all(bind, tables=[metadata.tables[name] for name in TABLES])
    for table in (submitters, submissions):
        there = {each["name"] for each in sa.inspect(bind).get_columns(table.name)}
        new = [column for column in table.columns if column.name not in there]
        if not new:
            continue
        with op.batch_alter_table(table.name) as batch:
            for column in new:
                batch.add_column(_bare(column))
            if table is submitters:
                batch.create_foreign_key(
                    "submitters_challenge", "challenges", ["challenge_id"], ["id"]
                )
                batch.alter_column("task_id", existing_type=Id, nullable=True)
                batch.create_unique_constraint("submitters_of_challenge", ["challenge_id", "team"])
                batch.create_check_constraint("submitter_state", STATES)
            else:
                batch.create_unique_constraint("submissions_by_key", ["key"])


def _bare(column: sa.Column[Any]) -> sa.Column[Any]:
    """The column without what it refers to, which is added by its name."""
    return sa.Column(
        column.name, column.type, nullable=column.nullable, server_default=column.server_default
    )
