"""Where files of a deployment are kept: a local folder, or an S3-compatible store.

Keys and region of S3 (Amazon's, or any other at AWS_ENDPOINT_URL) come from the usual environment
variables, so that no file and no page of ours ever holds them: AWS_ACCESS_KEY_ID,
AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION (or AWS_DEFAULT_REGION) and AWS_ENDPOINT_URL.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

from palaver.core.errors import InputError, MissingExtraError

SCHEME = "s3://"
BLOCK = 1 << 20
RETRIES = 3
PATIENCE = timedelta(seconds=20)


class Objects(Protocol):
    """Files by path ("datasets/nli/anli-r1/3f2a….jsonl"), written whole and never changed."""

    # The address without keys and passwords, to be shown.
    url: str

    def put(self, path: str, content: bytes | Path) -> None:
        """Store bytes, or the file that a Path names, under `path`; after it returns it is kept."""
        ...

    def read(self, path: str) -> bytes:
        """The whole content; InputError if there is none."""
        ...

    def lines(self, path: str) -> Iterator[bytes]:
        """The content line by line, without holding all of it."""
        ...

    def exists(self, path: str) -> bool:
        """Whether something is stored under `path`."""
        ...


def open_objects(url: str, *, folder: Path) -> Objects:
    """The store at `url`: s3://bucket/prefix, or a folder, relative to `folder`."""
    if "://" not in url:
        return FolderObjects(folder / url)
    if url.startswith(SCHEME):
        return S3Objects(url)
    raise InputError(f"The object store '{url}' is not of a known kind; give a folder or s3://…")


class FolderObjects:
    """Files under one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = str(folder)

    def put(self, path: str, content: bytes | Path) -> None:
        """Store a file; a crash leaves either all of it or nothing."""
        target = self._place(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as draft:
            if isinstance(content, bytes):
                draft.write(content)
            else:
                with content.open("rb") as source:
                    shutil.copyfileobj(source, draft, 1 << 20)
            draft.flush()
            os.fsync(draft.fileno())
        Path(draft.name).replace(target)

    def read(self, path: str) -> bytes:
        try:
            return self._place(path).read_bytes()
        except OSError as error:
            raise _missing(path, self.url) from error

    def lines(self, path: str) -> Iterator[bytes]:
        try:
            with self._place(path).open("rb") as file:
                yield from file
        except OSError as error:
            raise _missing(path, self.url) from error

    def exists(self, path: str) -> bool:
        return self._place(path).is_file()

    def _place(self, path: str) -> Path:
        place = (self.folder / path).resolve()
        if not place.is_relative_to(self.folder.resolve()):
            raise InputError(f"The path '{path}' leaves the object store.")
        return place


class S3Objects:
    """Objects of one bucket whose names begin with one prefix."""

    def __init__(self, url: str) -> None:
        bucket, _, prefix = url.removeprefix(SCHEME).partition("/")
        if not bucket:
            raise InputError(f"An object store is s3://bucket or s3://bucket/prefix; got '{url}'.")
        self.url = f"{SCHEME}{bucket}/{prefix}".rstrip("/")
        self._store = _open(bucket, prefix.strip("/"))

    def put(self, path: str, content: bytes | Path) -> None:
        """Store an object; a large file goes in parts and appears when the last one is there."""
        with self._told(path):
            try:
                self._store.put(path, content)
            except FileNotFoundError as error:
                raise InputError(f"There is no bucket for {self.url}; create it first.") from error

    def read(self, path: str) -> bytes:
        with self._told(path):
            return bytes(self._store.get(path).bytes())

    def lines(self, path: str) -> Iterator[bytes]:
        rest = b""
        for block in self.blocks(path):
            *whole, rest = (rest + block).split(b"\n")
            for line in whole:
                yield line + b"\n"
        if rest:
            yield rest

    def blocks(self, path: str) -> Iterator[bytes]:
        """The object in pieces of a bounded size."""
        with self._told(path):
            for block in self._store.get(path).stream(min_chunk_size=BLOCK):
                yield bytes(block)

    def exists(self, path: str) -> bool:
        with self._told(path):
            try:
                self._store.head(path)
            except FileNotFoundError:
                return False
        return True

    @contextmanager
    def _told(self, path: str) -> Iterator[None]:
        """What went wrong, in a sentence; what the caller did inside is passed on."""
        from obstore.exceptions import BaseError

        try:
            yield
        except FileNotFoundError as error:
            raise _missing(path, self.url) from error
        except BaseError as error:
            raise InputError(
                f"The object store {self.url} did not answer as expected ({_reason(error)}). Check "
                "AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION."
            ) from error


def _missing(path: str, url: str) -> InputError:
    return InputError(f"'{path}' is not in the object store {url}. Was it moved or deleted?")


def _open(bucket: str, prefix: str) -> Any:
    try:
        from obstore.store import S3Store
    except ImportError as error:
        raise MissingExtraError("An S3 object store", "s3") from error
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or None
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or "us-east-1"
    local = endpoint is not None and endpoint.startswith("http://")
    config: Any = {"region": region, **({"endpoint": endpoint} if endpoint else {})}
    return S3Store(
        bucket,
        prefix=prefix or None,
        config=config,
        client_options={"allow_http": local, "connect_timeout": PATIENCE},
        retry_config={"max_retries": RETRIES, "retry_timeout": PATIENCE},
    )


def _reason(error: Exception) -> str:
    """The last line that says something, cut to a readable length."""
    first = next((line.strip() for line in str(error).splitlines() if line.strip()), "no reason")
    return first if len(first) <= 160 else f"{first[:159]}…"
