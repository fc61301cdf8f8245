"""Dynascore: several metrics as one number, in units of the performance metric.

Models are sorted by performance. What one point of performance costs in another metric M is read
off neighbours: AMRS(M), the average marginal rate of substitution, is the mean of |ΔM| / Δperf over
neighbouring models whose performance differs by more than ε = 10⁻⁴ of the best. With good = direction
· value + offset, weights w and W their sum, a model's score is Σ (w / W) · good / AMRS.

What the paper leaves open is settled so:

- A metric without a rate is set aside: its weight goes to the others in proportion, and this is
  said. That is a metric in which all models lie within ε of the best, or which does not move between
  the neighbours that count (each model would get the same boundless amount); and every metric but
  performance where no neighbours count (one model, or all tied): the score is then performance alone.
- The rate of performance itself is 1, also without neighbours.
- ε is a share of the largest |good|, so that it is positive where lower performance is better.
- A model without a value in a metric that has weight is not scored, and is nobody's neighbour.
- Models with exactly the same performance stand in the order in which they were given; as their order
  decides who is whose neighbour, this is said.

Z. Ma, K. Ethayarajh, T. Thrush, S. Jain, L. Wu, R. Jia, C. Potts, A. Williams and D. Kiela (2021),
Dynaboard: An evaluation-as-a-service platform for holistic next-generation benchmarking, NeurIPS 34.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, isnan

from palaver.analysis.dynascore_words import (
    aside_words,
    drowning_words,
    lacking,
    rate_words,
)
from palaver.core.errors import InputError
from palaver.core.estimates import html_table
from palaver.core.evaluation.boards import Dynascores
from palaver.core.numeric import Numbers, np
from palaver.core.serial import plain
from palaver.core.words import counted

# Neighbours nearer than this share of the best performance say nothing about a rate.
NEAR = 1e-4
# What rounding leaves of equal numbers, as a share of the largest.
ROUNDING = 1e-12
PERFORMANCE_WEIGHT = 4.0
OTHER_WEIGHT = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredTable:
    """A table of models and metrics as one number per model, and what was decided on the way.

    `scores` are NaN where a model lacks a value (`not_scored` says which), `amrs` where there is no
    rate. `shares` are the weights in use; they add up to 1, and are 0 for a metric that was
    `set_aside`. `pairs` counts the neighbours that the rates are means over.
    """

    models: tuple[str, ...]
    metrics: tuple[str, ...]
    scores: Numbers
    amrs: Numbers
    shares: Numbers
    pairs: int
    set_aside: Mapping[str, str] = field(default_factory=dict)
    not_scored: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def best_first(self) -> list[str]:
        """The models by score, those without one last; equal ones in the order of the table."""
        return [self.models[place] for place in np.argsort(-self.scores, kind="stable")]

    @property
    def by_name(self) -> Dynascores:
        """Everything by name, models from the best to the worst; what is undefined is None."""
        scores = dict(zip(self.models, map(plain, self.scores), strict=True))
        return Dynascores(
            scores={model: scores[model] for model in self.best_first()},
            amrs=dict(zip(self.metrics, map(plain, self.amrs), strict=True)),
            pairs=self.pairs,
            weights=dict(zip(self.metrics, map(plain, self.shares), strict=True)),
            set_aside=self.set_aside,
            not_scored=self.not_scored,
            warnings=self.warnings,
        )

    def _repr_html_(self) -> str:
        found = self.by_name.scores.items()
        return html_table([{"model": name, "dynascore": score} for name, score in found])


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Models in the order of performance: the steps between neighbours, and which of them count."""

    order: Numbers
    steps: Numbers
    counts: Numbers


@dataclass(frozen=True, slots=True)
class SubstitutionRates:
    """AMRS by metric (…, metrics), and how many neighbours they are means over (…)."""

    amrs: Numbers
    pairs: Numbers


def default_weights(metrics: int) -> list[float]:
    """4 for performance and 1 for each other metric, as published."""
    return [PERFORMANCE_WEIGHT, *[OTHER_WEIGHT] * (metrics - 1)]


