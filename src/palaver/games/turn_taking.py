"""Who may speak next, as the games share it: in turn, or anybody at any time.

A seat whose partner's system failed may speak again.
"""

from typing import Literal

from palaver.core.dialogue import Dialogue
from palaver.core.errors import MoveError
from palaver.core.events import FAILURE

Taking = Literal["alternate", "free"]

BOTH = frozenset({0, 1})


def speakers(dialogue: Dialogue, taking: Taking, *, opens: int | None = None) -> frozenset[int]:
    """The seats that may speak now; `opens` is the one that speaks first, None for either."""
    last = dialogue.last_turn
    at = last.seq if last is not None else 0
    if at != dialogue.position and any(e.action == FAILURE for e in dialogue.events[at:]):
        return BOTH
    if last is None:
        return BOTH if opens is None else frozenset({opens})
    return BOTH if taking == "free" else BOTH - {last.seat}


def check_turn(seat: int, movers: frozenset[int]) -> None:
    """Raise MoveError where it is not this seat's turn."""
    if seat not in movers:
        raise MoveError("out_of_turn", "It is your partner's turn. Please wait for the reply.")
