"""Files that are sent to the server: streamed to a folder on disk, and counted on the way.

Nothing is read before whoever sends it is known, and no file is ever held in memory as a whole.
"""

import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from palaver.core.errors import InputError
from palaver.core.numbers import whole_number

BLOCK = 1 << 20
MOST_FILES = 200
MOST_FIELDS = 50
# A form's own words: notes and names, not files.
MOST_FIELD_BYTES = 64 * 1024
MEGABYTE = 1 << 20
UNNAMED = "upload.jsonl"


class TooLargeError(InputError):
    """More was sent than is allowed here."""


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file that lies in a folder of its own now; `name` is what its sender calls it."""

    field: str
    name: str
    path: Path


@dataclass(frozen=True, slots=True)
class SentForm:
    """The words of a form by field, and its files in the order in which they came."""

    words: dict[str, list[str]]
    files: Sequence[SentFile]

    def word(self, name: str, default: str = "") -> str:
        """The last word of a field."""
        return self.words.get(name, [default])[-1]


def is_form(request: Request) -> bool:
    """Whether the body is a form with files."""
    return request.headers.get("content-type", "").lower().startswith("multipart/form-data")


@asynccontextmanager
async def sent_file(request: Request, *, name: str, most: int) -> AsyncIterator[SentFile]:
    """The body as a file called `name`; gone afterwards. TooLargeError above `most` bytes."""
    with tempfile.TemporaryDirectory(prefix="palaver-upload-") as folder:
        path = Path(folder) / plain_name(name)
        with path.open("wb") as target:
            async for block in _counted(request, most):
                target.write(block)
        if not path.stat().st_size:
            raise InputError("Nothing was sent. Send the file as the body of the request.")
        sent = SentFile("", name, path)
        with _named_by_sender([sent]):
            yield sent


@asynccontextmanager
async def sent_form(request: Request, *, most: int) -> AsyncIterator[SentForm]:
    """The body as a form with its files on disk; gone afterwards."""
    if not is_form(request):
        raise InputError("Send a form with files: multipart/form-data.")
    parser = MultiPartParser(
        request.headers,
        _counted(request, most),
        max_files=MOST_FILES,
        max_fields=MOST_FIELDS,
        max_part_size=MOST_FIELD_BYTES,
    )
    try:
        form = await parser.parse()
    except (MultiPartException, KeyError, ValueError) as error:
        told = getattr(error, "message", None) or str(error) or "no boundary"
        raise InputError(f"The form cannot be read: {told}.") from error
    try:
        with tempfile.TemporaryDirectory(prefix="palaver-upload-") as folder:
            words: dict[str, list[str]] = {}
            files: list[SentFile] = []
            for field, value in form.multi_items():
                if isinstance(value, UploadFile):
                    files.append(_kept(field, value, Path(folder) / str(len(files))))
                else:
                    words.setdefault(field, []).append(value)
            with _named_by_sender(files):
                yield SentForm(words, files)
    finally:
        await form.close()


@contextmanager
def _named_by_sender(files: Sequence[SentFile]) -> Iterator[None]:
    """Let what is wrong call a file what its sender calls it, and not by where it lies here."""
    try:
        yield
    except InputError as error:
        message = str(error)
        for sent in files:
            message = message.replace(str(sent.path), sent.name)
            message = message.replace(f"{sent.path.parent}/", "")
        if message == str(error):
            raise
        raise InputError(message) from error


def plain_name(name: str) -> str:
    """The last part of a file's name, as a file here may be called."""
    last = PurePosixPath(name.replace("\\", "/")).name
    kept = "".join(sign for sign in last if sign.isprintable() and sign not in '/:*?"<>|')
    return kept.lstrip(".")[-120:] or UNNAMED


def _kept(field: str, sent: UploadFile, folder: Path) -> SentFile:
    folder.mkdir()
    name = sent.filename or UNNAMED
    path = folder / plain_name(name)
    with path.open("wb") as target:
        _copy(sent.file, target)
    return SentFile(field, name, path)


def _copy(source: BinaryIO, target: BinaryIO) -> None:
    source.seek(0)
    while block := source.read(BLOCK):
        target.write(block)


async def _counted(request: Request, most: int) -> AsyncGenerator[bytes, None]:
    declared = request.headers.get("content-length", "")
    if declared and whole_number(declared, most=most) is None:
        raise _too_large(most)
    size = 0
    async for block in request.stream():
        size += len(block)
        if size > most:
            raise _too_large(most)
        yield block


def _too_large(most: int) -> TooLargeError:
    return TooLargeError(
        f"This is larger than {most // MEGABYTE:,} MiB; nothing was stored. Whoever runs the server "
        "can allow more ('upload_megabytes' in palaver.yaml) or add the file there."
    )
