"""What a reader of a board must know beside its numbers, as sentences."""

from collections.abc import Mapping, Sequence

from palaver.core.numeric import np
from palaver.core.words import counted, listed
from palaver.evaluation.standings.boards import MeasureBoard

# A remark names at most this many runs.
MOST_NAMED = 6


def hole_remarks(measures: Sequence[MeasureBoard], names: Sequence[str], items: str) -> list[str]:
    """Who lacks scores, and what that means for means and test."""
    holes = np.isnan(np.stack([measure.matrix for measure in measures])).any(axis=0)
    found = []
    for name, column in zip(names, holes.T, strict=True):
        gone = int((column & ~holes.all(axis=1)).sum())
        if gone:
            found.append(
                f"{name} has no score on {gone} {items} that others have; its means are over "
                f"the rest."
            )
    if nowhere := int(holes.all(axis=1).sum()):
        found.append(f"{nowhere} {items} have no score in any run and are left out of every mean.")
    if (apart := int(holes.any(axis=1).sum())) and apart < len(holes):
        found.append(
            f"The test of differences leaves out up to {apart} of {len(holes)} {items}, because "
            f"not every run has every score there."
        )
    return found


def comparison_remarks(measures: Sequence[MeasureBoard], tested: int) -> list[str]:
    """What the test itself warns of, each once."""
    found = dict.fromkeys(
        warning
        for measure in measures
        if measure.tukey is not None
        for warning in measure.tukey.warnings
    )
    if tested == 1:
        return [*found, "There is only one run, so there is nothing to compare it with."]
    return list(found)


def oracle_remarks(oracles: Sequence[str]) -> list[str]:
    """Runs that hand in what the gold data say."""
    if not oracles:
        return []
    verb = "hands" if len(oracles) == 1 else "hand"
    noun = "an oracle, not a competitor" if len(oracles) == 1 else "oracles, not competitors"
    return [f"{_names(oracles)} {verb} in the labels of the gold data itself: {noun}."]


def swallowed_remarks(
    measures: Sequence[MeasureBoard], more_apart: Mapping[str, int], aside: Sequence[str]
) -> list[str]:
    """Baselines and oracles in the test that hide differences between the other runs."""
    if not more_apart:
        return []
    by_measure = [
        f"{counted(more_apart[each.measure], 'more pair')} by {each.title}"
        for each in measures
        if each.measure in more_apart
    ]
    are = "is" if len(aside) == 1 else "are"
    them = "it" if len(aside) == 1 else "them"
    return [
        f"{_names(aside)} {are} in the test of differences, and a run far from the others makes all "
        f"others harder to tell apart. A test without {them} would tell apart {listed(by_measure)}."
    ]


def left_out_remarks(aside: Sequence[str]) -> list[str]:
    """Runs in the tables that the test has not seen."""
    if not aside:
        return []
    are = "is" if len(aside) == 1 else "are"
    have = "has" if len(aside) == 1 else "have"
    return [f"{_names(aside)} {are} not in the test of differences and {have} no rank."]


def identical_remarks(identical: Sequence[Sequence[str]], items: str) -> list[str]:
    return [
        f"{_names(names)} have the same score on all {items} by every measure: they are "
        f"probably the same run, handed in {'twice' if len(names) == 2 else 'several times'}."
        for names in identical
    ]


def _names(names: Sequence[str]) -> str:
    return listed(names, most=MOST_NAMED)
