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
    false,
)

from palaver.storage.schema.catalogue import Id, metadata

studies = Table(
    "studies",
    metadata,
    Column("id", Id, primary_key=True, doc="the study"),
    Column("name", Text, nullable=False, unique=True, doc="its name"),
    Column("title", Text, nullable=False, doc="its title"),
    Column("digest", Text, nullable=False, doc="the digest of its file"),
    Column("definition", Text, nullable=False, doc="its file, as it was served last"),
    Column("created", Float(53), nullable=False, doc="when it was first served"),
)

# Every file that a study was served with, in order; the last is the one in `studies`.
study_versions = Table(
    "study_versions",
    metadata,
    Column("id", Id, primary_key=True, doc="the version"),
    Column("study_id", ForeignKey("studies.id"), nullable=False, doc="the study"),
    Column("number", Integer, nullable=False, doc="its number in the study, from 1"),
    Column("digest", Text, nullable=False, doc="the digest of the file"),
    Column("definition", Text, nullable=False, doc="the file"),
    Column("account", Text, nullable=False, server_default="", doc="who made it; empty for nobody"),
    Column("via", Text, nullable=False, doc="by which door: `desk`, `api`, `command`, `server`"),
    Column("note", Text, nullable=False, server_default="", doc="what it is for, in words"),
    Column("time", Float(53), nullable=False, doc="when"),
    UniqueConstraint("study_id", "number"),
)

# Openings, pauses and closings, one after another; a study without one is open.
study_states = Table(
    "study_states",
    metadata,
    Column("id", Id, primary_key=True, doc="the change"),
    Column("study_id", ForeignKey("studies.id"), nullable=False, doc="the study"),
    Column("state", Text, nullable=False, doc="`open`, `paused` or `closed` from then on"),
    Column("account", Text, nullable=False, server_default="", doc="who did it; empty for nobody"),
    Column("via", Text, nullable=False, doc="by which door; `server` where it happened by itself"),
    Column("reason", Text, nullable=False, server_default="", doc="why, in words"),
    Column("time", Float(53), nullable=False, doc="when"),
    CheckConstraint("state IN ('open', 'paused', 'closed')", name="study_state"),
    Index("study_states_by_study", "study_id", "id"),
)

# Studies that were stopped by their rule, once and for good.
stops = Table(
    "stops",
    metadata,
    Column("id", Id, primary_key=True, doc="the stop"),
    Column(
        "study_id", ForeignKey("studies.id"), nullable=False, unique=True, doc="the study: one each"
    ),
    Column("time", Float(53), nullable=False, doc="when"),
    Column("reason", Text, nullable=False, doc="`decided`, or `spent`: all votes it may cost"),
    Column("votes", Integer, nullable=False, doc="after how many votes"),
    Column("raters", Integer, nullable=False, doc="of how many raters"),
    Column("answer", Text, nullable=False, doc="what was decided, in words"),
    Column("pairs", Text, nullable=False, doc="each two systems and what was known of them (JSON)"),
    Column("rule", Text, nullable=False, doc="the rule as it was (JSON)"),
    CheckConstraint("reason IN ('decided', 'spent')", name="stop_reason"),
)

participants = Table(
    "participants",
    metadata,
    Column("id", Id, primary_key=True, doc="the person; P07 is number 7"),
    Column("alias", Text, nullable=False, unique=True, doc="the person's key here"),
    Column("crowd", Text, nullable=False, doc="where the person comes from"),
    Column(
        "external_id",
        Text,
        doc="the panel's name for this person; null once erased, and in every bundle",
    ),
    Column("created", Float(53), nullable=False, doc="when the person first came"),
    Column("erased", Float(53), doc="when the person was erased"),
    UniqueConstraint("crowd", "external_id"),
)

