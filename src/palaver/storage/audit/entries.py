"""Entries of the audit trail: recorded in the transaction of the act, read in pages, never edited."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, Select, insert, select

from palaver.core.audit import ACTS, Actor, AuditEntry, AuditFilter
from palaver.core.listings import Slice, Window
from palaver.storage.engine.chain import AUDIT, link
from palaver.storage.engine.statements import read_slice
from palaver.storage.schema import audit_entries, studies

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(dict[str, Any]).decode
BATCH = 1000


def record(
    connection: Connection,
    act: str,
    *,
    by: Actor,
    now: float,
    subject: str = "",
    study_id: int | None = None,
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Record that somebody did something, in the transaction in which it is done."""
    if act not in ACTS:
        raise ValueError(f"'{act}' is not an act of core/audit.py")
    row = {
        "time": now,
        "act": act,
        "account": by.name,
        "via": by.via,
        "study_id": study_id,
        # PostgreSQL keeps no NUL in a text.
        "subject": subject.replace("\0", "")[:200],
        "detail": _encode(dict(detail or {})).decode(),
        "address": by.address,
    }
    made = connection.execute(insert(audit_entries).values(row).returning(audit_entries.c.id))
    link(connection, AUDIT, [{**row, "id": made.scalar_one()}], study_id=study_id)


def read_entries(connection: Connection, wanted: AuditFilter, window: Window) -> Slice[AuditEntry]:
    """The entries in a window."""
    found = read_slice(
        connection,
        _filtered(wanted),
        window,
        id=audit_entries.c.id,
        name=audit_entries.c.id,
    )
    return found.map(_entry)


def all_entries(connection: Connection, wanted: AuditFilter) -> Iterator[AuditEntry]:
    """Every entry, oldest first, read in batches."""
    statement = _filtered(wanted).order_by(audit_entries.c.id)
    with connection.execute(statement.execution_options(yield_per=BATCH)) as rows:
        yield from map(_entry, rows)


def known_accounts(connection: Connection) -> list[str]:
    """Everybody who has an entry, by name."""
    names = select(audit_entries.c.account).distinct().order_by(audit_entries.c.account)
    return [name for name in connection.execute(names).scalars() if name]


def _filtered(wanted: AuditFilter) -> Select[Any]:
    statement = select(audit_entries, studies.c.name.label("study")).outerjoin(
        studies, studies.c.id == audit_entries.c.study_id
    )
    if wanted.act is not None:
        statement = statement.where(audit_entries.c.act == wanted.act)
    if wanted.account is not None:
        statement = statement.where(audit_entries.c.account == wanted.account)
    if wanted.study is not None:
        statement = statement.where(studies.c.name == wanted.study)
    if wanted.since is not None:
        statement = statement.where(audit_entries.c.time >= wanted.since)
    if wanted.until is not None:
        statement = statement.where(audit_entries.c.time < wanted.until)
    return statement


def _entry(row: Row[Any]) -> AuditEntry:
    return AuditEntry(
        id=row.id,
        time=row.time,
        act=row.act,
        account=row.account,
        via=row.via,
        study=row.study,
        subject=row.subject,
        detail=_decode(row.detail),
        address=row.address,
    )
