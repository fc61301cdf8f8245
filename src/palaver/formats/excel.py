"""Training and gold written in Excel, as the authors of the ChatEvaluationPlatform write them.

Each sheet is a dialogue. Its first row names the columns: `turn`, `selection` and `explanation`, and
where they are needed `persona`, `LegendQ` and `LegendA`. Rows are turns, of the user and the system in
turn. A selection is empty (nothing is to be selected), `x` (the only thing there is), a comma list of
what is selected, or references such as `E2: F4` to a question and an answer in the legends; further
lines are alternatives. A turn of the system without selection and explanation has no right answer.

The file is called after its task. `openpyxl` is loaded when a file is read.
"""

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import msgspec

from palaver.core.errors import MissingExtraError
from palaver.formats.dialogue_texts import (
    DialogueText,
    PartRecord,
    SheetRecord,
    TurnText,
    any_of,
)
from palaver.formats.json_places import Mark, Steps
from palaver.formats.line_problems import LineProblems
from palaver.formats.training import TrainingSet

SUFFIX = ".xlsx"
COLUMNS = ("turn", "selection", "explanation")
# Files of the platform whose name is not that of their task.
TASKS = {"interpretability": "grammar", "consistency": "consistency_label"}
# How many mistakes the platform's generator lets pass in the last round.
ALLOWED = {
    "grammar": 1,
    "sociality": 1,
    "commonsense": 2,
    "consistency_label": 2,
    "empathy": 2,
    "knowledge": 2,
    "personal_information": 2,
    "transitions": 2,
}
_REFERENCE = re.compile(
    r"\s*\$?([A-Za-z]{1,3})\$?(\d{1,7})\s*:\s*\$?([A-Za-z]{1,3})\$?(\d{1,7})\s*"
)
# Turns are written with spaces around punctuation there.
_SPACED = ((" ' ", "'"), (" ,", ","), (" .", "."), (" ?", "?"), (" !", "!"))

Purpose = Literal["onboarding", "gold"]


class Selected(msgspec.Struct, frozen=True):
    """What is to be selected, by the short names of the file; the question knows what they mean."""

    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExcelDialogues:
    """The dialogues of a workbook, one per sheet, and the task that they are about."""

    task: str
    dialogues: tuple[DialogueText, ...]
    # By dialogue: the column in which its selections stand.
    columns: tuple[int, ...] = ()

    def locate(self, steps: Steps) -> Mark:
        """The row and the column of a turn: steps are the number of the sheet and of the turn."""
        sheet = int(steps[0]) if steps else 0
        column = self.columns[sheet] if sheet < len(self.columns) else 1
        return (int(steps[1]) + 2, column) if len(steps) > 1 else (1, 1)

    def training(self) -> TrainingSet:
        """The dialogues as rounds, of which the last one counts."""
        return TrainingSet(
            question=self.task,
            rounds=self.dialogues,
            passing_rounds=(len(self.dialogues),),
            mistakes=ALLOWED.get(self.task, 0),
            must_explain=False,
        )

    def gold(self) -> Iterator[SheetRecord]:
        """The dialogues as hidden checks."""
        for text in self.dialogues:
            part = PartRecord(dialogues=(text,), steps=text.steps)
            yield SheetRecord(id=text.id, group=text.id, parts=(part,))


def is_excel(path: Path) -> bool:
    return path.suffix.lower() == SUFFIX


def task_of(path: Path) -> str:
    """The task that a workbook is called after."""
    return TASKS.get(path.stem, path.stem)


def read_excel(path: Path, purpose: Purpose, line_problems: LineProblems) -> ExcelDialogues | None:
    """The dialogues of a workbook; None where something is wrong, which is in `line_problems`."""
    try:
        import openpyxl
        from openpyxl.utils.exceptions import InvalidFileException
    except ImportError:
        line_problems.add(f"{MissingExtraError(f'Reading {SUFFIX}', 'excel')}.")
        return None
    try:
        book = openpyxl.load_workbook(path)
    except (InvalidFileException, zipfile.BadZipFile, KeyError, ValueError, OSError):
        line_problems.add(f"Not an Excel workbook ({SUFFIX}). Save it as one.")
        return None
    task = task_of(path)
    read = [
        _Sheet(sheet, number, f"{task}_{purpose}_{sheet.title}", purpose, line_problems)
        for number, sheet in enumerate(book.worksheets)
    ]
    texts = tuple(sheet.dialogue() for sheet in read)
    if line_problems.has_errors:
        return None
    return ExcelDialogues(task, texts, tuple(sheet.columns["selection"] for sheet in read))


