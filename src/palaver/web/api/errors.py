"""Errors of the API: one shape for all, and what its document says of each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from palaver.core.errors import (
    AccessError,
    ConflictError,
    InputError,
    MissingError,
    PalaverError,
    PanelError,
    PanelUnknownError,
    StoreUnavailableError,
    UnknownNameError,
)
from palaver.core.serial import encode
from palaver.evaluation.submissions import AllowanceError
from palaver.web.api.records import JSON, answer
from palaver.web.crashes import Crashes
from palaver.web.uploads import TooLargeError

Answers = dict[int | str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class ErrorDetail:
    """What went wrong: a stable code, and a sentence for whoever can act on it."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """Every answer that is not a success."""

    error: ErrorDetail


def _refusals(descriptions: Mapping[int, str]) -> Answers:
    return {status: answer(ErrorBody, words) for status, words in descriptions.items()}


ANSWERS = _refusals(
    {
        401: "No token, or one that is unknown, expired or revoked.",
        422: "The request is not understood.",
        500: "Something went wrong here; it is logged.",
        503: "The store cannot be read now; try again.",
    }
)
FORBIDDEN = _refusals({403: "The token's role does not allow this."})
MISSING = _refusals({404: "Not found."})
TOO_LARGE = _refusals({413: "The body is larger than is allowed here."})
CONFLICT = _refusals({409: "Somebody else changed it at the same time."})
USED_UP = _refusals(
    {429: "The team's submissions are used up; Retry-After says when the next one is possible."}
)
PANEL = _refusals(
    {
        502: "The panel could not be asked, or refused; nothing was changed there.",
        504: "It was sent to the panel and no answer came: look there before it is sent again.",
    }
)
UNREADABLE = _refusals({400: "The body is not JSON."})
FILE: Answers = {
    200: {
        "content": {"application/zip": {}, "application/x-ndjson": {}, "application/json": {}},
        "description": "The file.",
    }
}


STATUS: dict[type[Exception], tuple[int, str]] = {
    MissingError: (404, "not_found"),
    TooLargeError: (413, "too_large"),
    AllowanceError: (429, "used_up"),
    ConflictError: (409, "conflict"),
    AccessError: (403, "forbidden"),
    PanelUnknownError: (504, "panel_unknown"),
    PanelError: (502, "panel_failed"),
    UnknownNameError: (422, "unknown_name"),
    InputError: (422, "invalid"),
    StoreUnavailableError: (503, "store_unavailable"),
    PalaverError: (500, "failed"),
}


def answer_errors(api: FastAPI) -> None:
    """Let every error of an API have the one shape."""
    api.add_exception_handler(PalaverError, _refused)
    api.add_exception_handler(RequestValidationError, _not_understood)
    api.add_exception_handler(HTTPException, _http_error)
    api.add_middleware(Crashes, answer=_crashed)


async def _refused(request: Request, error: Exception) -> Response:
    status, code = next(found for known, found in STATUS.items() if isinstance(error, known))
    return _error(status, code, str(error), headers=_retry_after(error))


def _retry_after(error: Exception) -> dict[str, str]:
    if isinstance(error, AllowanceError) and error.retry_after is not None:
        return {"retry-after": str(error.retry_after)}
    return {}


async def _not_understood(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    wrong = [f"{'.'.join(str(part) for part in e['loc'])}: {e['msg']}" for e in error.errors()]
    return _error(422, "invalid", "; ".join(wrong[:10]))


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    codes = {400: "invalid", 401: "unauthorized", 404: "not_found", 405: "method_not_allowed"}
    code = codes.get(error.status_code, "refused")
    return _error(error.status_code, code, str(error.detail), headers=dict(error.headers or {}))


async def _crashed(request: Request, reference: str) -> Response:
    return _error(500, "failed", f"Something went wrong here; it was logged ({reference}).")


def _error(
    status: int, code: str, message: str, *, headers: dict[str, str] | None = None
) -> Response:
    body = encode(ErrorBody(ErrorDetail(code, message)))
    return Response(body, status_code=status, headers=headers, media_type=JSON)
