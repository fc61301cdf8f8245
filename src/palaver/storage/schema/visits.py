"""People: participants and their visits to studies, and the researchers' accounts and tokens."""

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
    UniqueConstraint,
)

from palaver.storage.schema.catalogue import Id, metadata

studies = Table(
    "studies",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("title", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("definition", Text, nullable=False),
    Column("created", Float(53), nullable=False),
)

participants = Table(
    "participants",
    metadata,
    Column("id", Id, primary_key=True),
    Column("alias", Text, nullable=False, unique=True),
    Column("crowd", Text, nullable=False),
    # The panel's name for this person; null once erased.
    Column("external_id", Text),
    Column("created", Float(53), nullable=False),
    Column("erased", Float(53)),
    UniqueConstraint("crowd", "external_id"),
)

assignments = Table(
    "assignments",
    metadata,
    Column("id", Id, primary_key=True),
    Column("key", Text, nullable=False, unique=True),
    Column("study_id", ForeignKey("studies.id"), nullable=False),
    Column("participant_id", ForeignKey("participants.id"), nullable=False),
    # The panel's name for this piece of work; null once erased.
    Column("external_id", Text),
    Column("step", Text, nullable=False),
    Column("state", Text, nullable=False),  # active, finished, withdrawn, declined, abandoned
    Column("reason", Text, nullable=False, server_default=""),
    Column("consent_version", Text),
    Column("consented", Float(53)),
    Column("code", Text),
    Column("created", Float(53), nullable=False),
    Column("finished", Float(53)),
    Column("waited", Float(53), nullable=False, server_default="0"),
    UniqueConstraint("study_id", "participant_id", "external_id"),
    Index("assignments_by_study", "study_id", "id"),
    Index("assignments_by_state", "study_id", "state", "reason", "participant_id"),
)

waiting = Table(
    "waiting",
    metadata,
    Column("assignment_id", ForeignKey("assignments.id"), primary_key=True),
    Column("study_id", ForeignKey("studies.id"), nullable=False),
    Column("stage", Integer, nullable=False),
    Column("since", Float(53), nullable=False),
    Column("seen", Float(53), nullable=False),
    Index("waiting_by_study", "study_id", "stage", "since"),
)

problems = Table(
    "problems",
    metadata,
    Column("id", Id, primary_key=True),
    Column("study_id", ForeignKey("studies.id"), nullable=False),
    Column("assignment_id", ForeignKey("assignments.id")),
    Column("dialogue_id", ForeignKey("dialogues.id")),
    Column("text", Text),
    Column("time", Float(53), nullable=False),
    Index("problems_by_study", "study_id", "id"),
)

erasures = Table(
    "erasures",
    metadata,
    Column("id", Id, primary_key=True),
    Column("participant_id", ForeignKey("participants.id"), nullable=False),
    Column("study_id", ForeignKey("studies.id"), nullable=False),
    Column("events", Integer, nullable=False),
    Column("labels", Integer, nullable=False),
    Column("time", Float(53), nullable=False),
)


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