def dynascore(
    values: Numbers,
    *,
    weights: Sequence[float] | None = None,
    directions: Sequence[int] | None = None,
    offsets: Sequence[float] | None = None,
    models: Sequence[str] = (),
    metrics: Sequence[str] = (),
) -> ScoredTable:
    """The scores of a table of models × metrics, the first of which is performance.

    >>> import numpy
    >>> table = [[60, 10, 4, 90, 80], [70, 6, 8, 92, 70], [65, 8, 2, 95, 85]]
    >>> found = dynascore(
    ...     numpy.array(table), directions=[1, 1, -1, 1, 1], offsets=[0, 0, 16, 0, 0]
    ... )
    >>> found.scores.tolist()
    [54.0625, 56.875, 57.34375]
    """
    values = np.asarray(values, dtype=float)
    if values.ndim != 2 or not values.size:
        raise InputError("A Dynascore needs at least one model and one metric; got an empty table.")
    count, width = values.shape
    weights = default_weights(width) if weights is None else list(weights)
    directions = [1] * width if directions is None else list(directions)
    offsets = [0.0] * width if offsets is None else list(offsets)
    names = tuple(models) or tuple(f"model {n + 1}" for n in range(count))
    titles = tuple(metrics) or ("performance", *(f"metric {n + 1}" for n in range(1, width)))
    _check(weights, directions, offsets, titles)
    needed = [place == 0 or weight > 0 for place, weight in enumerate(weights)]
    not_scored = lacking(values, needed, names, titles)
    scored = np.array([name not in not_scored for name in names])
    kept = np.where(scored[:, None], values, np.nan)
    near = neighbours(kept[:, 0], direction=directions[0], offset=offsets[0])
    rates = exchange_rates(kept, near, directions=directions, offsets=offsets)
    shares = shares_in_use(rates.amrs, weights)
    set_aside = _set_aside(rates.amrs, weights, titles, int(scored.sum()))
    return ScoredTable(
        models=names,
        metrics=titles,
        scores=weigh(kept, rates.amrs, shares, directions=directions, offsets=offsets),
        amrs=rates.amrs,
        shares=shares,
        pairs=int(rates.pairs),
        set_aside=set_aside,
        not_scored=not_scored,
        warnings=(
            *aside_words(set_aside, some_left=bool(shares.any())),
            *(f"{model} is not scored, because {why}." for model, why in not_scored.items()),
            *rate_words(
                pair_rates(kept, near),
                near.order,
                near.steps,
                [share > 0 for share in shares],
                names,
                titles,
            ),
            *drowning_words(
                kept * np.asarray(directions) + np.asarray(offsets), rates.amrs, shares, titles
            ),
        ),
    )


def neighbours(performance: Numbers, *, direction: int = 1, offset: float = 0.0) -> Neighbours:
    """The neighbours of tables (…, models) of raw performance; models without one have none."""
    order = np.argsort(performance, axis=-1, kind="stable")
    steps = np.diff(np.take_along_axis(performance, order, axis=-1), axis=-1)
    size = np.abs(direction * performance + offset)
    most = np.max(np.where(np.isnan(size), 0.0, size), axis=-1, keepdims=True)
    return Neighbours(order, steps, steps > NEAR * most)


def exchange_rates(
    values: Numbers,
    near: Neighbours,
    *,
    directions: Sequence[int],
    offsets: Sequence[float],
    rounding: float = ROUNDING,
) -> SubstitutionRates:
    """AMRS of every metric, for tables (…, models, metrics); NaN where no neighbours count.

    Moves of less than `rounding`, as a share of the metric's largest value, are none; a metric in
    which all models lie within ε of the best does not move at all.
    """
    per_step = np.where(near.counts, near.steps, 1.0)
    amrs = np.empty((*values.shape[:-2], values.shape[-1]))
    amrs[..., 0] = 1.0
    for metric in range(1, values.shape[-1]):
        moved = _moves(values[..., metric], near.order, rounding)
        known = near.counts & np.isfinite(moved)
        number = known.sum(axis=-1)
        total = np.where(known, moved / per_step, 0.0).sum(axis=-1)
        nothing = np.full(np.shape(total), np.nan)
        rate = np.divide(total, number, out=nothing, where=number > 0)
        still = _is_still(values[..., metric], directions[metric], offsets[metric])
        amrs[..., metric] = np.where(still & (number > 0), 0.0, rate)
    return SubstitutionRates(amrs, near.counts.sum(axis=-1))


