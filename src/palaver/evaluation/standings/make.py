"""Which run is better: every run on the same items, by every measure, with one verdict.

Whoever says that a run leads asks here: a folder of a shared task, a challenge, a board, a report.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from palaver.analysis.item_means import OPEN, Range, column_means
from palaver.analysis.kendall import kendall
from palaver.analysis.tukey import TRIALS, TukeyResult
from palaver.analysis.tukey_trials import TrialProgress
from palaver.core.errors import InputError
from palaver.core.estimates import Estimate
from palaver.core.numeric import Numbers, np
from palaver.evaluation.standings.boards import Better, MeasureBoard, RunResult, TaskBoard, Tau
from palaver.evaluation.standings.comparison import (
    StandingSettings,
    compare_runs,
    identical_runs,
    part_of,
    runs_apart,
    sets_of,
)
from palaver.evaluation.standings.remarks import (
    comparison_remarks,
    hole_remarks,
    identical_remarks,
    left_out_remarks,
    oracle_remarks,
    swallowed_remarks,
)

NONE_SCORED = "no item has a score"


@dataclass(frozen=True, slots=True)
class StandingMeasure:
    """What runs are measured by; `name` is the key of a run's values, which lie `within` a range."""

    name: str
    title: str
    direction: Better = "higher"
    within: Range = OPEN


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingRun:
    """One run: by measure, its score on each item, NaN where it has none."""

    name: str
    team: str
    values: Mapping[str, Numbers]
    is_baseline: bool = False
    is_oracle: bool = False
    is_late: bool = False


def stand(
    runs: Sequence[StandingRun],
    ids: Sequence[str],
    *,
    key: str,
    title: str,
    measures: Sequence[StandingMeasure],
    trials: int = TRIALS,
    seed: int = 1,
    legacy: bool = False,
    baselines: bool = True,
    oracles: bool = True,
    items: str = "items",
    progress: TrialProgress | None = None,
) -> TaskBoard:
    """The board of runs that were scored on the items `ids`, which readers know as `items`.

    Without `baselines` (or `oracles`), such runs stay in the tables, marked, without a rank, and the
    test does not see them: a run far from the others makes the others harder to tell apart. Where
    they are in the test, `more_apart` says what that costs, which takes a second test.
    """
    _check(runs, ids, measures)
    matrices = [
        np.column_stack([np.asarray(run.values[measure.name], float) for run in runs])
        for measure in measures
    ]
    settings = StandingSettings(trials=trials, seed=seed, legacy=legacy)
    tested = [
        place
        for place, run in enumerate(runs)
        if (oracles or not run.is_oracle) and (baselines or not run.is_baseline)
    ]
    competing = [
        place for place in tested if not (runs[place].is_oracle or runs[place].is_baseline)
    ]
    tests = 2 if 1 < len(competing) < len(tested) else 1
    tukeys = _compared(runs, matrices, tested, settings, part_of(progress, 0, tests))
    # One set of samples serves all runs and measures.
    ranges = [measure.within for measure in measures for _ in runs]
    estimates = column_means(np.concatenate(matrices, axis=1), ranges)
    boards = [
        _measure_board(
            measure,
            matrices[n],
            _results(
                estimates[n * len(runs) : (n + 1) * len(runs)], runs, tested, measure.direction
            ),
            tukeys[n],
        )
        for n, measure in enumerate(measures)
    ]
    more_apart: dict[str, int] = {}
    if tests == 2:
        alone = _compared(runs, matrices, competing, settings, part_of(progress, 1, tests))
        gained = [
            len(runs_apart(new) - runs_apart(old)) for old, new in zip(tukeys, alone, strict=True)
        ]
        more_apart = {m.name: more for m, more in zip(measures, gained, strict=True) if more}
    names = tuple(run.name for run in runs)
    identical = identical_runs(names, matrices)
    taus = _taus(boards, seed)
    remarks = [
        *hole_remarks(boards, names, items),
        *comparison_remarks(boards, len(tested)),
        *oracle_remarks([run.name for run in runs if run.is_oracle]),
        *swallowed_remarks(
            boards, more_apart, [names[place] for place in tested if place not in competing]
        ),
        *left_out_remarks([name for place, name in enumerate(names) if place not in tested]),
        *identical_remarks(identical, items),
        *(f"Kendall's τ: {warning}" for tau in taus for warning in tau.found.tau.warnings),
    ]
    return TaskBoard(
        key=key,
        title=title,
        ids=tuple(ids),
        runs=names,
        measures=tuple(boards),
        taus=taus,
        identical=identical,
        more_apart=more_apart,
        warnings=tuple(dict.fromkeys(remarks)),
    )


