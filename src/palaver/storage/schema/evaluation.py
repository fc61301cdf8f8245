"""The tables of the evaluation server: tasks, data sets, models, runs, scores, jobs, challenges.

A data set and a model have versions by content. A run is one model version on one data set version
and exists once. Its predictions are kept, so that a new metric can be computed on an old run.
"""

from sqlalchemy import (
    DDL,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.event import listen

from palaver.storage.schema import Id, metadata

tasks = Table(
    "tasks",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("title", Text, nullable=False),
    # The task file as JSON, and the folder that its own Python lies in.
    Column("definition", Text, nullable=False),
    Column("folder", Text, nullable=False, server_default=""),
    Column("digest", Text, nullable=False),
    Column("public", Boolean, nullable=False, server_default=text("false")),
    # What submitters must accept, and how many submissions they have in how many hours.
    Column("terms", Text, nullable=False, server_default=""),
    Column("most_submissions", Integer, nullable=False, server_default="3"),
    Column("submission_hours", Float(53), nullable=False, server_default="24"),
    Column("created", Float(53), nullable=False),
)

datasets = Table(
    "datasets",
    metadata,
    Column("id", Id, primary_key=True),
    Column("task_id", ForeignKey("tasks.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("access", Text, nullable=False),
    Column("about", Text, nullable=False, server_default=""),
    Column("source", Text, nullable=False, server_default=""),
    # A perturbed set points at the set it was made from, and says how it was perturbed.
    Column("parent_id", ForeignKey("datasets.id")),
    Column("kind", Text),
    # An evaluation function of its own, "module:function".
    Column("function", Text, nullable=False, server_default=""),
    Column("folder", Text, nullable=False, server_default=""),
    # The round of the task that it was collected in; 0: none.
    Column("round", Integer, nullable=False, server_default="0"),
    Column("created", Float(53), nullable=False),
    UniqueConstraint("task_id", "name"),
    CheckConstraint("access IN ('scoring', 'standard', 'hidden')", name="dataset_access"),
    Index("datasets_by_parent", "parent_id"),
)

dataset_versions = Table(
    "dataset_versions",
    metadata,
    Column("id", Id, primary_key=True),
    Column("dataset_id", ForeignKey("datasets.id"), nullable=False),
    Column("number", Integer, nullable=False),
    # SHA-256 of the normalised lines, and where they are kept in the object store.
    Column("digest", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("items", Integer, nullable=False),
    Column("size", Id, nullable=False),
    Column("parent_version_id", ForeignKey("dataset_versions.id")),
    Column("created", Float(53), nullable=False),
    UniqueConstraint("dataset_id", "digest"),
    UniqueConstraint("dataset_id", "number"),
    Index("dataset_versions_by_parent", "parent_version_id"),
)

challenges = Table(
    "challenges",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("title", Text, nullable=False),
    # The challenge file as JSON, and the folder that the files it names lie in.
    Column("definition", Text, nullable=False),
    Column("folder", Text, nullable=False, server_default=""),
    Column("digest", Text, nullable=False),
    # What the public and private halves of test sets are drawn with; never shown.
    Column("salt", Text, nullable=False),
    Column("public", Boolean, nullable=False, server_default=text("false")),
    # When it was closed: nothing of it changes after that. When its results were published.
    Column("frozen", Float(53)),
    Column("published", Float(53)),
    Column("created", Float(53), nullable=False),
)

# A team submits to one task, or to all tracks of one challenge.
submitters = Table(
    "submitters",
    metadata,
    Column("id", Id, primary_key=True),
    Column("task_id", ForeignKey("tasks.id")),
    Column("challenge_id", ForeignKey("challenges.id", name="submitters_challenge")),
    # In a challenge: waiting, approved, refused, left.
    Column("state", Text, nullable=False, server_default="approved"),
    # The address that it is written to, and who belongs to it (JSON: names).
    Column("contact", Text, nullable=False, server_default=""),
    Column("members", Text, nullable=False, server_default="[]"),
    # Baselines of the organisers: marked, and left out of a ranking that asks for it.
    Column("baseline", Boolean, nullable=False, server_default=text("false")),
    Column("team", Text, nullable=False),
    Column("affiliation", Text, nullable=False, server_default=""),
    Column("link", Text, nullable=False, server_default=""),
    Column("digest", Text, nullable=False, unique=True),
    # Which wording of the terms was accepted, and when.
    Column("terms_digest", Text),
    Column("accepted", Float(53)),
    Column("created", Float(53), nullable=False),
    Column("revoked", Float(53)),
    UniqueConstraint("task_id", "team"),
    UniqueConstraint("challenge_id", "team", name="submitters_of_challenge"),
    CheckConstraint("state IN ('waiting', 'approved', 'refused', 'left')", name="submitter_state"),
)

models = Table(
    "models",
    metadata,
    Column("id", Id, primary_key=True),
    Column("key", Text, nullable=False, unique=True),
    Column("task_id", ForeignKey("tasks.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("submitter_id", ForeignKey("submitters.id")),
    Column("about", Text, nullable=False, server_default=""),
    Column("link", Text, nullable=False, server_default=""),
    Column("tags", Text, nullable=False, server_default="[]"),
    # Unpublished: the board shows it without a name. Anonymous: published without its team.
    Column("published", Boolean, nullable=False, server_default=text("false")),
    Column("anonymous", Boolean, nullable=False, server_default=text("false")),
    Column("retired", Float(53)),
    Column("created", Float(53), nullable=False),
    UniqueConstraint("task_id", "name"),
)

model_versions = Table(
    "model_versions",
    metadata,
    Column("id", Id, primary_key=True),
    Column("model_id", ForeignKey("models.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("options", Text, nullable=False),
    Column("folder", Text, nullable=False, server_default=""),
    Column("digest", Text, nullable=False),
    Column("created", Float(53), nullable=False),
    UniqueConstraint("model_id", "digest"),
    UniqueConstraint("model_id", "number"),
)

submissions = Table(
    "submissions",
    metadata,
    Column("id", Id, primary_key=True),
    Column("submitter_id", ForeignKey("submitters.id"), nullable=False),
    Column("model_version_id", ForeignKey("model_versions.id"), nullable=False),
    Column("created", Float(53), nullable=False),
    # In a challenge: a key for addresses, where it belongs, and what was decided about it.
    Column("key", Text),
    Column("track", Text),
    Column("phase", Text),
    Column("run", Integer),
    Column("late", Boolean, nullable=False, server_default=text("false")),
    Column("final", Boolean, nullable=False, server_default=text("false")),
    Column("withdrawn", Float(53)),
    # The file as it was sent, in the object store, and its SHA-256.
    Column("path", Text, nullable=False, server_default=""),
    Column("digest", Text, nullable=False, server_default=""),
    UniqueConstraint("key", name="submissions_by_key"),
    Index("submissions_by_submitter", "submitter_id", "created"),
)

# What a challenge has told its teams, newest last; `mails` holds the letters.
announcements = Table(
    "announcements",
    metadata,
    Column("id", Id, primary_key=True),
    Column("challenge_id", ForeignKey("challenges.id"), nullable=False),
    Column("subject", Text, nullable=False),
    Column("text", Text, nullable=False),
    # Whether everybody may read it on the page of the challenge.
    Column("public", Boolean, nullable=False, server_default=text("true")),
    Column("created_by", Text, nullable=False, server_default=""),
    Column("created", Float(53), nullable=False),
    Index("announcements_by_challenge", "challenge_id", "id"),
)

runs = Table(
    "runs",
    metadata,
    Column("id", Id, primary_key=True),
    Column("key", Text, nullable=False, unique=True),
    Column("model_version_id", ForeignKey("model_versions.id"), nullable=False),
    Column("dataset_version_id", ForeignKey("dataset_versions.id"), nullable=False),
    Column("state", Text, nullable=False),
    Column("reason", Text, nullable=False, server_default=""),
    Column("items", Integer, nullable=False),
    Column("answered", Integer, nullable=False, server_default="0"),
    Column("refused", Integer, nullable=False, server_default="0"),
    # Seconds until the model was ready, and seconds in which it was being asked.
    Column("start_seconds", Float(53), nullable=False, server_default="0"),
    Column("busy_seconds", Float(53), nullable=False, server_default="0"),
    # Samples of the model's memory in GiB, as a JSON list.
    Column("memory", Text, nullable=False, server_default="[]"),
    Column("created", Float(53), nullable=False),
    Column("started", Float(53)),
    Column("finished", Float(53)),
    UniqueConstraint("model_version_id", "dataset_version_id"),
    CheckConstraint(
        "state IN ('waiting', 'answering', 'scoring', 'done', 'failed', 'cancelled')",
        name="run_state",
    ),
    Index("runs_by_dataset", "dataset_version_id", "id"),
    Index("runs_by_state", "state", "id"),
)

# One row per item: an answer, or what came instead and why that is none (`problem`). `position` is the
# item's place in the data set.
predictions = Table(
    "predictions",
    metadata,
    Column("run_id", ForeignKey("runs.id"), primary_key=True, autoincrement=False),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("uid", Text, nullable=False),
    Column("answer", Text),
    Column("problem", Text),
    Column("seconds", Float(53), nullable=False),
    sqlite_with_rowid=False,
)

scores = Table(
    "scores",
    metadata,
    Column("id", Id, primary_key=True),
    Column("run_id", ForeignKey("runs.id"), nullable=False),
    Column("metric", Text, nullable=False),
    Column("version", Text, nullable=False),
    # The perturbed set's version that fairness or robustness was measured with; 0: none.
    Column("variant_id", Id, nullable=False, server_default="0"),
    Column("value", Float(53)),
    Column("low", Float(53)),
    Column("high", Float(53)),
    Column("n", Integer, nullable=False),
    Column("reason", Text, nullable=False, server_default=""),
    Column("parts", Text, nullable=False, server_default="{}"),
    # What each item adds, so that a board can bootstrap without reading predictions.
    Column("rows", LargeBinary),
    Column("created", Float(53), nullable=False),
    UniqueConstraint("run_id", "metric", "version", "variant_id"),
)

jobs = Table(
    "jobs",
    metadata,
    Column("id", Id, primary_key=True),
    Column("key", Text, nullable=False, unique=True),
    Column("kind", Text, nullable=False),  # answer, score
    # Jobs of one lane run one after another: a model is never asked by two runs at once.
    Column("lane", Text, nullable=False),
    Column("run_id", ForeignKey("runs.id"), nullable=False),
    # JSON: whether it was asked for by hand, or replaced; what came in its last failed attempt.
    Column("payload", Text, nullable=False, server_default="{}"),
    Column("state", Text, nullable=False),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("most_attempts", Integer, nullable=False, server_default="5"),
    Column("due", Float(53), nullable=False),
    Column("holder", Text),
    Column("lease", Float(53)),
    Column("reason", Text, nullable=False, server_default=""),
    Column("created", Float(53), nullable=False),
    Column("started", Float(53)),
    Column("finished", Float(53)),
    CheckConstraint(
        "state IN ('waiting', 'running', 'done', 'dead', 'cancelled')", name="job_state"
    ),
    Index("jobs_by_state", "state", "due", "id"),
    Index("jobs_by_run", "run_id", "id"),
)

# Written out: SQLAlchemy would load the PostgreSQL dialect, four megabytes, to know the condition.
_one_per_lane = "UNIQUE INDEX jobs_one_per_lane ON jobs (lane) WHERE state = 'running'"
listen(jobs, "after_create", DDL(f"CREATE {_one_per_lane}"))  # type: ignore[no-untyped-call]

# Every attempt that failed, with its reason.
job_failures = Table(
    "job_failures",
    metadata,
    Column("id", Id, primary_key=True),
    Column("job_id", ForeignKey("jobs.id"), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("reason", Text, nullable=False),
    Column("time", Float(53), nullable=False),
    Index("job_failures_by_job", "job_id", "id"),
)

# Forks (weights of one's own) and snapshots (a frozen board); names are unique across both.
saved_boards = Table(
    "saved_boards",
    metadata,
    Column("id", Id, primary_key=True),
    Column("key", Text, nullable=False, unique=True),
    Column("task_id", ForeignKey("tasks.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("about", Text, nullable=False, server_default=""),
    Column("weights", Text, nullable=False),
    Column("content", Text),
    Column("created_by", Text, nullable=False, server_default=""),
    Column("created", Float(53), nullable=False),
    UniqueConstraint("task_id", "name"),
    CheckConstraint("kind IN ('fork', 'snapshot')", name="saved_board_kind"),
)

# A time in which people write examples against models; its examples are dialogues of its study.
rounds = Table(
    "rounds",
    metadata,
    Column("id", Id, primary_key=True),
    Column("task_id", ForeignKey("tasks.id"), nullable=False),
    # From 1, by task.
    Column("number", Integer, nullable=False),
    # The study and the stage in which people write.
    Column("study_id", ForeignKey("studies.id"), nullable=False),
    Column("stage", Integer, nullable=False),
    Column("state", Text, nullable=False),
    # JSON: what its opening said (`RoundTerms`), and the model versions in the loop.
    Column("terms", Text, nullable=False),
    Column("models", Text, nullable=False),
    # Where the contexts are kept in the object store, their SHA-256 and their number.
    Column("contexts_path", Text, nullable=False),
    Column("contexts_digest", Text, nullable=False),
    Column("contexts", Integer, nullable=False),
    # What writers and validators are made anonymous with in exports.
    Column("secret", Text, nullable=False),
    # JSON: what closing it made (`RoundResult`); null before.
    Column("result", Text),
    Column("opened", Float(53), nullable=False),
    Column("closed", Float(53)),
    UniqueConstraint("task_id", "number"),
    CheckConstraint("state IN ('open', 'stopped', 'closed')", name="round_state"),
)
# A task has one round at a time.
_one_round = "UNIQUE INDEX rounds_one_at_a_time ON rounds (task_id) WHERE state <> 'closed'"
listen(rounds, "after_create", DDL(f"CREATE {_one_round}"))  # type: ignore[no-untyped-call]

EVALUATION_TABLES = (
    tasks,
    datasets,
    dataset_versions,
    challenges,
    submitters,
    models,
    model_versions,
    submissions,
    announcements,
    runs,
    predictions,
    scores,
    jobs,
    job_failures,
    saved_boards,
    rounds,
)
