"""`kind: http`: any web service that takes JSON and answers with JSON.

`request` is the body with placeholders, `response` the path to the text in the answer; null there
is silence. The placeholders:

{{last}}      what the partner said last
{{messages}}  the dialogue as [{"role": "user" or "assistant", "content": "…"}]
{{history}}   the dialogue as a list of texts
{{events}}    the dialogue as Palaver's events, other moves than messages included
{{dialogue}}  the dialogue's id; a service that keeps state can tell dialogues apart by it
{{seat}}      the seat this system sits at
{{persona}}   the persona lines of this seat
{{scenario}}  the scenario's id
{{kb}}        what the game gives this seat to know
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from pydantic import AfterValidator, Field

from palaver.core.errors import InputError
from palaver.core.events import Move, say
from palaver.core.protocols import DraftListener, Place
from palaver.systems.attempt import AttemptError, shorten
from palaver.systems.options import CallOptions
from palaver.systems.template import check_template, fill, follow
from palaver.systems.transcript import Transcript, TranscriptSession
from palaver.systems.web import WebClient, check_url, expand

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


class HttpOptions(CallOptions):
    """Where to ask, what to send and where the answer stands."""

    url: Annotated[str, AfterValidator(check_url)] = Field(
        description="address; ${VARIABLE} is filled in from the environment"
    )
    method: Literal["POST", "PUT", "GET"] = Field(
        default="POST", description="with GET the request template becomes the query"
    )
    headers: dict[str, str] = Field(
        default={}, description="headers; ${VARIABLE} is filled in from the environment"
    )
    request: dict[str, Any] = Field(
        default={"text": "{{last}}"}, description="JSON template of the request"
    )
    response: str = Field(
        default="text", description="dotted path to the text, e.g. choices.0.text; empty: the body"
    )


class Http:
    """A system behind a JSON web service."""

    options_type: ClassVar[type[CallOptions]] = HttpOptions

    def __init__(self, options: HttpOptions, *, folder: Path) -> None:
        check_template(options.request, PLACEHOLDERS, option="request")
        if options.method == "GET":
            _check_query(options.request)
        secrets: set[str] = set()
        headers = {"Content-Type": "application/json"} if options.method != "GET" else {}
        for name, value in options.headers.items():
            headers[name] = expand(value, option=f"headers.{name}", secrets=secrets)
        self.options = options
        self.url = expand(options.url, option="url", secrets=secrets)
        self.client = WebClient(headers=headers, secrets=secrets)

    def new_session(self, place: Place) -> "HttpSession":
        """A session that has heard nothing yet."""
        return HttpSession(self, place)

    async def close(self) -> None:
        """Close the connections."""
        await self.client.close()

    async def ask(self, request: Any) -> str | None:
        """The text of the service's answer; None where it says null."""
        options, client = self.options, self.client
        if options.method == "GET":
            query = {key: _as_query(value) for key, value in request.items()}
            call = client.call("GET", self.url, query=query)
        else:
            call = client.call(options.method, self.url, json=request)
        async with call as response:
            if not options.response and response.content_type.startswith("text/"):
                return _text_of(await client.text(response))
            return _read(await client.json(response), options.response)


class HttpSession(TranscriptSession):
    """One dialogue with the service."""

    def __init__(self, system: Http, place: Place) -> None:
        super().__init__(place)
        self._system = system

    async def send(self, draft: DraftListener | None = None) -> Sequence[Move]:
        """The service's answer, or silence."""
        request = fill(self._system.options.request, _values(self.transcript))
        text = await self._system.ask(request)
        return [] if text is None else [say(text)]


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
        "kb": scenario.kbs[place.seat] if place.seat < len(scenario.kbs) else None,
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


def _check_query(request: dict[str, Any]) -> None:
    for key, value in request.items():
        if isinstance(value, (dict, list)):
            raise InputError(
                f"Option 'request': with 'method: GET' every value is text or a placeholder; "
                f"'{key}' is {value!r:.80}. Use POST for structured requests."
            )


def _as_query(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
