"""Where the files of a data set come from: this machine, the web, or an S3 bucket."""

import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path, PurePosixPath
from typing import BinaryIO
from urllib.parse import unquote, urlsplit

from palaver.core.errors import InputError
from palaver.formats.datasets.reader import SourceFile
from palaver.storage.objects import open_objects

# What one download may take: larger files are better fetched by hand, and looked at.
MOST_BYTES = 4 << 30
SECONDS = 60.0
BLOCK = 1 << 20


@contextmanager
def fetched(sources: Sequence[str], *, most: int = MOST_BYTES) -> Iterator[list[SourceFile]]:
    """The files that `sources` name; what was downloaded is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="palaver-dataset-") as folder:
        yield [_fetch(source, Path(folder) / str(n), most) for n, source in enumerate(sources)]


def is_address(source: str) -> bool:
    """Whether the source is to be downloaded."""
    return source.startswith(("http://", "https://", "s3://"))


def folder_of(source: str) -> Path:
    """The folder a local source lies in, where Python that belongs to it lies too."""
    return Path.cwd() if is_address(source) else Path(source).resolve().parent


def _fetch(source: str, place: Path, most: int) -> SourceFile:
    if not is_address(source):
        path = Path(source)
        if not path.exists():
            raise InputError(f"There is no file {source}.")
        return SourceFile(path, path.name)
    name = PurePosixPath(unquote(urlsplit(source).path)).name
    if not name:
        raise InputError(f"'{source}' does not name a file.")
    with place.open("wb") as target:
        blocks = _s3_blocks(source) if source.startswith("s3://") else _web_blocks(source)
        _save(blocks, target, source, most)
    return SourceFile(place, name)


def _save(blocks: Iterator[bytes], target: BinaryIO, source: str, most: int) -> None:
    size = 0
    for block in blocks:
        size += len(block)
        if size > most:
            raise InputError(
                f"{source} is larger than {most >> 20:,} MiB. Download it yourself and give the file."
            )
        target.write(block)


def _web_blocks(source: str) -> Iterator[bytes]:
    request = urllib.request.Request(source, headers={"User-Agent": "palaver"})
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as response:
            size = response.headers.get("Content-Length")
            got = 0
            while block := response.read(BLOCK):
                got += len(block)
                yield block
            if size is not None and size.isdecimal() and got < int(size):
                raise InputError(f"{source} ended after {got:,} of {int(size):,} bytes. Try again.")
    except urllib.error.HTTPError as error:
        raise InputError(
            f"{source} answered {error.code} {error.reason}. Does it open in a browser without "
            "signing in?"
        ) from error
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise InputError(
            f"{source} cannot be reached ({reason}). Check the address and the network, or download "
            "the file yourself and give its path."
        ) from error


def _s3_blocks(source: str) -> Iterator[bytes]:
    bucket, _, name = source.rpartition("/")
    return open_objects(bucket, folder=Path.cwd()).lines(name)
