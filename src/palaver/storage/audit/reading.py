"""Links in the order of their chains, each with the row that it covers."""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, select

from palaver.storage.engine.chain import (
    COVERED,
    DIGEST,
    SALT,
    SEATS,
    Covered,
    proof_of,
)
from palaver.storage.schema import chain_links, events, seats

BATCH = 5000
# What covers rows, and what covers what erasures have left of them.
KINDS = (*COVERED, *(covered.rest for covered in COVERED if covered.erasable))


@dataclass(frozen=True, slots=True)
class Linked:
    """A link and its digest; `wrong` says what is the matter with its row, in a few words."""

    link: int
    kind: str
    subject: str
    digest: bytes
    wrong: str = ""


def linked(connection: Connection, *, between: tuple[int, int] | None = None) -> Iterator[Linked]:
    """Every link in order, or those between two, with the digests of their rows as they are now."""
    streams = [_links(connection, covered, between) for covered in KINDS]
    yield from heapq.merge(*streams, key=lambda each: each.link)


def _links(
    connection: Connection, covered: Covered, between: tuple[int, int] | None
) -> Iterator[Linked]:
    statement = _statement(covered)
    number = covered.table.c.link if covered.inside else chain_links.c.link
    statement = statement.where(number.is_not(None))
    if between is not None:
        statement = statement.where(number > between[0], number < between[1])
    statement = statement.order_by(number).execution_options(yield_per=BATCH)
    for row in connection.execute(statement).mappings():
        yield _read(covered, dict(row))


def _statement(covered: Covered) -> Select[Any]:
    table = covered.table
    keys = [table.c[column.name] for column in table.primary_key.columns]
    columns = {column.name: column for column in keys}
    columns |= {name: table.c[name] for name in covered.every}
    if covered.inside:
        return select(
            table.c.link.label("link_"),
            table.c.proof.label("proof_"),
            *columns.values(),
            *_erasing(covered),
        )
    return (
        select(
            chain_links.c.link.label("link_"),
            chain_links.c.proof.label("proof_"),
            chain_links.c.subject.label("subject_"),
            chain_links.c.part.label("part_"),
            *columns.values(),
        )
        .outerjoin(table, at_place(covered))
        .where(chain_links.c.kind == covered.kind)
    )


def _erasing(covered: Covered) -> list[ColumnElement[Any]]:
    named = "erased" in covered.table.c
    return [covered.table.c.erased.label("erased_")] if named else []


def at_place(covered: Covered) -> ColumnElement[bool]:
    """That a row of `chain_links` covers a row of the table."""
    table = covered.table
    if table is seats:
        part = seats.c.from_seq * SEATS + seats.c.seat
        return and_(seats.c.dialogue_id == chain_links.c.subject, part == chain_links.c.part)
    if table is events:
        return and_(
            events.c.dialogue_id == chain_links.c.subject, events.c.seq == chain_links.c.part
        )
    return table.c.id == chain_links.c.subject


def _read(covered: Covered, row: dict[str, Any]) -> Linked:
    link, proof = row["link_"], bytes(row["proof_"] or b"")
    keys = [column.name for column in covered.table.primary_key.columns]
    there = row[keys[0]] is not None
    where = [row[key] for key in keys] if there else [row.get("subject_"), row.get("part_")]
    subject = ".".join(str(each) for each in where if each is not None)

    def found(digest: bytes, wrong: str = "") -> Linked:
        return Linked(link, covered.kind, subject, digest, wrong)

    if not there:
        return found(proof, "its row was deleted")
    if len(proof) == DIGEST:
        words = [name for name in covered.erasable if row[name] is not None]
        return found(proof, f"it was erased, yet {words[0]} says something" if words else "")
    digest = covered.digest(row, proof[:SALT])
    return found(digest, "" if proof_of(proof[:SALT], digest) == proof else "its row was changed")
