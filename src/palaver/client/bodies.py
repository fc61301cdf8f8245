"""What is sent: JSON, a file, or a form with files, none of them held in memory as a whole."""

import json
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError

BLOCK = 1 << 16
# What somebody gives as a file: its path, or its content.
File = str | Path | bytes
# A file by path, or its content.
Content = Path | bytes


@dataclass(frozen=True, slots=True)
class Body:
    """A body with its length; `blocks` can be gone through once."""

    media: str
    length: int
    blocks: Iterable[bytes]


def json_body(value: Any) -> Body:
    content = json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    return Body("application/json", len(content), [content])


def file_body(content: Content, media: str = "application/octet-stream") -> Body:
    return Body(media, _length(content), _blocks(content))


def watched(body: Body, progress: Callable[[int, int], None]) -> Body:
    """The same body; `progress` hears how many of its bytes were sent."""

    def blocks() -> Iterator[bytes]:
        sent = 0
        for block in body.blocks:
            yield block
            sent += len(block)
            progress(sent, body.length)

    return replace(body, blocks=blocks())


def form_body(words: Mapping[str, str | Sequence[str]], files: Mapping[str, Content]) -> Body:
    boundary = f"palaver-{secrets.token_hex(16)}"
    parts: list[bytes | Content] = []
    for name, value in words.items():
        for each in [value] if isinstance(value, str) else value:
            parts += [_head(boundary, name), each.encode(), b"\r\n"]
    for name, content in files.items():
        called = content.name if isinstance(content, Path) else f"{name}.jsonl"
        parts += [_head(boundary, name, called), content, b"\r\n"]
    parts.append(f"--{boundary}--\r\n".encode())
    return Body(
        f"multipart/form-data; boundary={boundary}",
        sum(_length(part) for part in parts),
        (block for part in parts for block in _blocks(part)),
    )


def content_of(given: File) -> Content:
    """What somebody gave as a file; InputError if there is none."""
    if isinstance(given, bytes):
        return given
    path = Path(given)
    if not path.is_file():
        raise InputError(f"There is no file {path}.")
    return path


def _head(boundary: str, name: str, filename: str | None = None) -> bytes:
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="{_quoted(name)}"'
    if filename is not None:
        head += f'; filename="{_quoted(filename)}"\r\nContent-Type: application/octet-stream'
    return f"{head}\r\n\r\n".encode()


def _quoted(text: str) -> str:
    return text.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def _length(content: Content) -> int:
    return content.stat().st_size if isinstance(content, Path) else len(content)


def _blocks(content: Content) -> Iterator[bytes]:
    if not isinstance(content, Path):
        yield content
        return
    with content.open("rb") as file:
        while block := file.read(BLOCK):
            yield block
