"""Calls of the stand-in and their answers, and the tables that say which function answers which."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from palaver.crowds.prolific.stand_in.world import RefusedCall, World

MOST_ON_A_PAGE = 200
_ID = "([A-Za-z0-9_-]+)"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadCall:
    """A call: where to, with what; `base` is the stand-in's own address."""

    base: str
    method: str
    path: str
    names: tuple[str, ...] = ()
    query: Mapping[str, str] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StandInAnswer:
    """What a call is answered with."""

    content: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


Endpoint = Callable[[World, ReadCall], StandInAnswer]


class CallTable:
    """Which function answers which call; slashes at the end stand where the service wants them."""

    def __init__(self) -> None:
        self._known: list[tuple[str, re.Pattern[str], Endpoint]] = []

    def on(self, method: str, path: str) -> Callable[[Endpoint], Endpoint]:
        """Answer calls of this method to this path, in which ID stands for an id."""

        def added(endpoint: Endpoint) -> Endpoint:
            self._known.append((method, re.compile(path.replace("ID", _ID)), endpoint))
            return endpoint

        return added

    def methods(self, path: str) -> dict[str, tuple[Endpoint, tuple[str, ...]]]:
        """What answers calls to a path, by method, and the ids in the path."""
        return {
            method: (endpoint, found.groups())
            for method, way, endpoint in self._known
            if (found := way.fullmatch(path))
        }


def answer(world: World, call: ReadCall, tables: tuple[CallTable, ...]) -> StandInAnswer:
    """The answer to a call; refused as the service does where nothing answers it."""
    known: dict[str, tuple[Endpoint, tuple[str, ...]]] = {}
    for table in reversed(tables):
        known |= table.methods(call.path)
    if not known:
        raise RefusedCall(404, "Not found", "Not found.")
    if call.method not in known:
        raise RefusedCall(405, "Method not allowed", f"Method {call.method} not allowed.")
    endpoint, names = known[call.method]
    return endpoint(world, replace(call, names=names))


def page(call: ReadCall, found: list[Any]) -> StandInAnswer:
    """A page of a list, with links to the others."""
    limit = min(_number(call, "limit", 20), MOST_ON_A_PAGE)
    offset = _number(call, "offset", 0)
    end = offset + limit
    here = f"{call.base}/api/v1/{call.path}"

    def link(title: str, at: int | None) -> dict[str, Any]:
        href = None if at is None else f"{here}?limit={limit}&offset={at}"
        return {"href": href, "title": title}

    links = {
        "self": link("Current", offset),
        "next": link("Next", end if end < len(found) else None),
        "previous": link("Previous", max(0, offset - limit) if offset else None),
        "last": link("Last", max(0, len(found) - 1) // limit * limit),
    }
    body = {"results": found[offset:end], "_links": links, "meta": {"count": len(found)}}
    return StandInAnswer(body)


def _number(call: ReadCall, name: str, usual: int) -> int:
    told = call.query.get(name, "")
    return int(told[:6]) if told.isascii() and told.isdecimal() and int(told[:6]) else usual
