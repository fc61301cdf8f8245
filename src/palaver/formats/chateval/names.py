"""Names for what had none: ids out of texts, names that a study file can carry, systems out of ids."""

import re
from collections.abc import Collection

from palaver.core.errors import InputError

# Words that tell steps and answers apart the least.
_SMALL = frozenset(
    re.findall(
        r"\w+",
        "a an and any are as do does for from has have i in is it its of on or s so t that the "
        "their this to was were whether which with you your",
    )
)
_SPEAKERS = re.compile(r"SPEAKER_[XY](?:['’]s)?")
_CLAUSE = re.compile(r"[,;:.!?]")
# The platform calls dialogues '(440,26)_rerank_blender': who talked, and then the system.
SHIPPED_ID = re.compile(r"^\([^)]*\)_(?P<system>.+)$")
_WORDS = 3
_LONGEST = 40


def slug(text: str, taken: Collection[str], *, otherwise: str) -> str:
    """A short id out of a text, other than those that are taken.

    >>> slug("Yes, SPEAKER_X is changing the topic.", [], otherwise="answer")
    'yes'
    >>> slug("No, it is still the current topic.", ["no"], otherwise="answer")
    'no_still_current'
    """
    clause = _CLAUSE.split(text.strip(), maxsplit=1)[0]
    first = _join(_words(clause)) if len(_words(clause)) <= _WORDS else ""
    longer = _join(_words(text)[:_WORDS])
    for candidate in (first, longer, _join(_words(text)[: 2 * _WORDS])):
        if candidate and candidate not in taken:
            return candidate
    stem = longer or otherwise
    return next(name for n in range(1, 10_000) if (name := _numbered(stem, n)) not in taken)


def question_name(task: str, taken: Collection[str]) -> str:
    """The name of a task as a study file can carry it: the same one wherever possible."""
    name = re.sub(r"[^\w.-]+", "_", task).lstrip("_.-") or "task"
    return next(made for n in range(1, 10_000) if (made := _numbered(name, n)) not in taken)


def system_pattern(written: str | None) -> re.Pattern[str]:
    """The pattern that finds a system in the id of a dialogue; InputError if it cannot.

    Without one, the ids are taken to be as the platform writes them.
    """
    if written is None:
        return SHIPPED_ID
    try:
        pattern = re.compile(written)
    except re.error as error:
        raise InputError(
            f"--system-from takes a regular expression; '{written}' is none: {error}."
        ) from error
    if "system" not in pattern.groupindex and pattern.groups != 1:
        raise InputError(
            "--system-from takes a pattern with one group, or with a group named 'system', such "
            f"as '_(?P<system>[a-z]+)$'; '{written}' has {pattern.groups} groups."
        )
    return pattern


def system_in(id: str, pattern: re.Pattern[str] = SHIPPED_ID) -> str:
    """The system that the id of a dialogue names; empty where it names none.

    >>> system_in("(440,26)_rerank_blender")
    'rerank_blender'
    """
    found = pattern.search(id)
    if found is None:
        return ""
    return (found["system"] if "system" in pattern.groupindex else found[1]) or ""


def _words(text: str) -> list[str]:
    plain = re.sub(r"['’]", "", _SPEAKERS.sub(" ", text).lower())
    words = [word for word in re.findall(r"\w+", plain) if word not in _SMALL]
    return words or re.findall(r"\w+", plain)


def _join(words: list[str]) -> str:
    return "_".join(words)[:_LONGEST].strip("_")


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}_{number}"
