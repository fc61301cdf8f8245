"""What was said in the dialogues that a report's labels are about."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup
from sqlalchemy import Connection

from palaver.core.dialogue import Seat
from palaver.core.events import END, MESSAGE, Event
from palaver.core.names import dialogue_title
from palaver.core.records import DialogueRecord
from palaver.formats.knowledge_tables import KnowledgeTable
from palaver.formats.outcome_words import OutcomeWords
from palaver.formats.rich_text import rich_html
from palaver.games.game import Game, game_of
from palaver.reports.masks import Masking, StudyMasks
from palaver.reports.report.parts import ReportCell
from palaver.reports.source import StudySource, hold_still
from palaver.reports.target import OpenStudy

PATH = "dialogues.html"


@dataclass(frozen=True, slots=True)
class TranscriptMessage:
    """What somebody said; `rich` is the same as HTML where a system wrote Markdown."""

    speaker: str
    text: str
    rich: Markup | None = None


@dataclass(frozen=True, slots=True)
class KnownToSeat:
    """What one side alone knew."""

    speaker: str
    tables: tuple[KnowledgeTable, ...]


@dataclass(frozen=True, slots=True)
class ReportTranscript:
    """A dialogue under its key; `title` is what people and the file it came from call it.

    `known` is what each side of a game alone knew, `outcome` what came of it.
    """

    key: str
    systems: tuple[str, ...]
    messages: tuple[TranscriptMessage, ...]
    title: str
    known: tuple[KnownToSeat, ...] = ()
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class ReadTranscripts:
    """The dialogues of a report, and what was masked in them; None if nothing was to be."""

    transcripts: tuple[ReportTranscript, ...] = ()
    masking: Masking | None = None


def read_transcripts(opened: OpenStudy, *, mask: bool) -> ReadTranscripts:
    """The dialogues of a study, and those of others that it judged."""
    rich = opened.definition is None or opened.definition.render == "markdown"

    def read(connection: Connection) -> ReadTranscripts:
        still = hold_still(connection)
        masks = StudyMasks(still) if mask else None
        source = StudySource(still, opened.stored.name, masks)
        found = tuple(
            transcript_of(labelled.dialogues[0], rich=rich)
            for labelled in source.labelled_dialogues()
        )
        return ReadTranscripts(found, masks.masking() if masks else None)

    return opened.store.read_now(read)


class TranscriptPlaces:
    """Where each dialogue stands on the page of dialogues."""

    def __init__(self, transcripts: Sequence[ReportTranscript]) -> None:
        self._anchors = {each.key: f"dialogue-{n}" for n, each in enumerate(transcripts, start=1)}
        self._titles = {each.key: each.title for each in transcripts}

    def anchor(self, key: str) -> str:
        return self._anchors[key]

    def cells(self, unit: str) -> tuple[ReportCell, ...]:
        """The dialogues that a unit is about, as links; the unit itself where none is known."""
        named = [part for part in re.split(r"[:|]", unit) if part in self._anchors]
        if not named:
            return (ReportCell(unit),)
        return tuple(ReportCell(self._titles[key], f"{PATH}#{self._anchors[key]}") for key in named)


def transcript_of(record: DialogueRecord, *, rich: bool = True) -> ReportTranscript:
    """What was said in a dialogue, and what was done as its game words it."""
    game = game_of(record.scenario)
    messages = [
        TranscriptMessage(
            _speaker(record.seats, event),
            words,
            rich_html(words) if rich and _is_rich(record.seats, event) else None,
        )
        for event in record.events
        if event.is_turn and (words := _words(event, game))
    ]
    systems = dict.fromkeys(seat.occupant for seat in record.seats if seat.kind == "system")
    title = dialogue_title(record.name or record.id, record.source_id)
    return ReportTranscript(
        record.id,
        tuple(systems),
        tuple(messages),
        title,
        known=tuple(
            KnownToSeat(seat_name(record.seats, seat), tables)
            for seat in range(len(record.scenario.kbs))
            if (tables := game.facts(record.scenario, seat))
        ),
        outcome=outcome_of(record, game).sentence,
    )


def outcome_of(record: DialogueRecord, game: Game) -> OutcomeWords:
    """What came of a dialogue; empty where nothing did."""
    ending = next((event for event in record.events if event.action == END), None)
    if ending is None:
        return OutcomeWords("", "")
    return game.outcome(ending, record.scenario, lambda seat: seat_name(record.seats, seat))


def seat_name(seats: Sequence[Seat], seat: int, seq: int = 1) -> str:
    """Who sat in a seat: a system by its name, a person by their seat."""
    sat = [each for each in seats if each.index == seat and each.from_seq <= seq]
    is_system = bool(sat) and sat[-1].kind == "system"
    return sat[-1].occupant if is_system else f"Person {seat + 1}"


def _words(event: Event, game: Game) -> str:
    return event.text or "(erased)" if event.action == MESSAGE else game.words(event)


def _speaker(seats: Sequence[Seat], event: Event) -> str:
    """Who sat in the seat when it was said."""
    return "Palaver" if event.seat is None else seat_name(seats, event.seat, event.seq)


def _is_rich(seats: Sequence[Seat], event: Event) -> bool:
    sitting = _sitting(seats, event)
    return event.action == MESSAGE and sitting is not None and sitting.kind == "system"


def _sitting(seats: Sequence[Seat], event: Event) -> Seat | None:
    sat = [seat for seat in seats if seat.index == event.seat and seat.from_seq <= event.seq]
    return sat[-1] if sat else None
