"""`kind: torchserve`: TorchServe and dynalab, `POST {url}/predictions/{model}`.

One JSON object goes in and one comes out. With `joined: true` a call carries several, one per line,
as the translation task of Dynabench sent them, in bodies of at most 1 MB.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import msgspec
from pydantic import Field, model_validator

from palaver.systems.answers import match
from palaver.systems.attempt import AttemptError, shorten
from palaver.systems.options import PredictorOptions, Url, WebOptions
from palaver.systems.registry import Question
from palaver.systems.web.addresses import joined
from palaver.systems.web.endpoint import Endpoint, StatusError, WebRespondent

_LARGEST_CALL = 1_000_000
_JOINED_BATCH = 64
# What a server without a health check answers.
_NO_PING = frozenset({404, 405, 501})


class TorchServeOptions(WebOptions, PredictorOptions):
    """Where the server is, and the model's name there."""

    url: Url = Field(
        description="address of the server; without 'model' the whole address to post to"
    )
    model: str | None = Field(
        default=None, description="the model's name at the server, after /predictions/"
    )
    joined: bool = Field(
        default=False, description="whether a call carries several questions, one per line"
    )
    extra: dict[str, Any] = Field(default={}, description="further fields sent with every question")

    @model_validator(mode="before")
    @classmethod
    def _several(cls, given: Any) -> Any:
        if isinstance(given, dict) and given.get("joined") is True:
            return {"batch": _JOINED_BATCH, **given}
        return given

    @model_validator(mode="after")
    def _one_at_a_time(self) -> "TorchServeOptions":
        if self.batch > 1 and not self.joined:
            raise ValueError("'batch' above 1 needs 'joined: true': a call takes one question here")
        return self


class TorchServe(WebRespondent):
    """A model behind TorchServe's protocol."""

    options_type: ClassVar[type[PredictorOptions]] = TorchServeOptions

    def __init__(self, options: TorchServeOptions, *, folder: Path) -> None:
        self._options = options
        super().__init__(Endpoint(options.url, options))
        base = self._endpoint.url
        self._address = (
            base if options.model is None else joined(base, f"/predictions/{options.model}")
        )
        self._ping = None if options.model is None else joined(base, "/ping")

    async def start(self) -> None:
        """Ask the server whether it is well, where it can be asked."""
        if self._ping is None:
            return
        try:
            health = self._endpoint.decode(await self._endpoint.get(self._ping))
        except StatusError as error:
            if error.status in _NO_PING:
                return
            raise
        status = health.get("status", "Healthy") if isinstance(health, dict) else health
        if str(status).casefold() != "healthy":
            told = f"The server says it is {status!r:.80}."
            raise AttemptError("error", told, may_pass=True, is_busy=True)

    async def answer(self, questions: Sequence[Question]) -> Sequence[Any]:
        if not self._options.joined:
            return [await self._single(question) for question in questions]
        records: list[Any] = []
        for lines in _calls([self._line(question) for question in questions]):
            response = await self._endpoint.post(self._address, b"\n".join(lines))
            records += self._endpoint.decode_all(response)
        if len(records) == 1 and isinstance(records[0], list):
            records = records[0]
        return match(records, questions)

    async def _single(self, question: Question) -> Any:
        response = await self._endpoint.post(self._address, self._line(question))
        record = self._endpoint.decode(response)
        if isinstance(record, list):
            if len(record) != 1:
                seen = shorten(repr(record), 120)
                told = f"1 question was asked, but {len(record)} answers came: {seen}"
                raise AttemptError("garbage", told, may_pass=False, came=record)
            record = record[0]
        return record

    def _line(self, question: Question) -> bytes:
        return msgspec.json.encode({**question, **self._options.extra})


def _calls(lines: Sequence[bytes]) -> list[list[bytes]]:
    """Lines in groups of at most 1 MB; a longer line is a group of its own."""
    groups: list[list[bytes]] = []
    size = _LARGEST_CALL + 1
    for line in lines:
        size += len(line) + 1
        if size > _LARGEST_CALL:
            groups.append([])
            size = len(line) + 1
        groups[-1].append(line)
    return groups
