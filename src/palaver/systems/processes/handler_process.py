"""The other side of `process: true`: a handler in a process of its own, asked in JSON lines.

The first line says what to load; every further line is a list of questions. Whatever the handler
prints goes to stderr, so that it cannot mix with the answers.
"""

import os
import sys
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from palaver.core.errors import InputError
from palaver.systems.processes.handlers import Handler, HandlerError


def main() -> None:
    """Serve until the input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    lines = sys.stdin.buffer
    first = lines.readline()
    if not first:
        return
    handler = _start(msgspec.json.decode(first), answers)
    while handler is not None and (line := lines.readline()):
        try:
            told: dict[str, Any] = {"records": handler.answer(msgspec.json.decode(line))}
        except HandlerError as error:
            told = {"error": str(error)}
        _tell(answers, told)


def _start(given: dict[str, Any], answers: BinaryIO) -> Handler | None:
    try:
        handler = Handler(
            given["handler"],
            folder=Path(given["folder"]),
            options=given["options"],
            checkpoint=given["checkpoint"],
        )
        handler.start()
    except (HandlerError, InputError) as error:
        _tell(answers, {"error": str(error)})
        return None
    _tell(answers, {"ready": True})
    return handler


def _tell(answers: BinaryIO, told: Any) -> None:
    answers.write(msgspec.json.encode(told) + b"\n")
    answers.flush()


if __name__ == "__main__":
    main()
