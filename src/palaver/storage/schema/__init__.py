"""The tables. Events and labels are appended, never edited; a correction is a new row.

Times are seconds since the epoch. Rows have integer ids inside the store and opaque `key`s outside
it. JSON is kept as text that `msgspec` wrote, so that both databases hold the same bytes. Every
module of this package is imported here, so that `metadata` is complete; the evaluation server adds
its own in `storage/schema/evaluation`.
"""

from palaver.storage.schema.catalogue import SCHEMA_VERSION, Id, meta, metadata
from palaver.storage.schema.conversations import dialogues, events, leases, places, seats, written
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
from palaver.storage.schema.visits import (
    accounts,
    assignments,
    erasures,
    participants,
    problems,
    studies,
    tokens,
    waiting,
)

__all__ = [
    "APART",
    "SCHEMA_VERSION",
    "SEVERAL_PARTS",
    "Id",
    "accounts",
    "assignments",
    "dialogues",
    "drafts",
    "erasures",
    "events",
    "exclusions",
    "intakes",
    "labels",
    "leases",
    "meta",
    "metadata",
    "participants",
    "places",
    "problems",
    "raters",
    "screenings",
    "seats",
    "sheet_people",
    "sheets",
    "slots",
    "standings",
    "studies",
    "summaries",
    "tokens",
    "units",
    "waiting",
    "written",
]
