"""What is judged, out of files of dialogues: whatever `palaver convert` reads, recognised by itself.

Lines of ours, of chat messages and of our export say more of an item than a dialogue (`judged`) and are
read there. In the other formats a dialogue is an item. Moves of a game become turns in words; what was
not for both sides is left out.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from palaver.core.dialogue import NEW_TURN
from palaver.core.errors import InputError
from palaver.core.events import MESSAGE, Event
from palaver.core.questions.turns import role_of
from palaver.core.records import DialogueRecord
from palaver.formats.datasets.content import open_content
from palaver.formats.dch2 import NO_UTTERANCE
from palaver.formats.dialogue_files import FileFormat, FilesBeside, format_of
from palaver.formats.dialogue_texts import DialogueText, PartRecord, SheetRecord, TurnText
from palaver.formats.foreign_lines import people_in, persona_in, system_in
from palaver.formats.found_records import Found, Mistake, Unconverted
from palaver.formats.judged import JudgedLine
from palaver.formats.line_problems import LineProblems
from palaver.formats.move_words import move_words

# Formats whose lines `judged` reads.
IN_LINES = ("palaver", "messages")
# What files note of a message and a DCH-2 export needs again.
_NOTES = (NEW_TURN, NO_UTTERANCE)
_LINE = re.compile(r":(\d+)(?:: )?")


def dialogue_format(path: Path) -> FileFormat | None:
    """The format of a file of dialogues; None where its lines tell what they are."""
    found = format_of(path)
    return None if found is None or found.name in IN_LINES else found


def read_dialogues(
    path: Path, reads: FileFormat, line_problems: LineProblems
) -> Iterator[JudgedLine]:
    """An item for each sound dialogue of a file; what is wrong goes to `line_problems`."""
    assert reads.find is not None
    left_out: Counter[str] = Counter()
    seen: dict[str, int] = {}
    try:
        with open_content(path, path.name) as stream:
            for number, found in enumerate(reads.find(stream, path.name, FilesBeside()), start=1):
                line = _line(found, path.name)
                if isinstance(found, Unconverted):
                    left_out[found.why] += 1
                elif isinstance(found, Mistake):
                    line_problems.add(_named(found.place, path.name, found.message), line=line)
                elif fault := _fault(sheet := judged_sheet(found.record), seen, number):
                    line_problems.add(_named(found.place, path.name, fault), line=line)
                else:
                    yield JudgedLine(number, b"", sheet, lambda _, line=line: (line, 1))  # type: ignore[misc]
                if line_problems.is_full:
                    return
    except InputError as error:
        line_problems.add(str(error).removeprefix(f"{path.name}: "))
        return
    if not seen and not line_problems.has_errors:
        line_problems.add("The file contains no dialogues.")
    for why, count in left_out.items():
        line_problems.warn(f"Left out, {why}: {count:,}.")


def judged_sheet(record: DialogueRecord) -> SheetRecord:
    """A dialogue as what one rater is handed, under the name that its file gave it."""
    dialogue = record.dialogue()
    said = [
        (event, words)
        for event in dialogue.events
        if event.seat is not None and event.audience is None
        if (words := _words(event, record.scenario.game)) is not None
    ]
    notes = {n: note for n, (event, _) in enumerate(said) if (note := _noted(event))}
    text = DialogueText(
        id=record.source_id or record.id,
        turns=tuple(TurnText(role_of(dialogue, event.seat or 0), words) for event, words in said),
        system=system_in(dialogue),
        persona=persona_in(dialogue),
        notes=notes,
    )
    return SheetRecord(
        id=text.id,
        group=text.id,
        people=people_in(record),
        parts=(PartRecord(dialogues=(text,)),),
    )


def _words(event: Event, game: str) -> str | None:
    if event.action == MESSAGE:
        return event.text
    words = move_words(event, game=game)
    return f"[{words}]" if words else None


def _noted(event: Event) -> dict[str, object]:
    return {key: event.data[key] for key in _NOTES if event.data and key in event.data}


def _fault(sheet: SheetRecord, seen: dict[str, int], number: int) -> str:
    """What is wrong with an item among those before it; empty if nothing is."""
    if "\0" in sheet.id:
        return "Its id contains a null character. Remove it."
    if sheet.id in seen:
        return f"The id '{sheet.id}' was already used for dialogue {seen[sheet.id]}."
    seen[sheet.id] = number
    [text] = sheet.parts[0].dialogues
    return "" if text.turns else f"Nothing was said in dialogue '{sheet.id}'."


def _line(found: Found, name: str) -> int:
    """The line that the place of something found names; 0 where it names none."""
    match = _LINE.match(found.place.removeprefix(name))
    return int(match[1]) if match else 0


def _named(place: str, name: str, message: str) -> str:
    """The message behind what the place says beside file and line."""
    what = _LINE.sub("", place.removeprefix(name), count=1).removeprefix(": ")
    return f"{what[:1].upper()}{what[1:]}: {message}" if what else message
