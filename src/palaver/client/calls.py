"""What every call of a client is made with: the connection, and answers as typed results."""

from collections.abc import Mapping
from typing import Any, TypeVar

from palaver.client.bodies import Body
from palaver.client.connection import Connection, Query
from palaver.core.serial import convert

T = TypeVar("T")


class Calls:
    """Asks a server and makes a result of what it answers."""

    _connection: Connection

    def _get(
        self, path: str, kind: type[T], query: Query | None = None, *, part: str | None = None
    ) -> T:
        found = self._connection.json("GET", path, query=query)
        return convert(found if part is None else found[part], kind)

    def _send(
        self,
        method: str,
        path: str,
        kind: type[T],
        body: Body | None = None,
        query: Query | None = None,
    ) -> T:
        found = self._connection.json(method, path, query=query, body=body)
        return convert(found, kind)


def given(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values that are not None."""
    return {name: value for name, value in values.items() if value is not None}
