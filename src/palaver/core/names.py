"""What people of a home are called: short, stable, and the same on every page and in every file.

The name follows from the row, so a bundle has the names of the home that it came from.
"""

import re

from palaver.core.labels import RaterKind
from palaver.core.words import isolated

_PERSON = re.compile(r"[pP](\d{1,9})")


def dialogue_title(name: str, source_id: str | None) -> str:
    """A dialogue's short name, with the one that its file gave it.

    >>> dialogue_title("d07", "1234"), dialogue_title("d07", None)
    ('d07 (yours: 1234)', 'd07')
    """
    return f"{name} (yours: {isolated(source_id)})" if source_id else name


def person_name(participant_id: int) -> str:
    """What people call somebody who took part.

    >>> person_name(7), person_name(1204)
    ('P07', 'P1204')
    """
    return f"P{participant_id:02}"


def person_id(name: str) -> int | None:
    """The participant whom a short name means; None if it is not one.

    >>> person_id("p07"), person_id("P"), person_id("d07")
    (7, None, None)
    """
    found = _PERSON.fullmatch(name)
    return int(found[1]) if found else None


def rater_title(name: str, key: str) -> str:
    """A rater's short name with the key that files have; one whose name is the key has no other.

    >>> rater_title("P07", "p_x"), rater_title("judge-1", "judge-1")
    ('P07 (p_x)', 'judge-1')
    """
    return name if name == key else f"{name} ({isolated(key)})"


def rater_name(rater_id: int, key: str, kind: RaterKind, participant_id: int | None) -> str:
    """What people call a rater: as a participant where they are one; models have names of their own.

    >>> rater_name(3, "p_x", "person", 7), rater_name(4, "anon:dialogue:d_x:1", "anonymous", None)
    ('P07', 'A04')
    >>> rater_name(5, "judge-1", "model", None)
    'judge-1'
    """
    if participant_id is not None:
        return person_name(participant_id)
    return f"A{rater_id:02}" if kind == "anonymous" else key
