"""`kind: http`: any web service that takes JSON and answers with JSON.

`request` is the body with placeholders. In a dialogue `response` is the path to the text in the answer;
null there is silence. The placeholders:

{{last}}      what the partner said last
{{messages}}  the dialogue as [{"role": "user" or "assistant", "content": "…"}]
{{history}}   the dialogue as a list of texts
{{events}}    the dialogue as Palaver's events, other moves than messages included
{{dialogue}}  the dialogue's id; a service that keeps state can tell dialogues apart by it
{{seat}}      the seat this system sits at
{{persona}}   the persona lines of this seat
{{scenario}}  the scenario's id
{{kb}}        what the game gives this seat to know

On a task `response` says where the outputs are in the answer. The placeholders:

{{uid}}, {{any_field}}  the question's own
{{fields}}              all its fields without the uid, as an object
{{question}}            the same with the uid
{{questions}}           with `batch` above 1: the list of questions of this call
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

import msgspec
from pydantic import Field

from palaver.core.errors import InputError
from palaver.core.events import Move, say
from palaver.core.protocols import DraftListener, Place
from palaver.systems.answers import match, with_id
from palaver.systems.attempt import AttemptError, shorten
from palaver.systems.options import CallOptions, PredictorOptions, Url, WebOptions
from palaver.systems.reach import Reach
from palaver.systems.registry import Question
from palaver.systems.template import check_template, fill, filled, follow, found
from palaver.systems.transcript import Transcript, TranscriptSession
from palaver.systems.web.connection import Response
from palaver.systems.web.endpoint import Endpoint, WebRespondent

PLACEHOLDERS = (
    "last",
    "messages",
    "history",
    "events",
    "dialogue",
    "seat",
    "persona",
    "scenario",
    "kb",
)


class HttpOptions(WebOptions):
    """Where to ask."""

    url: Url = Field(description="address; ${VARIABLE} is filled in from the environment")
    method: Literal["POST", "PUT", "GET"] = Field(
        default="POST", description="with GET the request template becomes the query"
    )


class HttpChatOptions(HttpOptions):
    """What to send in a dialogue and where the reply is."""

    request: dict[str, Any] = Field(
        default={"text": "{{last}}"}, description="JSON template of the request"
    )
    response: str = Field(
        default="text", description="dotted path to the text, e.g. choices.0.text; empty: the body"
    )


class HttpModelOptions(HttpOptions, PredictorOptions):
    """What to send for a question and where the outputs are."""

    request: Any = Field(
        default=None, description="JSON template of the request; none: the question or questions"
    )
    response: str | dict[str, str] = Field(
        default="",
        description="output → dotted path to it in an answer, or one path to an object of outputs",
    )
    answers: str = Field(
        default="", description="with 'batch' above 1: path to the list of answers; empty: the body"
    )
    id: str | None = Field(
        default=None, description="path to the id in an answer; none: its 'id' or 'uid', else order"
    )


class Http:
    """A system behind a JSON web service."""

    options_type: ClassVar[type[CallOptions]] = HttpChatOptions
    reach: ClassVar[Reach] = "network"

    def __init__(self, options: HttpChatOptions, *, folder: Path) -> None:
        check_template(options.request, PLACEHOLDERS, option="request")
        if options.method == "GET":
            _check_query(options.request)
        self.options = options
        self._endpoint = Endpoint(options.url, options)

    def new_session(self, place: Place) -> "HttpSession":
        return HttpSession(self, place)

    async def close(self) -> None:
        await self._endpoint.close()

    async def ask(self, request: Any) -> str | None:
        """The text of the service's answer; None where it says null."""
        response = await _send(self._endpoint, self.options.method, request)
        path = self.options.response
        if not path and response.headers.get("content-type", "").startswith("text/"):
            return _text_of(response.body.decode("utf-8", "replace"))
        return _read(self._endpoint.decode(response), path)


