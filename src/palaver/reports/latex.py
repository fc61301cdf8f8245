r"""Rows of named cells as LaTeX tables that compile without any package and fit a page.

A table that is too wide for the text of `article` is set smaller; then its texts are wrapped; then its
columns are split into parts, which all begin with the first columns. One that is too long is split,
too. So no part is wider or higher than a page, however many rows and columns there are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from palaver.core.serial import plain
from palaver.reports.latex_text import escaped, text_width, wrapped
from palaver.reports.tables import Rows, headings_of, interval_ends

UNDEFINED = "--"
# The width of the text of `article` less a little, and what of its height a table may take, in points.
PAGE_WIDTH, PAGE_HEIGHT = 340.0, 470.0
# What a caption is broken in where a word is longer: a third of a line.
WORD_WIDTH = 115.0
# A text is wrapped to no less than this, and in the first columns of a split table to no more than that.
NARROWEST, KEY_WIDEST = 56.0, 110.0
# LaTeX holds back only so many tables at a time.
MOST_HELD = 8


@dataclass(frozen=True, slots=True)
class _Type:
    """A size of type: widths beside those at 10 points, the height of a line, the space at a column."""

    command: str
    scale: float
    line: float
    space: float


_NORMAL = _Type("", 1.0, 12.0, 6.0)
_SMALL = _Type(r"\small", 0.926, 11.0, 6.0)
_FOOTNOTE = _Type(r"\footnotesize", 0.85, 9.5, 4.0)
_SCRIPT = _Type(r"\scriptsize", 0.797, 8.0, 2.5)


@dataclass(frozen=True, slots=True)
class _TexText:
    """A cell as it is written, and as it is measured; a text may be broken within its words."""

    shown: str
    code: str
    width: float
    is_text: bool = False


@dataclass(frozen=True, slots=True)
class _Column:
    heading: _TexText
    cells: list[_TexText]
    is_number: bool

    @property
    def width(self) -> float:
        return max([self.heading.width, *(cell.width for cell in self.cells)])


@dataclass(frozen=True, slots=True)
class _Layout:
    """How a table is set: `widths` of the columns that are wrapped, `parts` which columns each has."""

    type: _Type
    widths: Mapping[int, float]
    parts: list[list[int]]


def latex_table(
    rows: Rows,
    *,
    columns: Mapping[str, str] | None = None,
    caption: str = "",
    label: str = "",
    digits: int = 4,
    keys: int = 1,
    zeros: bool = True,
) -> str:
    """Rows as a LaTeX `tabular`, or several; inside a `table` where it has a caption or a label.

    `columns` says which cells are shown, in what order, under which headings; without it, every name
    that a row has. Numbers stand to the right with `digits` digits after the point, whole numbers
    without; a pair of numbers is an interval. An undefined cell is a dash. Every text is escaped. The
    first `keys` columns are repeated where columns are split; rows that say nothing in a part are left
    out of it. Without `zeros`, numbers below 1 begin with the point.
    """
    headings = headings_of(rows, columns)
    table = [
        _column(heading, [row.get(name) for row in rows], digits, zeros)
        for name, heading in headings.items()
    ]
    keys = min(keys, len(table) - 1)
    layout = _layout(table, keys)
    parts = [
        (shown, some)
        for shown in layout.parts
        for some in _row_parts(table, layout, shown, len(rows), keys)
    ]
    written = []
    for number, (shown, some) in enumerate(parts, start=1):
        lines = _tabular(table, layout, shown, some)
        if caption or label:
            lines = _float(lines, layout, caption, label, number, len(parts))
        elif layout.type.command:
            lines = [rf"{{{layout.type.command}{_space(layout.type)}", *lines, r"\par}"]
        if len(parts) > MOST_HELD and number % MOST_HELD == 0:
            lines.append(r"\clearpage")
        written.append("\n".join(lines) + "\n")
    return "\n".join(written)


def _column(heading: str, cells: Sequence[object], digits: int, zeros: bool) -> _Column:
    texts = [_cell(cell, digits, zeros) for cell in cells]
    given = [each for each in map(plain, cells) if each is not None and each != ""]
    is_number = bool(given) and all(_is_number(each) for each in given)
    return _Column(_text(heading), texts, is_number)


def _layout(table: Sequence[_Column], keys: int) -> _Layout:
    """The largest type in which the table fits; smaller and wrapped, and else in parts."""
    everything = list(range(len(table)))
    for type_ in (_NORMAL, _SMALL, _FOOTNOTE):
        if _natural(table, everything, type_) <= PAGE_WIDTH:
            return _Layout(type_, {}, [everything])
    for type_ in (_FOOTNOTE, _SCRIPT):
        widths = _shares(table, type_)
        if widths is not None:
            return _Layout(type_, widths, [everything])
    return _split(table, keys)


def _natural(table: Sequence[_Column], shown: Sequence[int], type_: _Type) -> float:
    return sum(table[n].width * type_.scale + 2 * type_.space for n in shown)


def _shares(table: Sequence[_Column], type_: _Type) -> dict[int, float] | None:
    """The width of each text that is wrapped, so that all fits; None if one would be too narrow."""
    fixed = [n for n, column in enumerate(table) if column.is_number]
    texts = [n for n, column in enumerate(table) if not column.is_number]
    room = PAGE_WIDTH - _natural(table, fixed, type_) - 2 * type_.space * len(texts)
    wanted = {n: table[n].width * type_.scale for n in texts}
    while texts:
        share = room / len(texts)
        narrow = [n for n in texts if wanted[n] <= share]
        if not narrow:
            return dict.fromkeys(texts, share) if share >= NARROWEST else None
        room -= sum(wanted[n] for n in narrow)
        texts = [n for n in texts if n not in narrow]
    return {} if room >= 0 else None


def _split(table: Sequence[_Column], keys: int) -> _Layout:
    """Columns in parts, each with the first `keys` columns before it."""
    first = list(range(keys))
    widths = {n: KEY_WIDEST for n in first if table[n].width * _SCRIPT.scale > KEY_WIDEST}
    room = PAGE_WIDTH - sum(
        widths.get(n, table[n].width * _SCRIPT.scale) + 2 * _SCRIPT.space for n in first
    )
    most = room - 2 * _SCRIPT.space
    widths |= {n: most for n in range(keys, len(table)) if table[n].width * _SCRIPT.scale > most}
    parts: list[list[int]] = []
    left = 0.0
    for n in range(keys, len(table)):
        taken = widths.get(n, table[n].width * _SCRIPT.scale) + 2 * _SCRIPT.space
        if taken > left:
            parts.append([*first])
            left = room
        parts[-1].append(n)
        left -= taken
    return _Layout(_SCRIPT, widths, parts)


def _row_parts(
    table: Sequence[_Column], layout: _Layout, shown: Sequence[int], count: int, keys: int
) -> list[list[int]]:
    """Rows in parts that are no higher than a page."""
    kept = list(range(count))
    if len(layout.parts) > 1:
        kept = [n for n in kept if any(table[c].cells[n].shown for c in shown[keys:])]
        if not kept:
            return []
    parts: list[list[int]] = [[]]
    left = PAGE_HEIGHT
    for n in kept:
        height = max(_lines(table[c].cells[n], layout, c) for c in shown) * layout.type.line
        if height > left and parts[-1]:
            parts.append([])
            left = PAGE_HEIGHT
        parts[-1].append(n)
        left -= height
    return parts


def _lines(cell: _TexText, layout: _Layout, column: int) -> int:
    if column not in layout.widths or not cell.width:
        return 1
    filled = cell.width * layout.type.scale / layout.widths[column]
    # Lines end before a word that does not fit: a fifth of each is left empty.
    return 1 if filled <= 1 else int(filled * 1.25) + 1


def _tabular(
    table: Sequence[_Column], layout: _Layout, shown: Sequence[int], rows: Sequence[int]
) -> list[str]:
    widths = {n: layout.widths[n] for n in shown if n in layout.widths}
    alignment = "".join(
        f"p{{{widths[n]:.0f}pt}}" if n in widths else "r" if table[n].is_number else "l"
        for n in shown
    )
    # Inside a wrapped column the short command ends a line of the text.
    end = r" \tabularnewline" if widths else r" \\"

    def line(cells: Sequence[_TexText]) -> str:
        codes = [
            rf"\raggedright {wrapped(cell.shown, widths[n] / layout.type.scale)}"
            if n in widths and cell.is_text
            else cell.code
            for n, cell in zip(shown, cells, strict=True)
        ]
        joined = " & ".join(codes) + end
        # After the end of a line, TeX takes a bracket or a star for an option of it.
        return "{}" + joined if joined.startswith(("[", "*")) else joined

    return [
        rf"\begin{{tabular}}{{{alignment}}}",
        r"\hline",
        line([table[n].heading for n in shown]),
        r"\hline",
        *(line([table[n].cells[row] for n in shown]) for row in rows),
        r"\hline",
        r"\end{tabular}",
    ]


def _float(
    lines: Sequence[str], layout: _Layout, caption: str, label: str, number: int, parts: int
) -> list[str]:
    told = f"{caption} (part {number} of {parts})" if parts > 1 else caption
    reference = label if number == 1 else f"{label}-{number}"
    return [
        r"\begin{table}[htbp]",
        r"\centering",
        *([rf"\caption{{{wrapped(told, WORD_WIDTH)}}}"] if caption else []),
        *([rf"\label{{{_reference(reference)}}}"] if label else []),
        *([layout.type.command + _space(layout.type)] if layout.type.command else []),
        *lines,
        r"\end{table}",
    ]


def _space(type_: _Type) -> str:
    return rf"\setlength{{\tabcolsep}}{{{type_.space:g}pt}}"


def _reference(label: str) -> str:
    """A label without the letters that `\\label` does not take."""
    return "".join(
        each if each.isascii() and (each.isalnum() or each in ":-.") else "-" for each in label
    )


def _text(text: str) -> _TexText:
    return _TexText(text, escaped(text), text_width(text), is_text=True)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _cell(value: object, digits: int, zeros: bool) -> _TexText:
    found = interval_ends(value) or plain(value)
    if found is None:
        return _TexText(UNDEFINED, UNDEFINED, text_width("-"))
    if isinstance(found, bool):
        return _text("yes" if found else "no")
    if isinstance(found, float):
        return _number(found, digits, zeros)
    if isinstance(found, list | tuple):
        parts = [_cell(each, digits, zeros) for each in found]
        shown = "[" + ", ".join(part.shown for part in parts) + "]"
        return _TexText(
            shown, "[" + ", ".join(part.code for part in parts) + "]", text_width(shown)
        )
    return _text(str(found))


def _number(value: float, digits: int, zeros: bool) -> _TexText:
    text = f"{value:.{digits}f}"
    small = value != 0 and float(text) == 0
    if small:
        text = f"<{10**-digits:.{digits}f}" if value > 0 else text.lstrip("-")
    if not zeros:
        text = text.replace("0.", ".", 1) if text.lstrip("-<").startswith("0.") else text
    code = text
    if text.startswith("<"):
        code = f"$<${text[1:]}"
    elif text.startswith("-"):
        code = f"${text}$"
    return _TexText(text, code, text_width(text.replace("-", "+")))
