"""Answers kept as they are given, summaries of answers, and what a dialogue is for."""

import json

import sqlalchemy as sa
from alembic import op

from palaver.storage.schema import dialogues, metadata, sheets

revision = "0004"
down_revision = "0003"

NEW = ("drafts", "summaries")


def upgrade() -> None:
    """Create the new tables; say of each dialogue what it is for, as far as sheets tell it."""
    bind = op.get_bind()
    metadata.create_all(bind, tables=[metadata.tables[name] for name in NEW])
    if "purpose" in {column["name"] for column in sa.inspect(bind).get_columns("dialogues")}:
        return  # the first migration made the tables as they are today
    op.add_column("dialogues", sa.Column("source_id", sa.Text))
    op.add_column("dialogues", sa.Column("purpose", sa.Text, nullable=False, server_default="real"))
    op.create_index("dialogues_by_source", "dialogues", ["study_id", "source_id"])
    op.add_column("labels", sa.Column("pastes", sa.Integer))
    op.add_column("labels", sa.Column("pasted", sa.Integer))
    kept = bind.execute(
        sa.select(sheets.c.purpose, sheets.c.content).where(sheets.c.purpose != "real")
    )
    for purpose, content in kept.all():
        keys = [key for part in json.loads(content)["parts"] for key in part["dialogues"]]
        bind.execute(sa.update(dialogues).where(dialogues.c.key.in_(keys)).values(purpose=purpose))
