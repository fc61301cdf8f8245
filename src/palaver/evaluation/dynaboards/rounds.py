"""Rounds on boards: which scoring data sets count.

People write against models in rounds, and each makes data sets of its own. A board of one round is the
board of the task with the data sets of that round and no others; everything else is as it always is.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from palaver.core.errors import InputError
from palaver.core.evaluation.boards import ScoringSet
from palaver.core.words import listed


@dataclass(frozen=True, slots=True)
class CountingSets:
    """The scoring data sets that count, and of which rounds there are some."""

    sets: tuple[ScoringSet, ...]
    rounds: tuple[int, ...] = ()
    round: int | None = None


def counting_sets(sets: Sequence[ScoringSet], round: int | None) -> CountingSets:
    """The data sets of a round, or all for None; InputError if the round has none."""
    rounds = tuple(sorted({each.round for each in sets if each.round}))
    if round is None:
        return CountingSets(tuple(sets), rounds)
    if not rounds:
        raise InputError(
            f"No scoring data set is of round {round}, nor of any other. To say of which round one "
            "is: palaver dataset set TASK NAME --round N."
        )
    if round not in rounds:
        known = counted_rounds(rounds)
        raise InputError(f"No scoring data set is of round {round}. There are some of {known}.")
    return CountingSets(tuple(each for each in sets if each.round == round), rounds, round)


def counted_rounds(rounds: Sequence[int]) -> str:
    """Rounds as a sentence names them.

    >>> counted_rounds([2]), counted_rounds([1, 2, 4])
    ('round 2', 'rounds 1, 2 and 4')
    """
    named = listed([str(each) for each in rounds], most=12)
    return f"round{'s' if len(rounds) > 1 else ''} {named}"
