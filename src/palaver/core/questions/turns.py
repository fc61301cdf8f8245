"""Which turns of a dialogue a question is asked of: by who spoke, or by position.

Positions count turns from 0, as the ChatEvaluationPlatform does. They mislead where a dialogue does
not begin with the person; `speaker` does not, and is the form we recommend.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

from palaver.core.dialogue import Dialogue, Turn

Indices = Literal["no_indices", "odd", "even", "all", "all_skip_first"]
Role = Literal["user", "system"]

ANY = "any"
ROLES: tuple[Role, ...] = ("user", "system")


def is_speaker(name: str | int) -> bool:
    """Whether a question may name this speaker: a role, anybody, or the number of a seat."""
    return name in (*ROLES, ANY) or (isinstance(name, int) and name >= 0) or str(name).isdecimal()


def spoke(speaker: str | int, *, role: str | None, seat: int | None) -> bool:
    """Whether somebody in this role, at this seat, is the speaker that is named.

    >>> spoke("system", role="system", seat=1), spoke(0, role="system", seat=1)
    (True, False)
    """
    return speaker in (ANY, role) or str(speaker) == str(seat)


def at_index(indices: Indices, position: int) -> bool:
    """Whether the turn at this position, counted from 0, is chosen.

    >>> [n for n in range(5) if at_index("odd", n)], [n for n in range(3) if at_index("all", n)]
    ([1, 3], [0, 1, 2])
    """
    if indices == "no_indices":
        return False
    if indices == "all_skip_first":
        return position > 0
    return indices == "all" or position % 2 == (1 if indices == "odd" else 0)


def role_of(dialogue: Dialogue, seat: int) -> Role:
    """The part a seat plays: the first seat that no system held at the start is the user's.

    Where two people (or two systems) talk, seat 0 is the user and the other the system.
    """
    return role_among({s.index: s.kind for s in dialogue.seats if s.from_seq == 1}, seat)


def role_among(kinds: Mapping[int, str], seat: int) -> Role:
    """The same, of a dialogue of which only the kind of each seat at the start is known.

    >>> role_among({0: "system", 1: "person"}, 1), role_among({0: "person", 1: "person"}, 1)
    ('user', 'system')
    """
    if len(set(kinds.values())) == 2:
        return "system" if kinds.get(seat) == "system" else "user"
    return "user" if seat == 0 else "system"


def chosen_turns(
    dialogue: Dialogue, *, speaker: str | int | None, indices: Indices | None
) -> Sequence[Turn]:
    """The turns of a dialogue that a question with these settings is asked of, in order."""
    turns = list(dialogue.turns())
    if speaker is not None:
        return [t for t in turns if spoke(speaker, role=role_of(dialogue, t.seat), seat=t.seat)]
    return [turn for n, turn in enumerate(turns) if at_index(indices or "no_indices", n)]
