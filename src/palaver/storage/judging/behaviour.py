"""What is known of how raters worked: the time and the pastes of answers, and sheets with their words.

Counts and times only, and what was answered; nothing here says what was typed or pasted, or when.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

import msgspec
from sqlalchemy import Connection, bindparam, select

from palaver.core.sheets import SheetContent
from palaver.storage.engine.prepared import Prepared
from palaver.storage.judging.ratings import newer, stands
from palaver.storage.schema import dialogues, events, labels, raters, sheets, slots

CHUNK = 5000
_content = msgspec.json.Decoder(SheetContent).decode
_decode = msgspec.json.Decoder().decode


class WorkedAnswer(NamedTuple):
    """One standing answer as it was given; `value` and `shown_order` are JSON.

    `pastes` and `pasted` (characters) are None where the page did not count.
    """

    rater_id: int
    kind: str
    question: str
    version: str
    unit_id: int
    value: str
    label: str | None
    shown_order: str | None
    seconds: float | None
    pastes: int | None
    pasted: int | None


class FinishedSheet(NamedTuple):
    """How long a person had a sheet, from when it was handed out, and the dialogues on it."""

    rater_id: int
    seconds: float
    dialogues: tuple[str, ...]


def worked_answers(connection: Connection, study_id: int) -> Iterator[WorkedAnswer]:
    """The standing answers of a study, of excluded raters too, in the order they came."""
    return map(WorkedAnswer._make, _WORKED.all(connection, study=study_id))


def finished_sheets(connection: Connection, study_id: int) -> Iterator[FinishedSheet]:
    """The sheets that people have finished, in the order in which they did; checks are not here."""
    for rater_id, seconds, content in _FINISHED.all(connection, study=study_id):
        parts = _content(content).parts
        keys = dict.fromkeys(key for part in parts for key in part.dialogues)
        yield FinishedSheet(rater_id, seconds, tuple(keys))


def count_words(connection: Connection, keys: Collection[str]) -> dict[str, int]:
    """How many words the messages of dialogues have, by the key of the dialogue."""
    found: dict[str, int] = {}
    for some in _chunks(keys):
        for key, data in _SAID.all(connection, keys=some):
            found[key] = found.get(key, 0) + len(str(_decode(data).get("text", "")).split())
    return found


def _chunks(keys: Iterable[str]) -> Iterator[list[str]]:
    ordered = sorted(keys)
    return (ordered[start : start + CHUNK] for start in range(0, len(ordered), CHUNK))


_WORKED = Prepared(
    select(
        labels.c.rater_id,
        raters.c.kind,
        labels.c.question,
        labels.c.question_version,
        labels.c.unit_id,
        labels.c.value,
        labels.c.label,
        labels.c.shown_order,
        labels.c.seconds,
        labels.c.pastes,
        labels.c.pasted,
    )
    .join(raters, raters.c.id == labels.c.rater_id)
    .outerjoin(newer, newer.c.supersedes == labels.c.id)
    .outerjoin(slots, slots.c.id == labels.c.slot_id)
    .where(
        labels.c.study_id == bindparam("study"),
        labels.c.purpose == "real",
        labels.c.value.is_not(None),
        stands(),
    )
    .order_by(labels.c.id)
)
_FINISHED = Prepared(
    select(raters.c.id, slots.c.finished - slots.c.since, sheets.c.content)
    .join(sheets, sheets.c.id == slots.c.sheet_id)
    .join(raters, raters.c.participant_id == slots.c.participant_id)
    .where(
        slots.c.study_id == bindparam("study"),
        slots.c.state == "done",
        sheets.c.purpose == "real",
        raters.c.kind == "person",
        slots.c.since.is_not(None),
        slots.c.finished.is_not(None),
    )
    .order_by(slots.c.finished, slots.c.id)
)
_SAID = Prepared(
    select(dialogues.c.key, events.c.data)
    .join(events, events.c.dialogue_id == dialogues.c.id)
    .where(
        dialogues.c.key.in_(bindparam("keys", expanding=True)),
        events.c.action == "message",
        events.c.data.is_not(None),
    )
)
