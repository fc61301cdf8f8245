"""One intake, chunk by chunk: what a planned sheet becomes in the store.

Dialogues have keys that follow from what they are, so a dialogue that several sheets show, or that
comes again, is stored once.
"""

import base64
import hashlib
import hmac
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import msgspec
from sqlalchemy import Connection

from palaver.core.dialogue import IMPORTED
from palaver.core.events import END, MESSAGE
from palaver.core.sheets import SheetContent, SheetPart, Truth
from palaver.formats.dialogue_texts import DialogueText
from palaver.storage.dialogues.bulk import BulkDialogue, BulkEvent, add_dialogues
from palaver.storage.judging.intakes import (
    Intake,
    KnownSheet,
    advance_intake,
    correct_truth,
    drop_absent,
    drop_sheets,
    known_sheets,
    lock_intake,
    set_people,
)
from palaver.storage.judging.sheets import NewSheet, add_sheets, sheets_of
from palaver.studies.intake.judged_files import PlannedSheet, SheetSource
from palaver.studies.intake.right_answers import truth_of_parts

# What one transaction stores at most: it bounds how long a participant's message waits behind it.
SHEETS = 500
TURNS = 8000

_encode = msgspec.json.Encoder().encode
_END = BulkEvent(None, END, _encode({"reason": IMPORTED}).decode())


@dataclass(frozen=True, slots=True)
class Taken:
    """What an intake did: sheets that are new, that follow the changed file, or were kept.

    `changed` names those that the file now says something else about, and that somebody has begun.
    """

    stage: int
    purpose: str
    new: int = 0
    replaced: int = 0
    kept: int = 0
    dropped: int = 0
    changed: tuple[str, ...] = ()

    def __add__(self, other: "Taken") -> "Taken":
        return replace(
            self,
            new=self.new + other.new,
            replaced=self.replaced + other.replaced,
            kept=self.kept + other.kept,
            dropped=self.dropped + other.dropped,
            changed=(*self.changed, *other.changed),
        )


@dataclass(frozen=True, slots=True)
class ChunkStep:
    """Where the intake is after a chunk, and what the chunk did."""

    intake: Intake
    taken: Taken
    # Another process is at another place, or at another file.
    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class SheetChanges:
    """What an intake would do to the sheets that are stored: their names."""

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    @property
    def any(self) -> bool:
        return bool(self.new or self.changed or self.gone)


@dataclass(frozen=True, slots=True)
class ReadySheet:
    """A sheet with its dialogues, ready to be stored."""

    sheet: NewSheet
    dialogues: tuple[BulkDialogue, ...]


