"""Where the files of a data set come from: this machine, the web, or an S3 bucket."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO
from urllib.parse import unquote, urlsplit

from palaver.core.errors import InputError
from palaver.formats.datasets.reader import SourceFile
from palaver.storage.objects import open_objects
from palaver.systems.web.addresses import plain_url
from palaver.systems.web.destinations import Inside
from palaver.systems.web.download import download

# What one download may take: larger files are better fetched by hand, and looked at.
MOST_BYTES = 4 << 30


@contextmanager
def fetched(
    sources: Sequence[str], *, most: int = MOST_BYTES, inside: Inside = True
) -> Iterator[list[SourceFile]]:
    """The files that `sources` name; what was downloaded is gone afterwards.

    `inside` says whether an address may lie inside this network.
    """
    with tempfile.TemporaryDirectory(prefix="palaver-dataset-") as folder:
        places = (Path(folder) / str(number) for number in range(len(sources)))
        yield [
            _fetch(source, place, most, inside)
            for source, place in zip(sources, places, strict=True)
        ]


def is_address(source: str) -> bool:
    """Whether the source is to be downloaded."""
    return source.startswith(("http://", "https://", "s3://"))


def folder_of(source: str) -> Path:
    """The folder a local source lies in, where Python that belongs to it lies too."""
    return Path.cwd() if is_address(source) else Path(source).resolve().parent


def _fetch(source: str, place: Path, most: int, inside: Inside) -> SourceFile:
    if not is_address(source):
        path = Path(source)
        if not path.exists():
            raise InputError(f"There is no file {source}.")
        return SourceFile(path, path.name)
    name = PurePosixPath(unquote(urlsplit(source).path)).name
    if not name:
        raise InputError(f"'{source}' does not name a file.")
    with place.open("wb") as target:
        is_object = source.startswith("s3://")
        blocks = _s3_blocks(source) if is_object else download(source, inside=inside)
        _save(blocks, target, source, most)
    return SourceFile(place, name)


def _save(blocks: Iterator[bytes], target: BinaryIO, source: str, most: int) -> None:
    size = 0
    for block in blocks:
        size += len(block)
        if size > most:
            raise InputError(
                f"{plain_url(source)} is larger than {most >> 20:,} MiB. Download it yourself and "
                "give the file."
            )
        target.write(block)


def _s3_blocks(source: str) -> Iterator[bytes]:
    bucket, _, name = source.rpartition("/")
    return open_objects(bucket, folder=Path.cwd()).lines(name)
