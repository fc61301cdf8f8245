"""The options of a question: what can be chosen, by whose turn it is, and the labels it gives."""

from collections.abc import Iterable, Sequence

import msgspec

from palaver.core.questions.question import CodedValue, Shown
from palaver.core.questions.turns import ANY, ROLES, Role, is_speaker, spoke

# What an answer that chose nothing reads as.
NONE = "none of these"


class Option(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One thing to choose; with a `speaker` it is offered only on that speaker's turns."""

    id: str
    text: str
    label: str = ""
    help: str = ""
    speaker: str | int | None = None

    @property
    def meaning(self) -> str:
        """The label that choosing it gives."""
        return self.label or self.id


def check_options(options: Sequence[Option], *, least: int, what: str = "options") -> None:
    """ValueError unless there are enough options and they can be told apart."""
    if len(options) < least:
        raise ValueError(f"'{what}' needs {least} or more entries; got {len(options)}.")
    check_ids([option.id for option in options], what=what)
    for option in options:
        if option.speaker is not None and not is_speaker(option.speaker):
            raise ValueError(
                f"'speaker' of '{option.id}' takes 'system', 'user', '{ANY}' or the number of a "
                f"seat; got '{option.speaker}'."
            )


def check_ids(ids: Sequence[str], *, what: str) -> None:
    """ValueError where an id is empty or stands twice."""
    seen: set[str] = set()
    for given in ids:
        if not given.strip():
            raise ValueError(f"An id under '{what}' is empty.")
        if given in seen:
            raise ValueError(f"The id '{given}' is listed twice under '{what}'.")
        seen.add(given)


def offered(options: Iterable[Option], shown: Shown) -> tuple[Option, ...]:
    """The options that stand at this turn; all of them where nobody in particular spoke."""
    if shown.role is None and shown.seat is None:
        return tuple(options)
    return tuple(
        option
        for option in options
        if option.speaker is None or spoke(option.speaker, role=shown.role, seat=shown.seat)
    )


def offered_to(options: Iterable[Option], role: Role) -> tuple[Option, ...]:
    """The options that stand at the turns of a role; seat 0 is the user's, as among two people."""
    seat = ROLES.index(role)
    return tuple(
        option
        for option in options
        if option.speaker is None or spoke(option.speaker, role=role, seat=seat)
    )


def meanings(options: Iterable[Option]) -> tuple[str, ...]:
    """The labels that these options give, in their order, without doubles."""
    return tuple(dict.fromkeys(option.meaning for option in options))


def coded(options: Iterable[Option]) -> tuple[CodedValue, ...]:
    """The options as a codebook lists them."""
    return tuple(CodedValue(value=o.id, text=o.text, label=o.meaning) for o in options)


def worded(options: Iterable[Option], ids: Iterable[str]) -> str:
    """The texts of the options with these ids, in the order of the options."""
    wanted = set(ids)
    return "; ".join(option.text for option in options if option.id in wanted) or NONE
