"""The tables. Events and labels are appended, never edited; a correction is a new row.

Times are seconds since the epoch. Rows have integer ids inside the store and opaque `key`s outside
it. JSON is kept as text that `msgspec` wrote, so that both databases hold the same bytes. Every
module of this package is imported here, so that `metadata` is complete; the evaluation server adds
its own in `storage/schema/evaluation`.
"""

from palaver.storage.schema.audit import audit_entries, chain_links, chains, checkpoints
from palaver.storage.schema.catalogue import SCHEMA_VERSION, Id, meta, metadata
from palaver.storage.schema.conversations import (
    dialogues,
    events,
    latencies,
    leases,
    places,
    seats,
    written,
)
from palaver.storage.schema.judgements import (
    APART,
    SEVERAL_PARTS,
    drafts,
    exclusions,
    intakes,
    labels,
    raters,
    screenings,
    sheet_people,
    sheets,
    slots,
    standings,
    summaries,
    units,
)
from palaver.storage.schema.outbox import credits, mails, notices
from palaver.storage.schema.sign_in import (
    grants,
    identities,
    recovery_codes,
    second_factors,
    sessions,
)
from palaver.storage.schema.visits import (
    accounts,
    assignments,
    erasures,
    links,
    participants,
    problems,
    stops,
    studies,
    study_states,
    study_versions,
    tokens,
    tombstones,
    waiting,
)

__all__ = [
    "APART",
    "SCHEMA_VERSION",
    "SEVERAL_PARTS",
    "Id",
    "accounts",
    "assignments",
    "audit_entries",
    "chain_links",
    "chains",
    "checkpoints",
    "credits",
    "dialogues",
    "drafts",
    "erasures",
    "events",
    "exclusions",
    "grants",
    "identities",
    "intakes",
    "labels",
    "latencies",
    "leases",
    "links",
    "mails",
    "meta",
    "metadata",
    "notices",
    "participants",
    "places",
    "problems",
    "raters",
    "recovery_codes",
    "screenings",
    "seats",
    "second_factors",
    "sessions",
    "sheet_people",
    "sheets",
    "slots",
    "standings",
    "stops",
    "studies",
    "study_states",
    "study_versions",
    "summaries",
    "tokens",
    "tombstones",
    "units",
    "waiting",
    "written",
]
