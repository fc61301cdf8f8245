"""Recruitments as rows: written before the panel is asked, so that none is lost."""

from collections.abc import Mapping
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, Select, insert, select, update

from palaver.core.errors import MissingError
from palaver.core.recruiting.recruitments import HeldFor, Recruitment, Wanted
from palaver.storage.engine.keys import new_key
from palaver.storage.schema import studies
from palaver.storage.schema.recruiting import recruitments

_encode = msgspec.json.Encoder().encode
_codes = msgspec.json.Decoder(dict[str, str]).decode
_terms = msgspec.json.Decoder(dict[str, Any]).decode


def add_recruitment(
    connection: Connection,
    *,
    study_id: int,
    panel: str,
    title: str,
    places: int,
    reward: int,
    currency: str,
    minutes: int,
    place_cost: int,
    fee: int,
    codes: Mapping[str, str],
    terms: Mapping[str, Any],
    is_trial: bool,
    grows: bool,
    now: float,
) -> Recruitment:
    """A new recruitment, of which the panel knows nothing yet."""
    key = new_key("r")
    connection.execute(
        insert(recruitments).values(
            key=key,
            study_id=study_id,
            panel=panel,
            title=title,
            state="creating",
            wanted="draft",
            places=places,
            reward=reward,
            currency=currency,
            minutes=minutes,
            place_cost=place_cost,
            fee=fee,
            codes=_encode(codes).decode(),
            terms=_encode(terms).decode(),
            is_trial=is_trial,
            grows=grows,
            created=now,
        )
    )
    return find_recruitment(connection, key)


def find_recruitment(connection: Connection, key: str, *, lock: bool = False) -> Recruitment:
    """The recruitment with this key; MissingError if there is none."""
    statement = _select().where(recruitments.c.key == key)
    if lock:
        statement = statement.with_for_update(of=recruitments, key_share=True)
    row = connection.execute(statement).one_or_none()
    if row is None:
        raise MissingError(f"There is no recruitment '{key[:40]}' here.")
    return _recruitment(row)


def recruitment_at(connection: Connection, panel: str, panel_id: str) -> Recruitment | None:
    """The recruitment that a panel calls so; None if it is not ours."""
    row = connection.execute(
        _select().where(recruitments.c.panel == panel, recruitments.c.panel_id == panel_id)
    ).one_or_none()
    return None if row is None else _recruitment(row)


def recruitment_by_id(connection: Connection, recruitment_id: int) -> Recruitment:
    return _recruitment(
        connection.execute(_select().where(recruitments.c.id == recruitment_id)).one()
    )


def list_recruitments(connection: Connection, study_id: int | None = None) -> list[Recruitment]:
    """Every recruitment, or those of one study, oldest first."""
    statement = _select().order_by(recruitments.c.id)
    if study_id is not None:
        statement = statement.where(recruitments.c.study_id == study_id)
    return [_recruitment(row) for row in connection.execute(statement)]


def has_recruitments(connection: Connection) -> bool:
    """Whether anybody was ever recruited by a panel's service."""
    return connection.scalar(select(recruitments.c.id).limit(1)) is not None


def terms_of(connection: Connection, recruitment_id: int) -> dict[str, Any]:
    """What a recruitment was created with."""
    found = select(recruitments.c.terms).where(recruitments.c.id == recruitment_id)
    return _terms(connection.scalar(found) or "{}")


def note_panel(
    connection: Connection,
    recruitment: Recruitment,
    *,
    panel_id: str,
    state: str,
    places: int | None = None,
    taken: int | None = None,
    published: float | None = None,
) -> Recruitment:
    """Note what the panel says of a recruitment; its trouble is over."""
    values: dict[str, Any] = {"panel_id": panel_id, "state": state, "trouble": ""}
    if places is not None:
        values["places"] = places
    if taken is not None:
        values["taken"] = taken
    if published is not None and recruitment.published is None:
        values["published"] = published
    return _change(connection, recruitment, values)


def want(
    connection: Connection, recruitment: Recruitment, wanted: Wanted, *, held_for: HeldFor = ""
) -> Recruitment:
    """Note what is wanted of a recruitment, and why it is held back by itself."""
    return _change(connection, recruitment, {"wanted": wanted, "held_for": held_for})


def let_grow(connection: Connection, recruitment: Recruitment, grows: bool) -> Recruitment:
    """Note whether places follow the quotas that are left."""
    return _change(connection, recruitment, {"grows": grows})


def note_trouble(connection: Connection, recruitment: Recruitment, trouble: str) -> Recruitment:
    """Note what went wrong with a recruitment."""
    return _change(connection, recruitment, {"trouble": trouble})


def note_missing(connection: Connection, recruitment: Recruitment, trouble: str) -> Recruitment:
    """Note that the panel no longer knows a recruitment."""
    return _change(connection, recruitment, {"state": "missing", "trouble": trouble})


def note_checked(connection: Connection, recruitment: Recruitment, *, now: float) -> None:
    """Note that all submissions of a recruitment were read."""
    _change(connection, recruitment, {"checked": now})


def note_cost(connection: Connection, recruitment: Recruitment, *, place_cost: int) -> Recruitment:
    """Note what a place costs, as the panel's calculator says."""
    return _change(connection, recruitment, {"place_cost": place_cost})


def drop_recruitment(connection: Connection, recruitment: Recruitment) -> None:
    """Forget a recruitment that the panel surely knows nothing of."""
    connection.execute(
        recruitments.delete().where(
            recruitments.c.id == recruitment.id, recruitments.c.panel_id.is_(None)
        )
    )


def _change(
    connection: Connection, recruitment: Recruitment, values: Mapping[str, Any]
) -> Recruitment:
    connection.execute(
        update(recruitments).where(recruitments.c.id == recruitment.id).values(**values)
    )
    return recruitment_by_id(connection, recruitment.id)


def _select() -> Select[Any]:
    return select(recruitments, studies.c.name.label("study")).join(
        studies, studies.c.id == recruitments.c.study_id
    )


def _recruitment(row: Row[Any]) -> Recruitment:
    values = dict(row._mapping)
    del values["terms"]
    values["codes"] = _codes(values["codes"])
    return Recruitment(**values)
