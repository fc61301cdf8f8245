"""What a report is made of: parts with tables, figures, warnings and the command behind a number."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from palaver.analysis.figures import Figure
from palaver.core.estimates import Interval
from palaver.core.serial import plain
from palaver.core.words import decimals

Form = Literal["text", "whole", "number", "percent", "p", "seconds", "money"]
# The name under which a row says where its labels are listed; it is no column.
EVIDENCE = "evidence"
# A page shows so many rows of a table; its files have them all.
MOST_SHOWN = 200


@dataclass(frozen=True, slots=True)
class ReportColumn:
    """A column of a table: the cell it shows, its heading, and how a number is written."""

    key: str
    heading: str
    form: Form = "text"

    @property
    def is_number(self) -> bool:
        """Whether it stands to the right."""
        return self.form != "text"


@dataclass(frozen=True, slots=True)
class ReportCell:
    """A cell as it is read; `link` leads to the labels behind it."""

    text: str
    link: str = ""
    is_number: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultTable:
    """Rows of results; a row's `evidence` is the address of the labels that it was made of."""

    slug: str
    title: str
    columns: tuple[ReportColumn, ...]
    rows: Sequence[Mapping[str, Any]]
    command: str = ""
    note: str = ""
    # Said only where the commands are shown.
    command_note: str = ""

    @property
    def headings(self) -> dict[str, str]:
        """The cells that files show, with their headings."""
        return {column.key: column.heading for column in self.columns}

    @property
    def shown(self) -> list[list[ReportCell]]:
        """The first rows as they are read; the first number of a row leads to its evidence."""
        return [self._row(row) for row in self.rows[:MOST_SHOWN]]

    @property
    def hidden(self) -> int:
        """How many rows stand in the files only."""
        return max(0, len(self.rows) - MOST_SHOWN)

    def _row(self, row: Mapping[str, Any]) -> list[ReportCell]:
        link = str(row.get(EVIDENCE, ""))
        linked = next((c.key for c in self.columns if c.is_number), "")
        return [
            ReportCell(
                written(row.get(column.key), column.form),
                link if column.key == linked else "",
                column.is_number,
            )
            for column in self.columns
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFinding:
    """What was found: `answer` says it in a sentence, `methods` how, as a paper would."""

    answer: str = ""
    tables: tuple[ResultTable, ...] = ()
    warnings: tuple[str, ...] = ()
    methods: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportPart(ReportFinding):
    """A part of the report; `lead` says from how much it was found, `state` if it is provisional.

    `told` says whether any two systems can be told apart; None where none were compared.
    """

    anchor: str
    title: str
    question: str = ""
    state: str = ""
    told: bool | None = None
    lead: str = ""
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()
    parts: tuple["ReportPart", ...] = field(default=())


def written(value: Any, form: Form) -> str:
    """A value in a cell: a dash where there is none, an interval in brackets.

    >>> written(0.0314, "percent"), written((0.1, 0.25), "number"), written(None, "whole")
    ('3.1 %', '[0.100, 0.250]', '–')
    """
    if isinstance(value, Interval):
        value = (value.low, value.high)
    if isinstance(value, list | tuple):
        ends = [written(each, form) for each in value]
        return f"[{', '.join(ends)}]" if form != "whole" else _whole_range(ends)
    found = plain(value)
    if found is None or found == "":
        return "–"
    if form == "text" or isinstance(found, str):
        return str(found)
    return _number(float(found), form)


def _whole_range(ends: Sequence[str]) -> str:
    return ends[0] if len(set(ends)) == 1 else "–".join(ends)


def _number(value: float, form: Form) -> str:
    if form == "whole":
        return f"{value:,.0f}"
    if form == "percent":
        return f"{value * 100:.1f} %"
    if form == "p":
        return "< 0.001" if value < 0.001 else f"{value:.3f}"
    if form == "seconds":
        return f"{value:,.1f}"
    if form == "money":
        # Less than a unit of money may be a part of a penny; whole pennies are written as such.
        is_plain = value >= 1 or abs(value * 100 - round(value * 100)) < 1e-9
        return f"{value:,.2f}" if is_plain else f"{value:.4f}"
    return decimals(value, 3) if abs(value) < 100 else decimals(value, 1)


def known(value: float | None) -> bool:
    return value is not None and math.isfinite(value)
