"""Judgements: units, raters, labels and exclusions; and the sheets, slots, training and records."""

from sqlalchemy import (
    DDL,
    BigInteger,
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
from sqlalchemy.event import listen

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
    # How often something was pasted into the answer, and how many characters; null where the page
    # did not say.
    Column("pastes", Integer),
    Column("pasted", Integer),
    CheckConstraint("purpose IN ('real', 'training', 'gold', 'attention')", name="label_purpose"),
    UniqueConstraint("rater_id", "client_id"),
    # The last three let answers be counted in the index alone.
    Index("labels_by_study", "study_id", "question", "id", "purpose", "abstained", "erased"),
    Index("labels_by_unit", "unit_id", "question", "id"),
    Index("labels_by_assignment", "assignment_id"),
    Index("labels_by_slot", "slot_id"),
    Index("labels_by_rater", "rater_id", "study_id", "unit_id"),
)

# Answers that a person has given on a screen and not sent yet; deleted when they are sent, or when
# the person leaves.
drafts = Table(
    "drafts",
    metadata,
    Column("assignment_id", ForeignKey("assignments.id"), primary_key=True),
    # Which screen of the visit: a sheet, a round of practice, a survey.
    Column("screen", Text, primary_key=True),
    # JSON: the fields of the form.
    Column("content", Text, nullable=False),
    Column("time", Float(53), nullable=False),
)

# What was measured of a study's answers, kept until an answer changes.
summaries = Table(
    "summaries",
    metadata,
    Column("study_id", ForeignKey("studies.id"), primary_key=True),
    Column("name", Text, primary_key=True),
    # The state of the answers it was measured at.
    Column("mark", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("time", Float(53), nullable=False),
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


# A sheet is what a rater is handed at once: one or more dialogues (or pairs) with their questions.
sheets = Table(
    "sheets",
    metadata,
    Column("id", Id, primary_key=True),
    Column("key", Text, nullable=False, unique=True),
    Column("study_id", ForeignKey("studies.id"), nullable=False),
    Column("stage", Integer, nullable=False),
    Column("purpose", Text, nullable=False),
    # Its name in the file it came from.
    Column("name", Text, nullable=False),
    # Nobody judges two sheets of one group.
    Column("group_key", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("content", Text, nullable=False),
    # The right answers of training and gold sheets; they stay on the server.
    Column("truth", Text),
    UniqueConstraint("study_id", "stage", "purpose", "name"),
    CheckConstraint("purpose IN ('real', 'training', 'gold', 'attention')", name="sheet_purpose"),
    Index("sheets_by_position", "study_id", "stage", "purpose", "position"),
)

# Who must not judge a sheet because they took part in its dialogues.
sheet_people = Table(
    "sheet_people",
    metadata,
    Column("sheet_id", ForeignKey("sheets.id"), primary_key=True),
    # A participant's alias, or the name a file gives to its origin.
    Column("person", Text, primary_key=True),
    sqlite_with_rowid=False,
)

# A slot is one rater's place at a sheet. An abandoned one is kept, and a free one is made for it.
slots = Table(
    "slots",
    metadata,
    Column("id", Id, primary_key=True),
    Column("sheet_id", ForeignKey("sheets.id"), nullable=False),
    Column("study_id", ForeignKey("studies.id"), nullable=False),
    Column("stage", Integer, nullable=False),
    Column("group_key", Text, nullable=False),
    Column("number", Integer, nullable=False),
    # The order in which slots are handed out, drawn when the slot is made.
    Column("rank", BigInteger, nullable=False),
    Column("state", Text, nullable=False),
    Column("participant_id", ForeignKey("participants.id")),
    Column("assignment_id", ForeignKey("assignments.id")),
    Column("since", Float(53)),
    # The last time its rater did something.
    Column("seen", Float(53)),
    Column("finished", Float(53)),
    # How many turns of a gold sheet, or attention checks on a real one, were wrong.
    Column("mistakes", Integer),
    UniqueConstraint("sheet_id", "number"),
    CheckConstraint("state IN ('free', 'held', 'done', 'abandoned')", name="slot_state"),
    Index("slots_by_rank", "study_id", "stage", "state", "rank", "sheet_id"),
)
# Nobody judges two sheets of one group; what one person has done is counted in an index alone. A
# free slot is in none of these: it is handed out by rank, and there may be many.
for _index in (
    "UNIQUE INDEX slots_by_group ON slots (participant_id, study_id, stage, group_key) "
    "WHERE participant_id IS NOT NULL",
    "INDEX slots_by_participant ON slots "
    "(participant_id, study_id, stage, state, assignment_id, rank) "
    "WHERE participant_id IS NOT NULL",
    "INDEX slots_by_assignment ON slots (assignment_id, stage) WHERE assignment_id IS NOT NULL",
):
    listen(slots, "after_create", DDL(f"CREATE {_index}"))  # type: ignore[no-untyped-call]

# Which files have been taken into the store, by content, and how far.
intakes = Table(
    "intakes",
    metadata,
    Column("study_id", ForeignKey("studies.id"), primary_key=True),
    Column("stage", Integer, primary_key=True),
    Column("purpose", Text, primary_key=True),
    Column("digest", Text, nullable=False),
    Column("sheets", Integer, nullable=False),
    Column("complete", Boolean, nullable=False),
)

# One attempt of one rater at the training of a screen stage.
screenings = Table(
    "screenings",
    metadata,
    Column("id", Id, primary_key=True),
    Column("study_id", ForeignKey("studies.id"), nullable=False),
    Column("stage", Integer, nullable=False),
    Column("participant_id", ForeignKey("participants.id"), nullable=False),
    Column("assignment_id", ForeignKey("assignments.id"), nullable=False),
    Column("attempt", Integer, nullable=False),
    # The round that is under way, from 0, and whether its mistakes are being mended.
    Column("round", Integer, nullable=False),
    Column("mending", Boolean, nullable=False),
    # JSON: per finished round the first sequence numbers of the turns that were wrong at first.
    Column("mistakes", Text, nullable=False),
    Column("passed", Boolean),
    Column("started", Float(53), nullable=False),
    Column("finished", Float(53)),
    UniqueConstraint("assignment_id", "stage", "attempt"),
    Index("screenings_by_study", "study_id", "stage", "participant_id"),
)

# A rater's record across studies: what they qualified for, failed, or were warned of. Appended.
standings = Table(
    "standings",
    metadata,
    Column("id", Id, primary_key=True),
    Column("participant_id", ForeignKey("participants.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("study_id", ForeignKey("studies.id"), nullable=False),
    Column("reason", Text, nullable=False, server_default=""),
    Column("time", Float(53), nullable=False),
    CheckConstraint("state IN ('passed', 'failed', 'warned', 'barred', 'lifted')", name="standing"),
    Index("standings_by_participant", "participant_id", "name", "id"),
)
