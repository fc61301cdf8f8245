"""The cells of a board: every model on every scoring data set under every metric, with draws.

This is the part that takes time. It does not depend on weights, so whoever moves a weight reads the
same cells again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from sqlalchemy import Connection

from palaver.core.evaluation.boards import BoardColumn, Entrant, Measured, ScoringSet
from palaver.core.evaluation.runs import Run, RunScore
from palaver.core.numeric import Numbers, np
from palaver.core.words import listed, shortened
from palaver.evaluation.dynaboards.draws import ItemSamples, ends_of, known, redraw, spread_of
from palaver.storage.evaluation.runs import runs_of_versions
from palaver.storage.evaluation.scores import scores_of_runs

# How much of a run's reason stands beside a model's name.
SHOWN = 160
# Standard errors between the middle and either end of a stored 95 % interval.
STORED_ENDS = 1.959964


@dataclass(frozen=True, slots=True)
class Absence:
    """Why a model has no scores on a data set; the detail may name addresses and is for its owner."""

    what: str
    detail: str = ""

    def words(self, *, public: bool) -> str:
        """What follows the name of the data set."""
        return self.what if public or not self.detail else f"{self.what} ({self.detail})"


@dataclass(frozen=True, kw_only=True)
class Cells:
    """Numbers by data set × column × model; NaN where there is none.

    `drawn` holds samples × models for the pairs of data set and column that could be drawn; the
    others are constant in every sample. `gone` are columns that no model has. `absent` says why a
    model is not scored on a data set, `reasons` why one of its scores, or its interval, is missing.
    """

    entrants: tuple[Entrant, ...]
    sets: tuple[ScoringSet, ...]
    columns: tuple[BoardColumn, ...]
    gone: tuple[BoardColumn, ...] = ()
    values: Numbers
    lows: Numbers
    highs: Numbers
    variances: Numbers
    ns: Numbers
    drawn: dict[tuple[int, int], Numbers] = field(default_factory=dict)
    absent: dict[tuple[int, int], Absence] = field(default_factory=dict)
    reasons: dict[tuple[int, int, int], str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    draws: int
    seed: int
    confidence: float

    @cached_property
    def scores(self) -> tuple[dict[str, dict[str, Measured]], ...]:
        """Every model's scores by data set and metric: made once, as no weight changes them."""
        return tuple(
            {
                one.name: {
                    column.key: self._measured((s, c, model))
                    for c, column in enumerate(self.columns)
                }
                for s, one in enumerate(self.sets)
            }
            for model in range(len(self.entrants))
        )

    def _measured(self, at: tuple[int, int, int]) -> Measured:
        return Measured(
            value=known(self.values[at]),
            interval=ends_of(self.lows[at], self.highs[at]),
            variance=known(self.variances[at]),
            n=int(self.ns[at]) or None,
            reason=self.reasons.get(at),
        )


def read_cells(
    connection: Connection,
    entrants: Sequence[Entrant],
    sets: Sequence[ScoringSet],
    columns: Sequence[BoardColumn],
    *,
    draws: int,
    seed: int,
    confidence: float,
) -> Cells:
    """The cells as the scores stand; a column that no model has is left out, and that is said."""
    shape = (len(sets), len(columns), len(entrants))
    cells = Cells(
        entrants=tuple(entrants),
        sets=tuple(sets),
        columns=tuple(columns),
        values=np.full(shape, np.nan),
        lows=np.full(shape, np.nan),
        highs=np.full(shape, np.nan),
        variances=np.full(shape, np.nan),
        ns=np.zeros(shape, dtype=np.int64),
        draws=draws,
        seed=seed,
        confidence=confidence,
    )
    known = runs_of_versions(
        connection, [entrant.version_id for entrant in entrants], [each.version_id for each in sets]
    )
    runs = {(run.dataset_version_id, run.model_version_id): run for run in known}
    for place, one in enumerate(sets):
        mine = [runs.get((one.version_id, entrant.version_id)) for entrant in entrants]
        scores = scores_of_runs(connection, [run.id for run in mine if run], rows=draws > 0)
        samples = ItemSamples(one.items, draws, seed=seed, digest=one.digest)
        _fill_set(cells, place, mine, _newest(scores), samples)
    kept = [n for n in range(len(columns)) if np.isfinite(cells.values[:, n]).any()]
    gone = [columns[n].title for n in range(1, len(columns)) if n not in kept]
    if gone and any(np.isfinite(cells.values[:, 0].ravel())):
        cells.notes.append(f"No model has {listed(gone, 'or')} here, so this board leaves it out.")
    # Performance stays, so that a board without scores still says what is missing.
    return _with_columns(cells, sorted({0, *kept}))


def _fill_set(
    cells: Cells,
    place: int,
    runs: Sequence[Run | None],
    newest: Mapping[tuple[int, str, int], RunScore],
    samples: ItemSamples,
) -> None:
    one = cells.sets[place]
    for n, run in enumerate(runs):
        why = _absence(run)
        if why is not None:
            cells.absent[place, n] = why
    wanted: list[tuple[int, int, RunScore]] = []
    for c, column in enumerate(cells.columns):
        variants = _answered(one, column, runs, newest) if column.is_delta else [0]
        for n, run in enumerate(runs):
            found = [
                newest[run.id, column.key, variant]
                for variant in variants
                if run is not None and (run.id, column.key, variant) in newest
            ]
            _fill_cell(cells, (place, c, n), found, len(variants))
            wanted += ((c, n, score) for score in found)
        _note_versions(cells, one, column, (score for at, _, score in wanted if at == c))
    if samples.draws and samples.items:
        values = redraw([score for _, _, score in wanted], samples)
        for c in range(len(cells.columns)):
            mine = [
                (n, score, drawn)
                for (at, n, score), drawn in zip(wanted, values, strict=True)
                if at == c
            ]
            _fill_draws(cells, (place, c), mine)


