"""The cells of a board: every model on every scoring data set under every metric, with draws.

This is the part that takes time. It does not depend on weights, so whoever moves a weight reads the
same cells again.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from sqlalchemy import Connection

from palaver.core.evaluation.boards import BoardColumn, Entrant, Measured, ScoringSet
from palaver.core.evaluation.runs import Run, RunScore
from palaver.core.numeric import Numbers, np
from palaver.core.words import listed, shortened
from palaver.evaluation.dynaboards.draws import ItemSamples, ends_of, known, redraw, spread_of
from palaver.evaluation.dynaboards.rounds import CountingSets
from palaver.evaluation.scoring.intervals import ALL_ALIKE
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
    others are constant in every sample. `sampled` are the columns for which that was tried: those
    that nothing is ranked by need no samples. `gone` are columns that no model has. `absent` says why
    a model is not scored on a data set, `reasons` why one of its scores, or its interval, is missing,
    `warnings` where one rests on few variants.
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
    sampled: frozenset[str] = frozenset()
    absent: dict[tuple[int, int], Absence] = field(default_factory=dict)
    reasons: dict[tuple[int, int, int], str] = field(default_factory=dict)
    warnings: dict[tuple[int, int, int], str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    counting: CountingSets = field(default_factory=lambda: CountingSets(()))
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
            warning=self.warnings.get(at),
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
    for place, runs in enumerate(_runs_by_set(connection, cells)):
        scores = scores_of_runs(connection, [run.id for run in runs if run])
        _fill_set(cells, place, runs, _newest(scores))
    kept = [n for n in range(len(columns)) if np.isfinite(cells.values[:, n]).any()]
    gone = [columns[n].title for n in range(1, len(columns)) if n not in kept]
    if gone and any(np.isfinite(cells.values[:, 0].ravel())):
        cells.notes.append(f"No model has {listed(gone, 'or')} here, so this board leaves it out.")
    # Performance stays, so that a board without scores still says what is missing.
    there = _with_columns(cells, sorted({0, *kept}))
    return draw_columns(connection, there, list(_drawn_at_once(there)))


def draw_columns(connection: Connection, cells: Cells, keys: Collection[str]) -> Cells:
    """The cells with samples of these columns, too; what was drawn before is not drawn again."""
    new = [n for n, each in enumerate(cells.columns) if each.key in {*keys} - cells.sampled]
    if not new or not cells.draws:
        return cells
    made = replace(
        cells,
        lows=cells.lows.copy(),
        highs=cells.highs.copy(),
        variances=cells.variances.copy(),
        drawn=dict(cells.drawn),
        reasons=dict(cells.reasons),
        sampled=cells.sampled | {cells.columns[n].key for n in new},
    )
    names = [cells.columns[n].key for n in new]
    for place, runs in enumerate(_runs_by_set(connection, cells)):
        one = cells.sets[place]
        scores = scores_of_runs(
            connection, [run.id for run in runs if run], metrics=names, rows=True
        )
        wanted = [
            (at, n, score)
            for at, n, found, _ in _cell_scores(cells, place, runs, _newest(scores), new)
            for score in found
        ]
        samples = ItemSamples(one.items, cells.draws, seed=cells.seed, digest=one.digest)
        if samples.items:
            values = redraw([score for _, _, score in wanted], samples)
            triples = list(zip(wanted, values, strict=True))
            for c in new:
                mine = [(n, score, drawn) for (at, n, score), drawn in triples if at == c]
                _fill_draws(made, (place, c), mine)
    return made


def _drawn_at_once(cells: Cells) -> Iterator[str]:
    """What ranks unless somebody says otherwise, and what has an interval only by its samples."""
    for c, column in enumerate(cells.columns):
        lacks = np.isfinite(cells.values[:, c]) & np.isnan(cells.lows[:, c])
        places = zip(*np.nonzero(lacks), strict=True)
        if c == 0 or column.is_delta or any((s, c, n) not in cells.reasons for s, n in places):
            yield column.key


def _runs_by_set(connection: Connection, cells: Cells) -> Iterator[list[Run | None]]:
    """The run of each model, by data set."""
    versions = [entrant.version_id for entrant in cells.entrants]
    known = runs_of_versions(connection, versions, [each.version_id for each in cells.sets])
    runs = {(run.dataset_version_id, run.model_version_id): run for run in known}
    for one in cells.sets:
        yield [runs.get((one.version_id, version)) for version in versions]


def _cell_scores(
    cells: Cells,
    place: int,
    runs: Sequence[Run | None],
    newest: Mapping[tuple[int, str, int], RunScore],
    columns: Iterable[int],
) -> Iterator[tuple[int, int, list[RunScore], int]]:
    """Column, model, its scores on a data set, and how many it would take."""
    for c in columns:
        column = cells.columns[c]
        variants = _answered(cells.sets[place], column, runs, newest) if column.is_delta else [0]
        for n, run in enumerate(runs):
            keys = [] if run is None else [(run.id, column.key, each) for each in variants]
            yield c, n, [newest[key] for key in keys if key in newest], len(variants)


def _fill_set(
    cells: Cells,
    place: int,
    runs: Sequence[Run | None],
    newest: Mapping[tuple[int, str, int], RunScore],
) -> None:
    for n, run in enumerate(runs):
        why = _absence(run)
        if why is not None:
            cells.absent[place, n] = why
    versions: dict[int, set[str]] = {}
    every = range(len(cells.columns))
    for c, n, found, needed in _cell_scores(cells, place, runs, newest, every):
        _fill_cell(cells, (place, c, n), found, needed)
        versions.setdefault(c, set()).update(score.version for score in found)
    for c, used in versions.items():
        if len(used) > 1:
            column = cells.columns[c]
            cells.notes.append(
                f"{column.title} on {cells.sets[place].name} was computed with {len(used)} "
                f"versions of the metric. Run palaver rescore --metric {column.key} to use one."
            )
    for c in every:
        _note_few(cells, place, c)


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
    if all(score.warning for score in scores):
        cells.warnings[at] = scores[0].warning
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
    cells.drawn[at] = block
    # One score has what was stored with it: its interval, or the reason why there is none. What is made
    # of several scores has an interval of its own.
    own = [
        n
        for n in dict.fromkeys(n for n, _, _ in used)
        if np.isnan(cells.lows[place, c, n]) and (place, c, n) not in cells.reasons
    ]
    spread = spread_of(
        block[:, own], confidence=cells.confidence, independent=cells.ns[place, c, own]
    )
    for n, low, high, variance, why in zip(
        own, spread.low, spread.high, spread.variance, spread.why, strict=True
    ):
        if why == ALL_ALIKE:
            low, high = _bounds(cells, (place, c, n), [score for at, score, _ in used if at == n])
        cells.lows[place, c, n], cells.highs[place, c, n] = low, high
        cells.variances[place, c, n] = variance
        if why and np.isnan(low):
            cells.reasons[place, c, n] = why


def _bounds(
    cells: Cells, at: tuple[int, int, int], scores: Sequence[RunScore]
) -> tuple[float, float]:
    """The ends of a mean of scores on the same items that never vary: the means of their ends."""
    if any(score.low is None or score.high is None for score in scores):
        return np.nan, np.nan
    scale, total = cells.columns[at[1]].scale, float(cells.ns[at])
    shares = [scale * score.n / total for score in scores]
    low = sum(share * (score.low or 0.0) for share, score in zip(shares, scores, strict=True))
    high = sum(share * (score.high or 0.0) for share, score in zip(shares, scores, strict=True))
    return low, high


def _newest(scores: Iterable[RunScore]) -> dict[tuple[int, str, int], RunScore]:
    """The latest score of each run, metric and variant: scores come oldest first."""
    return {(score.run_id, score.metric, score.variant_id): score for score in scores}


def _note_few(cells: Cells, place: int, column: int) -> None:
    """That a column rests on few variants of a data set: for every model it does so alike."""
    said = {text for (s, c, _), text in cells.warnings.items() if (s, c) == (place, column)}
    title, name = cells.columns[column].title, cells.sets[place].name
    cells.notes.extend(f"{title} on {name}: {text}." for text in sorted(said))


def _absence(run: Run | None) -> Absence | None:
    """Why a model has no scores on a data set; None where its run is done."""
    if run is None:
        return Absence("has not been evaluated")
    if run.state == "failed":
        return Absence("failed", shortened(" ".join(run.reason.split()), SHOWN))
    if run.state == "cancelled":
        return Absence("was cancelled")
    return None if run.state == "done" else Absence("is still being evaluated")


def led_by(cells: Cells, first: int) -> Cells:
    """The same cells with another column first: the one that ranks."""
    rest = [n for n in range(len(cells.columns)) if n != first]
    return _with_columns(cells, [first, *rest])


def _with_columns(cells: Cells, kept: Sequence[int]) -> Cells:
    """The cells of some columns; the others are `gone`."""
    at = {old: new for new, old in enumerate(kept)}
    return replace(
        cells,
        columns=tuple(cells.columns[n] for n in kept),
        gone=(*cells.gone, *(each for n, each in enumerate(cells.columns) if n not in at)),
        values=cells.values[:, kept],
        lows=cells.lows[:, kept],
        highs=cells.highs[:, kept],
        variances=cells.variances[:, kept],
        ns=cells.ns[:, kept],
        drawn={(s, at[c]): block for (s, c), block in cells.drawn.items() if c in at},
        reasons={(s, at[c], n): why for (s, c, n), why in cells.reasons.items() if c in at},
        warnings={(s, at[c], n): said for (s, c, n), said in cells.warnings.items() if c in at},
    )
