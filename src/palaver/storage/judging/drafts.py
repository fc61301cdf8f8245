"""Answers that somebody has given on a screen and not sent yet.

A row belongs to one screen of one visit. It holds the fields of the form as they are, by question;
nobody has checked them, and they are never labels. When a screen is sent, the row stays without its
answers and counts one more sending, until the work is done: what a page of before the sending still
tries to save is known by that.
"""

from collections.abc import Collection
from functools import cache
from importlib import import_module

import msgspec
from sqlalchemy import Connection, bindparam, delete, select

from palaver.storage.engine.prepared import Prepared
from palaver.storage.schema import drafts, slots

# The fields of each question, by what follows the question's own field ("" for itself).
KeptFields = dict[str, dict[str, list[str]]]


class Draft(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is kept of one screen.

    `sent` counts how often the screen was sent; `saves` has the number of the last save of each page
    that saved here; `opened` names the parts of the page that are unfolded, once somebody has
    folded or unfolded one.
    """

    sent: int = 0
    saves: dict[str, int] = {}
    fields: KeptFields = {}
    opened: tuple[str, ...] | None = None


EMPTY = Draft()
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Draft).decode


def encoded(draft: Draft) -> str:
    """A draft as it is stored."""
    return _encode(draft).decode()


def draft_of(connection: Connection, assignment_id: int, screen: str) -> Draft:
    """What is kept of one screen; an empty draft where nothing is."""
    content = _OF_SCREEN.scalar(connection, assignment=assignment_id, screen=screen)
    return EMPTY if content is None else _decode(content)


def put_draft(
    connection: Connection, assignment_id: int, screen: str, draft: Draft, *, now: float
) -> None:
    """Keep a draft in the place of the one before."""
    _put(connection.dialect.name).change(
        connection, assignment=assignment_id, screen=screen, content=encoded(draft), now=now
    )


def forget_drafts(connection: Connection, assignment_ids: Collection[int]) -> None:
    """Delete everything that is kept of these visits."""
    _FORGET.change(connection, assignments=list(assignment_ids))


def forget_taken(connection: Connection) -> int:
    """Delete what is kept of sheets that were given back and are in other hands; how many screens.

    A rater who comes back before that holds the same sheet again, with what was answered.
    """
    mine, spare, held = slots.alias("mine"), slots.alias("spare"), slots.alias("held")
    here = drafts.c.assignment_id
    is_spare = select(spare.c.id).where(
        spare.c.sheet_id == mine.c.sheet_id, spare.c.state == "free"
    )
    gone = select(mine.c.id).where(
        mine.c.assignment_id == here,
        mine.c.state == "abandoned",
        mine.c.rank >= 0,
        ~is_spare.exists(),
    )
    holds = select(held.c.id).where(held.c.assignment_id == here, held.c.state == "held")
    return connection.execute(delete(drafts).where(gone.exists(), ~holds.exists())).rowcount


@cache
def _put(database: str) -> Prepared:
    """The statement of one database: each writes this its own way, and only one of them is loaded."""
    insert = import_module(f"sqlalchemy.dialects.{database}").insert
    statement = insert(drafts).values(
        assignment_id=bindparam("assignment"),
        screen=bindparam("screen"),
        content=bindparam("content"),
        time=bindparam("now"),
    )
    return Prepared(
        statement.on_conflict_do_update(
            index_elements=["assignment_id", "screen"],
            set_={"content": statement.excluded.content, "time": statement.excluded.time},
        )
    )


_OF_SCREEN = Prepared(
    select(drafts.c.content).where(
        drafts.c.assignment_id == bindparam("assignment"), drafts.c.screen == bindparam("screen")
    )
)
_FORGET = Prepared(
    delete(drafts).where(drafts.c.assignment_id.in_(bindparam("assignments", expanding=True)))
)
