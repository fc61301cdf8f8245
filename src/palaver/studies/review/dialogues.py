"""The dialogues and labels of a study as programs read them, a page at a time or one by one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from palaver.core.errors import InputError, MissingError
from palaver.core.events import ERASE, FAILURE, JOIN, MESSAGE, Event
from palaver.core.listings import Window
from palaver.core.records import TidyLabel
from palaver.core.studies.dialogues import DialogueFilter, DialogueHead, Size, Use
from palaver.storage.dialogues.dialogues import StoredDialogue, load_dialogue
from palaver.storage.dialogues.lists import list_dialogues, occupancy
from palaver.storage.judging.tidy import tidy_page
from palaver.studies.review.evidence import check_sections


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldEvent:
    """One event. `data` is null once erased; `audience` is null where everybody saw it."""

    seq: int
    seat: int | None
    action: str
    data: dict[str, Any] | None
    time: float
    audience: tuple[int, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldScenario:
    """What the seats were told."""

    id: str
    title: str
    personas: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueSheet(DialogueHead):
    """One dialogue with its events."""

    stage: int
    group: str
    position: int
    scenario: ToldScenario
    events: tuple[ToldEvent, ...]


@dataclass(frozen=True, slots=True)
class DialoguePage:
    """Some dialogues, oldest first; pass `next` as `after` to go on. It is null at the end."""

    dialogues: list[DialogueHead]
    next: str | None


@dataclass(frozen=True, slots=True)
class LabelPage:
    """Some labels, oldest first; pass `next` as `after` to go on. It is null at the end."""

    labels: list[TidyLabel]
    next: int | None


def read_dialogues(
    connection: Connection,
    study: str,
    *,
    use: Use = "data",
    after: str | None,
    limit: int,
    source_id: str | None = None,
) -> DialoguePage:
    """The dialogues of a study behind one: its data, or its practice or checks.

    With `source_id`, those that their file calls so.
    """
    window = Window(size=limit, after=after, newest_first=False)
    wanted = DialogueFilter(study=study, use=use, source_id=source_id)
    dialogues = list_dialogues(connection, wanted, window)
    return DialoguePage(
        dialogues.rows, dialogues.rows[-1].id if dialogues.rows and dialogues.has_next else None
    )


def read_labels(
    connection: Connection,
    study_id: int,
    name: str,
    *,
    after: int,
    limit: int,
    sections: Sequence[str] = (),
) -> LabelPage:
    """The labels of a study behind one; InputError where it has none of a section."""
    check_sections(connection, name, sections)
    rows = tidy_page(connection, study_id, after=after, limit=limit + 1, sections=sections)
    shown = rows[:limit]
    return LabelPage(shown, shown[-1].id if len(rows) > limit else None)


def read_dialogue(connection: Connection, key: str) -> DialogueSheet:
    """The dialogue called `key`; MissingError if there is none."""
    try:
        stored = load_dialogue(connection, key)
    except InputError as error:
        raise MissingError(str(error)) from error
    dialogue, scenario = stored.dialogue, stored.dialogue.scenario
    return DialogueSheet(
        row_id=stored.id,
        id=stored.key,
        source_id=stored.source_id,
        source=stored.source,
        purpose=stored.purpose,
        study=stored.study,
        condition=dialogue.condition,
        stage=stored.stage,
        group=stored.group,
        position=stored.position,
        stored=stored.created,
        ended=None if dialogue.ending is None else dialogue.ending.time,
        reason=dialogue.reason if dialogue.is_over else None,
        size=_size(stored),
        scenario=ToldScenario(id=scenario.id, title=scenario.title, personas=scenario.personas),
        seats=tuple(map(occupancy, dialogue.seats)),
        events=tuple(_told(event) for event in dialogue.events),
    )


def _size(stored: StoredDialogue) -> Size:
    events = stored.dialogue.events
    times = {event.action: event.time for event in reversed(events)}
    happened = [event for event in events if event.action != ERASE]
    count = {
        action: sum(event.action == action for event in events)
        for action in (MESSAGE, FAILURE, ERASE)
    }
    return Size(
        messages=count[MESSAGE],
        first=times.get(JOIN),
        last=max((event.time for event in happened), default=None),
        failures=count[FAILURE],
        erased=count[ERASE],
    )


def _told(event: Event) -> ToldEvent:
    return ToldEvent(
        seq=event.seq,
        seat=event.seat,
        action=event.action,
        data=event.data,
        time=event.time,
        audience=event.audience,
    )
