"""Rows of named cells as a LaTeX table that compiles without any package."""

from collections.abc import Mapping, Sequence

from palaver.core.serial import plain
from palaver.reports.tables.csv import Rows, ends_of, headings_of

# One pass over the text, so that the braces of one replacement are not escaped by another.
_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\textquotedbl{}",
        "\n": " ",
        "\r": " ",
        "\t": " ",
    }
)
UNDEFINED = "--"


def latex_table(
    rows: Rows,
    *,
    columns: Mapping[str, str] | None = None,
    caption: str = "",
    label: str = "",
    digits: int = 4,
) -> str:
    """Rows as a LaTeX `tabular`, inside a `table` where it has a caption or a label.

    `columns` says which cells are shown, in what order, under which headings; without it, every name
    that a row has. Numbers stand to the right with `digits` digits after the point, whole numbers
    without; a pair of numbers is an interval. An undefined cell is a dash. Every text is escaped.
    """
    headings = headings_of(rows, columns)
    alignment = "".join(_alignment([row.get(name) for row in rows]) for name in headings)
    lines = [
        rf"\begin{{tabular}}{{{alignment}}}",
        r"\hline",
        _line([escaped(each) for each in headings.values()]),
        r"\hline",
        *(_line([_cell(row.get(name), digits) for name in headings]) for row in rows),
        r"\hline",
        r"\end{tabular}",
    ]
    if caption or label:
        lines = [
            r"\begin{table}[htbp]",
            r"\centering",
            *([rf"\caption{{{escaped(caption)}}}"] if caption else []),
            *([rf"\label{{{_reference(label)}}}"] if label else []),
            *lines,
            r"\end{table}",
        ]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """A text as LaTeX shows it letter by letter."""
    return text.translate(_ESCAPES)


def _reference(label: str) -> str:
    """A label without the letters that `\\label` does not take."""
    return "".join(each if each.isalnum() or each in ":-." else "-" for each in label)


def _line(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def _alignment(cells: Sequence[object]) -> str:
    given = [each for each in map(plain, cells) if each is not None]
    return "r" if given and all(_is_number(each) for each in given) else "l"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _cell(value: object, digits: int) -> str:
    found = ends_of(value) or plain(value)
    if found is None:
        return UNDEFINED
    if isinstance(found, bool):
        return "yes" if found else "no"
    if isinstance(found, float):
        return _number(found, digits)
    if isinstance(found, list | tuple):
        return "[" + ", ".join(_cell(each, digits) for each in found) + "]"
    return escaped(str(found))


def _number(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    if value != 0 and float(text) == 0:
        return rf"$<${10**-digits:.{digits}f}" if value > 0 else text.lstrip("-")
    return f"${text}$" if text.startswith("-") else text
