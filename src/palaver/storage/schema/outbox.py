"""What is to be sent: written in the transaction that decides on it, sent by whoever serves."""

from sqlalchemy import CheckConstraint, Column, Float, ForeignKey, Index, Integer, Table, Text
from sqlalchemy.schema import SchemaItem

from palaver.storage.schema.catalogue import Id, metadata


def _sending(noun: str) -> tuple[SchemaItem, ...]:
    """How it stands with each row of an outbox: its state, when it is due, and who is sending it."""
    return (
        Column("state", Text, nullable=False),
        Column("attempts", Integer, nullable=False, server_default="0"),
        Column("due", Float(53), nullable=False),
        Column("holder", Text),
        Column("lease", Float(53)),
        Column("reason", Text, nullable=False, server_default=""),
        Column("created", Float(53), nullable=False),
        Column("sent", Float(53)),
        CheckConstraint("state IN ('waiting', 'sent', 'failed')", name=f"{noun}_state"),
    )


mails = Table(
    "mails",
    metadata,
    Column("id", Id, primary_key=True),
    Column("key", Text, nullable=False, unique=True),
    Column("recipient", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("text", Text, nullable=False),
    # What it is about, such as `challenge/NAME`, for whoever looks for it.
    Column("about", Text, nullable=False, server_default=""),
    *_sending("mail"),
    Index("mails_by_state", "state", "due", "id"),
    Index("mails_by_about", "about", "id"),
)

# Credits that a panel is to give: one for each visit that earned one.
credits = Table(
    "credits",
    metadata,
    Column("id", Id, primary_key=True),
    Column("key", Text, nullable=False, unique=True),
    Column("study_id", ForeignKey("studies.id"), nullable=False),
    Column("assignment_id", ForeignKey("assignments.id"), nullable=False),
    # What the panel sent, as JSON, for the address of the study file; empty once it is not needed.
    Column("sent_values", Text, nullable=False),
    *_sending("credit"),
    Index("credits_by_state", "state", "due", "id"),
    Index("credits_by_study", "study_id", "id"),
)

# What somebody is told of a study: one for each recipient of each occasion.
notices = Table(
    "notices",
    metadata,
    Column("id", Id, primary_key=True),
    # Also the key of the letter, where it goes by mail: its state is that of the letter.
    Column("key", Text, nullable=False, unique=True),
    Column("study_id", ForeignKey("studies.id"), nullable=False),
    Column("event", Text, nullable=False),
    # What it is about within the event, and which time this is.
    Column("subject", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("channel", Text, nullable=False),
    Column("recipient", Text, nullable=False),
    Column("words", Text, nullable=False),
    Column("path", Text, nullable=False),
    *_sending("notice"),
    # When the occasion had passed; null while it lasts.
    Column("over", Float(53)),
    CheckConstraint("channel IN ('mail', 'hook')", name="notice_channel"),
    Index("notices_by_state", "channel", "state", "due", "id"),
    Index("notices_by_study", "study_id", "event", "subject", "number"),
)
