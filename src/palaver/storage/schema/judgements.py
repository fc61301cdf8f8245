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

from palaver.storage.schema.audit import link_columns
from palaver.storage.schema.catalogue import Id, metadata

units = Table(
    "units",
    metadata,
    Column("id", Id, primary_key=True, doc="the unit"),
    Column("study_id", ForeignKey("studies.id"), nullable=False, doc="the study that judges it"),
    Column("key", Text, nullable=False, doc="its key, as in the labels of an export"),
    Column(
        "kind",
        Text,
        nullable=False,
        doc="`event`, `turn`, `dialogue`, `seat`, `response`, `pair` or `item`",
    ),
    Column("dialogue_id", ForeignKey("dialogues.id"), doc="the dialogue it is, or is a part of"),
    Column("first_seq", Integer, doc="its first event"),
    Column("last_seq", Integer, doc="its last event"),
    Column("seat", Integer, doc="the seat that is judged"),
    Column("first_unit_id", ForeignKey("units.id"), doc="the first side of a pair"),
    Column("second_unit_id", ForeignKey("units.id"), doc="the second side of a pair"),
    Column("item", Text, doc="the item of a data set"),
    UniqueConstraint("study_id", "key"),
    Index("units_by_dialogue", "dialogue_id"),
    Index("units_by_first", "first_unit_id"),
    Index("units_by_second", "second_unit_id"),
)

raters = Table(
    "raters",
    metadata,
    Column("id", Id, primary_key=True, doc="the rater; an anonymous A07 is number 7"),
    Column(
        "key",
        Text,
        nullable=False,
        unique=True,
        doc="the rater's key: an alias, or the name of a model",
    ),
    Column("kind", Text, nullable=False, doc="`person`, `model`, `simulated` or `anonymous`"),
    Column(
        "participant_id",
        ForeignKey("participants.id"),
        unique=True,
        doc="the person; null for others",
    ),
    Column("created", Float(53), nullable=False, doc="when the rater first came"),
    CheckConstraint("kind IN ('person', 'model', 'simulated', 'anonymous')", name="rater_kind"),
)

labels = Table(
    "labels",
    metadata,
    Column("id", Id, primary_key=True, doc="the answer"),
    Column("study_id", ForeignKey("studies.id"), nullable=False, doc="the study"),
    Column("unit_id", ForeignKey("units.id"), nullable=False, doc="what was judged"),
    Column("question", Text, nullable=False, doc="the question's name"),
    Column("question_version", Text, nullable=False, doc="changes with any word of the question"),
    Column("purpose", Text, nullable=False, doc="`real`, `training`, `gold` or `attention`"),
    Column("rater_id", ForeignKey("raters.id"), nullable=False, doc="who answered"),
    Column("assignment_id", ForeignKey("assignments.id"), doc="the visit in which it was given"),
    Column("shown_order", Text, doc="the order of the sides on the screen (JSON)"),
    Column("value", Text, doc="the answer (JSON); null for an abstention and after an erasure"),
    Column(
        "abstained", Boolean, nullable=False, doc="whether the question was left out on purpose"
    ),
    Column("seconds", Float(53), doc="how long it took"),
    Column("time", Float(53), nullable=False, doc="when it was given"),
    Column("client_id", Text, doc="the id under which it was sent"),
    Column("supersedes", ForeignKey("labels.id"), unique=True, doc="the answer that it replaces"),
    Column("erased", Float(53), doc="when it was erased"),
    Column(
        "label",
        Text,
        doc="the labels that the value gives, joined by a bar; null where it speaks for itself",
    ),
    Column("slot_id", ForeignKey("slots.id"), doc="the place at a sheet under which it was given"),
    Column(
        "pastes",
        Integer,
        doc="how often something was pasted into the answer; null where the page did not say",
    ),
    Column("pasted", Integer, doc="how many characters were pasted"),
    Column("section", Text, doc="the section of a released data set that it comes from"),
    *link_columns(),
    Column(
        "active",
        Float(53),
        doc="for how many of the `seconds` the page was in view and in use; null where it did not say",
    ),
    Column("version", Integer, doc="the version of the study file under which it was given"),
    CheckConstraint("purpose IN ('real', 'training', 'gold', 'attention')", name="label_purpose"),
    UniqueConstraint("rater_id", "client_id"),
    # The last three let answers be counted in the index alone.
    Index("labels_by_study", "study_id", "question", "id", "purpose", "abstained", "erased"),
    Index("labels_by_unit", "unit_id", "question", "id"),
    Index("labels_by_assignment", "assignment_id"),
    Index("labels_by_slot", "slot_id"),
    Index("labels_by_rater", "rater_id", "study_id", "unit_id"),
)

