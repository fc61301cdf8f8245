"""`kind: openai`: any service with OpenAI's /v1/chat/completions, hosted or on your own machine.

In a dialogue the model gets what was said; on a task, a prompt over the question's fields.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

import msgspec
from pydantic import Field, model_validator

from palaver.core.events import Move, say
from palaver.core.protocols import DraftListener, Place
from palaver.systems.attempt import AttemptError, shorten
from palaver.systems.chat import OPENING_PROMPT, ChatMessage, Completion, chat_messages
from palaver.systems.labels import by_text, label_in
from palaver.systems.options import CallOptions, PredictorOptions, Url, WebOptions
from palaver.systems.reach import Reach
from palaver.systems.registry import Question
from palaver.systems.template import filled_text
from palaver.systems.transcript import TranscriptSession
from palaver.systems.web.connection import EventStream
from palaver.systems.web.endpoint import Endpoint, WebRespondent

_DONE = "[DONE]"
_FENCED = re.compile(r"\A```(?:json)?\s*(.*?)\s*```\Z", re.DOTALL)


class OpenAIOptions(WebOptions):
    """Which service and which model."""

    base_url: Url = Field(description="address of the service, with or without /v1")
    model: str = Field(min_length=1, description="the model's name at the service")
    api_key_env: str | None = Field(
        default=None, description="environment variable that holds the key; none: no key is sent"
    )
    max_tokens: int | None = Field(default=None, ge=1, description="longest answer; none: no limit")
    extra: dict[str, Any] = Field(default={}, description="further fields of the request's body")

    def open(self, *, streams: bool = False) -> Endpoint:
        return Endpoint(self.base_url, self, key_variable=self.api_key_env, streams=streams)


class OpenAIChatOptions(OpenAIOptions):
    """What the model is told before a dialogue."""

    system_prompt: str = Field(
        default="", description="instructions before the dialogue; persona lines follow them"
    )
    opening_prompt: str = Field(
        default=OPENING_PROMPT, description="user message sent when the system speaks first"
    )
    temperature: float | None = Field(default=None, ge=0, le=5, description="none: the service's")
    stream: bool = Field(default=True, description="show the answer while it is being written")


class OpenAIModelOptions(OpenAIOptions, PredictorOptions):
    """What the model is asked on a task, and what its text becomes."""

    timeout: float = Field(
        default=120.0,
        gt=0,
        le=3600,
        description="how many seconds one attempt at an answer may take",
    )
    prompt: str = Field(min_length=1, description="the user message; {{field}} is filled in")
    system: str = Field(default="", description="instructions before it; {{field}} is filled in")
    output: str | None = Field(default=None, description="the output that the text becomes")
    labels: list[str] | dict[str, str] = Field(
        default={}, description="labels, or text → label: which label the text stands for"
    )
    json_mode: bool = Field(
        default=False, alias="json", description="whether the text is a JSON object of outputs"
    )
    temperature: float | None = Field(
        default=0.0, ge=0, le=5, description="0: the likeliest words; none: the service's"
    )
    seed: int | None = Field(default=None, description="seed, for services that take one")

    @model_validator(mode="after")
    def _one_way(self) -> "OpenAIModelOptions":
        if self.json_mode == (self.output is not None):
            raise ValueError(
                "give either 'output' (the output that the text becomes) or 'json: true' "
                "(the text is an object of outputs)"
            )
        if self.batch > 1:
            raise ValueError("'batch' is 1 here: a call is one prompt; see 'concurrency'")
        return self


class OpenAI:
    """A system behind a chat-completions service."""

    options_type: ClassVar[type[CallOptions]] = OpenAIChatOptions
    reach: ClassVar[Reach] = "network"

    def __init__(self, options: OpenAIChatOptions, *, folder: Path) -> None:
        self.options = options
        self.endpoint = options.open(streams=options.stream)
        self.address = completions_url(self.endpoint.url)

    def new_session(self, place: Place) -> "OpenAISession":
        return OpenAISession(self, place)

    async def close(self) -> None:
        await self.endpoint.close()


class OpenAISession(TranscriptSession[OpenAI]):
    """One dialogue with the service."""

    async def send(self, draft: DraftListener | None = None) -> Sequence[Move]:
        """The service's answer, drafted while it arrives."""
        completion, stream = Completion(), EventStream()

        def listen(piece: bytes) -> bool:
            return _read_events(stream.feed(piece), completion, draft)

        system = self._system
        whole = await system.endpoint.ask_streaming(system.address, self._body(), listen)
        if whole is None:
            _read_events(stream.finish(), completion, draft)
        else:
            # Some services ignore `stream` and send the whole answer at once.
            completion.add(whole)
            completion.finished = True
        return [say(completion.reply())]

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


class OpenAIModel(WebRespondent):
    """A language model that is asked with a prompt."""

    options_type: ClassVar[type[PredictorOptions]] = OpenAIModelOptions

    def __init__(self, options: OpenAIModelOptions, *, folder: Path) -> None:
        self._options = options
        super().__init__(options.open())
        self._address = completions_url(self._endpoint.url)
        self._labels = by_text(options.labels)

    async def answer(self, questions: Sequence[Question]) -> Sequence[Any]:
        return [await self._single(question) for question in questions]

    async def _single(self, question: Question) -> dict[str, Any]:
        completion = Completion()
        completion.add(await self._endpoint.ask(self._address, self._body(question)))
        completion.finished = True
        text = completion.reply()
        if self._options.json_mode:
            return {**_object(text), "id": question["uid"]}
        return {"id": question["uid"], self._options.output or "": label_in(text, self._labels)}

    def _body(self, question: Question) -> dict[str, Any]:
        options = self._options
        messages: list[ChatMessage] = []
        if options.system:
            content = filled_text(options.system, question, option="system")
            messages.append({"role": "system", "content": content})
        content = filled_text(options.prompt, question, option="prompt")
        messages.append({"role": "user", "content": content})
        chosen = {
            "temperature": options.temperature,
            "seed": options.seed,
            "max_tokens": options.max_tokens,
            "response_format": {"type": "json_object"} if options.json_mode else None,
        }
        given = {name: value for name, value in chosen.items() if value is not None}
        return {"model": options.model, "messages": messages, **given, **options.extra}


def completions_url(base_url: str) -> str:
    """Where to post, given an address with or without /v1 or the whole path."""
    address = base_url.rstrip("/")
    if address.endswith("/chat/completions"):
        return address
    if re.search(r"/v\d\w*(/|$)", urlsplit(address).path):
        return f"{address}/chat/completions"
    return f"{address}/v1/chat/completions"


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
            "garbage", f"The stream sent something other than JSON ({error}): {shorten(data)!r}"
        ) from None


def _object(text: str) -> dict[str, Any]:
    fenced = _FENCED.match(text.strip())
    try:
        value = msgspec.json.decode(fenced[1] if fenced else text)
    except msgspec.DecodeError as error:
        told = f"The model's text is not JSON ({error}): {shorten(text)}"
        raise AttemptError("garbage", told, came=text) from None
    if not isinstance(value, dict):
        told = f"Expected a JSON object of outputs; got {shorten(text)}"
        raise AttemptError("garbage", told, came=text)
    return value
