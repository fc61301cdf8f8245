"""The audit trail: chains of digests, their signed checkpoints, and what staff did.

Events and labels carry their own link (`link_columns`), so that they are linked by the statement that
stores them. Everything else that is covered has a row in `chain_links`.
"""

from sqlalchemy import Column, Float, ForeignKey, Index, LargeBinary, Table, Text

from palaver.storage.schema.catalogue import Id, metadata


def link_columns() -> list[Column[object]]:
    """The columns of a row that is a link of a chain itself."""
    return [
        Column("link", Id, doc="its chain and its number there; null in every bundle"),
        Column(
            "proof",
            LargeBinary,
            doc="a salt and the first bytes of the row's digest; the whole digest after an erasure; "
            "null in every bundle",
        ),
    ]


# The links of one process to one study; those of no study (accounts, raters) have none.
chains = Table(
    "chains",
    metadata,
    Column("id", Id, primary_key=True),
    Column("study_id", ForeignKey("studies.id")),
    Column("writer", Text, nullable=False),
    Column("started", Float(53), nullable=False),
    # Its last link, once a checkpoint says that no more will come.
    Column("ended", Id),
)

chain_links = Table(
    "chain_links",
    metadata,
    Column("link", Id, primary_key=True, autoincrement=False),
    # Which row it covers: what kind of row, its id, and which part of it.
    Column("kind", Text, nullable=False),
    Column("subject", Id, nullable=False),
    Column("part", Id, nullable=False),
    Column("proof", LargeBinary, nullable=False),
    Index("chain_links_by_subject", "kind", "subject", "part"),
)

# The heads of chains, as JSON, with the digest of the checkpoint before; signed with the home's key.
checkpoints = Table(
    "checkpoints",
    metadata,
    Column("id", Id, primary_key=True),
    Column("content", Text, nullable=False),
    Column("signature", Text, nullable=False),
)

audit_entries = Table(
    "audit_entries",
    metadata,
    Column("id", Id, primary_key=True),
    Column("time", Float(53), nullable=False),
    Column("act", Text, nullable=False),
    # Who: the name of an account; empty for the server itself and for commands.
    Column("account", Text, nullable=False),
    Column("via", Text, nullable=False),
    Column("study_id", ForeignKey("studies.id")),
    # What it was done to, and what else there is to know (JSON).
    Column("subject", Text, nullable=False),
    Column("detail", Text, nullable=False, server_default="{}"),
    # From where, shortened; null where that is not known, and after its retention.
    Column("address", Text),
    Index("audit_entries_by_act", "act", "id"),
    Index("audit_entries_by_account", "account", "id"),
    Index("audit_entries_by_study", "study_id", "id"),
)
# Entries that still say from where, for the retention.
Index("audit_entries_by_time", audit_entries.c.time)
