"""Questions and changes with their answers read: one record, a whole list, or what was made."""

from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, TypeVar

from palaver.core.errors import PanelError, PanelUnknownError
from palaver.crowds.prolific.answers import objects_of
from palaver.crowds.prolific.api.refusals import UNKNOWN
from palaver.crowds.prolific.api.transport import Transport
from palaver.crowds.prolific.fields import AnswerFields

T = TypeVar("T")

PAGE = 200
MOST_PAGES = 1_000


class Requests:
    """What the areas of the API have in common; `wanted` says in errors what was asked for."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.ask = transport.ask
        self.change = transport.change

    async def one(self, path: str, wanted: str, read: Callable[[AnswerFields], T]) -> T:
        """One record."""
        return read(AnswerFields(await self._transport.ask(path, wanted), wanted))

    async def all(
        self,
        path: str,
        wanted: str,
        read: Callable[[AnswerFields], T],
        query: Mapping[str, str | int] | None = None,
    ) -> list[T]:
        """All records of a list."""
        return [read(fields) async for fields in self._pages(path, wanted, query or {})]

    async def made(
        self,
        path: str,
        wanted: str,
        body: Any,
        read: Callable[[AnswerFields], T],
        *,
        method: str = "POST",
    ) -> T:
        """What came of something that changes the service."""
        raw, _ = await self._transport.change(method, path, wanted, body)
        return after_change(lambda: read(AnswerFields(raw, wanted)), wanted)

    async def _pages(
        self, path: str, wanted: str, query: Mapping[str, str | int]
    ) -> AsyncIterator[AnswerFields]:
        """The objects of a list, page by page to its end, however large the service makes a page."""
        seen = 0
        last: Any = None
        for _ in range(MOST_PAGES):
            raw = await self._transport.ask(
                path, wanted, query={**query, "limit": PAGE, "offset": seen}
            )
            found = objects_of(raw, wanted)
            if not found or raw == last:
                # A service that knows no pages sends the same one again.
                return
            for each in found:
                yield each
            last = raw
            seen += len(found)
            if isinstance(raw, list) or not _has_more(AnswerFields(raw, wanted), seen):
                return
        raise PanelError(f"Prolific's list has no end ({wanted}). Try again later.")


def _has_more(fields: AnswerFields, seen: int) -> bool:
    """Whether there is more of a list: by its count, else by whether a next page is named."""
    meta = fields.inner("meta")
    if meta.has("count"):
        return seen < meta.whole("count")
    return fields.inner("_links").inner("next").has("href")


def after_change(read: Callable[[], T], wanted: str) -> T:
    """What an answer says of a change that was made; where it cannot be read, that is not known."""
    try:
        return read()
    except PanelUnknownError:
        raise
    except PanelError as error:
        raise PanelUnknownError(f"{error} This was sent: {wanted}. {UNKNOWN}") from None
