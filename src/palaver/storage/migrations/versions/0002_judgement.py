"""Judgement by people: sheets and their slots, screenings, standings, exclusions, intakes."""

import sqlalchemy as sa
from alembic import op

from palaver.storage.schema import metadata

revision = "0002"
down_revision = "0001"

NEW = ("sheets", "sheet_people", "slots", "screenings", "standings", "exclusions", "intakes")


def upgrade() -> None:
    """Create the new tables, and let a label name its slot and what its value means."""
    bind = op.get_bind()
    metadata.create_all(bind, tables=[metadata.tables[name] for name in NEW])
    if "slot_id" in {column["name"] for column in sa.inspect(bind).get_columns("labels")}:
        return  # the first migration made the tables as they are today
    op.add_column("labels", sa.Column("label", sa.Text))
    # Written out: SQLite takes a new column that refers to a table, but no new constraint.
    kind = "BIGINT" if bind.dialect.name == "postgresql" else "INTEGER"
    op.execute(f"ALTER TABLE labels ADD COLUMN slot_id {kind} REFERENCES slots (id)")
    op.create_index("labels_by_slot", "labels", ["slot_id"])
    op.create_index("labels_by_rater", "labels", ["rater_id", "unit_id"])
