"""The pages of dialogues: their list, and one as a researcher reads it.

Its transcript has every event, also those that no seat saw.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import msgspec

from palaver.collection.limits import started_at
from palaver.core.dialogue import IMPORTED, Dialogue, Seat
from palaver.core.events import FAILURE, MESSAGE, Event
from palaver.core.studies.dialogues import DialogueHead
from palaver.core.words import counted, isolated, listed
from palaver.formats.cocoa.events import kept_in
from palaver.formats.knowledge_tables import KnowledgeTable
from palaver.formats.move_words import move_data
from palaver.formats.rich_text import Node, rich_tree
from palaver.games.game import Finding, game_of
from palaver.studies.review.views import DialogueView
from palaver.web.desk.dialogues.label_places import DialogueJudgements
from palaver.web.desk.frame import DeskShell
from palaver.web.desk.parts import FilterOption, Listed
from palaver.web.formatting import ShownMoment, clock, moment, reason_words


@dataclass(frozen=True, slots=True, kw_only=True)
class DialoguesPage:
    """The dialogues that fit the filters; `asked` says whether any filter is set."""

    template: ClassVar[str] = "desk/dialogues/dialogues.html"
    shell: DeskShell
    list: Listed[DialogueHead]
    action: str
    # The choices of each filter, by its name, and the study that is chosen.
    filters: Mapping[str, tuple[FilterOption, ...]]
    study: str | None
    text: str
    asked: bool
    export_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EventLine:
    """One event of a transcript.

    `kind` is message, move or quiet. `speaker` is what people call them. `text` is None when it was
    erased. `audience` says who saw it where that was not everybody. `at` is the time since the first
    event. `rich` is what a message in Markdown shows.
    """

    seq: int
    kind: str
    seat: int | None
    speaker: str
    speaker_key: str
    text: str | None
    audience: str
    at: str
    time: ShownMoment
    note: str = ""
    tone: str = ""
    rich: list[Node] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatKnowledge:
    """What one side of a dialogue alone knew."""

    name: str
    tables: tuple[KnowledgeTable, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DialoguePage:
    """One dialogue, readable; `address` is that of the list, `events_url` is set while it runs."""

    template: ClassVar[str] = "desk/dialogues/dialogue.html"
    shell: DeskShell
    address: str
    view: DialogueView
    heading: str
    lines: tuple[EventLine, ...]
    # What the checks of the game found.
    checks: tuple[Finding, ...]
    judgements: DialogueJudgements
    events_url: str
    may_download: bool
    # Which part of the study it belongs to.
    part: str

    @property
    def opening(self) -> str:
        """The first message; empty where there is none."""
        return next((line.text or "" for line in self.lines if line.kind == "message"), "")

    @property
    def is_imported(self) -> bool:
        return self.view.stored.dialogue.reason == IMPORTED

    @property
    def purpose(self) -> str:
        """What it is for, where it is no data."""
        return PURPOSE_WORDS.get(self.view.stored.purpose, self.view.stored.purpose)

    @property
    def seconds(self) -> float | None:
        """From when somebody came in until the end, or the last event."""
        dialogue = self.view.stored.dialogue
        if not dialogue.events:
            return None
        start = started_at(dialogue) or dialogue.events[0].time
        return (dialogue.ending or dialogue.events[-1]).time - start

    @property
    def knowledge(self) -> tuple[SeatKnowledge, ...]:
        """What each side alone knew, where the game gave it something."""
        scenario = self.view.stored.dialogue.scenario
        facts = game_of(scenario).facts
        return tuple(
            SeatKnowledge(name=self.name_of(seat) or f"side {seat + 1}", tables=tables)
            for seat in range(len(scenario.kbs))
            if (tables := facts(scenario, seat))
        )

    @property
    def outcome(self) -> str:
        """What came of it; empty where nothing did."""
        dialogue = self.view.stored.dialogue
        return outcome_text(dialogue, dialogue.ending) if dialogue.ending else ""

    def name_of(self, seat: int) -> str:
        """Who sat at a seat, one after the other."""
        sat = [each for each in self.view.stored.dialogue.seats if each.index == seat]
        return ", then ".join(each.called for each in sorted(sat, key=lambda s: s.from_seq))


PURPOSE_WORDS = {
    "training": "practice, not counted as data",
    "gold": "a hidden check of raters, not counted as data",
    "attention": "an attention check, not counted as data",
}


def heading(dialogue: Dialogue) -> str:
    """What a dialogue is, and its state."""
    state = reason_words(dialogue.reason) if dialogue.is_over else "running"
    size = counted(dialogue.message_count, "message")
    return f"{isolated(dialogue.condition) or 'Dialogue'}: {size}, {state}"


def lines(dialogue: Dialogue, *, rich: bool, after: int = 0) -> tuple[EventLine, ...]:
    """The events behind a position, each as a line; `rich` shows what systems say as Markdown."""
    start = dialogue.events[0].time if dialogue.events else 0.0
    return tuple(_line(dialogue, event, start, rich) for event in dialogue.events[after:])


def speaker(dialogue: Dialogue, seat: int | None, seq: int) -> str:
    """Who sat at a seat when an event happened."""
    if seat is None:
        return "the house"
    sat = _sitting(dialogue, seat, seq)
    return isolated(sat.called) if sat else "somebody"


def _sitting(dialogue: Dialogue, seat: int | None, seq: int) -> Seat | None:
    sat = [s for s in dialogue.seats if s.index == seat and s.from_seq <= seq]
    return max(sat, key=lambda s: s.from_seq, default=None)


def _line(dialogue: Dialogue, event: Event, start: float, rich: bool) -> EventLine:
    sat = _sitting(dialogue, event.seat, event.seq)
    by_system = event.action == MESSAGE and sat is not None and sat.kind == "system"
    kind = "message" if event.action == MESSAGE else "move" if event.is_turn else "quiet"
    return EventLine(
        seq=event.seq,
        kind=kind,
        seat=event.seat,
        speaker=speaker(dialogue, event.seat, event.seq),
        speaker_key=sat.occupant if sat else "",
        text=_text(dialogue, event) if event.is_turn else _quiet(dialogue, event),
        audience=_audience(dialogue, event),
        at=clock(event.time - start),
        time=moment(event.time),
        note=_note(event),
        tone="error" if event.action == FAILURE else "",
        rich=rich_tree(event.text) if rich and by_system else None,
    )


def _text(dialogue: Dialogue, event: Event) -> str | None:
    if event.data is None and event.action == MESSAGE:
        return None
    if event.action == MESSAGE:
        return event.text
    words = game_of(dialogue.scenario).words(event)
    if words:
        return words
    data = move_data(event)
    return event.action if not data else f"{event.action}: {_as_json(data)}"


def _quiet(dialogue: Dialogue, event: Event) -> str:
    data, who = event.data or {}, speaker(dialogue, event.seat, event.seq)
    match event.action:
        case "join":
            return f"{who} joined"
        case "leave":
            return f"{who} left"
        case "failure":
            tries = counted(int(data.get("attempts", 1)), "attempt")
            return f"{who} failed ({data.get('kind', 'error')}, {tries}): {data.get('detail', '')}"
        case "notice" if "text" not in data and kept_in(data):
            noted = kept_in(data) or {}
            return f"{who}: {noted.get('action')} {_as_json(noted.get('data'))}"
        case "notice":
            return f"Notice: {data.get('text', 'erased')}"
        case "takeover":
            before = speaker(dialogue, event.seat, event.seq - 1)
            why = reason_words(str(data.get("reason", "")))
            return f"{data.get('system', 'A system')} took the seat of {before} ({why})"
        case "late":
            took, common = data.get("seconds", 0), data.get("common", 0)
            return f"{who} took {took:.1f} s; replies are evened out to {common:.1f} s"
        case "disguise":
            did = "was asked again" if data.get("done") == "asked_again" else "was masked"
            names = listed([f"“{name}”" for name in data.get("matched", ())])
            return f"{who} gave itself away with {names} and {did}: “{data.get('original', '')}”"
        case "erase":
            count = counted(int(data.get("events", 0)), "event")
            if "seat" not in data:
                return f"{count} erased, as the study promised: their time was over"
            whose = speaker(dialogue, data["seat"], event.seq)
            asked = (
                "by a researcher"
                if data.get("by") == "researcher"
                else "at the participant's request"
            )
            return f"{count} of {whose} erased {asked}"
        case "end":
            told = outcome_text(dialogue, event)
            if data.get("reason") == IMPORTED:
                return told or "End of what was imported"
            ended = f"Ended: {reason_words(str(data.get('reason', '')))}"
            return f"{ended}. {told}" if told else ended
    return f"{event.action}: {_as_json(data)}"


def outcome_text(dialogue: Dialogue, ending: Event) -> str:
    """What came of a dialogue in words; as it is stored where nobody has words for it."""
    told = game_of(dialogue.scenario).outcome(
        ending, dialogue.scenario, lambda seat: speaker(dialogue, seat, ending.seq)
    )
    outcome = (ending.data or {}).get("outcome")
    return told.sentence or (_as_json(outcome) if outcome else "")


def _audience(dialogue: Dialogue, event: Event) -> str:
    if event.audience is None:
        return ""
    if not event.audience:
        return "nobody saw this"
    return (
        f"only {listed([speaker(dialogue, seat, event.seq) for seat in event.audience])} saw this"
    )


def _note(event: Event) -> str:
    return "seed" if event.action == MESSAGE and (event.data or {}).get("seed") else ""


def _as_json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
