"""`kind: http`: any web service that takes JSON and answers with JSON.

`request` is the body with placeholders, `response` says where the outputs stand. The placeholders:

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
from palaver.systems.attempt import AttemptError, shorten
from palaver.systems.predictors.endpoint import Endpoint, WebRespondent
from palaver.systems.predictors.matching import match, with_id
from palaver.systems.predictors.options import PredictorOptions, Url, WebOptions
from palaver.systems.predictors.respondent import Question
from palaver.systems.predictors.templates import filled, found


class HttpOptions(WebOptions):
    """Where to ask, what to send and where the answers stand."""

    url: Url = Field(description="address; ${VARIABLE} is filled in from the environment")
    method: Literal["POST", "PUT", "GET"] = Field(
        default="POST", description="with GET the request template becomes the query"
    )
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


class Http(WebRespondent):
    """A model behind a JSON web service."""

    options_type: ClassVar[type[PredictorOptions]] = HttpOptions

    def __init__(self, options: HttpOptions, *, folder: Path) -> None:
        if options.method == "GET":
            _check_query(options)
        self._options = options
        self._several = options.batch > 1
        self._request = options.request
        if self._request is None:
            self._request = "{{questions}}" if self._several else "{{question}}"
        super().__init__(Endpoint(options.url, options))

    async def answer(self, questions: Sequence[Question]) -> Sequence[Any]:
        """What the service says."""
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
        if self._options.method != "GET":
            return await self._endpoint.ask(self._endpoint.url, body, method=self._options.method)
        query = {name: _as_query(value) for name, value in body.items()}
        return self._endpoint.decode(await self._endpoint.get(self._endpoint.url, query))

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


def _check_query(options: HttpOptions) -> None:
    given = options.request
    flat = isinstance(given, dict) and not any(
        isinstance(value, (dict, list)) for value in given.values()
    )
    if not flat or options.batch > 1:
        raise InputError(
            "With 'method: GET' the option 'request' is a flat object of texts and placeholders, "
            f"one question per call; got {shorten(repr(given), 80)}. Use POST for anything else."
        )


def _as_query(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
