"""Random slopes: raters who favour a system, items that suit one, as intercepts of their own.

A rater who favours one system favours it in every rating, and an item that suits one system suits it
whoever judges. A model without them takes the ratings of such a rater for independent news. A slope is
written as an intercept for each pair of a rater (or item) and a system, all with one variance, which
treats the systems alike.

D. J. Barr, R. Levy, C. Scheepers and H. J. Tily (2013), Random effects structure for confirmatory
hypothesis testing: keep it maximal, Journal of Memory and Language 68, 255–278.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from palaver.core.numeric import Numbers, np


@dataclass(frozen=True, slots=True)
class Slopes:
    """The cell of each rating by slope, which factor each slope is of, and what was left out.

    `notes` say why, by factor.
    """

    codes: dict[str, Numbers]
    factor_of: dict[str, str]
    notes: dict[str, str]


def named_slope(factor: str) -> str:
    """The name of the slope of a factor.

    >>> named_slope("rater")
    'rater × system'
    """
    return f"{factor} × system"


def slopes_of(factors: Mapping[str, Numbers], systems: Numbers) -> Slopes:
    """The slopes that the ratings can say something of; `notes` has a sentence for each other.

    Two or more levels must meet several systems, some cell of level and system must hold several
    ratings (else the slope is part of the residual), and no other factor may be the same cells.

    >>> rater, system = np.array([0, 0, 0, 0, 1, 1, 1, 1]), np.array([0, 0, 1, 1] * 2)
    >>> slopes_of({"rater": rater}, system).codes["rater × system"].tolist()
    [0, 0, 1, 1, 2, 2, 3, 3]
    """
    codes: dict[str, Numbers] = {}
    factor_of: dict[str, str] = {}
    notes: dict[str, str] = {}
    for name, levels in factors.items():
        cells = crossed(levels, systems)
        why = _left_out(name, levels, cells, {**factors, **codes})
        if why:
            notes[name] = why
            continue
        codes[named_slope(name)] = cells
        factor_of[named_slope(name)] = name
    return Slopes(codes, factor_of, notes)


def crossed(one: Numbers, other: Numbers) -> Numbers:
    """Numbers from 0 for the pairs that occur of two codes."""
    found: Numbers = np.unique(one * (int(other.max()) + 1) + other, return_inverse=True)[1]
    return found.ravel()


def is_nested(levels: Numbers, cells: Numbers) -> bool:
    """Whether all levels but one, at most, have ratings of one system only."""
    met = np.bincount(levels[np.unique(cells, return_index=True)[1]])
    return int((met > 1).sum()) < 2


def _left_out(name: str, levels: Numbers, cells: Numbers, others: Mapping[str, Numbers]) -> str:
    """Why a slope cannot be told from the rest of the model; empty where it can."""
    count = int(cells.max()) + 1
    if is_nested(levels, cells):
        return (
            f"Each '{name}' has ratings of one system, so what '{name}' adds and what it adds to "
            "one system are one variance."
        )
    if count == len(cells):
        return (
            f"No '{name}' has two ratings of one system, so the variance of '{named_slope(name)}' "
            "is part of the residual."
        )
    for other, codes in others.items():
        if int(codes.max()) + 1 == count == int(crossed(codes, cells).max()) + 1:
            return (
                f"'{named_slope(name)}' is the same as '{other}', and has no variance of its own."
            )
    return ""