@dataclass(frozen=True, slots=True)
class IntakeRun:
    """One intake: where its sheets come from, and how they are stored."""

    secret: str
    study_id: int
    source: SheetSource
    now: float

    def chunks(self, start: int, names: set[str]) -> Iterator[Sequence[ReadySheet]]:
        """The sheets from number `start` on, some at a time; all names are noted on the way."""
        planned = self.source.sheets()
        names.update(sheet.name for sheet in islice(planned, start))
        chunk: list[ReadySheet] = []
        turns = 0
        for sheet in planned:
            names.add(sheet.name)
            chunk.append(self._ready(sheet))
            turns += sum(len(dialogue.events) for dialogue in chunk[-1].dialogues)
            if len(chunk) >= SHEETS or turns >= TURNS:
                yield chunk
                chunk, turns = [], 0
        if chunk:
            yield chunk

    def changes(self, connection: Connection) -> SheetChanges:
        """What taking all of it in would change; nothing is stored."""
        at = Intake(self.study_id, self.source.stage, self.source.purpose, self.source.digest)
        names: set[str] = set()
        new: list[str] = []
        changed: list[str] = []
        for chunk in self.chunks(0, names):
            known = known_sheets(connection, at, [ready.sheet.name for ready in chunk])
            new += [ready.sheet.name for ready in chunk if ready.sheet.name not in known]
            changed += [r.sheet.name for r in chunk if _differs(r.sheet, known.get(r.sheet.name))]
        stored = sheets_of(connection, self.study_id, at.stage, at.purpose)
        gone = [sheet.name for sheet in stored if sheet.name not in names]
        return SheetChanges(tuple(new), tuple(changed), tuple(gone))

    def store(
        self, connection: Connection, *, chunk: Sequence[ReadySheet], at: Intake, names: set[str]
    ) -> ChunkStep:
        """Store one chunk and how far the intake is; nothing if another process is elsewhere.

        An empty chunk is the end of the file.
        """
        found = lock_intake(connection, at.study_id, at.stage, at.purpose)
        if found is not None and found != at:
            return ChunkStep(found, Taken(at.stage, at.purpose), elsewhere=True)
        taken = self._keep(connection, chunk, at) if chunk else Taken(at.stage, at.purpose)
        after = replace(at, sheets=at.sheets + len(chunk), complete=not chunk)
        if after.complete:
            taken = replace(taken, dropped=drop_absent(connection, at, names))
        advance_intake(connection, after)
        return ChunkStep(after, taken)

    def _keep(self, connection: Connection, chunk: Sequence[ReadySheet], at: Intake) -> Taken:
        known = known_sheets(connection, at, [ready.sheet.name for ready in chunk])
        new = [ready for ready in chunk if ready.sheet.name not in known]
        changed = [r.sheet for r in chunk if _differs(r.sheet, known.get(r.sheet.name))]
        stale = {sheet.name for sheet in changed if not known[sheet.name].begun}
        begun = [sheet for sheet in changed if known[sheet.name].begun]
        corrected = [s.name for s in begun if _correct(connection, s, known[s.name])]
        drop_sheets(connection, [known[name].id for name in stale])
        stay = known.keys() - stale
        kept = {r.sheet.name: r.sheet.people for r in chunk if r.sheet.name in stay}
        set_people(connection, {known[name].id: people for name, people in kept.items()})
        self._add(connection, chunk, [*new, *(r for r in chunk if r.sheet.name in stale)])
        return Taken(
            self.source.stage,
            self.source.purpose,
            new=len(new),
            replaced=len(stale) + len(corrected),
            kept=len(kept) - len(corrected),
            changed=tuple(sheet.name for sheet in begun if sheet.name not in corrected),
        )

    def _add(
        self, connection: Connection, chunk: Sequence[ReadySheet], fresh: Sequence[ReadySheet]
    ) -> None:
        add_dialogues(
            connection,
            study_id=self.study_id,
            stage=self.source.stage,
            purpose=self.source.purpose,
            source=self.source.file_name,
            new=[dialogue for ready in fresh for dialogue in ready.dialogues],
            now=self.now,
        )
        # Those that are there are named too: their slots follow the number of raters they need.
        add_sheets(
            connection,
            self.study_id,
            self.source.stage,
            self.source.purpose,
            [ready.sheet for ready in chunk],
            order=self.source.order,
            seed=self.source.seed,
        )

    def _ready(self, sheet: PlannedSheet) -> ReadySheet:
        texts = {text.id: text for part in sheet.parts for text in part.dialogues}
        keys = {id: self._key(text) for id, text in texts.items()}
        content = SheetContent(
            parts=tuple(
                SheetPart(
                    dialogues=tuple(keys[text.id] for text in part.dialogues), ask=part.ask or ()
                )
                for part in sheet.parts
            ),
            notice=sheet.notice,
        )
        new = NewSheet(
            name=sheet.name,
            group=sheet.group,
            position=sheet.position,
            content=content,
            truth=self._truth(sheet, texts, keys),
            people=sheet.people,
            needed=sheet.needed,
            shared=sheet.shared,
        )
        return ReadySheet(new, tuple(_bulk(text, keys[id]) for id, text in texts.items()))

    def _truth(
        self, sheet: PlannedSheet, texts: Mapping[str, DialogueText], keys: Mapping[str, str]
    ) -> Truth | None:
        if self.source.purpose == "real":
            return None
        dialogues = {id: text.dialogue(keys[id]) for id, text in texts.items()}
        return truth_of_parts(sheet.parts, dialogues, self.source.questions).truth

    def _key(self, text: DialogueText) -> str:
        """The key of a dialogue: the same whenever the same one comes, and nobody can guess it."""
        where = [self.study_id, self.source.stage, self.source.purpose, text.id, text.system]
        said: list[object] = [(turn.seat, turn.text) for turn in text.turns]
        if text.notes:
            said.append(text.notes)
        name = hmac.new(self.secret.encode(), _encode([where, said]), hashlib.sha256).digest()
        return "d_" + base64.urlsafe_b64encode(name[:15]).decode()


def _bulk(text: DialogueText, key: str) -> BulkDialogue:
    return BulkDialogue(
        key=key,
        source_id=text.id,
        condition=text.system or IMPORTED,
        system=text.system or "system",
        scenario=_encode(text.scenario()).decode(),
        events=(
            *[
                BulkEvent(turn.seat, MESSAGE, _encode(text.data(n)).decode())
                for n, turn in enumerate(text.turns)
            ],
            _END,
        ),
    )


def _differs(sheet: NewSheet, known: KnownSheet | None) -> bool:
    if known is None:
        return False
    truth = None if sheet.truth is None else _encode(sheet.truth).decode()
    content = _encode(sheet.content).decode()
    same = (known.content, known.truth, known.group) == (content, truth, sheet.group)
    # A training round is found by its position; real sheets keep theirs.
    return not same or (sheet.truth is not None and known.position != sheet.position)


def _correct(connection: Connection, sheet: NewSheet, known: KnownSheet) -> bool:
    """Give a gold sheet that was handed out its new right answers, if it shows the same."""
    if sheet.truth is None or known.content != _encode(sheet.content).decode():
        return False
    correct_truth(connection, known.id, _encode(sheet.truth).decode())
    return True
