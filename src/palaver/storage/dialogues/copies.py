"""Dialogues that were made of parts of other dialogues, so that strangers can judge these.

A copy is known by what it is called after: its group is the key of the dialogue it was made of, and
its source is named `KEY-SEQ`, after the event that it is about. Whoever may not be known by the copy's
own key stays unknown; whoever withdraws takes their copies with them.
"""

from collections.abc import Collection

from sqlalchemy import ColumnElement, Connection, FromClause, and_, select

from palaver.storage.schema import dialogues

# Whose words a copy holds: those of this seat, wherever the person sat before.
USER = 0


def is_copy(copy: FromClause, original: FromClause) -> ColumnElement[bool]:
    """That a dialogue was made of another one."""
    return and_(
        copy.c.group_key == original.c.key,
        copy.c.source_id.like(original.c.key.concat("-%")),
    )


def copies_of(connection: Connection, dialogue_ids: Collection[int]) -> list[int]:
    """The dialogues that were made of these, in whichever study."""
    copy = dialogues.alias("copy")
    rows = connection.execute(
        select(copy.c.id)
        .join(dialogues, is_copy(copy, dialogues))
        .where(dialogues.c.id.in_(dialogue_ids))
        .order_by(copy.c.id)
    )
    return [int(copy_id) for copy_id in rows.scalars()]
