"""`kind: openai`: any service with OpenAI's /v1/chat/completions, hosted or on your own machine."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar
from urllib.parse import urlsplit

import aiohttp
import msgspec
from pydantic import AfterValidator, Field

from palaver.core.events import Move, say
from palaver.core.protocols import DraftListener, Place
from palaver.systems.attempt import AttemptError, shorten
from palaver.systems.chat import OPENING_PROMPT, Completion, chat_messages
from palaver.systems.options import CallOptions
from palaver.systems.sse import EventStream
from palaver.systems.transcript import TranscriptSession
from palaver.systems.web import WebClient, check_url, expand, from_environment

_DONE = "[DONE]"


class OpenAIOptions(CallOptions):
    """Which service, which model, and what it is told."""

    base_url: Annotated[str, AfterValidator(check_url)] = Field(
        description="address of the service, with or without /v1"
    )
    model: str = Field(min_length=1, description="the model's name at the service")
    api_key_env: str | None = Field(
        default=None, description="environment variable that holds the key; none: no key is sent"
    )
    system_prompt: str = Field(
        default="", description="instructions before the dialogue; persona lines follow them"
    )
    opening_prompt: str = Field(
        default=OPENING_PROMPT, description="user message sent when the system speaks first"
    )
    temperature: float | None = Field(default=None, ge=0, le=5, description="none: the service's")
    max_tokens: int | None = Field(default=None, ge=1, description="longest answer; none: no limit")
    stream: bool = Field(default=True, description="show the answer while it is being written")
    extra: dict[str, Any] = Field(default={}, description="further fields of the request's body")
    headers: dict[str, str] = Field(
        default={}, description="further headers; ${VARIABLE} is filled in from the environment"
    )


class OpenAI:
    """A system behind a chat-completions service."""

    options_type: ClassVar[type[CallOptions]] = OpenAIOptions

    def __init__(self, options: OpenAIOptions, *, folder: Path) -> None:
        self.options = options
        self.url = completions_url(options.base_url)
        secrets: set[str] = set()
        headers = {"Content-Type": "application/json"}
        if options.api_key_env:
            key = from_environment(options.api_key_env, option="api_key_env")
            secrets.add(key)
            headers["Authorization"] = f"Bearer {key}"
        for name, value in options.headers.items():
            headers[name] = expand(value, option=f"headers.{name}", secrets=secrets)
        self.client = WebClient(headers=headers, secrets=secrets)

    def new_session(self, place: Place) -> "OpenAISession":
        """A session that has heard nothing yet."""
        return OpenAISession(self, place)

    async def close(self) -> None:
        """Close the connections."""
        await self.client.close()


class OpenAISession(TranscriptSession):
    """One dialogue with the service."""

    def __init__(self, system: OpenAI, place: Place) -> None:
        super().__init__(place)
        self._system = system

    async def send(self, draft: DraftListener | None = None) -> Sequence[Move]:
        """The service's answer, drafted while it arrives."""
        client = self._system.client
        completion = Completion()
        async with client.call("POST", self._system.url, json=self._body()) as response:
            if response.content_type == "text/event-stream":
                await _read_stream(response, completion, draft)
            else:
                # Some services ignore `stream` and send the whole answer at once.
                completion.add(await client.json(response))
                completion.finished = True
            reply = completion.reply()
        return [say(reply)]

    def _body(self) -> dict[str, Any]:
        options = self._system.options
        body: dict[str, Any] = {
            "model": options.model,
            "messages": chat_messages(
                self.transcript,
                system_prompt=options.system_prompt,
                opening_prompt=options.opening_prompt,
            ),
            "stream": options.stream,
        }
        if options.temperature is not None:
            body["temperature"] = options.temperature
        if options.max_tokens is not None:
            body["max_tokens"] = options.max_tokens
        return body | options.extra


def completions_url(base_url: str) -> str:
    """Where to post, given an address with or without /v1 or the whole path."""
    address = base_url.rstrip("/")
    if address.endswith("/chat/completions"):
        return address
    if re.search(r"/v\d\w*(/|$)", urlsplit(address).path):
        return f"{address}/chat/completions"
    return f"{address}/v1/chat/completions"


async def _read_stream(
    response: aiohttp.ClientResponse, completion: Completion, draft: DraftListener | None
) -> None:
    stream = EventStream()
    async for piece in response.content.iter_any():
        if _read_events(stream.feed(piece), completion, draft):
            return
    _read_events(stream.finish(), completion, draft)


def _read_events(events: list[str], completion: Completion, draft: DraftListener | None) -> bool:
    """Add the events to the completion; whether the stream says it is done."""
    grown = False
    for data in events:
        if data.strip() == _DONE:
            completion.finished = True
            break
        grown |= completion.add(_decode(data))
    if grown and draft is not None:
        draft(completion.text.lstrip())
    return bool(events) and events[-1].strip() == _DONE


def _decode(data: str) -> Any:
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError as error:
        raise AttemptError(
            "garbage", f"The stream sent something else than JSON ({error}): {shorten(data)!r}"
        ) from None
