"""A dialogue as the viewer holds it: a row of the list, and what is shown when it is opened.

Names are short because there are tens of thousands of them. A row has what filters and sorting need;
everything else is parsed when somebody opens or searches the dialogue. The knowledge of a scenario is
written once, however many dialogues are about it.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from palaver.core.columns import as_field
from palaver.core.dialogue import tells_times
from palaver.core.events import END, ERASE, MESSAGE, TAKEOVER, Event
from palaver.core.names import dialogue_title
from palaver.core.records import DialogueRecord, LabelRecord
from palaver.core.scenario import Scenario
from palaver.formats.knowledge_tables import KnowledgeTable
from palaver.formats.move_words import move_data
from palaver.games.game import Game, game_of
from palaver.reports.report.transcripts import outcome_of, seat_name

# The kinds of lines: what was said, what was done, what the house noted.
SAID, DONE, NOTED = 0, 1, 2
_LONGEST_OPENING = 90
_LONGEST_KEY = 24


class ViewerRow(msgspec.Struct, frozen=True, array_like=True):
    """What the list, its filters and its order need of a dialogue."""

    id: Annotated[str, as_field(DialogueRecord, "id")]
    title: Annotated[str, Meta(description="what people call it, with your id")]
    game: Annotated[str, as_field(Scenario, "game")]
    scenario: Annotated[str, Meta(description="the scenario's title, or its id")]
    agents: Annotated[tuple[str, str], Meta(description="systems by name; `person` for people")]
    outcome: Annotated[
        str, Meta(description="what came of it, in a word or two; else why it ended")
    ]
    turns: Annotated[int, Meta(description="messages and moves")]
    created: Annotated[float | None, as_field(DialogueRecord, "created")]
    seconds: Annotated[float | None, Meta(description="how long it took; null where nobody knows")]
    ratings: Annotated[
        dict[str, float], Meta(description="by question, the mean of the numbers that were given")
    ]
    opening: Annotated[str, Meta(description="the beginning of the first message")]
    knowledge: Annotated[
        int | None, Meta(description="the number of what its sides know; null: nothing")
    ]


class ViewerLine(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True):
    """Something that was said or done: by whom, in words (null: erased), and after how many seconds."""

    kind: int
    seat: int | None
    text: str | None
    at: float | None = None
    # Said to one side alone.
    private: str = ""
    # What a system said of its own act, and what raters said of the turn.
    labels: tuple[tuple[str, str, str], ...] = ()


class ViewerBody(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is shown when a dialogue is opened."""

    # Who sat where, as it is said; `sentence` is the outcome.
    names: tuple[str, ...]
    sentence: str
    facts: tuple[tuple[str, str], ...]
    lines: tuple[ViewerLine, ...]
    personas: tuple[tuple[str, ...], ...] = ()
    # What was asked, who answered of whom, and the answer.
    answers: tuple[tuple[str, str, str], ...] = ()


class ViewerEntry(msgspec.Struct, frozen=True):
    """A dialogue in both forms, with the knowledge of its scenario."""

    row: ViewerRow
    body: ViewerBody
    knowledge: tuple[tuple[KnowledgeTable, ...], ...]


def entry_of(
    record: DialogueRecord, labels: Iterable[LabelRecord], *, knowledge: int | None = None
) -> ViewerEntry:
    """A dialogue and what was said of it."""
    game, standing = game_of(record.scenario), [each for each in labels if _stands(each)]
    outcome = outcome_of(record, game)
    start, end = _times(record)
    row = ViewerRow(
        id=record.id,
        title=_title(record),
        game=record.scenario.game,
        scenario=record.scenario.title or record.scenario.id,
        agents=(_agent(record, 0), _agent(record, 1)),
        outcome=outcome.brief or _ended(record),
        turns=sum(event.is_turn for event in record.events),
        created=start,
        seconds=None if start is None or end is None else round(end - start, 1),
        ratings=_ratings(standing),
        opening=_opening(record),
        knowledge=knowledge,
    )
    names = tuple(seat_name(record.seats, seat) for seat in (0, 1))
    body = ViewerBody(
        names=names,
        sentence=outcome.sentence,
        facts=tuple(_facts(record)),
        lines=tuple(_lines(record, game, start, standing)),
        personas=record.scenario.personas,
        answers=tuple(
            (label.question, _about(label, names), _answer(label))
            for label in standing
            if label.seq is None
        ),
    )
    return ViewerEntry(row, body, knowledge_of(record, game))


def knowledge_of(record: DialogueRecord, game: Game) -> tuple[tuple[KnowledgeTable, ...], ...]:
    """What each side alone knew; empty where nobody knew anything."""
    sides = tuple(
        game.facts(record.scenario, seat) for seat in range(min(2, len(record.scenario.kbs)))
    )
    return sides if any(sides) else ()