def _compared(
    runs: Sequence[StandingRun],
    matrices: Sequence[Numbers],
    chosen: Sequence[int],
    settings: StandingSettings,
    progress: TrialProgress | None,
) -> list[TukeyResult | None]:
    """The test of some of the runs, by name: what it says does not depend on the order they came in."""
    chosen = sorted(chosen, key=lambda place: runs[place].name)
    names = [runs[place].name for place in chosen]
    return compare_runs(names, [matrix[:, chosen] for matrix in matrices], settings, progress)


def _measure_board(
    measure: StandingMeasure,
    matrix: Numbers,
    results: tuple[RunResult, ...],
    tukey: TukeyResult | None,
) -> MeasureBoard:
    ranked = [each.run for each in results if each.is_ranked and not each.is_oracle]
    return MeasureBoard(
        measure=measure.name,
        title=measure.title,
        direction=measure.direction,
        matrix=matrix,
        results=results,
        tukey=tukey,
        sets=sets_of(ranked, tukey),
    )


def _check(
    runs: Sequence[StandingRun], ids: Sequence[str], measures: Sequence[StandingMeasure]
) -> None:
    names = [run.name for run in runs]
    if not runs or not measures:
        raise InputError("Standings need at least one run and one measure.")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"Two runs are called '{twice}'; each run needs a name of its own.")
    for run in runs:
        for measure in measures:
            if (given := len(run.values.get(measure.name, ()))) != len(ids):
                raise InputError(
                    f"The run '{run.name}' has {given} values of {measure.title}; one for each of "
                    f"the {len(ids)} items is expected, NaN where there is none."
                )


def _results(
    estimates: Sequence[Estimate],
    runs: Sequence[StandingRun],
    tested: Sequence[int],
    direction: Better,
) -> tuple[RunResult, ...]:
    """The runs, best first; those without a mean stand last."""
    sign = 1.0 if direction == "lower" else -1.0
    places = [sign * estimate.value for estimate in estimates]
    among = np.array([places[n] for n in tested])
    found = [
        RunResult(
            run=run.name,
            team=run.team,
            is_oracle=run.is_oracle,
            is_baseline=run.is_baseline,
            is_late=run.is_late,
            rank=_rank(places[n], among) if n in tested else float("nan"),
            estimate=estimates[n] if estimates[n].n else Estimate.undefined(NONE_SCORED),
        )
        for n, run in enumerate(runs)
    ]
    order = sorted(
        range(len(runs)), key=lambda n: (places[n] != places[n], places[n], runs[n].name)
    )
    return tuple(found[n] for n in order)


def _rank(value: float, means: Numbers) -> float:
    """1 for the lowest; equal means share the mean of their ranks; NaN has none."""
    same = int((means == value).sum())
    return int((means < value).sum()) + (same + 1) / 2 if same else float("nan")


def _taus(measures: Sequence[MeasureBoard], seed: int) -> tuple[Tau, ...]:
    found = []
    for one, other in combinations(measures, 2):
        means = [{result.run: result.estimate.value for result in m.results} for m in (one, other)]
        runs = [run for run in means[0] if not np.isnan(means[0][run] + means[1][run])]
        pair = kendall([means[0][run] for run in runs], [means[1][run] for run in runs], seed=seed)
        found.append(Tau(first=one.measure, second=other.measure, found=pair))
    return tuple(found)
