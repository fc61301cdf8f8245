"""How accounts sign in and what they were granted: sessions, second factors, identities, grants."""

from sqlalchemy import (
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
)

from palaver.storage.schema.catalogue import Id, metadata

sessions = Table(
    "sessions",
    metadata,
    Column("id", Id, primary_key=True),
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    # The SHA-256 of what the browser's cookie holds.
    Column("digest", Text, nullable=False, unique=True),
    # The account's generation when it was opened: a later one ends it.
    Column("generation", Integer, nullable=False),
    Column("opened", Float(53), nullable=False),
    Column("seen", Float(53), nullable=False),
    Column("ended", Float(53)),
    Column("agent", Text, nullable=False),
    Column("address", Text, nullable=False),
    # What was used up to open it, such as the nonce of a provider's answer: it opens no other.
    Column("proof", Text, unique=True),
    Index("sessions_by_account", "account_id", "id"),
)

second_factors = Table(
    "second_factors",
    metadata,
    Column("account_id", ForeignKey("accounts.id"), primary_key=True),
    Column("secret", Text, nullable=False),
    Column("created", Float(53), nullable=False),
    # Null until a first code was right.
    Column("confirmed", Float(53)),
    # The newest step of time whose code was used; neither it nor an older one works again.
    Column("step", Id, nullable=False, server_default="0"),
)

recovery_codes = Table(
    "recovery_codes",
    metadata,
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    Column("digest", Text, nullable=False),
    Column("used", Float(53)),
    PrimaryKeyConstraint("account_id", "digest"),
)

identities = Table(
    "identities",
    metadata,
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    Column("issuer", Text, nullable=False),
    # What the provider calls the person; it never changes there.
    Column("subject", Text, nullable=False),
    Column("created", Float(53), nullable=False),
    PrimaryKeyConstraint("issuer", "subject"),
    UniqueConstraint("account_id", "issuer"),
)

grants = Table(
    "grants",
    metadata,
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    Column("study_id", ForeignKey("studies.id"), nullable=False),
    Column("role", Text, nullable=False),
    Column("created", Float(53), nullable=False),
    PrimaryKeyConstraint("account_id", "study_id"),
    CheckConstraint("role IN ('viewer', 'reviewer')", name="grant_role"),
)
