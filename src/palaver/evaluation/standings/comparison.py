"""Which runs differ: the test of all pairs, for every measure, over the items that all runs have."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from palaver.analysis.rank_sets import tied_sets
from palaver.analysis.tukey import TRIALS, TukeyResult, randomised_tukeys
from palaver.analysis.tukey_trials import TrialProgress
from palaver.core.numeric import Numbers, np
from palaver.evaluation.standings.boards import SIGNIFICANCE

# Scores that differ by no more than this are the same.
SAME = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingSettings:
    """How the test is made; `legacy` is as shared tasks have published it."""

    trials: int = TRIALS
    seed: int = 1
    legacy: bool = False


def compare_runs(
    names: Sequence[str],
    matrices: Sequence[Numbers],
    settings: StandingSettings,
    progress: TrialProgress | None = None,
) -> list[TukeyResult | None]:
    """The test of each measure, whose matrix is items × runs; None where nothing can be compared.

    Items on which a run has no score are left out. Measures that have the same items are tested
    together.
    """
    found: list[TukeyResult | None] = [None] * len(matrices)
    together: dict[bytes, list[int]] = {}
    complete = [~np.isnan(matrix).any(axis=1) for matrix in matrices]
    for place, rows in enumerate(complete):
        if len(names) > 1 and rows.sum() > 1:
            together.setdefault(np.packbits(rows).tobytes(), []).append(place)
    for number, places in enumerate(together.values()):
        results = randomised_tukeys(
            [matrices[place][complete[place]] for place in places],
            names,
            trials=settings.trials,
            seed=settings.seed,
            legacy=settings.legacy,
            progress=part_of(progress, number, len(together)),
        )
        for place, result in zip(places, results, strict=True):
            found[place] = result
    return found


def part_of(
    progress: Callable[[int, int], None] | None, number: int, parts: int
) -> TrialProgress | None:
    """The progress of one of several equal parts, as progress of the whole."""
    if progress is None:
        return None
    return lambda done, total: progress(number * total + done, parts * total)


def runs_apart(tukey: TukeyResult | None) -> set[frozenset[str]]:
    """The pairs of runs that are told apart."""
    if tukey is None:
        return set()
    return {frozenset((pair.a, pair.b)) for pair in tukey.pairs if pair.p < SIGNIFICANCE}


def sets_of(names: Sequence[str], tukey: TukeyResult | None) -> tuple[tuple[str, ...], ...]:
    """The runs that cannot be told apart, given names in rank order."""
    if tukey is None:
        return ()
    apart = runs_apart(tukey)
    return tuple(tuple(each) for each in tied_sets(names, lambda a, b: frozenset((a, b)) in apart))


def identical_runs(
    names: Sequence[str], matrices: Sequence[Numbers]
) -> tuple[tuple[str, ...], ...]:
    """Runs with the same score on every item by every measure, if there are any scores."""
    table = np.concatenate(list(matrices))
    table = table[~np.isnan(table).all(axis=1)]
    if not len(table):
        return ()
    means = np.nan_to_num(table).mean(axis=0)
    groups: list[list[int]] = []
    # Equal runs have equal means, so that each need only be compared with those beside it.
    for place in np.argsort(means, kind="stable").tolist():
        near = (group for group in reversed(groups) if means[place] - means[group[0]] <= SAME)
        for group in near:
            if np.allclose(table[:, group[0]], table[:, place], rtol=0, atol=SAME, equal_nan=True):
                group.append(place)
                break
        else:
            groups.append([place])
    twins = sorted(sorted(group) for group in groups if len(group) > 1)
    return tuple(tuple(names[place] for place in group) for group in twins)
