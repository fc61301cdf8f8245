"""Recruiting: studies as they are offered at panels, what panels say of people, and what is paid.

Amounts are whole numbers of the currency's smallest unit. What a panel calls people and pieces of work
becomes null when the person is erased; that something was paid, and how much, stays.
"""

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
    text,
)

from palaver.storage.schema.catalogue import Id, metadata

recruitments = Table(
    "recruitments",
    metadata,
    Column("id", Id, primary_key=True),
    # Ours; it stands in the panel's internal name, so that one of which no answer came is found.
    Column("key", Text, nullable=False, unique=True),
    Column("study_id", ForeignKey("studies.id"), nullable=False),
    Column("panel", Text, nullable=False),
    # The panel's id; null until it is known.
    Column("panel_id", Text),
    Column("title", Text, nullable=False),
    # As the panel says, in our words.
    Column("state", Text, nullable=False),
    # As a person here wants it: 'draft', 'running', 'paused' or 'stopped'.
    Column("wanted", Text, nullable=False),
    # Why it was paused by itself; empty where it was not.
    Column("held_for", Text, nullable=False, server_default=""),
    Column("places", Integer, nullable=False),
    Column("taken", Integer, nullable=False, server_default="0"),
    # Whether places follow the quotas that are left; not where a person asked for fewer.
    Column("grows", Boolean, nullable=False, server_default=text("true")),
    Column("reward", Integer, nullable=False),
    Column("currency", Text, nullable=False),
    Column("minutes", Integer, nullable=False),
    # What a place may cost at most, with the panel's fees as its calculator said.
    Column("place_cost", Integer, nullable=False),
    # What of it is the panel's fee on one reward.
    Column("fee", Integer, nullable=False, server_default="0"),
    # The code of each outcome, and what it was created with (JSON).
    Column("codes", Text, nullable=False, server_default="{}"),
    Column("terms", Text, nullable=False, server_default="{}"),
    Column("is_trial", Boolean, nullable=False, server_default=text("false")),
    Column("created", Float(53), nullable=False),
    Column("published", Float(53)),
    # When all of its submissions were read last, and what went wrong since.
    Column("checked", Float(53)),
    Column("trouble", Text, nullable=False, server_default=""),
    CheckConstraint(
        "wanted IN ('draft', 'running', 'paused', 'stopped')", name="recruiting_wanted"
    ),
    UniqueConstraint("panel", "panel_id"),
    Index("recruitments_by_study", "study_id", "id"),
)

panel_submissions = Table(
    "panel_submissions",
    metadata,
    Column("id", Id, primary_key=True),
    Column("recruitment_id", ForeignKey("recruitments.id"), nullable=False),
    # Null once the person was erased and all is settled; a keyed hash stays, so that none comes back.
    Column("panel_id", Text),
    Column("fingerprint", Text, nullable=False),
    Column("participant", Text),
    Column("state", Text, nullable=False),
    # When the panel says it came to be in this state: older news changes nothing.
    Column("state_time", Float(53), nullable=False),
    Column("started", Float(53)),
    Column("completed", Float(53)),
    Column("seconds", Float(53)),
    Column("code", Text),
    Column("reward", Integer),
    # What the panel says was paid on top.
    Column("bonus", Integer, nullable=False, server_default="0"),
    Column("seen", Float(53), nullable=False),
    # What a person decided here and asked the panel to do, and what became of that.
    Column("decision", Text, nullable=False, server_default=""),
    Column("decision_state", Text, nullable=False, server_default=""),
    Column("decided_by", Text, nullable=False, server_default=""),
    Column("decided", Float(53)),
    # Why, and what else the panel was told (JSON).
    Column("detail", Text, nullable=False, server_default="{}"),
    UniqueConstraint("recruitment_id", "fingerprint"),
    Index("panel_submissions_by_state", "recruitment_id", "state", "id"),
    Index("panel_submissions_by_fingerprint", "fingerprint"),
)

# Every delivery of a web hook, once.
deliveries = Table(
    "deliveries",
    metadata,
    Column("id", Id, primary_key=True),
    Column("panel", Text, nullable=False),
    Column("event", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("status", Text, nullable=False, server_default=""),
    Column("participant", Text),
    Column("time", Float(53), nullable=False),
    Column("received", Float(53), nullable=False),
    # 'waiting' until it was applied; 'done', 'older' or 'foreign' afterwards.
    Column("state", Text, nullable=False),
    CheckConstraint("state IN ('waiting', 'done', 'older', 'foreign')", name="delivery_state"),
    UniqueConstraint("panel", "event"),
    Index("deliveries_by_state", "state", "id"),
)

# An order to pay bonuses: sent to the panel at most once.
pay_orders = Table(
    "pay_orders",
    metadata,
    Column("id", Id, primary_key=True),
    Column("key", Text, nullable=False, unique=True),
    Column("recruitment_id", ForeignKey("recruitments.id"), nullable=False),
    Column("state", Text, nullable=False),
    Column("amount", Integer, nullable=False),
    Column("currency", Text, nullable=False),
    # The panel's id of what was set up there, and what it says it costs in all.
    Column("panel_id", Text),
    Column("total", Integer),
    Column("holder", Text),
    Column("account", Text, nullable=False, server_default=""),
    Column("reason", Text, nullable=False, server_default=""),
    Column("created", Float(53), nullable=False),
    Column("sent", Float(53)),
    Column("settled", Float(53)),
    CheckConstraint(
        "state IN ('intended', 'set_up', 'sending', 'paid', 'unknown', 'refused', 'dropped')",
        name="pay_order_state",
    ),
    Index("pay_orders_by_recruitment", "recruitment_id", "id"),
    Index("pay_orders_by_state", "state", "id"),
)

# What somebody is to get on top of their pay; one for each thing that it is for.
payments = Table(
    "payments",
    metadata,
    Column("id", Id, primary_key=True),
    Column("recruitment_id", ForeignKey("recruitments.id"), nullable=False),
    Column("submission_id", ForeignKey("panel_submissions.id"), nullable=False),
    # The rule, and what under it this is for: nothing is intended twice.
    Column("rule", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("amount", Integer, nullable=False),
    Column("currency", Text, nullable=False),
    Column("words", Text, nullable=False, server_default=""),
    # The order in which it is paid, and its state; null while nobody has ordered it.
    Column("order_id", ForeignKey("pay_orders.id")),
    Column("account", Text, nullable=False, server_default=""),
    Column("created", Float(53), nullable=False),
    CheckConstraint("amount > 0", name="payment_amount"),
    UniqueConstraint("recruitment_id", "rule", "subject"),
    Index("payments_by_order", "order_id", "id"),
    Index("payments_by_submission", "submission_id", "id"),
)

# What of a study's budget is spoken for: by places on offer, bonuses and adjustments.
spends = Table(
    "spends",
    metadata,
    Column("id", Id, primary_key=True),
    Column("study_id", ForeignKey("studies.id"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("amount", Integer, nullable=False),
    Column("currency", Text, nullable=False),
    Column("time", Float(53), nullable=False),
    CheckConstraint("kind IN ('places', 'bonus', 'adjustment')", name="spend_kind"),
    CheckConstraint("amount >= 0", name="spend_amount"),
    UniqueConstraint("study_id", "kind", "subject"),
)

RECRUITING_TABLES = (recruitments, panel_submissions, deliveries, pay_orders, payments, spends)
