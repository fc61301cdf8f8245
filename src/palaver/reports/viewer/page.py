"""The viewer: one HTML file with its dialogues inside, which opens from disk and asks no network.

Bodies stand in chunks, each a block of JSON that is parsed when one of its dialogues is opened or
searched; rows stand in one block at the end, which is all that the list needs. Nothing but the rows is
held while writing.
"""

import base64
import hashlib
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

import msgspec
from markupsafe import Markup

from palaver.core.records import DialogueRecord, LabelRecord
from palaver.formats.knowledge_tables import KnowledgeTable
from palaver.reports.pages import LOOK, viewer_template
from palaver.reports.viewer.entries import ViewerBody, ViewerRow, entry_of

FOLDER = Path(__file__).parent
# Dialogues of one block: what is parsed to open one of them, and few enough blocks to find it.
CHUNK = 100
_SHEETS = (LOOK / "tokens.css", LOOK / "base.css", FOLDER / "viewer.css")
_SCRIPTS = ("viewer-rows.js", "viewer-list.js", "viewer-dialogue.js", "viewer.js")
_SPLIT = "<!--blocks-->"

_encode = msgspec.json.Encoder().encode


class ViewerChunk(msgspec.Struct, frozen=True):
    """Some dialogues in full, and the knowledge that no earlier chunk has."""

    bodies: list[ViewerBody]
    knowledge: list[tuple[tuple[KnowledgeTable, ...], ...]]


class ViewerIndex(msgspec.Struct, frozen=True):
    """All rows; `knowledge` says in which chunk and where each scenario's knowledge stands."""

    title: str
    chunk: int
    note: str
    rows: list[ViewerRow]
    knowledge: list[tuple[int, int]]


class ViewerPage:
    """Writes the file: dialogues one by one, then the end."""

    def __init__(self, stream: BinaryIO, *, title: str = "Dialogues", note: str = "") -> None:
        self._stream = stream
        self._title = title
        self.note = note
        head, self._tail = _page(title)
        self._rows: list[ViewerRow] = []
        self._bodies: list[ViewerBody] = []
        self._fresh: list[tuple[tuple[KnowledgeTable, ...], ...]] = []
        # By digest: the number of each scenario's knowledge; and where it stands.
        self._numbers: dict[bytes, int] = {}
        self._places: list[tuple[int, int]] = []
        self._stream.write(head)

    def add(self, record: DialogueRecord, labels: Iterable[LabelRecord] = ()) -> None:
        """Write a dialogue with what was said of it."""
        entry = entry_of(record, labels)
        row = entry.row
        if entry.knowledge:
            row = msgspec.structs.replace(row, knowledge=self._number(entry.knowledge))
        self._rows.append(row)
        self._bodies.append(entry.body)
        if len(self._bodies) == CHUNK:
            self._flush()

    def finish(self) -> None:
        """Write the rows and the end of the page."""
        self._flush()
        index = ViewerIndex(self._title, CHUNK, self.note, self._rows, self._places)
        self._block("index", _encode(index))
        self._stream.write(self._tail)

    def _number(self, knowledge: tuple[tuple[KnowledgeTable, ...], ...]) -> int:
        digest = hashlib.sha256(_encode(knowledge)).digest()
        if digest not in self._numbers:
            self._numbers[digest] = len(self._places)
            self._places.append((len(self._rows) // CHUNK, len(self._fresh)))
            self._fresh.append(knowledge)
        return self._numbers[digest]

    def _flush(self) -> None:
        if self._bodies:
            self._block("chunk", _encode(ViewerChunk(self._bodies, self._fresh)))
        self._bodies, self._fresh = [], []

    def _block(self, part: str, content: bytes) -> None:
        opening = f'<script type="application/json" data-part="{part}">'.encode()
        self._stream.write(opening + in_script(content) + b"</script>\n")


def in_script(content: bytes) -> bytes:
    """JSON that can stand in a script element: nothing in it ends the element or begins a comment.

    >>> in_script(b'"</script>"')
    b'"\\\\u003c/script>"'
    """
    escaped = content.replace(b"<", b"\\u003c")
    return escaped.replace(b"\xe2\x80\xa8", b"\\u2028").replace(b"\xe2\x80\xa9", b"\\u2029")


def _page(title: str) -> tuple[bytes, bytes]:
    """What stands before the blocks of data, and what behind them."""
    css, script = _css(), _script()
    page = viewer_template().render(
        title=title,
        css=Markup(css),
        script=Markup(script),
        style_digest=_digest(css),
        script_digest=_digest(script),
    )
    head, _, tail = page.partition(_SPLIT)
    return head.encode(), tail.encode()


@lru_cache(maxsize=1)
def _css() -> str:
    return "\n".join(sheet.read_text(encoding="utf-8") for sheet in _SHEETS)


@lru_cache(maxsize=1)
def _script() -> str:
    """The scripts as one module: a file from disk may not import others."""
    texts = [(FOLDER / name).read_text(encoding="utf-8") for name in _SCRIPTS]
    kept = [
        line.removeprefix("export ")
        for text in texts
        for line in text.splitlines()
        if not line.startswith("import ")
    ]
    return "\n".join(kept)


def _digest(text: str) -> str:
    """What the page's own policy knows a block by."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
