"""Conditions that several statements about slots share."""

from sqlalchemy import ColumnElement, and_, bindparam, literal_column, select

from palaver.storage.schema import sheet_people, slots

PERSON = (
    slots.c.participant_id == bindparam("participant"),
    slots.c.study_id == bindparam("study"),
    slots.c.stage == bindparam("stage"),
)


def is_in(state: str) -> ColumnElement[bool]:
    """That a slot is in this state."""
    # Written out, so that PostgreSQL plans for this state and not for any.
    return slots.c.state == literal_column(f"'{state}'")


def may_have(group: ColumnElement[str], sheet: ColumnElement[int]) -> ColumnElement[bool]:
    """That a person has no slot of a group, and was not part of a sheet's dialogues."""
    mine = slots.alias("mine")
    seen = select(mine.c.id).where(
        mine.c.study_id == bindparam("study"),
        mine.c.stage == bindparam("stage"),
        mine.c.group_key == group,
        mine.c.participant_id == bindparam("participant"),
    )
    present = select(sheet_people.c.sheet_id).where(
        sheet_people.c.sheet_id == sheet,
        sheet_people.c.person.in_(bindparam("people", expanding=True)),
    )
    return and_(~seen.exists(), ~present.exists())
