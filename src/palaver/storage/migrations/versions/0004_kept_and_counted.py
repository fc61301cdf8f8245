"""Answers kept as they are given, summaries of answers, and what a dialogue is for."""

import json

import sqlalchemy as sa
from alembic import op

from palaver.storage.engine.statements import json_text
from palaver.storage.schema import (
    APART,
    SEVERAL_PARTS,
    dialogues,
    events,
    metadata,
    sheets,
    written,
)

revision = "0004"
down_revision = "0003"

NEW = ("drafts", "summaries")
# Indexes that are new, or hold more columns than before.
INDEXES = {
    "dialogues_by_source": ("dialogues", ("study_id", "source_id")),
    "dialogues_by_condition": ("dialogues", ("study_id", "purpose", "condition", "ending")),
    "assignments_by_state": ("assignments", ("study_id", "state", "reason", "participant_id")),
    "labels_by_study": (
        "labels",
        ("study_id", "question", "id", "purpose", "abstained", "erased"),
    ),
    "labels_by_rater": ("labels", ("rater_id", "study_id", "unit_id")),
    "slots_by_rank": ("slots", ("study_id", "stage", "state", "rank", "sheet_id")),
}


def upgrade() -> None:
    """Create the new tables; say of each dialogue what it is for, as far as sheets tell it."""
    bind = op.get_bind()
    metadata.create_all(bind, tables=[metadata.tables[name] for name in NEW])
    if "purpose" in {column["name"] for column in sa.inspect(bind).get_columns("dialogues")}:
        return  # the first migration made the tables as they are today
    op.add_column("dialogues", sa.Column("source_id", sa.Text))
    op.add_column("dialogues", sa.Column("source", sa.Text))
    op.add_column("dialogues", sa.Column("purpose", sa.Text, nullable=False, server_default="real"))
    op.add_column("dialogues", sa.Column("ending", sa.Text))
    op.add_column("labels", sa.Column("pastes", sa.Integer))
    op.add_column("labels", sa.Column("pasted", sa.Integer))
    kept = bind.execute(
        sa.select(sheets.c.purpose, sheets.c.content).where(sheets.c.purpose != "real")
    )
    for purpose, content in kept.all():
        keys = [key for part in json.loads(content)["parts"] for key in part["dialogues"]]
        bind.execute(sa.update(dialogues).where(dialogues.c.key.in_(keys)).values(purpose=purpose))
    _name_by_source(bind)
    why = sa.func.coalesce(json_text(events.c.data, sa.literal("reason")), "")
    ended = sa.select(why).where(
        events.c.dialogue_id == dialogues.c.id, events.c.action == written("end")
    )
    bind.execute(sa.update(dialogues).values(ending=ended.scalar_subquery()))
    for name, (table, columns) in INDEXES.items():
        op.drop_index(name, table, if_exists=True)
        op.create_index(name, table, list(columns))
    op.execute("CREATE INDEX dialogues_running ON dialogues (study_id, id) WHERE ending IS NULL")
    op.execute(
        "CREATE INDEX IF NOT EXISTS labels_erased ON labels (study_id) WHERE erased IS NOT NULL"
    )
    op.execute(
        "CREATE INDEX IF NOT EXISTS labels_timed ON labels (rater_id, seconds) WHERE erased IS NULL"
    )
    op.execute(
        "CREATE INDEX IF NOT EXISTS slots_abandoned ON slots (study_id) WHERE state = 'abandoned'"
    )
    op.execute(
        "CREATE INDEX IF NOT EXISTS labels_apart ON labels "
        f"(study_id, question, purpose, abstained, erased) WHERE {APART}"
    )
    op.execute(
        "CREATE INDEX IF NOT EXISTS sheets_of_parts ON sheets (study_id, stage) "
        f"WHERE {SEVERAL_PARTS}"
    )
    op.execute(
        "CREATE INDEX IF NOT EXISTS seats_by_system ON seats (system, dialogue_id) "
        "WHERE system IS NOT NULL"
    )


def _name_by_source(bind: sa.Connection) -> None:
    """Give dialogues from files the name that their scenario held until now."""
    named = sa.select(dialogues.c.id, dialogues.c.scenario).where(
        sa.or_(dialogues.c.scenario.contains('"file_id":'), dialogues.c.scenario.contains('"dch2:'))
    )
    for dialogue_id, scenario in bind.execute(named).all():
        said = json.loads(scenario)
        source = said.get("extra", {}).pop("file_id", None)
        if source is None and said["id"].startswith("dch2:"):
            source, said["id"] = said["id"].removeprefix("dch2:"), "dch2"
        if isinstance(source, str):
            kept = json.dumps(said, ensure_ascii=False)
            bind.execute(
                sa.update(dialogues)
                .where(dialogues.c.id == dialogue_id)
                .values(source_id=source, scenario=kept)
            )
