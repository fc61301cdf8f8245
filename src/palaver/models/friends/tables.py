"""The table of a side: its columns, its friends, and the values they have."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from palaver.core.errors import InputError
from palaver.games.mutual_friends.lexicon import Entity

Row = tuple[Entity, ...]


@dataclass(frozen=True)
class FriendsTable:
    """Friends in their order, each with the values it has."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    @classmethod
    def of(cls, friends: Any, columns: Sequence[str] = ()) -> "FriendsTable":
        """A table as scenarios write it; InputError where it is something else."""
        is_table = isinstance(friends, Sequence) and not isinstance(friends, str)
        if not is_table or not friends or not all(isinstance(row, Mapping) for row in friends):
            raise InputError(
                "A table of MutualFriends is a list of friends, each with values by attribute; got "
                f"{friends!r:.60}."
            )
        present = dict.fromkeys(str(name) for row in friends for name in row)
        ordered = {**dict.fromkeys(name for name in columns if name in present), **present}
        return cls(tuple(ordered), tuple(row_of(row, tuple(ordered)) for row in friends))

    @cached_property
    def entities(self) -> tuple[Entity, ...]:
        """Every value once, in the order of the table."""
        return tuple(dict.fromkeys(entity for row in self.rows for entity in row))

    @cached_property
    def own(self) -> frozenset[Entity]:
        return frozenset(self.entities)

    def find(self, friend: Any) -> int | None:
        """The number of a friend's row, from 0; None where nobody is this friend."""
        if not isinstance(friend, Mapping):
            return None
        wanted = frozenset(row_of(friend, self.columns))
        if not wanted or any(str(name) not in self.columns for name in friend):
            return None
        return next((n for n, row in enumerate(self.rows) if frozenset(row) == wanted), None)


def row_of(friend: Mapping[str, Any], columns: Sequence[str]) -> Row:
    """The values of a friend in the order of the columns; an attribute may have several, or none."""
    found: list[Entity] = []
    for name in columns:
        value = friend.get(name)
        values = value if isinstance(value, list) else [] if value is None else [value]
        found += [Entity(name, str(each)) for each in values]
    return tuple(dict.fromkeys(found))
