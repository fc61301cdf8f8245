"""Links that are kept: one row for each person whom a link was made for."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update

from palaver.core.studies.links import KeptLink, link_state
from palaver.storage.schema import links


def add_links(
    connection: Connection,
    study_id: int,
    people: Sequence[tuple[str, str]],
    *,
    account: str,
    made: float,
    expires: float,
) -> None:
    """Keep a link for each person and the name of each."""
    rows = [
        {
            "study_id": study_id,
            "person": person,
            "name": name,
            "account": account,
            "made": made,
            "expires": expires,
        }
        for person, name in people
    ]
    if rows:
        connection.execute(insert(links), rows)


def links_of(connection: Connection, study_id: int, *, now: float) -> list[KeptLink]:
    """The links of a study as they stand now, newest first."""
    rows = connection.execute(
        select(links).where(links.c.study_id == study_id).order_by(links.c.id.desc())
    )
    return [_link(row, now) for row in rows]


def count_links(connection: Connection, study_id: int) -> int:
    """How many links of a study are kept."""
    counted = select(func.count()).where(links.c.study_id == study_id)
    return int(connection.execute(counted).scalar_one())


def link_of(connection: Connection, person: str, *, now: float) -> KeptLink | None:
    """The link that was made for a person as it stands now; None if theirs is not kept."""
    row = connection.execute(select(links).where(links.c.person == person)).one_or_none()
    return None if row is None else _link(row, now)


def note_use(connection: Connection, person: str, *, now: float) -> None:
    """A person has begun a visit with their link."""
    connection.execute(
        update(links).where(links.c.person == person, links.c.used.is_(None)).values(used=now)
    )


def revoke(connection: Connection, study_id: int, link_id: int, *, now: float) -> bool:
    """Revoke a link of a study; False if there is none that could be."""
    changed = connection.execute(
        update(links)
        .where(links.c.id == link_id, links.c.study_id == study_id, links.c.revoked.is_(None))
        .values(revoked=now)
    )
    return changed.rowcount == 1


def forget_link(connection: Connection, person: str) -> None:
    """Take person and name from a link; that there was one, and when it was used, stays."""
    connection.execute(update(links).where(links.c.person == person).values(person=None, name=""))


def _link(row: Row[Any], now: float) -> KeptLink:
    values = dict(row._mapping)
    del values["study_id"]
    state = link_state(
        person=row.person, expires=row.expires, used=row.used, revoked=row.revoked, now=now
    )
    return KeptLink(**values, state=state)
