"""A file of what a stage has judged: its lines checked against the questions of the stage.

A file may hold a hundred thousand dialogues, so it is never held as a whole: `sheets` reads it anew,
line by line, for checking and for taking it into the store.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Literal, Protocol

import msgspec

from palaver.core.errors import InputError
from palaver.core.questions.question import Question
from palaver.core.questions.turns import chosen_turns
from palaver.core.registry import near
from palaver.formats.datasets.content import open_content
from palaver.formats.dialogue_texts import DialogueText, PartRecord, SheetRecord
from palaver.formats.excel import is_excel, read_excel
from palaver.formats.judged import JudgedLine, read_judged
from palaver.formats.judged_dialogues import dialogue_format, read_dialogues
from palaver.formats.line_problems import FormatProblem, LineProblems
from palaver.studies.intake.right_answers import Whys, truth_of_parts

Order = Literal["balanced", "file", "random"]
SheetPurpose = Literal["real", "gold", "training"]


class PlannedSheet(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A sheet as it is to be stored; every part says what it asks."""

    name: str
    group: str
    position: int
    people: tuple[str, ...]
    needed: int
    shared: bool = False
    notice: str = ""
    parts: tuple[PartRecord, ...]


class SheetSource(Protocol):
    """Where the sheets of one stage and purpose come from."""

    @property
    def stage(self) -> int: ...

    @property
    def purpose(self) -> SheetPurpose: ...

    @property
    def digest(self) -> str:
        """Changes with the content of the file and with what is asked of it."""
        ...

    @property
    def file_name(self) -> str:
        """What people call the file."""
        ...

    @property
    def questions(self) -> Mapping[str, Question]: ...

    @property
    def order(self) -> Order: ...

    @property
    def seed(self) -> int:
        """What the order is drawn from."""
        ...

    def sheets(self) -> Iterator[PlannedSheet]:
        """The sheets, in order; StudyError once something turns out to be wrong."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedFile:
    """The file of a rate stage. With `counts`, a group that is not in it is a mistake.

    `lines` reads what is not in lines of JSON.
    """

    path: Path
    stage: int
    purpose: Literal["real", "gold"]
    questions: Mapping[str, Question]
    digest: str = ""
    raters: int = 1
    counts: Mapping[str, int] | None = None
    counts_file: str = ""
    order: Order = "balanced"
    seed: int = 1
    lines: Callable[[LineProblems], Iterator[JudgedLine]] | None = None
    # How many sheets are read; None for all.
    most: int | None = None

    @property
    def file(self) -> str:
        """Its name in problems."""
        return str(self.path)

    @property
    def file_name(self) -> str:
        return self.path.name

    def sheets(self) -> Iterator[PlannedSheet]:
        """The sheets, in the order of the file; StudyError once something is wrong."""
        line_problems = LineProblems(self.file)
        for sheet in self.read(line_problems):
            line_problems.raise_errors()
            yield sheet
        line_problems.raise_errors()

    def read(self, line_problems: LineProblems) -> Iterator[PlannedSheet]:
        """The sheets that are sound; what is wrong with the others goes to `line_problems`."""
        return islice(self._sound(line_problems), self.most)

    def _sound(self, line_problems: LineProblems) -> Iterator[PlannedSheet]:
        fitting = _Fitting(self, line_problems)
        for position, line in enumerate(self._lines(line_problems)):
            try:
                needed = self._needed(line.sheet)
                parts = fitting.parts(line)
            except FormatProblem as problem:
                line_problems.add(problem.message, **line.place(problem.steps))
                continue
            if needed:
                yield self._planned(line.sheet, position, needed, parts)

    def _lines(self, line_problems: LineProblems) -> Iterator[JudgedLine]:
        if self.lines is not None:
            yield from self.lines(line_problems)
        elif not is_excel(self.path):
            yield from self._read(line_problems)
        elif self.purpose != "gold":
            line_problems.add(
                "What is judged is read from lines of JSON; Excel is for training and gold."
            )
        elif (sheets := read_excel(self.path, "gold", line_problems)) is not None:
            for number, sheet in enumerate(sheets.gold(), start=1):
                yield JudgedLine(number, b"", sheet, sheets.locate)

    def _read(self, line_problems: LineProblems) -> Iterator[JudgedLine]:
        try:
            reads = dialogue_format(self.path)
            if reads is not None:
                yield from read_dialogues(self.path, reads, line_problems)
            else:
                with open_content(self.path, self.path.name) as lines:
                    yield from read_judged(lines, line_problems)
        except InputError as error:  # no text, or packed and cut off
            line_problems.add(str(error))

    def _needed(self, sheet: SheetRecord) -> int:
        if sheet.raters is not None:
            return sheet.raters
        if self.counts is None:
            return self.raters
        if sheet.group not in self.counts:
            hint = near(sheet.group, self.counts)
            raise FormatProblem(
                (), f"The group '{sheet.group}' is not in {self.counts_file}.{hint}"
            )
        return self.counts[sheet.group]

    def _planned(
        self, sheet: SheetRecord, position: int, needed: int, parts: tuple[PartRecord, ...]
    ) -> PlannedSheet:
        return PlannedSheet(
            name=sheet.id,
            group=sheet.group,
            position=position,
            people=sheet.people,
            needed=needed,
            shared=sheet.shared,
            notice=sheet.notice,
            parts=parts,
        )


@dataclass(slots=True)
class _Fitting:
    """Whether what a line holds fits what the stage asks."""

    file: JudgedFile
    line_problems: LineProblems
    # Most lines ask the same: what is asked, by what the line says and whether it is a pair.
    known: dict[tuple[tuple[str, ...] | None, bool], tuple[str, ...]] = field(default_factory=dict)

    def parts(self, line: JudgedLine) -> tuple[PartRecord, ...]:
        """The parts of a line with what is asked of them; FormatProblem where something does not fit."""
        parts = tuple(self._part(line, part) for part in line.sheet.parts)
        if self.file.purpose == "gold":
            check_truths(line, parts, self.file.questions, self.line_problems)
        return parts

    def _part(self, line: JudgedLine, part: PartRecord) -> PartRecord:
        key = part.ask, part.is_pair
        if key not in self.known:
            self.known[key] = self._asked(part)
        ask = self.known[key]
        for text in part.dialogues:
            if len({turn.seat for turn in text.turns}) < 2:
                self._check_turns(line, text, ask)
        return part if part.ask == ask else msgspec.structs.replace(part, ask=ask)

    def _asked(self, part: PartRecord) -> tuple[str, ...]:
        questions = self.file.questions
        if part.ask is None:
            fitting = tuple(name for name, q in questions.items() if _fits(q, part))
            if not fitting:
                what = "A pair" if part.is_pair else "A single dialogue"
                message = f"{what} does not fit the questions of this stage."
                raise FormatProblem(part.steps, message)
            return fitting
        if not part.ask:
            raise FormatProblem(part.ask_steps, "'ask' is empty. Leave it out to ask everything.")
        for n, name in enumerate(part.ask):
            if name not in questions:
                hint = near(name, questions) or f" It asks: {', '.join(questions)}."
                raise FormatProblem(
                    (*part.ask_steps, n), f"This stage asks no question '{name}'.{hint}"
                )
            if not _fits(questions[name], part):
                about = "is about one dialogue" if part.is_pair else "compares two dialogues"
                here = "a pair" if part.is_pair else "one dialogue"
                message = f"Question '{name}' {about}; here is {here}."
                raise FormatProblem((*part.ask_steps, n), message)
            beside = questions[name].beside
            if beside and beside not in part.ask:
                message = f"Question '{name}' stands beside '{beside}'. Ask that as well."
                raise FormatProblem((*part.ask_steps, n), message)
        return part.ask

    def _check_turns(self, line: JudgedLine, text: DialogueText, ask: tuple[str, ...]) -> None:
        dialogue = text.dialogue(text.id)
        for name in ask:
            question = self.file.questions[name]
            if question.about == "turn" and not chosen_turns(
                dialogue, speaker=question.speaker, indices=question.indices
            ):
                message = f"'{text.id}' has no turn that question '{name}' is asked of."
                self.line_problems.warn(message, **line.place(text.steps))


def check_truths(
    line: JudgedLine,
    parts: tuple[PartRecord, ...],
    questions: Mapping[str, Question],
    line_problems: LineProblems,
    *,
    whys: Whys = "free",
) -> None:
    """Complain of every ground truth of a line that is missing or is no answer to its question."""
    dialogues = {text.id: text.dialogue(text.id) for part in parts for text in part.dialogues}
    for problem in truth_of_parts(parts, dialogues, questions, whys=whys).key_problems:
        say = line_problems.warn if problem.warning else line_problems.add
        say(problem.message, **line.place(problem.steps))


def file_digest(paths: list[Path], settings: Any) -> str:
    """A digest of the content of some files and of what is made of them."""
    found = hashlib.sha256(msgspec.json.encode(settings, order="deterministic"))
    for path in paths:
        with path.open("rb") as stream:
            found.update(hashlib.file_digest(stream, "sha256").digest())
    return found.hexdigest()


def _fits(question: Question, part: PartRecord) -> bool:
    return (question.about == "pair") == part.is_pair
