"""Researchers: their accounts and API tokens."""

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
)

from palaver.storage.schema.catalogue import Id, metadata

accounts = Table(
    "accounts",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("role", Text, nullable=False),
    Column("password", Text, nullable=False),
    # A one-time password must be replaced at the first sign-in.
    Column("one_time", Boolean, nullable=False),
    # Raised with every change of password or role: older cookies are then refused.
    Column("generation", Integer, nullable=False, server_default="1"),
    Column("created", Float(53), nullable=False),
    CheckConstraint("role IN ('owner', 'reviewer', 'viewer')", name="account_role"),
)

tokens = Table(
    "tokens",
    metadata,
    Column("id", Id, primary_key=True),
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("digest", Text, nullable=False, unique=True),
    Column("role", Text, nullable=False),
    Column("created", Float(53), nullable=False),
    Column("expires", Float(53)),
    Column("revoked", Float(53)),
    Column("used", Float(53)),
    Index("tokens_by_account", "account_id", "id"),
)
