"""What pages of the desk are made of: parts of lists, filters, facts, and what addresses say."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from starlette.datastructures import QueryParams

from palaver.core.listings import Slice, Window
from palaver.web.formatting import with_query

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pager:
    """The pages before and after; empty where there is none."""

    previous_url: str = ""
    next_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListAsked:
    """Which part of a list an address asks for: behind or before a row, and in which order."""

    address: str
    size: int
    after: str | None
    before: str | None
    newest_first: bool
    # What else the address says, and keeps from page to page.
    kept: Mapping[str, str | None]

    @classmethod
    def read(
        cls, query: QueryParams, address: str, *, size: int, kept: Sequence[str] = ()
    ) -> "ListAsked":
        return cls(
            address=address,
            size=size,
            after=asked_for(query, "after"),
            before=asked_for(query, "before"),
            newest_first=query.get("sort") != "oldest",
            kept={name: asked_for(query, name) for name in kept},
        )

    def window(self, read: Callable[[str], str | int | None] = str) -> Window:
        """The rows to read; `read` makes a row's name of what the address says."""
        after, before = (
            None if given is None else read(given) for given in (self.after, self.before)
        )
        return Window(size=self.size, after=after, before=before, newest_first=self.newest_first)

    def listed(self, found: Slice[T], name: Callable[[T], str | int]) -> "Listed[T]":
        """What was read, with the addresses of the parts beside it and of the other order."""
        rows, sort = found.rows, None if self.newest_first else "oldest"
        first, last = (name(rows[0]), name(rows[-1])) if rows else (None, None)

        def at(**place: str | int | None) -> str:
            return with_query(self.address, **self.kept, **place)

        return Listed(
            rows=rows,
            pager=Pager(
                previous_url=at(sort=sort, before=first) if rows and found.has_previous else "",
                next_url=at(sort=sort, after=last) if rows and found.has_next else "",
            ),
            newest_first=self.newest_first,
            turned_url=at(sort="oldest" if self.newest_first else None),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed(Generic[T]):
    """A part of a list: its rows, the parts beside it, and the same list in the other order."""

    rows: Sequence[T]
    pager: Pager
    newest_first: bool
    turned_url: str


def asked_for(query: QueryParams, name: str) -> str | None:
    """What an address says of something; None where it says nothing."""
    return plain(query.get(name, "")) or None


def options(known: Mapping[str, str], chosen: str | None) -> tuple["FilterOption", ...]:
    """The choices of a filter; an address may name what is not there."""
    given = {**known, **({chosen: known.get(chosen, chosen)} if chosen is not None else {})}
    return tuple(
        FilterOption(value=value, label=label, chosen=value == chosen)
        for value, label in given.items()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterOption:
    """One choice of a filter."""

    value: str
    label: str
    chosen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A name and what it is; `url` leads on."""

    name: str
    value: str
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """A password or token that is shown this once."""

    title: str
    value: str
    note: str


def plain(given: str, *, most: int = 200) -> str:
    """What an address asks for, without the NUL that nothing is called by, and not too long."""
    return given.replace("\0", "").strip()[:most]
