"""Letters to be sent: written in the transaction that decides on them, sent by whoever serves."""

from sqlalchemy import CheckConstraint, Column, Float, Index, Integer, Table, Text

from palaver.storage.schema.catalogue import Id, metadata

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
    Column("state", Text, nullable=False),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("due", Float(53), nullable=False),
    Column("holder", Text),
    Column("lease", Float(53)),
    Column("reason", Text, nullable=False, server_default=""),
    Column("created", Float(53), nullable=False),
    Column("sent", Float(53)),
    CheckConstraint("state IN ('waiting', 'sent', 'failed')", name="mail_state"),
    Index("mails_by_state", "state", "due", "id"),
    Index("mails_by_about", "about", "id"),
)