def _stands(label: LabelRecord) -> bool:
    return not label.superseded and label.purpose == "real" and label.dialogue is not None


def _title(record: DialogueRecord) -> str:
    """What people call it; a key that nobody can say is shortened."""
    if record.name:
        return dialogue_title(record.name, record.source_id)
    key = record.id
    return key if len(key) <= _LONGEST_KEY else f"{key[:8]}…{key[-6:]}"


def _agent(record: DialogueRecord, seat: int) -> str:
    sat = [each for each in record.seats if each.index == seat]
    first = min(sat, key=lambda each: each.from_seq, default=None)
    return first.occupant if first is not None and first.kind == "system" else "person"


def _ended(record: DialogueRecord) -> str:
    if record.status != "ended":
        return "running"
    return "" if record.reason in ("", "imported") else record.reason.replace("_", " ")


def _times(record: DialogueRecord) -> tuple[float | None, float | None]:
    if not record.events:
        return record.created, None
    first, last = record.events[0].time, record.events[-1].time
    if record.created is None or not tells_times(record.reason, first, last):
        return record.created, None
    return first, last


def _opening(record: DialogueRecord) -> str:
    said = next((e.text for e in record.events if e.action == MESSAGE and e.text), "")
    line = " ".join(said.split())
    return line if len(line) <= _LONGEST_OPENING else f"{line[: _LONGEST_OPENING - 1]}…"


def _facts(record: DialogueRecord) -> Iterable[tuple[str, str]]:
    yield "Game", record.scenario.game.replace("_", " ")
    yield "Scenario", record.scenario.id
    for name in ("category", "post_id"):
        value = record.scenario.extra.get(name)
        if isinstance(value, str | int):
            yield name.replace("_", " ").capitalize(), str(value)
    if record.study:
        yield "Study", record.study
    if record.condition:
        yield "Condition", record.condition
    if record.source:
        yield "From", record.source
    yield "Key", record.id


def _lines(
    record: DialogueRecord, game: Game, start: float | None, labels: Sequence[LabelRecord]
) -> Iterable[ViewerLine]:
    of_turn: dict[int, list[tuple[str, str, str]]] = {}
    for label in labels:
        if label.seq is not None:
            of_turn.setdefault(label.seq, []).append((label.question, "", _answer(label)))
    for event in record.events:
        kind, text = _worded(event, game)
        if kind is None:
            continue
        yield ViewerLine(
            kind=kind,
            seat=event.seat,
            text=text,
            at=None if start is None else round(event.time - start, 1),
            private=_private(record, event),
            labels=tuple(of_turn.get(event.seq, ())),
        )


def _worded(event: Event, game: Game) -> tuple[int | None, str | None]:
    """How an event reads; of what the house notes, only what changes who speaks or what is there."""
    if event.action == MESSAGE:
        return SAID, event.text if event.data is not None else None
    if event.is_turn:
        data = move_data(event)
        raw = f"{event.action} {msgspec.json.encode(data).decode()}" if data else event.action
        return DONE, game.words(event) or raw
    data = event.data or {}
    match event.action:
        case _ if event.action == TAKEOVER:
            return NOTED, f"{data.get('system', 'A system')} took this side over"
        case _ if event.action == ERASE:
            return NOTED, "What one side said was erased"
    return None, None


def _private(record: DialogueRecord, event: Event) -> str:
    if event.audience is None or event.action == END:
        return ""
    if not event.audience:
        return "nobody saw this"
    seen = " and ".join(seat_name(record.seats, seat, event.seq) for seat in event.audience)
    return f"only {seen} saw this"


def _ratings(labels: Iterable[LabelRecord]) -> dict[str, float]:
    given: dict[str, list[float]] = {}
    for label in labels:
        if isinstance(label.value, int | float) and not isinstance(label.value, bool):
            given.setdefault(label.question, []).append(label.value)
    return {name: round(sum(values) / len(values), 2) for name, values in given.items()}


def _about(label: LabelRecord, names: Sequence[str]) -> str:
    """Whom an answer is about, and who gave it."""
    kind, _, place = label.unit.partition(":")
    seat = place.rpartition(":")[2]
    if kind == "seat" and seat in ("0", "1"):
        return f"{names[1 - int(seat)]} about {names[int(seat)]}"
    return label.rater_name or label.rater


def _answer(label: LabelRecord) -> str:
    if label.value is None:
        return "not answered" if label.label == "abstained" else "erased"
    value: Any = label.label if label.label is not None else label.value
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