class HttpSession(TranscriptSession[Http]):
    """One dialogue with the service."""

    async def send(self, draft: DraftListener | None = None) -> Sequence[Move]:
        """The service's answer, or silence."""
        request = fill(self._system.options.request, _values(self.transcript))
        text = await self._system.ask(request)
        return [] if text is None else [say(text)]


class HttpModel(WebRespondent):
    """A model behind a JSON web service."""

    options_type: ClassVar[type[PredictorOptions]] = HttpModelOptions

    def __init__(self, options: HttpModelOptions, *, folder: Path) -> None:
        if options.method == "GET":
            _check_query(options.request, single=options.batch == 1)
        self._options = options
        self._several = options.batch > 1
        self._request = options.request
        if self._request is None:
            self._request = "{{questions}}" if self._several else "{{question}}"
        super().__init__(Endpoint(options.url, options))

    async def answer(self, questions: Sequence[Question]) -> Sequence[Any]:
        if self._several:
            values: dict[str, Any] = {"questions": [dict(question) for question in questions]}
            body = filled(self._request, values, option="request")
            given = found(await self._ask(body), self._options.answers, option="answers")
            if not isinstance(given, list):
                told = f"Expected a list of answers; got {shorten(repr(given))}."
                raise AttemptError("garbage", told, may_pass=False, came=given)
            return match([self._record(each) for each in given], questions)
        return [await self._single(question) for question in questions]

    async def _single(self, question: Question) -> Any:
        fields = {name: value for name, value in question.items() if name != "uid"}
        values = {**question, "question": dict(question), "fields": fields}
        answer = await self._ask(filled(self._request, values, option="request"))
        return with_id(self._record(answer), question)

    async def _ask(self, body: Any) -> Any:
        return self._endpoint.decode(await _send(self._endpoint, self._options.method, body))

    def _record(self, answer: Any) -> Any:
        response = self._options.response
        if isinstance(response, str):
            record = found(answer, response, option="response")
        else:
            record = {
                output: found(answer, path, option="response") for output, path in response.items()
            }
            carried = answer if isinstance(answer, Mapping) else {}
            record |= {key: carried[key] for key in ("id", "uid") if key in carried}
        if self._options.id is not None and isinstance(record, Mapping):
            record = {**record, "id": found(answer, self._options.id, option="id")}
        return record


def _values(transcript: Transcript) -> dict[str, Any]:
    place = transcript.place
    scenario = place.scenario
    return {
        "last": transcript.heard,
        "messages": [
            {"role": "assistant" if line.own else "user", "content": line.text}
            for line in transcript.lines
        ],
        "history": [line.text for line in transcript.lines],
        "events": [msgspec.to_builtins(event) for event in transcript.events],
        "dialogue": place.dialogue,
        "seat": place.seat,
        "persona": list(scenario.persona(place.seat)),
        "scenario": scenario.id,
        "kb": scenario.kb(place.seat),
    }


def _read(answer: Any, path: str) -> str | None:
    try:
        return _text_of(follow(answer, path))
    except KeyError as error:
        seen = shorten(msgspec.json.encode(answer).decode())
        raise AttemptError(
            "garbage", f"No {error} on the path '{path}' (option 'response') in {seen}"
        ) from None


def _text_of(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, str) and value.strip():
        return value.strip()
    raise AttemptError("garbage", f"Expected text or null as the answer; got {value!r:.200}.")


async def _send(endpoint: Endpoint, method: str, request: Any) -> Response:
    if method == "GET":
        query = {name: _as_query(value) for name, value in request.items()}
        return await endpoint.get(endpoint.url, query)
    return await endpoint.post(endpoint.url, msgspec.json.encode(request), method=method)


def _check_query(request: Any, *, single: bool = True) -> None:
    nested = isinstance(request, dict) and any(
        isinstance(value, dict | list) for value in request.values()
    )
    if not isinstance(request, dict) or nested or not single:
        raise InputError(
            "With 'method: GET' the option 'request' is a flat object of texts and placeholders, "
            f"one question per call; got {shorten(repr(request), 80)}. Use POST for anything else."
        )


def _as_query(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
