"""The audit trail as its readers ask for it: filters out of an address, pages, and files."""

import csv
import io
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta

import msgspec
from sqlalchemy import Connection

from palaver.core.audit import AuditEntry, AuditFilter, AuditPage
from palaver.core.errors import InputError
from palaver.core.listings import Slice, Window
from palaver.storage.audit import entries
from palaver.storage.studies.studies import list_studies

FORMATS = ("csv", "jsonl")
COLUMNS = ("id", "time", "act", "account", "via", "study", "subject", "detail", "address")


def asked_filter(
    *,
    act: str | None = None,
    account: str | None = None,
    study: str | None = None,
    since: str | None = None,
    until: str | None = None,
) -> AuditFilter:
    """The filter that an address or a command names; days are days in UTC, `until` included."""
    return AuditFilter(
        act=act or None,
        account=account or None,
        study=study or None,
        since=_day(since, "since"),
        until=_day(until, "until", after=1),
    ).checked()


def read_trail(connection: Connection, wanted: AuditFilter, window: Window) -> Slice[AuditEntry]:
    """A part of the trail."""
    return entries.read_entries(connection, wanted, window)


def read_page(connection: Connection, wanted: AuditFilter, *, after: int, limit: int) -> AuditPage:
    """The entries behind an id, oldest first."""
    window = Window(size=limit, after=after or None, newest_first=False)
    found = entries.read_entries(connection, wanted, window)
    return AuditPage(tuple(found.rows), found.rows[-1].id if found.has_next else None)


def trail_accounts(connection: Connection) -> list[str]:
    """Everybody who has an entry, by name."""
    return entries.known_accounts(connection)


def trail_studies(connection: Connection) -> list[str]:
    """The studies that entries may belong to."""
    return [study.name for study in list_studies(connection)]


def trail_file(connection: Connection, wanted: AuditFilter, format: str) -> str:
    """The whole trail as a file."""
    if format not in FORMATS:
        raise InputError(
            f"The audit trail is written as {' or '.join(FORMATS)}; got '{format[:40]}'."
        )
    found = entries.all_entries(connection, wanted)
    lines = _csv_lines(found) if format == "csv" else _json_lines(found)
    return "".join(lines)


def _json_lines(found: Iterable[AuditEntry]) -> Iterator[str]:
    for entry in found:
        yield msgspec.json.encode(_row(entry)).decode() + "\n"


def _csv_lines(found: Iterable[AuditEntry]) -> Iterator[str]:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for entry in found:
        row = _row(entry) | {"detail": msgspec.json.encode(entry.detail).decode()}
        writer.writerow([_cell(row[name]) for name in COLUMNS])
    yield text.getvalue()


def _cell(value: object) -> object:
    """A cell that no spreadsheet takes for a formula."""
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return value


def _row(entry: AuditEntry) -> dict[str, object]:
    moment = datetime.fromtimestamp(entry.time, UTC).isoformat(timespec="seconds")
    return {name: getattr(entry, name) for name in COLUMNS} | {"time": moment}


def _day(given: str | None, name: str, *, after: int = 0) -> float | None:
    if not given:
        return None
    try:
        day = datetime.strptime(given, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError as error:
        raise InputError(f"'{name}' takes a day such as 2026-03-31; got '{given[:40]}'.") from error
    return (day + timedelta(days=after)).timestamp()