assignments = Table(
    "assignments",
    metadata,
    Column("id", Id, primary_key=True, doc="the visit"),
    Column("key", Text, nullable=False, unique=True, doc="its key"),
    Column("study_id", ForeignKey("studies.id"), nullable=False, doc="the study"),
    Column("participant_id", ForeignKey("participants.id"), nullable=False, doc="who came"),
    Column(
        "external_id",
        Text,
        doc="the panel's name for this piece of work; null once erased, and in every bundle",
    ),
    Column(
        "step",
        Text,
        nullable=False,
        doc="where the visit is: `consent`, `stage:0`, `done` and so on",
    ),
    Column(
        "state",
        Text,
        nullable=False,
        doc="`active`, `finished`, `withdrawn`, `declined` or `abandoned`",
    ),
    Column("reason", Text, nullable=False, server_default="", doc="why it ended"),
    Column("consent_version", Text, doc="the version of the consent that was agreed to"),
    Column("consented", Float(53), doc="when it was agreed to"),
    Column("code", Text, doc="the completion code; null in every bundle"),
    Column("created", Float(53), nullable=False, doc="when the visit began"),
    Column("finished", Float(53), doc="when it ended"),
    Column(
        "waited", Float(53), nullable=False, server_default="0", doc="seconds in the waiting room"
    ),
    Column("version", Integer, doc="the version of the study file under which it began"),
    Column("panel_study", Text, doc="the panel's name for its own study; null in every bundle"),
    UniqueConstraint("study_id", "participant_id", "external_id"),
    Index("assignments_by_study", "study_id", "id"),
    Index("assignments_by_state", "study_id", "state", "reason", "participant_id"),
)

# Links that were made for somebody in particular; others are not kept.
links = Table(
    "links",
    metadata,
    Column("id", Id, primary_key=True),
    Column("study_id", ForeignKey("studies.id"), nullable=False),
    # The person of the link; null once they were erased, as is what the link was called.
    Column("person", Text, unique=True),
    Column("name", Text, nullable=False, server_default=""),
    Column("account", Text, nullable=False, server_default=""),
    Column("made", Float(53), nullable=False),
    Column("expires", Float(53), nullable=False),
    Column("used", Float(53)),
    Column("revoked", Float(53)),
    Index("links_by_study", "study_id", "id"),
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
    Column("id", Id, primary_key=True, doc="the report"),
    Column("study_id", ForeignKey("studies.id"), nullable=False, doc="the study"),
    Column("assignment_id", ForeignKey("assignments.id"), doc="whose visit it was made in"),
    Column("dialogue_id", ForeignKey("dialogues.id"), doc="the dialogue it was made in"),
    Column("text", Text, doc="the words; null once erased"),
    Column("time", Float(53), nullable=False, doc="when"),
    Index("problems_by_study", "study_id", "id"),
)

erasures = Table(
    "erasures",
    metadata,
    Column("id", Id, primary_key=True, doc="the erasure"),
    Column("participant_id", ForeignKey("participants.id"), nullable=False, doc="who asked for it"),
    Column("study_id", ForeignKey("studies.id"), nullable=False, doc="the study"),
    Column("events", Integer, nullable=False, doc="how many events were erased"),
    Column("labels", Integer, nullable=False, doc="how many answers were erased"),
    Column("time", Float(53), nullable=False, doc="when"),
    Column(
        "by",
        Text,
        nullable=False,
        server_default="participant",
        doc="`participant`, `researcher` or `retention`",
    ),
)

# What stays of somebody whose id was erased, under a keyed hash of that id and nothing else.
tombstones = Table(
    "tombstones",
    metadata,
    Column("id", Id, primary_key=True),
    Column("fingerprint", Text, nullable=False),
    Column("study_id", ForeignKey("studies.id"), nullable=False),
    # The name of a qualification; empty for the study itself.
    Column("name", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("count", Integer, nullable=False, server_default="1"),
    Column("time", Float(53), nullable=False),
    CheckConstraint("state IN ('completed', 'barred', 'failed', 'tried')", name="tombstone_state"),
    Index("tombstones_by_fingerprint", "fingerprint", "study_id"),
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
    # Only the studies that the account was granted; its role is then 'viewer' here.
    Column("granted_only", Boolean, nullable=False, server_default=false()),
    Column("disabled", Float(53)),
    # The row stays, so that what an account did keeps its name and nobody else gets it.
    Column("removed", Float(53)),
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
