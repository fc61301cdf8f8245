"""All coefficients of one table of ratings at once, with intervals, reasons and warnings.

α, percent, Fleiss' κ and Gwet's coefficient do not ask who said what and share one set of bootstrap
draws of patterns, or, where raters are drawn too, one set of patterns without a rater. Cohen's κ does,
and is for two raters; the intraclass correlations do, and are for units that all raters judged. Their
intervals hold for raters like these, whatever is drawn for the others.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from palaver.analysis.agreement.alpha import Clusters, alpha_of, alphas, clusters_of
from palaver.analysis.agreement.cautions import HOLDS_FOR, cautions, difference_words, method_words
from palaver.analysis.agreement.icc import NO_ERROR, Intraclass, intraclass
from palaver.analysis.agreement.kappas import (
    Closeness,
    closeness_of,
    cohen_kappas,
    fleiss_kappas,
    gwet_coefficients,
    pair_patterns,
)
from palaver.analysis.agreement.patterns import Patterns, collapse
from palaver.analysis.agreement.percent import percent_interval, percents
from palaver.analysis.agreement.rater_draws import (
    TWO_RATERS,
    PatternStatistic,
    Said,
    rater_intervals,
)
from palaver.analysis.agreement.ratings import (
    NO_PAIRS,
    NO_VARIATION,
    Judgement,
    Measured,
    Ratings,
    count_distinct,
    read_judgements,
)
from palaver.analysis.agreement.sampling import (
    ONE_DRAWN,
    Draw,
    DrawnInterval,
    Method,
    SamplingSettings,
    bootstrap,
    bootstraps,
    sampling_of,
)
from palaver.core.estimates import Estimate, html_table
from palaver.core.numeric import Numbers, np
from palaver.core.serial import plain

# With more values than this, numbers are no categories.
CATEGORIES = 100
TOO_MANY = f"there are more than {CATEGORIES} different values, too many to be categories"
NOT_TWO = "it needs exactly two raters; look at each pair of raters"
NAMES = "the answers are names and have no variance"


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficients:
    """Every coefficient of one table of ratings.

    `weights` is how Cohen's κ and Gwet's coefficient (AC1 for identity, else AC2) count values that
    differ. `units` were judged by two or more raters, `lone` ones by one; `clusters` says how many
    clusters each factor has. The intervals hold for these raters where units were drawn (`draw`), and
    for raters like these where raters were. `method` is how they were made and what they take for
    granted; `no_intervals` says of each coefficient that has a value and no interval, why.
    """

    level: Measured
    weights: Closeness
    alpha: Estimate
    percent: Estimate
    kappa: Estimate
    fleiss: Estimate
    gwet: Estimate
    icc: Intraclass
    units: int
    lone: int
    raters: int
    pairs: int
    clusters: tuple[int, ...]
    draw: Draw
    no_intervals: dict[str, str]
    method: str
    warnings: tuple[str, ...]

    @property
    def holds_for(self) -> str:
        """Whom the intervals speak of."""
        return HOLDS_FOR[self.draw]

    @property
    def has_intervals(self) -> bool:
        return any(each.interval for each in self.estimates().values())

    @property
    def difference(self) -> str:
        """One sentence: whom the intervals speak of, and how to have them for others."""
        has_icc = self.icc.forms["ICC(A,1)"].interval is not None
        return difference_words(self.draw, raters=self.raters, has_icc=has_icc)

    @property
    def gwet_name(self) -> str:
        """AC1 for unweighted values, AC2 for weighted ones."""
        return "ac1" if self.weights == "identity" else "ac2"

    def estimates(self) -> dict[str, Estimate]:
        """The coefficients by name; of the intraclass correlations, ICC(A,1)."""
        return {
            "alpha": self.alpha,
            "percent": self.percent,
            "kappa": self.kappa,
            "fleiss": self.fleiss,
            self.gwet_name: self.gwet,
            "icc": self.icc.forms["ICC(A,1)"],
        }

    def as_json(self) -> dict[str, Any]:
        """The parts by name; what is undefined is null, and `reasons` says why."""
        found = self.estimates()
        return {
            "alpha": self.alpha.value,
            "interval": self.alpha.interval,
            "units": self.units,
            "raters": self.raters,
            "level": self.level,
            **{name: each.value for name, each in found.items() if name != "alpha"},
            "weights": self.weights,
            "clusters": _clusters_json(self.clusters),
            "lone": self.lone,
            "pairs": self.pairs,
            "intervals": {name: each.interval for name, each in found.items() if each.interval},
            "holds_for": self.holds_for,
            "no_intervals": self.no_intervals,
            "icc_forms": self.icc.forms,
            "method": self.method,
            "warnings": self.warnings,
            "reason": self.alpha.reason or None,
            "reasons": {name: each.reason for name, each in found.items() if each.reason},
        }

    def _repr_html_(self) -> str:
        rows = [{"coefficient": name, **plain(each)} for name, each in self.estimates().items()]
        return html_table(rows, caption=self.method)


def measure(
    judgements: Iterable[Judgement],
    *,
    level: Measured,
    order: Sequence[Any] = (),
    weights: Closeness | None = None,
    clusters: Clusters = (),
    method: Method = "bca",
    draw: Draw = "units",
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 1,
) -> Coefficients:
    """Every coefficient that fits these judgements.

    `order` lists the values of the scale, also those that nobody gave. `weights` is identity at
    level nominal and quadratic elsewhere, unless it is given. `clusters` says, once per factor, which
    cluster each unit belongs to; whole clusters are then drawn. The intervals hold for these raters,
    or with `draw="raters"` for raters like these.

    >>> said = [Judgement(unit, rater, value) for rater, row in {"A": "aabbc", "B": "aabcc"}.items()
    ...         for unit, value in enumerate(row)]
    >>> found = measure(said, level="nominal", resamples=0)
    >>> f"{found.alpha.value:.3f} {found.percent.value:.3f} {found.kappa.value:.3f}"
    '0.727 0.800 0.706'
    """
    settings = SamplingSettings(
        method=method, draw=draw, resamples=resamples, confidence=confidence, seed=seed
    )
    ratings = read_judgements(judgements, level=level, order=order)
    return measured(ratings, clusters_of(ratings, clusters), settings, weights=weights)


def measured(
    ratings: Ratings,
    clusters: Sequence[Numbers],
    settings: SamplingSettings,
    *,
    weights: Closeness | None = None,
) -> Coefficients:
    """Every coefficient of ratings that have been read; `clusters` has a code per unit and factor."""
    chosen: Closeness = weights or ("identity" if ratings.level == "nominal" else "quadratic")
    found = alpha_of(ratings, settings=replace(settings, resamples=0))
    counted = _counted(ratings, chosen, clusters, settings)
    counted["kappa"] = _kappa(ratings, chosen, clusters, settings)
    alpha, drawn = counted["alpha"]
    found = replace(
        found,
        interval=alpha.interval,
        no_interval=drawn.reason,
        resamples=drawn.resamples,
        undefined=drawn.undefined,
    )
    icc = _intraclass(ratings, settings.confidence)
    sizes = np.bincount(ratings.unit, minlength=len(ratings.units))
    factors = tuple(count_distinct(codes[sizes > 1]) for codes in clusters)
    gwet_name = "ac1" if chosen == "identity" else "ac2"
    without = {name: each.reason for name, (_, each) in counted.items() if each.reason}
    if icc.forms["ICC(A,1)"].is_defined and icc.forms["ICC(A,1)"].interval is None:
        without["icc"] = NO_ERROR
    return Coefficients(
        level=ratings.level,
        weights=chosen,
        **{name: each for name, (each, _) in counted.items()},
        icc=icc,
        units=found.units,
        lone=found.lone,
        raters=found.raters,
        pairs=found.pairs,
        clusters=factors,
        draw=settings.draw,
        no_intervals={gwet_name if name == "gwet" else name: why for name, why in without.items()},
        method=method_words(settings, len(factors), percent=True),
        warnings=cautions(ratings, found, icc, factors),
    )


Drawn = tuple[Estimate, DrawnInterval]


def _counted(
    ratings: Ratings, weights: Closeness, clusters: Sequence[Numbers], settings: SamplingSettings
) -> dict[str, Drawn]:
    """The coefficients that do not ask who said what.

    α and percent are about units with two values or more, Fleiss' κ and Gwet's coefficient about all.
    """
    rows, values = ratings.rows(), len(ratings.values)
    shared = collapse(rows, values=values, least=2)
    if not len(shared.times):
        none = Estimate.undefined(NO_PAIRS), DrawnInterval(None)
        return dict.fromkeys(("alpha", "percent", "fleiss", "gwet"), none)
    everyone = shared if len(shared.kept) == len(rows) else collapse(rows, values=values)
    closeness = None
    if weights != "identity" and values <= CATEGORIES:
        closeness = closeness_of(ratings.scores, weights, values=values)
    of_shared: dict[str, PatternStatistic] = {
        "alpha": lambda some, drawn: alphas(
            some, drawn, level=ratings.level, scores=ratings.scores
        ),
        "percent": percents,
    }
    of_everyone: dict[str, PatternStatistic] = {
        "fleiss": fleiss_kappas,
        "gwet": lambda some, drawn: gwet_coefficients(some, drawn, closeness),
    }
    found: dict[str, Drawn] = {}
    if values > CATEGORIES and (ratings.level != "nominal" or weights != "identity"):
        found = dict.fromkeys(of_everyone, (Estimate.undefined(TOO_MANY), DrawnInterval(None)))
        of_everyone = {}
    tables = [(of_shared, shared, 2), (of_everyone, everyone, 1)]
    if everyone is shared:
        tables = [(of_shared | of_everyone, shared, 2)]
    for statistics, patterns, least in tables:
        found |= _drawn(statistics, patterns, least, ratings, clusters, settings)
    return found


def _drawn(
    statistics: dict[str, PatternStatistic],
    patterns: Patterns,
    least: int,
    ratings: Ratings,
    clusters: Sequence[Numbers],
    settings: SamplingSettings,
) -> dict[str, Drawn]:
    """Each statistic with its interval, all from the same draws."""
    values = [
        float(statistic(patterns, patterns.times[None, :])[0]) for statistic in statistics.values()
    ]
    valued = list(zip(statistics.values(), values, strict=True))
    factors = [codes[patterns.kept] for codes in clusters]
    if settings.draw == "raters" and settings.resamples:
        drawn = rater_intervals(
            valued,
            patterns,
            Said(ratings.unit, ratings.rater, ratings.code),
            clusters,
            confidence=settings.confidence,
            least=least,
            shares=[name == "percent" for name in statistics],
        )
    else:
        sampling = sampling_of(patterns.of_unit, patterns.times, factors)
        drawn = bootstraps(
            [(partial(statistic, patterns), value) for statistic, value in valued],
            sampling,
            settings,
        )
    found = {
        name: (_estimate(value, each, len(patterns.kept)), each)
        for name, value, each in zip(statistics, values, drawn, strict=True)
    }
    if "percent" in found and settings.draw == "units" and settings.resamples:
        ends = percent_interval(patterns, factors, confidence=settings.confidence)
        each = DrawnInterval(ends, reason="" if ends else ONE_DRAWN)
        found["percent"] = _estimate(found["percent"][0].value, each, len(patterns.kept)), each
    return found


def _estimate(value: float, drawn: DrawnInterval, n: int) -> Estimate:
    if not np.isfinite(value):
        return Estimate.undefined(NO_VARIATION, n=n)
    return Estimate(value=value, interval=drawn.interval, n=n)


def _kappa(
    ratings: Ratings, weights: Closeness, clusters: Sequence[Numbers], settings: SamplingSettings
) -> Drawn:
    none = DrawnInterval(None)
    raters = count_distinct(ratings.rater)
    if raters != 2:
        return Estimate.undefined(NOT_TWO if raters > 2 else NO_PAIRS), none
    if len(ratings.values) > CATEGORIES:
        return Estimate.undefined(TOO_MANY), none
    both, table = complete_units(ratings)
    if not len(both):
        return Estimate.undefined(NO_PAIRS), none
    closeness = closeness_of(ratings.scores, weights, values=len(ratings.values))
    pairs = pair_patterns(table[:, 0], table[:, 1], values=len(ratings.values), kept=both)

    def statistic(weights: Numbers) -> Numbers:
        return cohen_kappas(pairs, weights, closeness)

    value = float(statistic(pairs.times[None, :])[0])
    if settings.draw == "raters" and settings.resamples:
        drawn = DrawnInterval(None, reason=TWO_RATERS if np.isfinite(value) else "")
    else:
        factors = [codes[both] for codes in clusters]
        drawn = bootstrap(
            statistic, value, sampling_of(pairs.of_unit, pairs.times, factors), settings
        )
    return _estimate(value, drawn, len(both)), drawn


def _intraclass(ratings: Ratings, confidence: float) -> Intraclass:
    if ratings.scores is None or ratings.level == "nominal":
        forms = intraclass(np.zeros((0, 0)), confidence=confidence).forms
        return Intraclass(dict.fromkeys(forms, Estimate.undefined(NAMES)), 0, 0, 0)
    complete, table = complete_units(ratings)
    found = intraclass(ratings.scores[table], confidence=confidence)
    return Intraclass(
        found.forms, found.units, found.raters, count_distinct(ratings.unit) - len(complete)
    )


def complete_units(ratings: Ratings) -> tuple[Numbers, Numbers]:
    """The units that every rater judged, and units × raters of their codes."""
    raters, rater = np.unique(ratings.rater, return_inverse=True)
    sizes = np.bincount(ratings.unit, minlength=len(ratings.units))
    units = np.flatnonzero((sizes == len(raters)) & (sizes > 0))
    kept = np.isin(ratings.unit, units)
    table = np.zeros((len(units), len(raters)), dtype=np.intp)
    table[np.searchsorted(units, ratings.unit[kept]), rater[kept]] = ratings.code[kept]
    return units, table


def _clusters_json(clusters: tuple[int, ...]) -> int | list[int] | None:
    if len(clusters) == 1:
        return clusters[0]
    return list(clusters) if clusters else None
