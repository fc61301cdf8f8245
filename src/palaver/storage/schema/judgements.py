"""Judgements: what is judged, by whom, the labels, and whose labels do not count."""

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

units = Table(
    "units",
    metadata,
    Column("id", Id, primary_key=True),
    Column("study_id", ForeignKey("studies.id"), nullable=False),
    Column("key", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("dialogue_id", ForeignKey("dialogues.id")),
    Column("first_seq", Integer),
    Column("last_seq", Integer),
    Column("seat", Integer),
    Column("first_unit_id", ForeignKey("units.id")),
    Column("second_unit_id", ForeignKey("units.id")),
    Column("item", Text),
    UniqueConstraint("study_id", "key"),
    Index("units_by_dialogue", "dialogue_id"),
    Index("units_by_first", "first_unit_id"),
    Index("units_by_second", "second_unit_id"),
)

raters = Table(
    "raters",
    metadata,
    Column("id", Id, primary_key=True),
    Column("key", Text, nullable=False, unique=True),
    Column("kind", Text, nullable=False),
    Column("participant_id", ForeignKey("participants.id"), unique=True),
    Column("created", Float(53), nullable=False),
    CheckConstraint("kind IN ('person', 'model', 'simulated', 'anonymous')", name="rater_kind"),
)

labels = Table(
    "labels",
    metadata,
    Column("id", Id, primary_key=True),
    Column("study_id", ForeignKey("studies.id"), nullable=False),
    Column("unit_id", ForeignKey("units.id"), nullable=False),
    Column("question", Text, nullable=False),
    Column("question_version", Text, nullable=False),
    Column("purpose", Text, nullable=False),
    Column("rater_id", ForeignKey("raters.id"), nullable=False),
    Column("assignment_id", ForeignKey("assignments.id")),
    Column("shown_order", Text),
    # JSON; null for an abstention and after an erasure.
    Column("value", Text),
    Column("abstained", Boolean, nullable=False),
    Column("seconds", Float(53)),
    Column("time", Float(53), nullable=False),
    Column("client_id", Text),
    Column("supersedes", ForeignKey("labels.id"), unique=True),
    Column("erased", Float(53)),
    # What the value means: the labels it gives, joined by "|"; null where it speaks for itself.
    Column("label", Text),
    Column("slot_id", ForeignKey("slots.id")),
    CheckConstraint("purpose IN ('real', 'training', 'gold', 'attention')", name="label_purpose"),
    UniqueConstraint("rater_id", "client_id"),
    Index("labels_by_study", "study_id", "question", "id"),
    Index("labels_by_unit", "unit_id", "question", "id"),
    Index("labels_by_assignment", "assignment_id"),
    Index("labels_by_slot", "slot_id"),
    Index("labels_by_rater", "rater_id", "unit_id"),
)

# Raters whose labels a study does not count; the newest row of a rater holds.
exclusions = Table(
    "exclusions",
    metadata,
    Column("id", Id, primary_key=True),
    Column("study_id", ForeignKey("studies.id"), nullable=False),
    Column("rater_id", ForeignKey("raters.id"), nullable=False),
    Column("excluded", Boolean, nullable=False),
    Column("account", Text, nullable=False, server_default=""),
    Column("reason", Text, nullable=False, server_default=""),
    Column("time", Float(53), nullable=False),
    Index("exclusions_by_study", "study_id", "rater_id", "id"),
)
