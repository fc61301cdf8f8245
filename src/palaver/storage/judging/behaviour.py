"""What is known of how raters worked: the time and the pastes of answers, and sheets with their words.

Counts and times only, and what was answered; nothing here says what was typed or pasted, or when.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple, cast

import msgspec
from sqlalchemy import ColumnElement, Connection, Select, bindparam, case, func, select

from palaver.core.sheets import SheetContent
from palaver.storage.engine.prepared import Prepared
from palaver.storage.judging.ratings import newer, stands
from palaver.storage.schema import dialogues, events, labels, raters, sheets, slots

CHUNK = 5000
_content = msgspec.json.Decoder(SheetContent).decode
_decode = msgspec.json.Decoder().decode


# One standing answer as it was given: rater, question, version, unit, value (JSON), label, the order
# that was shown (JSON), seconds, and how many characters were pasted (None where nobody counted).
# Plain rows: there are hundreds of thousands, and each is looked at once.
WorkedAnswer = tuple[int, str, str, int, str, str | None, str | None, float | None, int | None]


class FinishedSheet(NamedTuple):
    """How long a person had a sheet, from when it was handed out, and the dialogues on it."""

    seconds: float
    dialogues: tuple[str, ...]


def worked_answers(connection: Connection, study_id: int, kind: str) -> Iterator[WorkedAnswer]:
    """The standing answers of raters of a kind, of excluded ones too, in the order they came."""
    yield from cast(Iterator[WorkedAnswer], _WORKED.each(connection, study=study_id, kind=kind))


def quick_people(connection: Connection, study_id: int, *, within: float) -> dict[int, int]:
    """The raters who had half of their sheets or more no longer than so many seconds.

    With the number of sheets that each has finished; gold sheets are not among them.
    """
    rows = _QUICK.all(connection, study=study_id, within=within)
    return {rater_id: count for rater_id, count, quick in rows if 2 * quick >= count}


def last_sheets(
    connection: Connection, study_id: int, rater_id: int, most: int
) -> list[FinishedSheet]:
    """The last sheets that a person has finished, oldest first."""
    found = []
    for seconds, content in _LAST.all(connection, study=study_id, rater=rater_id, most=most):
        keys = dict.fromkeys(key for part in _content(content).parts for key in part.dialogues)
        found.append(FinishedSheet(seconds, tuple(keys)))
    return found[::-1]


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
        labels.c.question,
        labels.c.question_version,
        labels.c.unit_id,
        labels.c.value,
        labels.c.label,
        labels.c.shown_order,
        labels.c.seconds,
        labels.c.pasted,
    )
    .join(raters, raters.c.id == labels.c.rater_id)
    .outerjoin(newer, newer.c.supersedes == labels.c.id)
    .outerjoin(slots, slots.c.id == labels.c.slot_id)
    .where(
        labels.c.study_id == bindparam("study"),
        labels.c.purpose == "real",
        labels.c.value.is_not(None),
        raters.c.kind == bindparam("kind"),
        stands(),
    )
    .order_by(labels.c.id)
)


def _of_finished(*columns: ColumnElement[Any]) -> Select[Any]:
    """Something of the real sheets that people have finished in a study."""
    return (
        select(*columns)
        .select_from(slots)
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
    )


_TOOK = slots.c.finished - slots.c.since
_QUICK = Prepared(
    _of_finished(
        raters.c.id, func.count(), func.sum(case((bindparam("within") > _TOOK, 1), else_=0))
    ).group_by(raters.c.id)
)
_LAST = Prepared(
    _of_finished(_TOOK, sheets.c.content)
    .where(raters.c.id == bindparam("rater"))
    .order_by(slots.c.finished.desc(), slots.c.id.desc())
    .limit(bindparam("most"))
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