def _answered(
    one: ScoringSet,
    column: BoardColumn,
    runs: Sequence[Run | None],
    newest: Mapping[tuple[int, str, int], RunScore],
) -> list[int]:
    """The perturbed versions that some model has answered: one that is new does not count yet."""
    return [
        variant
        for variant in one.variants.get(column.key, ())
        if any(run is not None and (run.id, column.key, variant) in newest for run in runs)
    ]


def _fill_cell(
    cells: Cells, at: tuple[int, int, int], scores: Sequence[RunScore], needed: int
) -> None:
    """One cell; perturbed versions of one kind count by their numbers of items."""
    scale = cells.columns[at[1]].scale
    undefined = [score for score in scores if score.value is None]
    if undefined or not scores or len(scores) < needed:
        if undefined and undefined[0].reason:
            cells.reasons[at] = undefined[0].reason
        return
    ns = np.array([score.n for score in scores], dtype=float)
    if not ns.sum():
        cells.reasons[at] = "it was measured on no items"
        return
    values = np.array([score.value for score in scores], dtype=float)
    cells.values[at] = scale * float(values @ ns) / float(ns.sum())
    cells.ns[at] = int(ns.sum())
    only = scores[0]
    if len(scores) > 1:
        return
    if only.low is None or only.high is None:
        if only.reason:
            cells.reasons[at] = only.reason
    else:
        cells.lows[at] = scale * only.low
        cells.highs[at] = scale * only.high
        cells.variances[at] = (scale * (only.high - only.low) / (2 * STORED_ENDS)) ** 2


def _fill_draws(
    cells: Cells, at: tuple[int, int], mine: Sequence[tuple[int, RunScore, Numbers | None]]
) -> None:
    """The samples of one column on one data set, where every model of it can be drawn."""
    place, c = at
    there = np.isfinite(cells.values[place, c])
    used = [each for each in mine if there[each[0]]]
    if not used or any(drawn is None for _, _, drawn in used):
        return
    block = np.where(there, 0.0, np.nan).astype(np.float32)[None, :].repeat(cells.draws, axis=0)
    for n, score, drawn in used:
        share = score.n / cells.ns[place, c, n]
        block[:, n] += cells.columns[c].scale * share * drawn
    spread = spread_of(
        block, confidence=cells.confidence, independent=int(cells.ns[place, c][there].min())
    )
    cells.drawn[at] = block
    cells.variances[place, c] = spread.variance
    # One score has what was stored with it: its interval, or the reason why there is none. What is made
    # of several scores has an interval of its own.
    own = [
        n
        for n in dict.fromkeys(n for n, _, _ in used)
        if np.isnan(cells.lows[place, c, n]) and (place, c, n) not in cells.reasons
    ]
    cells.lows[place, c, own] = spread.low[own]
    cells.highs[place, c, own] = spread.high[own]
    cells.reasons.update({(place, c, n): spread.why[n] for n in own if spread.why[n]})


def _newest(scores: Iterable[RunScore]) -> dict[tuple[int, str, int], RunScore]:
    """The latest score of each run, metric and variant: scores come oldest first."""
    return {(score.run_id, score.metric, score.variant_id): score for score in scores}


def _note_versions(
    cells: Cells, one: ScoringSet, column: BoardColumn, scores: Iterable[RunScore]
) -> None:
    versions = sorted({score.version for score in scores})
    if len(versions) > 1:
        cells.notes.append(
            f"{column.title} on {one.name} was computed with {len(versions)} versions of the "
            f"metric. Run palaver rescore --metric {column.key} to use one."
        )


def _absence(run: Run | None) -> Absence | None:
    """Why a model has no scores on a data set; None where its run is done."""
    if run is None:
        return Absence("has not been evaluated")
    if run.state == "failed":
        return Absence("failed", shortened(" ".join(run.reason.split()), SHOWN))
    if run.state == "cancelled":
        return Absence("was cancelled")
    return None if run.state == "done" else Absence("is still being evaluated")


def _with_columns(cells: Cells, kept: Sequence[int]) -> Cells:
    """The cells of some columns; the others are `gone`."""
    at = {old: new for new, old in enumerate(kept)}
    return replace(
        cells,
        columns=tuple(cells.columns[n] for n in kept),
        gone=tuple(column for n, column in enumerate(cells.columns) if n not in at),
        values=cells.values[:, kept],
        lows=cells.lows[:, kept],
        highs=cells.highs[:, kept],
        variances=cells.variances[:, kept],
        ns=cells.ns[:, kept],
        drawn={(s, at[c]): block for (s, c), block in cells.drawn.items() if c in at},
        reasons={(s, at[c], n): why for (s, c, n), why in cells.reasons.items() if c in at},
    )