@dataclass(slots=True)
class _Sheet:
    cells: Any
    number: int
    id: str
    purpose: Purpose
    line_problems: LineProblems
    columns: dict[str, int] = field(default_factory=dict)

    def dialogue(self) -> DialogueText:
        """The dialogue of the sheet, as far as it can be read."""
        if not self._is_plain():
            return DialogueText(id=self.id, turns=(), steps=(self.number,))
        turns = tuple(self._turns())
        if not turns and not self.line_problems.has_errors:
            self._report("A2", 2, 1, "there is no turn.")
        persona = self._text("persona", 2) if "persona" in self.columns else ""
        lines = tuple(line.strip() for line in persona.splitlines() if line.strip())
        return DialogueText(id=self.id, turns=turns, persona=lines, steps=(self.number,))

    def _is_plain(self) -> bool:
        merged = sorted(str(area) for area in self.cells.merged_cells.ranges)
        for area in merged:
            line, column = self.cells[area.partition(":")[0]].row, 1
            self._report(
                area, line, column, "these cells are merged. Unmerge them: a row is a turn."
            )
        for n, cell in enumerate(self.cells[1], start=1):
            name = str(cell.value or "").strip().lower()
            if name and name not in self.columns:
                self.columns[name] = n
        for name in COLUMNS:
            if name not in self.columns:
                message = f"no column is called '{name}'. A sheet has {', '.join(COLUMNS)}."
                self._report("row 1", 1, 1, message)
        return not merged and all(name in self.columns for name in COLUMNS)

    def _turns(self) -> Iterator[TurnText]:
        last = max(
            (row for row in range(2, self.cells.max_row + 1) if self._is_used(row)), default=1
        )
        for row in range(2, last + 1):
            said, chosen, why = (self._text(name, row) for name in COLUMNS)
            if not said:
                self._report(*self._cell("turn", row), "the turn is empty. Each row is one turn.")
                continue
            is_system = row % 2 == 1
            answers: Any = None
            if chosen:
                answers = self._selection(chosen, row)
            elif is_system and (why or self.purpose == "gold"):
                answers = {}
            yield TurnText("system" if is_system else "user", _joined(said), answers, why or None)

    def _is_used(self, row: int) -> bool:
        return any(self.cells.cell(row, self.columns[name]).value is not None for name in COLUMNS)

    def _selection(self, written: str, row: int) -> Any:
        options = [line for line in written.splitlines() if line.strip()]
        read = [self._option(line, row) for line in options]
        return read[0] if len(read) == 1 else any_of(read)

    def _option(self, line: str, row: int) -> Any:
        items = [item.strip() for item in line.split(",") if item.strip()]
        matches = [_REFERENCE.fullmatch(item) for item in items]
        if not any(matches):
            return Selected(tuple(items))
        answer: dict[str, str] = {}
        for item, match in zip(items, matches, strict=True):
            if match is None:
                message = f"'{item}' is not a reference like 'E2: F4', as its neighbours are."
                self._report(*self._cell("selection", row), message)
                continue
            question, meant = (
                self._legend(f"{column.upper()}{number}", row)
                for column, number in (match.group(1, 2), match.group(3, 4))
            )
            answer[question] = meant
        return answer

    def _legend(self, place: str, row: int) -> str:
        value = str(self.cells[place].value or "").strip()
        if not value:
            message = f"it refers to cell {place}, which is empty."
            self._report(*self._cell("selection", row), message)
        return value

    def _text(self, name: str, row: int) -> str:
        cell = self.cells.cell(row, self.columns[name])
        if cell.data_type == "f":
            self._report(*self._cell(name, row), "it is a formula. Write what it gives.")
            return ""
        return "" if cell.value is None else str(cell.value).strip()

    def _cell(self, name: str, row: int) -> tuple[str, int, int]:
        column = self.columns[name]
        return f"cell {self.cells.cell(row, column).coordinate}", row, column

    def _report(self, where: str, line: int, column: int, message: str) -> None:
        told = f"Sheet '{self.cells.title}', {where}: {message}"
        self.line_problems.add(told, line=line, column=column)


def _joined(said: str) -> str:
    for spaced, plain in _SPACED:
        said = said.replace(spaced, plain)
    return said
