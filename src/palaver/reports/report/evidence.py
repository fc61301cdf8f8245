"""The labels behind each number, as pages of a report with a place for every system.

All rows of a question stand in its CSV file; the page lists them by system so that a number can
lead to exactly the rows it was made of. A page that would grow too long stops and says so.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from palaver.core.names import rater_title
from palaver.reports.report.parts import ReportCell, written
from palaver.reports.report.subject import QuestionTable, QuestionVotes
from palaver.reports.report.transcripts import TranscriptPlaces

MOST_ROWS = 500


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """One answer: the dialogues it is about, and the other cells."""

    dialogues: tuple[ReportCell, ...]
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EvidenceGroup:
    """The rows of one system; `total` is how many there are, of which `rows` shows the first."""

    anchor: str
    name: str
    rows: tuple[EvidenceRow, ...]
    total: int


@dataclass(frozen=True, slots=True)
class EvidencePage:
    """Every answer to one question, by system; all of them stand in the `file`."""

    name: str
    text: str
    file: str
    headings: tuple[str, ...]
    groups: tuple[EvidenceGroup, ...]


class Places:
    """Where the rows of a question and of each of its systems are listed."""

    def __init__(self, table: QuestionTable) -> None:
        self.path = table.page
        self.systems = systems_of(table)
        self._anchors = {name: f"system-{n}" for n, name in enumerate(self.systems, start=1)}

    def of(self, system: str | None = None) -> str:
        """The address of a system's rows; of all rows without one."""
        return f"{self.path}#{self.anchor(system)}"

    def anchor(self, system: str | None) -> str:
        return self._anchors.get(system or "", "all")


def systems_of(table: QuestionTable) -> list[str]:
    """The systems that a table is about, in the order in which they occur."""
    columns = [table.frame.column(name) for name in table.system_columns]
    cells = columns[0] if len(columns) == 1 else chain.from_iterable(zip(*columns, strict=True))
    return [name for name in dict.fromkeys(cells) if name is not None]


def evidence_page(table: QuestionTable, transcripts: TranscriptPlaces) -> EvidencePage:
    places = Places(table)
    totals, first = _by_system(table, places.systems)
    headings, names = _columns(table)
    groups = [
        EvidenceGroup(
            places.anchor(system),
            system if system is not None else "All answers",
            tuple(_rows(table, first[system], names, transcripts)),
            total,
        )
        for system, total in totals.items()
    ]
    return EvidencePage(table.name, table.text, table.file, headings, tuple(groups))


def _by_system(
    table: QuestionTable, systems: list[str]
) -> tuple[dict[str | None, int], dict[str | None, list[int]]]:
    """How many rows are about each system, and the first of them.

    None stands for rows about no system, where there are any or nothing else is.
    """
    columns = [table.frame.column(name) for name in table.system_columns]
    counted = Counter(zip(*columns, strict=True))
    about = {of: {name for name in of if name is not None} or {None} for of in counted}
    totals: dict[str | None, int] = dict.fromkeys(systems, 0)
    for of, count in counted.items():
        for system in about[of]:
            totals[system] = totals.get(system, 0) + count
    totals = totals or {None: 0}
    first: dict[str | None, list[int]] = {system: [] for system in totals}
    wanted = sum(min(total, MOST_ROWS) for total in totals.values())
    for row, of in enumerate(zip(*columns, strict=True)):
        if not wanted:
            break
        for system in about[of]:
            if len(first[system]) < MOST_ROWS:
                first[system].append(row)
                wanted -= 1
    return totals, first


def _columns(table: QuestionTable) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The headings of a page and, but for the dialogues, the columns below them."""
    if isinstance(table, QuestionVotes):
        return (
            ("Dialogues", "First", "Second", "Winner", "Rater", "Seconds"),
            ("model_a", "model_b", "winner", "rater", "seconds"),
        )
    return (
        ("Dialogue", "What was judged", "Rater", "Answer", "Seconds"),
        ("unit", "rater", "answer", "seconds"),
    )


def _rows(
    table: QuestionTable, rows: list[int], names: tuple[str, ...], transcripts: TranscriptPlaces
) -> Iterator[EvidenceRow]:
    frame = table.frame.taken(rows)
    about = zip(frame.texts("dialogue"), frame.texts("unit"), strict=True)
    columns = {name: [_text(cell) for cell in frame.column(name)] for name in names}
    columns["rater"] = [
        rater_title(table.rater_names.get(rater, rater), rater) for rater in columns["rater"]
    ]
    if "winner" in columns:
        columns["winner"] = _winners(columns["model_a"], columns["model_b"], columns["winner"])
    for (dialogue, unit), cells in zip(about, zip(*columns.values(), strict=True), strict=True):
        yield EvidenceRow(transcripts.cells(dialogue or unit or ""), cells)


def _winners(first: list[str], second: list[str], winner: list[str]) -> list[str]:
    sides = zip(first, second, winner, strict=True)
    return [
        {"model_a": a, "first": a, "model_b": b, "second": b}.get(won, won) for a, b, won in sides
    ]


def _text(cell: Any) -> str:
    return written(round(cell, 1) if isinstance(cell, float) else cell, "text")