# Written out, as those of slots below.
_erased = "INDEX labels_erased ON labels (study_id) WHERE erased IS NOT NULL"
listen(labels, "after_create", DDL(f"CREATE {_erased}"))  # type: ignore[no-untyped-call]
# A rater's times in order, for how long their answers take.
_timed = "INDEX labels_timed ON labels (rater_id, seconds) WHERE erased IS NULL"
listen(labels, "after_create", DDL(f"CREATE {_timed}"))  # type: ignore[no-untyped-call]
# What is not an answer: practice and checks, abstentions, what was erased. All labels of a question
# less these are its answers, and both are counted without looking at a label.
APART = "purpose <> 'real' OR abstained OR erased IS NOT NULL"
_apart = (
    f"INDEX labels_apart ON labels (study_id, question, purpose, abstained, erased) WHERE {APART}"
)
listen(labels, "after_create", DDL(f"CREATE {_apart}"))  # type: ignore[no-untyped-call]

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
    Column("id", Id, primary_key=True, doc="the decision"),
    Column("study_id", ForeignKey("studies.id"), nullable=False, doc="the study"),
    Column("rater_id", ForeignKey("raters.id"), nullable=False, doc="about whom"),
    Column(
        "excluded",
        Boolean,
        nullable=False,
        doc="whether the rater is left out; the newest decision holds",
    ),
    Column("account", Text, nullable=False, server_default="", doc="who decided it"),
    Column("reason", Text, nullable=False, server_default="", doc="why"),
    Column("time", Float(53), nullable=False, doc="when"),
    Index("exclusions_by_study", "study_id", "rater_id", "id"),
)


# A sheet is what a rater is handed at once: one or more dialogues (or pairs) with their questions.
sheets = Table(
    "sheets",
    metadata,
    Column("id", Id, primary_key=True, doc="the sheet: what a rater is handed at once"),
    Column("key", Text, nullable=False, unique=True, doc="its key"),
    Column("study_id", ForeignKey("studies.id"), nullable=False, doc="the study"),
    Column("stage", Integer, nullable=False, doc="the stage, from 0"),
    Column("purpose", Text, nullable=False, doc="`real`, `training`, `gold` or `attention`"),
    Column(
        "name",
        Text,
        nullable=False,
        doc="its name in the file it came from; the key of its dialogue where it was held here",
    ),
    Column("group_key", Text, nullable=False, doc="nobody judges two sheets of one group"),
    Column("position", Integer, nullable=False, doc="its place in the file"),
    Column("content", Text, nullable=False, doc="the dialogues and what is asked of them (JSON)"),
    # The right answers of training and gold sheets; they stay on the server.
    Column("truth", Text, doc="the right answers of training and gold (JSON)"),
    UniqueConstraint("study_id", "stage", "purpose", "name"),
    CheckConstraint("purpose IN ('real', 'training', 'gold', 'attention')", name="sheet_purpose"),
    Index("sheets_by_position", "study_id", "stage", "purpose", "position"),
)

