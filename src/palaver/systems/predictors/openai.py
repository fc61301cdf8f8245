"""`kind: openai`: a language model behind /v1/chat/completions, with a prompt over the task's fields."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import msgspec
from pydantic import Field, model_validator

from palaver.systems.attempt import AttemptError, shorten
from palaver.systems.chat import ChatMessage, Completion
from palaver.systems.openai import completions_url
from palaver.systems.predictors.endpoint import Endpoint, WebRespondent
from palaver.systems.predictors.options import PredictorOptions, Url, WebOptions
from palaver.systems.predictors.respondent import Question
from palaver.systems.predictors.templates import filled_text

_FENCED = re.compile(r"\A```(?:json)?\s*(.*?)\s*```\Z", re.DOTALL)
# What models like to put around a label.
_DECORATION = " \t\r\n\"'`*_“”‘’«»()[]<>"


class OpenAIOptions(WebOptions):
    """Which service, which model, what it is told and what its text becomes."""

    timeout: float = Field(
        default=120.0, gt=0, le=3600, description="seconds that one attempt at an answer may take"
    )
    base_url: Url = Field(description="address of the service, with or without /v1")
    model: str = Field(min_length=1, description="the model's name at the service")
    api_key_env: str | None = Field(
        default=None, description="environment variable that holds the key; none: no key is sent"
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
    max_tokens: int | None = Field(default=None, ge=1, description="longest answer; none: no limit")
    extra: dict[str, Any] = Field(default={}, description="further fields of the request's body")

    @model_validator(mode="after")
    def _one_way(self) -> "OpenAIOptions":
        if self.json_mode == (self.output is not None):
            raise ValueError(
                "give either 'output' (the output that the text becomes) or 'json: true' "
                "(the text is an object of outputs)"
            )
        if self.batch > 1:
            raise ValueError("'batch' is 1 here: a call is one prompt; see 'concurrency'")
        return self


class OpenAI(WebRespondent):
    """A language model that is asked with a prompt."""

    options_type: ClassVar[type[PredictorOptions]] = OpenAIOptions

    def __init__(self, options: OpenAIOptions, *, folder: Path) -> None:
        self._options = options
        super().__init__(Endpoint(options.base_url, options, key_variable=options.api_key_env))
        self._address = completions_url(self._endpoint.url)
        labels = options.labels
        self._labels = dict(labels) if isinstance(labels, dict) else {each: each for each in labels}

    async def answer(self, questions: Sequence[Question]) -> Sequence[Any]:
        """What the model says, as records."""
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


def label_in(text: str, labels: Mapping[str, str]) -> str:
    """The label that a text stands for: as it is, in any case, or as its first words; else the text.

    >>> label_in("Entailed. The street is wet.", {"entailed": "entailed", "neutral": "neutral"})
    'entailed'
    """
    bare = text.strip().strip(_DECORATION)
    if bare in labels:
        return labels[bare]
    folded = {name.casefold(): label for name, label in labels.items()}
    said = bare.casefold()
    if said.rstrip(".!,;:") in folded:
        return folded[said.rstrip(".!,;:")]
    for name in sorted(folded, key=len, reverse=True):
        if re.match(rf"{re.escape(name)}(?![\w-])", said):
            return folded[name]
    return text


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
