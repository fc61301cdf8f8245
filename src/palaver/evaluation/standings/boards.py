"""The boards of a shared task: what each run scored, which runs differ, and in what order they stand.

One board per track, that is, runs that were measured on the same items. They are ranked by the mean
of a measure over items; which of them differ is said by the randomised Tukey HSD test over the items
that all of them have.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from palaver.analysis.kendall import Kendall
from palaver.analysis.rank_sets import order_sentence
from palaver.analysis.tukey import TukeyPair, TukeyResult
from palaver.core.estimates import Estimate, html_table
from palaver.core.numeric import Numbers
from palaver.core.serial import flat, if_any, internal, key, plain

# Two runs are told apart when the p-value of their pair is below this.
SIGNIFICANCE = 0.05
NOTHING_TO_COMPARE = "There are not enough runs or items to compare"

Better = Literal["higher", "lower"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """One run's mean of one measure; `rank` 1 is the best, and equal means share a rank.

    A run that was left out of the test has no rank (NaN) and stands where its mean belongs.
    """

    run: str
    team: str
    is_oracle: bool = key("oracle", False)
    is_baseline: bool = key("baseline", False)
    is_late: bool = key("late", False)
    rank: float
    estimate: Estimate = flat()

    @property
    def is_ranked(self) -> bool:
        return self.rank == self.rank


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
    """One measure on one board: items × runs, and what follows from them.

    `results` stand best first. `tukey` is None where there is nothing to compare. `sets` are the
    runs, oracles aside, that cannot be told apart.
    """

    measure: str
    title: str
    direction: Better
    matrix: Numbers
    results: tuple[RunResult, ...]
    tukey: TukeyResult | None
    sets: tuple[tuple[str, ...], ...]

    @property
    def answer(self) -> str:
        """Who leads, who follows and who cannot be told apart, in one sentence."""
        if self.tukey is None:
            return NOTHING_TO_COMPARE
        tested = self.tukey.means
        names = [each.run for each in self.results if each.run in tested and not each.is_oracle]
        return order_sentence(names, self.sets, final=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskBoard:
    """The runs of one track; everything but the matrices is told.

    `key` is a name for folders and addresses, `title` one for people. `identical` are runs that have
    the same score everywhere. `more_apart` says, by measure, how many more pairs of runs would be
    told apart if baselines and oracles were left out of the test.
    """

    derived: ClassVar[tuple[str, ...]] = (
        "dialogues",
        "results",
        "pairs",
        "tied_sets",
        "answers",
        "directions",
    )

    key: str
    title: str
    task: str = if_any("")
    language: str = if_any("")
    ids: tuple[str, ...] = internal()
    runs: tuple[str, ...] = internal()
    measures: tuple[MeasureBoard, ...] = internal()
    taus: tuple[Tau, ...]
    identical: tuple[tuple[str, ...], ...] = if_any(())
    more_apart: dict[str, int] = if_any(factory=dict)
    warnings: tuple[str, ...]

    @property
    def dialogues(self) -> int:
        """How many items there are."""
        return len(self.ids)

    @property
    def results(self) -> dict[str, tuple[RunResult, ...]]:
        """The runs, best first, by measure."""
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

    @property
    def answers(self) -> dict[str, str]:
        """The sentence about the order of the runs, by measure."""
        return {measure.measure: measure.answer for measure in self.measures}

    @property
    def directions(self) -> dict[str, str]:
        """Whether higher or lower is better, by measure."""
        return {measure.measure: measure.direction for measure in self.measures}

    def _repr_html_(self) -> str:
        return html_table(
            [
                {"measure": measure, **plain(result)}
                for measure, results in self.results.items()
                for result in results
            ],
            caption=self.title,
        )
