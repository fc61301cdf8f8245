"""Images on their way to a model: an address becomes the bytes, in base64."""

import base64
import binascii
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

from palaver.core.errors import InputError
from palaver.systems.attempt import AttemptError
from palaver.systems.threads import in_thread
from palaver.systems.web.addresses import plain_url, target_of
from palaver.systems.web.client import open_client
from palaver.systems.web.destinations import Inside

LARGEST_IMAGE = 32 * 1024 * 1024
_DATA = re.compile(r"data:[^,]*,", re.IGNORECASE)


async def embed_images(
    question: Mapping[str, Any], names: Iterable[str], folder: Path, *, inside: Inside = True
) -> dict[str, Any]:
    """The question with each named field as base64 of the image that its address leads to.

    An address is a file in `folder`, an http(s) address or a `data:` one. Files outside of `folder`
    are refused, and so are hosts inside this network unless `inside` allows them: whoever writes a
    data set must not be able to send other files to a model.
    """
    embedded = dict(question)
    for name in names:
        address = question.get(name)
        if not isinstance(address, str) or not address:
            raise InputError(
                f"Item {question.get('uid')}: '{name}' is not the address of an image; got "
                f"{address!r:.60}."
            )
        try:
            content = await _content(address, folder, inside)
        except InputError as error:
            raise InputError(f"Item {question.get('uid')}: '{name}': {error}") from None
        embedded[name] = base64.b64encode(content).decode("ascii")
    return embedded


async def _content(address: str, folder: Path, inside: Inside) -> bytes:
    if _DATA.match(address):
        return _embedded(address)
    if urlsplit(address).scheme in ("http", "https"):
        return await _fetched(address, inside)
    return await in_thread(lambda: _read(address, folder))


def _embedded(address: str) -> bytes:
    head, _, content = address.partition(",")
    raw = unquote_to_bytes(content)
    if not head.lower().endswith(";base64"):
        return raw
    try:
        return base64.b64decode(raw, validate=True)
    except binascii.Error as error:
        raise InputError(f"the data: address is not valid base64 ({error}).") from None


def _read(address: str, folder: Path) -> bytes:
    root = folder.resolve()
    path = (root / address.removeprefix("file://")).resolve()
    if not path.is_relative_to(root):
        raise InputError(f"the file '{address}' is outside {root}. Move it there.")
    try:
        if path.stat().st_size > LARGEST_IMAGE:
            raise InputError(f"{path} is larger than {LARGEST_IMAGE // 1024**2} MB.")
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None


async def _fetched(address: str, inside: Inside) -> bytes:
    parts = urlsplit(address)
    client = open_client(
        f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}",
        headers={"Accept-Encoding": "identity"},
        limit=1,
        longest=LARGEST_IMAGE,
        inside=inside,
    )
    try:
        response = await client.call("GET", target_of(address))
    except AttemptError as error:
        raise InputError(f"the image was not fetched: {str(error).rstrip('.')}.") from None
    finally:
        await client.close()
    if response.status != 200:
        told = f"{plain_url(address)} answered {response.status} {response.reason}"
        raise InputError(f"the image was not fetched: {told}.")
    return response.body
