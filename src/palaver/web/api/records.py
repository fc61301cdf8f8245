"""Operations that return records: encoded by the one serialiser, and described by it too.

An operation says what it returns in its annotation. FastAPI would copy a record into a model of its
own to check and to write it; a record is right as it is, so it is written here, and the document of
the API takes its shape from the same fields.
"""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, get_type_hints

from fastapi import APIRouter, FastAPI
from starlette.responses import Response

from palaver.core.serial import encode, record_schema, records_in, schema

JSON = "application/json"
Endpoint = Callable[..., Awaitable[Any]]

# The records of every answer by name, as operations are declared.
ANSWERED: dict[str, type] = {}


def answer(kind: Any, description: str) -> dict[str, Any]:
    """An answer of this type, as `responses` of an operation list it."""
    return {"description": description, **_content(kind)}


class RecordRouter(APIRouter):
    """A router whose operations return records."""

    def add_api_route(self, path: str, endpoint: Endpoint, **options: Any) -> None:
        """Add an operation; what it returns is written and described by its annotation."""
        kind = get_type_hints(endpoint).get("return")
        if any(True for _ in records_in(kind)):
            status = options.get("status_code") or 200
            given = options.get("responses") or {}
            options["responses"] = {**given, status: {**given.get(status, {}), **_content(kind)}}
            options["response_model"] = None
            endpoint = _written(endpoint, status)
        super().add_api_route(path, endpoint, **options)


def describe_records(api: FastAPI) -> None:
    """Let the document of an API hold the shapes of the records that it answers with."""
    made = api.openapi

    def document() -> dict[str, Any]:
        found = made()
        shapes = found.setdefault("components", {}).setdefault("schemas", {})
        shapes |= {name: record_schema(kind) for name, kind in ANSWERED.items()}
        return found

    api.openapi = document  # type: ignore[method-assign]


def _content(kind: Any) -> dict[str, Any]:
    for record in records_in(kind):
        if ANSWERED.setdefault(record.__name__, record) is not record:
            raise TypeError(f"Two records of the API are called {record.__name__}.")
    return {"content": {JSON: {"schema": schema(kind)}}}


def _written(endpoint: Endpoint, status: int) -> Endpoint:
    """The operation with its record as JSON; its status is the one that it set itself, if any."""

    @wraps(endpoint)
    async def write(*given: Any, **named: Any) -> Response:
        record = await endpoint(*given, **named)
        own = next((each for each in named.values() if isinstance(each, Response)), None)
        chosen = (own.status_code if own is not None else None) or status
        return Response(encode(record), status_code=chosen, media_type=JSON)

    return write
