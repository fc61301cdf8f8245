"""Uploaded predictions as a predictor: every question is answered from a file."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from palaver.core.errors import SystemFailureError
from palaver.core.protocols import Reply
from palaver.storage.objects import Objects

BATCH = 1000

_decode = msgspec.json.Decoder(dict[str, Any]).decode


class UploadedPredictions:
    """Answers that were computed elsewhere: no time of its own, no memory."""

    batch = BATCH
    concurrency = 1

    def __init__(self, objects: Objects, path: str) -> None:
        self._objects = objects
        self._path = path
        self._answers: dict[str, dict[str, Any]] = {}

    async def start(self) -> None:
        """Read the file, on a thread: it may be large."""
        self._answers = await asyncio.to_thread(self._read)

    async def predict(self, questions: Sequence[Mapping[str, Any]]) -> Sequence[Reply]:
        """The answers that stand in the file."""
        return [Reply(self._answer(str(each["uid"])), 0.0) for each in questions]

    def memory(self) -> float | None:
        """None: where the answers came from is not known."""
        return None

    async def close(self) -> None:
        """Let go of the answers."""
        self._answers = {}

    def _read(self) -> dict[str, dict[str, Any]]:
        records = map(_decode, self._objects.lines(self._path))
        return {str(record["id"]): record for record in records}

    def _answer(self, uid: str) -> dict[str, Any]:
        if uid not in self._answers:
            raise SystemFailureError("silent", f"The predictions contain no answer to '{uid}'.")
        return self._answers[uid]
