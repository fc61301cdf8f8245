"""The boards of a shared task: every run scored, compared with every other, and ranked.

One board per task and language. Runs are ranked by the mean of a measure over dialogues; which of
them differ is said by the randomised Tukey HSD test over the dialogues that all runs have.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

from palaver.analysis.kendall import Kendall, kendall
from palaver.analysis.means import mean
from palaver.analysis.rank_sets import order_sentence, tied_sets
from palaver.analysis.tukey import TRIALS, TukeyPair, TukeyResult, randomised_tukey
from palaver.core.errors import InputError
from palaver.core.estimates import Estimate, html_table
from palaver.core.numeric import Numbers, np
from palaver.core.serial import flat, internal, key, plain
from palaver.evaluation.dialeval.baselines import baseline
from palaver.evaluation.dialeval.gold import Gold
from palaver.evaluation.dialeval.predictions import Predictions, lay_out
from palaver.evaluation.dialeval.runs import PredictedRun
from palaver.evaluation.dialeval.scoring import MEASURES, NONE_SCORED, score
from palaver.formats.submissions import KEYS, TASKS, Entries, Task
from palaver.metrics.distances import normalised

# Two runs are told apart when the p-value of their pair is below this.
SIGNIFICANCE = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """One run's mean of one measure; `rank` 1 is the lowest, equal means share a rank."""

    run: str
    team: str
    is_oracle: bool = key("oracle", False)
    rank: float
    estimate: Estimate = flat()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tau:
    """How far two measures rank the runs alike."""

    first: str
    second: str
    found: Kendall

    def as_json(self) -> dict[str, Any]:
        return {"first": self.first, "second": self.second, **plain(self.found)}


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureBoard:
    """One measure on one board: dialogues × runs, and what follows from them.

    `results` stand in rank order. `tukey` is None where there is nothing to compare. `sets` are the
    runs, oracles aside, that cannot be told apart.
    """

    measure: str
    matrix: Numbers
    results: tuple[RunResult, ...]
    tukey: TukeyResult | None
    sets: tuple[tuple[str, ...], ...]

    @property
    def answer(self) -> str:
        if self.tukey is None:
            return "There are not enough runs or dialogues to compare"
        names = [result.run for result in self.results if not result.is_oracle]
        return order_sentence(names, self.sets, final=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskBoard:
    """The runs of one task in one language; everything but the matrices is told."""

    derived: ClassVar[tuple[str, ...]] = ("dialogues", "results", "pairs", "tied_sets")

    task: Task
    language: str
    ids: tuple[str, ...] = internal()
    runs: tuple[str, ...] = internal()
    measures: tuple[MeasureBoard, ...] = internal()
    taus: tuple[Tau, ...]
    warnings: tuple[str, ...]

    @property
    def key(self) -> str:
        """A name for folders: `nugget-english`."""
        return "-".join(filter(None, (KEYS[self.task], self.language)))

    @property
    def title(self) -> str:
        """A name for people."""
        task = {"nd": "Nugget detection", "dq": "Dialogue quality"}[self.task]
        return f"{task}, {self.language.capitalize()}" if self.language else task

    @property
    def dialogues(self) -> int:
        return len(self.ids)

    @property
    def results(self) -> dict[str, tuple[RunResult, ...]]:
        """The runs in rank order, by measure."""
        return {measure.measure: measure.results for measure in self.measures}

    @property
    def pairs(self) -> dict[str, tuple[TukeyPair, ...]]:
        """Each pair of runs, by measure."""
        return {
            measure.measure: measure.tukey.pairs
            for measure in self.measures
            if measure.tukey is not None
        }

    @property
    def tied_sets(self) -> dict[str, tuple[tuple[str, ...], ...]]:
        """The runs that cannot be told apart, by measure."""
        return {measure.measure: measure.sets for measure in self.measures}

    def _repr_html_(self) -> str:
        return html_table(
            [
                {"measure": measure, **plain(result)}
                for measure, results in self.results.items()
                for result in results
            ],
            caption=self.title,
        )


def make_boards(
    gold: Gold,
    entrants: Sequence[PredictedRun],
    *,
    trials: int = TRIALS,
    seed: int = 1,
    legacy: bool = False,
    oracles: bool = True,
) -> list[TaskBoard]:
    """A board for every task and language that a run takes part in; without `oracles`, unlisted."""
    oracle = _oracle(gold)
    if not oracles:
        entrants = [e for e in entrants if not _is_oracle(e.predictions, oracle, e.task)]
    keys = dict.fromkeys((entrant.task, entrant.language) for entrant in entrants)
    boards = []
    for task, language in sorted(keys, key=lambda key: (TASKS.index(key[0]), key[1])):
        those = [
            entrant for entrant in entrants if (entrant.task, entrant.language) == (task, language)
        ]
        boards.append(_board(gold, those, oracle, trials=trials, seed=seed, legacy=legacy))
    return boards


def _board(
    gold: Gold,
    entrants: Sequence[PredictedRun],
    oracle: Predictions | None,
    *,
    trials: int,
    seed: int,
    legacy: bool,
) -> TaskBoard:
    task, language = entrants[0].task, entrants[0].language
    names = tuple(entrant.name for entrant in entrants)
    values = [score(gold, entrant.predictions).values for entrant in entrants]
    oracles = {
        entrant.name for entrant in entrants if _is_oracle(entrant.predictions, oracle, task)
    }
    measures = []
    for measure in MEASURES[task]:
        matrix = np.column_stack([value[measure] for value in values])
        tukey = _tukey(matrix, names, trials=trials, seed=seed, legacy=legacy)
        results = _results(matrix, entrants, oracles)
        sets = _sets([result.run for result in results if not result.is_oracle], tukey)
        measures.append(
            MeasureBoard(measure=measure, matrix=matrix, results=results, tukey=tukey, sets=sets)
        )
    taus = _taus(measures, seed)
    warnings = [*_warnings(measures, names), *_oracle_warning(sorted(oracles))]
    warnings += [f"Kendall's τ: {warning}" for tau in taus for warning in tau.found.tau.warnings]
    return TaskBoard(
        task=task,
        language=language,
        ids=tuple(gold.ids),
        runs=names,
        measures=tuple(measures),
        taus=taus,
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _results(
    matrix: Numbers, entrants: Sequence[PredictedRun], oracles: set[str]
) -> tuple[RunResult, ...]:
    scored = [column[~np.isnan(column)].tolist() for column in matrix.T]
    estimates = [mean(each) if each else Estimate.undefined(NONE_SCORED) for each in scored]
    means = [estimate.value for estimate in estimates]
    found = [
        RunResult(
            run=entrant.name,
            team=entrant.team,
            rank=_rank(estimate.value, means),
            estimate=estimate,
            is_oracle=entrant.name in oracles,
        )
        for entrant, estimate in zip(entrants, estimates, strict=True)
    ]
    return tuple(sorted(found, key=lambda each: (each.rank != each.rank, each.rank, each.run)))


def _rank(value: float, means: Sequence[float]) -> float:
    """1 for the lowest; equal means share the mean of their ranks; NaN has none."""
    below = sum(other < value for other in means)
    same = sum(other == value for other in means)
    return below + (same + 1) / 2 if same else float("nan")


def _tukey(
    matrix: Numbers, names: tuple[str, ...], *, trials: int, seed: int, legacy: bool
) -> TukeyResult | None:
    complete = matrix[~np.isnan(matrix).any(axis=1)]
    if len(names) < 2 or len(complete) < 2:
        return None
    return randomised_tukey(complete, names, trials=trials, seed=seed, legacy=legacy)


def _sets(names: list[str], tukey: TukeyResult | None) -> tuple[tuple[str, ...], ...]:
    if tukey is None:
        return ()
    apart = {frozenset((pair.a, pair.b)) for pair in tukey.pairs if pair.p < SIGNIFICANCE}
    return tuple(tuple(each) for each in tied_sets(names, lambda a, b: frozenset((a, b)) in apart))


def _taus(measures: Sequence[MeasureBoard], seed: int) -> tuple[Tau, ...]:
    found = []
    for one, other in combinations(measures, 2):
        means = [{result.run: result.estimate.value for result in m.results} for m in (one, other)]
        runs = [run for run in means[0] if not np.isnan(means[0][run] + means[1][run])]
        pair = kendall([means[0][run] for run in runs], [means[1][run] for run in runs], seed=seed)
        found.append(Tau(first=one.measure, second=other.measure, found=pair))
    return tuple(found)


def _warnings(measures: Sequence[MeasureBoard], names: Sequence[str]) -> tuple[str, ...]:
    """What a reader must know of the runs and the test."""
    holes = np.isnan(np.stack([measure.matrix for measure in measures])).any(axis=0)
    found = []
    for name, column in zip(names, holes.T, strict=True):
        gone = int((column & ~holes.all(axis=1)).sum())
        if gone:
            found.append(
                f"{name} has no score on {gone} dialogues that others have; its means are over "
                f"the rest."
            )
    if nowhere := int(holes.all(axis=1).sum()):
        found.append(
            f"{nowhere} dialogues have no score in any run and are left out of every mean."
        )
    if (apart := int(holes.any(axis=1).sum())) and apart < len(holes):
        found.append(
            f"The test of differences leaves out up to {apart} of {len(holes)} dialogues, because "
            f"not every run has every score there."
        )
    for measure in measures:
        found += measure.tukey.warnings if measure.tukey else ()
    if len(names) < 2:
        found.append("There is only one run, so there is nothing to compare it with.")
    return tuple(found)


def _oracle_warning(oracles: Sequence[str]) -> tuple[str, ...]:
    if not oracles:
        return ()
    return (
        f"The test of differences includes {', '.join(oracles)}, which reads the gold data. A run far "
        f"from the others makes all others harder to tell apart; --without-oracles leaves it out.",
    )


def _oracle(gold: Gold) -> Predictions | None:
    """What the oracle would hand in; None where the gold data do not allow it."""
    try:
        return lay_out(Entries(baseline("popularity", gold)), gold, name="popularity")
    except InputError:
        return None


def _is_oracle(given: Predictions, oracle: Predictions | None, task: Task) -> bool:
    """Whether a run is the popularity of the gold data itself, whatever it is called."""
    if oracle is None or task not in oracle.tasks:
        return False
    ours, theirs = (
        (oracle.nuggets, given.nuggets) if task == "nd" else (oracle.quality, given.quality)
    )
    return bool(np.allclose(normalised(ours), normalised(theirs), rtol=0, atol=1e-9))