# Sheets of several parts: the key stands once in each.
SEVERAL_PARTS = """content LIKE '%"dialogues":%"dialogues":%'"""
_several = f"INDEX sheets_of_parts ON sheets (study_id, stage) WHERE {SEVERAL_PARTS}"
listen(
    sheets,
    "after_create",
    DDL("CREATE " + _several.replace("%", "%%")),  # type: ignore[no-untyped-call]
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
# An abandoned one that nobody ever held was called off.
slots = Table(
    "slots",
    metadata,
    Column("id", Id, primary_key=True, doc="the place of one rater at a sheet"),
    Column("sheet_id", ForeignKey("sheets.id"), nullable=False, doc="the sheet"),
    Column("study_id", ForeignKey("studies.id"), nullable=False, doc="the study"),
    Column("stage", Integer, nullable=False, doc="the stage, from 0"),
    Column("group_key", Text, nullable=False, doc="the group of the sheet"),
    Column("number", Integer, nullable=False, doc="its number at the sheet"),
    # The order in which slots are handed out, drawn when the slot is made.
    Column("rank", BigInteger, nullable=False, doc="the order in which places are handed out"),
    Column("state", Text, nullable=False, doc="`free`, `held`, `done` or `abandoned`"),
    Column("participant_id", ForeignKey("participants.id"), doc="who holds it"),
    Column("assignment_id", ForeignKey("assignments.id"), doc="in which visit"),
    Column("since", Float(53), doc="when it was handed out"),
    Column("seen", Float(53), doc="the last time its rater did something"),
    Column("finished", Float(53), doc="when it was done"),
    Column(
        "mistakes",
        Integer,
        doc="wrong turns of a gold sheet, or wrong attention checks on a real one",
    ),
    Column("skipped", Float(53), doc="when its rater skipped the sheet; it is `abandoned` then"),
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
    "INDEX slots_abandoned ON slots (study_id) WHERE state = 'abandoned'",
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
    Column("id", Id, primary_key=True, doc="the attempt at a practice"),
    Column("study_id", ForeignKey("studies.id"), nullable=False, doc="the study"),
    Column("stage", Integer, nullable=False, doc="the stage, from 0"),
    Column(
        "participant_id", ForeignKey("participants.id"), nullable=False, doc="whose attempt it is"
    ),
    Column("assignment_id", ForeignKey("assignments.id"), nullable=False, doc="in which visit"),
    Column("attempt", Integer, nullable=False, doc="its number, from 1"),
    Column("round", Integer, nullable=False, doc="the round that is under way, from 0"),
    Column("mending", Boolean, nullable=False, doc="whether its mistakes are being mended"),
    Column(
        "mistakes",
        Text,
        nullable=False,
        doc="for each finished round the turns that were wrong at first (JSON)",
    ),
    Column("passed", Boolean, doc="whether it was passed; null while it is under way"),
    Column("started", Float(53), nullable=False, doc="when it began"),
    Column("finished", Float(53), doc="when it ended"),
    UniqueConstraint("assignment_id", "stage", "attempt"),
    Index("screenings_by_study", "study_id", "stage", "participant_id"),
)

# A rater's record across studies: what they qualified for, failed, or were warned of. Appended.
standings = Table(
    "standings",
    metadata,
    Column("id", Id, primary_key=True, doc="the entry of a record"),
    Column(
        "participant_id", ForeignKey("participants.id"), nullable=False, doc="whose record it is"
    ),
    Column("name", Text, nullable=False, doc="the name of the qualification"),
    Column("state", Text, nullable=False, doc="`passed`, `failed`, `warned`, `barred` or `lifted`"),
    Column("study_id", ForeignKey("studies.id"), nullable=False, doc="the study that entered it"),
    Column("reason", Text, nullable=False, server_default="", doc="why"),
    Column("time", Float(53), nullable=False, doc="when"),
    CheckConstraint("state IN ('passed', 'failed', 'warned', 'barred', 'lifted')", name="standing"),
    Index("standings_by_participant", "participant_id", "name", "id"),
)
