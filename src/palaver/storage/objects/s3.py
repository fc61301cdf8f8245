"""An object store that speaks S3: Amazon's, or any other at AWS_ENDPOINT_URL.

Keys and region come from the usual environment variables, so that no file and no page of ours ever
holds them: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION (or
AWS_DEFAULT_REGION) and AWS_ENDPOINT_URL.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError, MissingExtraError

BLOCK = 1 << 20
RETRIES = 3
PATIENCE = timedelta(seconds=20)
SCHEME = "s3://"


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
        """The whole object."""
        with self._told(path):
            return bytes(self._store.get(path).bytes())

    def lines(self, path: str) -> Iterator[bytes]:
        """The object line by line."""
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
        """Whether the object is there."""
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
            raise InputError(
                f"'{path}' is not in the object store {self.url}. Was it moved or deleted?"
            ) from error
        except BaseError as error:
            raise InputError(
                f"The object store {self.url} did not answer as expected ({_reason(error)}). Check "
                "AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION."
            ) from error


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