def pair_rates(values: Numbers, near: Neighbours) -> Numbers:
    """|ΔM| / Δperf of each pair of neighbours (pairs × metrics) of one table; NaN: does not count."""
    per_step = np.where(near.counts, near.steps, np.nan)
    columns = [_moves(column, near.order, ROUNDING) / per_step for column in values.T]
    return np.stack(columns, axis=-1)


def shares_in_use(amrs: Numbers, weights: Sequence[float]) -> Numbers:
    """The weights (…, metrics) divided by their sum, 0 for metrics that have no rate."""
    usable = np.where(np.isfinite(amrs) & (amrs > 0), np.asarray(weights, dtype=float), 0.0)
    total = usable.sum(axis=-1, keepdims=True)
    shares: Numbers = np.divide(usable, total, out=np.zeros_like(usable), where=total > 0)
    return shares


def weigh(
    values: Numbers,
    amrs: Numbers,
    shares: Numbers,
    *,
    directions: Sequence[int],
    offsets: Sequence[float],
) -> Numbers:
    """Σ share · good / AMRS for tables (…, models, metrics) with the rates (…, metrics)."""
    scores = np.where(np.any(shares > 0, axis=-1), 0.0, np.nan)[..., None]
    scores = np.broadcast_to(scores, values.shape[:-1]).copy()
    for metric, (direction, offset) in enumerate(zip(directions, offsets, strict=True)):
        share = shares[..., metric, None]
        if np.any(share > 0):
            good = direction * values[..., metric] + offset
            rate = np.where(share > 0, amrs[..., metric, None], 1.0)
            scores += np.where(share > 0, share * good / rate, 0.0)
    # A model that is left out has no performance, whatever weight performance has.
    return np.where(np.isnan(values[..., 0]), np.nan, scores)


def _is_still(values: Numbers, direction: int, offset: float) -> Numbers:
    """Whether all models (…, models) lie within ε of the best in a metric."""
    good = direction * values + offset
    known = np.isfinite(good)
    high = np.max(np.where(known, good, -np.inf), axis=-1)
    low = np.min(np.where(known, good, np.inf), axis=-1)
    most = np.max(np.where(known, np.abs(good), 0.0), axis=-1)
    still: Numbers = high - low <= NEAR * most
    return still


def _moves(values: Numbers, order: Numbers, rounding: float) -> Numbers:
    """|ΔM| between neighbours; 0 where it is what rounding leaves."""
    moved = np.abs(np.diff(np.take_along_axis(values, order, axis=-1), axis=-1))
    largest = np.max(np.abs(np.where(np.isnan(values), 0.0, values)), axis=-1, keepdims=True)
    return np.where(moved <= rounding * largest, 0.0, moved)


def _check(
    weights: Sequence[float],
    directions: Sequence[int],
    offsets: Sequence[float],
    metrics: Sequence[str],
) -> None:
    for name, given in (("weights", weights), ("directions", directions), ("offsets", offsets)):
        if len(given) != len(metrics):
            raise InputError(
                f"{counted(len(metrics), 'metric')} need as many {name}; got {len(given)}."
            )
    for metric, weight, direction, offset in zip(
        metrics, weights, directions, offsets, strict=True
    ):
        if not isfinite(weight) or weight < 0:
            raise InputError(f"The weight of '{metric}' must be 0 or more; got {weight:g}.")
        if direction not in (1, -1):
            raise InputError(
                f"The direction of '{metric}' is 1 (higher is better) or -1; got {direction:g}."
            )
        if not isfinite(offset):
            raise InputError(f"The offset of '{metric}' must be a number; got {offset:g}.")
    if not any(weights):
        raise InputError("All weights are 0; give at least one metric a weight.")


def _set_aside(
    amrs: Numbers, weights: Sequence[float], metrics: Sequence[str], scored: int
) -> dict[str, str]:
    near = f"no neighbouring models differ in {metrics[0]} by more than 0.01 % of the best"
    no_pairs = "there is only one model" if scored == 1 else near
    still = f"it hardly changes between models that differ in {metrics[0]}"
    return {
        metric: no_pairs if isnan(rate) else still
        for metric, rate, weight in zip(metrics, amrs.tolist(), weights, strict=True)
        if weight > 0 and not rate > 0
    }
