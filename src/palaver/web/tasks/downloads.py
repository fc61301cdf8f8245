"""Boards as files: CSV with every cell, LaTeX for a paper, JSON with everything."""

import io
from typing import Literal, get_args
from urllib.parse import quote

from starlette.responses import Response

from palaver.core.errors import UnknownNameError
from palaver.core.evaluation.boards import Board
from palaver.core.serial import encode
from palaver.evaluation.dynaboards import average_rows, cell_rows
from palaver.reports.tables import csv_table, latex_table
from palaver.web.pages import Choice

Format = Literal["csv", "tex", "json"]
TITLES: dict[Format, str] = {"csv": "CSV", "tex": "LaTeX", "json": "JSON"}
MEDIA: dict[Format, str] = {
    "csv": "text/csv; charset=utf-8",
    "tex": "application/x-tex; charset=utf-8",
    "json": "application/json",
}


def download_links(address: str, query: str = "") -> tuple[Choice, ...]:
    """Links to the files of the board at `address`."""
    return tuple(
        Choice(label=title, url=f"{address}.{name}{query}") for name, title in TITLES.items()
    )


def as_file(board: Board, format: str, *, name: str) -> Response:
    """The board as a file to download; JSON is shown."""
    if format not in get_args(Format):
        raise UnknownNameError(f"A board is available as csv, tex or json; got '{format[:20]}'.")
    if format == "json":
        return Response(encode(board), media_type=MEDIA["json"])
    content = _csv(board) if format == "csv" else _latex(board)
    # A file that is opened elsewhere: never in this page's place.
    disposition = f"attachment; filename*=UTF-8''{quote(f'{name}.{format}')}"
    return Response(
        content,
        headers={"content-disposition": disposition},
        media_type=MEDIA["csv" if format == "csv" else "tex"],
    )


def _csv(board: Board) -> str:
    stream = io.StringIO()
    csv_table(cell_rows(board), stream)
    return stream.getvalue()


def _latex(board: Board) -> str:
    rows = average_rows(board)
    columns = {name: name for name in rows[0] if name != "team"} if rows else None
    return latex_table(rows, columns=columns, caption=f"Board of {board.title}", digits=2)
