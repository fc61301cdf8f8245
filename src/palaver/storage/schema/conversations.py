"""Dialogues: places in a quota, who sits where, what happens, and who drives."""

from sqlalchemy import (
    DDL,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    TextClause,
    UniqueConstraint,
    text,
)
from sqlalchemy.event import listen

from palaver.storage.schema.audit import link_columns
from palaver.storage.schema.catalogue import Id, metadata

# A place is one unit of a condition's quota: free, held by somebody who was seated, or done.
places = Table(
    "places",
    metadata,
    Column("id", Id, primary_key=True, doc="the place"),
    Column("study_id", ForeignKey("studies.id"), nullable=False, doc="the study"),
    Column("stage", Integer, nullable=False, doc="the stage, from 0"),
    Column("condition", Text, nullable=False, doc="the condition"),
    Column("number", Integer, nullable=False, doc="its number within the condition"),
    Column("state", Text, nullable=False, doc="`free`, `held` or `done`"),
    Column("group_key", Text, unique=True, doc="the group of dialogues that holds the place"),
    Column("since", Float(53), doc="since when it is in that state"),
    Column("scenario", Text, doc="the scenario it is for; null where any will do"),
    UniqueConstraint("study_id", "stage", "condition", "number"),
    CheckConstraint("state IN ('free', 'held', 'done')", name="place_state"),
    Index("places_by_state", "study_id", "stage", "condition", "state", "number"),
)

dialogues = Table(
    "dialogues",
    metadata,
    Column("id", Id, primary_key=True, doc="the dialogue; d07 is number 7"),
    Column("key", Text, nullable=False, unique=True, doc="its key"),
    Column("study_id", ForeignKey("studies.id"), nullable=False, doc="the study"),
    Column("stage", Integer, nullable=False, doc="the stage, from 0"),
    Column("condition", Text, nullable=False, doc="the condition it was held in"),
    Column(
        "group_key",
        Text,
        nullable=False,
        doc="dialogues that were seated together (the two of a pair) share it",
    ),
    Column(
        "position",
        Integer,
        nullable=False,
        server_default="0",
        doc="its place in the group, from 0",
    ),
    Column(
        "scenario", Text, nullable=False, doc="what the seats knew before the first word (JSON)"
    ),
    Column("created", Float(53), nullable=False, doc="when it was stored"),
    Column("source_id", Text, doc="its name in the file it came from; null where it was held here"),
    Column("source", Text, doc="that file, or whatever else it came from"),
    Column(
        "purpose",
        Text,
        nullable=False,
        server_default="real",
        doc="what it is for: `real`, or `training`, `gold` and `attention`, which nobody counts as data",
    ),
    # Why it ended; null while it runs, "" where that was erased. Its end event says the same: kept
    # here so that what runs is found, and endings are counted, without reading events.
    Column("ending", Text, doc="why it ended; null while it runs"),
    Index("dialogues_by_study", "study_id", "id"),
    # Holds all that is counted of dialogues.
    Index("dialogues_by_condition", "study_id", "purpose", "condition", "ending"),
    Index("dialogues_by_group", "group_key", "position"),
    Index("dialogues_by_source", "study_id", "source_id"),
)

# Written out, as those of events below.
_running = "INDEX dialogues_running ON dialogues (study_id, id) WHERE ending IS NULL"
listen(dialogues, "after_create", DDL(f"CREATE {_running}"))  # type: ignore[no-untyped-call]

seats = Table(
    "seats",
    metadata,
    Column("dialogue_id", ForeignKey("dialogues.id"), primary_key=True, doc="the dialogue"),
    Column("seat", Integer, primary_key=True, doc="the seat, from 0"),
    Column("from_seq", Integer, primary_key=True, doc="from which event on"),
    Column("kind", Text, nullable=False, doc="`person` or `system`"),
    Column(
        "assignment_id",
        ForeignKey("assignments.id"),
        doc="the visit of the person who sits there; null where nobody knows",
    ),
    Column("system", Text, doc="the name of the system"),
    Index("seats_by_assignment", "assignment_id", "dialogue_id"),
    CheckConstraint("(kind = 'person') = (system IS NULL)", name="seat_occupant"),
)

_by_system = "INDEX seats_by_system ON seats (system, dialogue_id) WHERE system IS NOT NULL"
listen(seats, "after_create", DDL(f"CREATE {_by_system}"))  # type: ignore[no-untyped-call]

events = Table(
    "events",
    metadata,
    Column("dialogue_id", ForeignKey("dialogues.id"), primary_key=True, doc="the dialogue"),
    Column("seq", Integer, primary_key=True, doc="its place in the dialogue, from 1"),
    Column("seat", Integer, doc="who caused it; null: the house"),
    Column("action", Text, nullable=False, doc="what happened"),
    Column("data", Text, doc="what was said or done (JSON); null after an erasure"),
    Column("time", Float(53), nullable=False, doc="when"),
    Column("audience", Text, doc="which seats may see it (JSON); null: all"),
    Column("client_id", Text, doc="the id that the browser gave it"),
    Column("reply_to", Integer, doc="the event that a system answered"),
    *link_columns(),
    sqlite_with_rowid=False,
)
# A retry never doubles; a system answers an event once; a dialogue ends once. Written as plain DDL:
# naming the condition per dialect would import the whole PostgreSQL dialect into every process.
for _index in (
    "UNIQUE INDEX events_client_id ON events (dialogue_id, seat, client_id) "
    "WHERE client_id IS NOT NULL",
    "UNIQUE INDEX events_reply_to ON events (dialogue_id, seat, reply_to) "
    "WHERE reply_to IS NOT NULL",
    "UNIQUE INDEX events_end ON events (dialogue_id) WHERE action = 'end'",
    "INDEX events_failure ON events (dialogue_id) WHERE action = 'failure'",
    "INDEX events_late ON events (dialogue_id) WHERE action = 'late'",
    "INDEX events_disguise ON events (dialogue_id) WHERE action = 'disguise'",
):
    listen(events, "after_create", DDL(f"CREATE {_index}"))  # type: ignore[no-untyped-call]


def written(action: str) -> TextClause:
    """An action written out in a statement: SQLite uses a partial index for nothing else."""
    # Not a literal column: as a column of no table it would keep a join from finding its left side.
    return text(f"'{action}'")


# How long the systems of a study took of late, so that the first replies after a start can be evened.
latencies = Table(
    "latencies",
    metadata,
    Column("study_id", ForeignKey("studies.id"), primary_key=True, doc="the study"),
    Column("system", Text, primary_key=True, doc="the system"),
    Column("seconds", Text, nullable=False, doc="the last latencies, oldest first (JSON)"),
    Column("updated", Float(53), nullable=False, doc="when they were stored"),
)

# Who drives a dialogue's systems and clocks: one process, until `expires`.
leases = Table(
    "leases",
    metadata,
    Column("dialogue_id", ForeignKey("dialogues.id"), primary_key=True),
    Column("holder", Text, nullable=False),
    Column("epoch", Integer, nullable=False),
    Column("expires", Float(53), nullable=False),
    Index("leases_by_holder", "holder"),
    Index("leases_by_expiry", "expires"),
)
