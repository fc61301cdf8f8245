"""What a reader of a coefficient must know: how its interval was made, and what it rests on."""

from collections.abc import Sequence
from typing import Any

from palaver.analysis.agreement.alpha import Agreement
from palaver.analysis.agreement.icc import Intraclass
from palaver.analysis.agreement.ratings import Ratings, count_distinct
from palaver.analysis.agreement.sampling import NO_SPREAD, Draw, SamplingSettings
from palaver.analysis.resampling import LEAST_DEFINED
from palaver.core.numeric import np

# With fewer units or clusters than this, bootstrap intervals cover the truth too seldom.
FEW_DRAWN = 30
# With fewer raters than this, nothing can be said of raters in general.
FEW_RATERS = 3
# A value that was given less often is rare.
RARE = 5
# Fewer units than this that show variation, or disagreement, are few.
FEW_UNITS = 10
# How many rare values are named.
NAMED = 5


# Whom an interval speaks of, by what is drawn for it.
HOLDS_FOR: dict[Draw, str] = {"units": "these raters", "raters": "raters like these"}


def difference_words(draw: Draw, *, raters: int, has_icc: bool) -> str:
    """Whom the intervals speak of and whom not, and how to have the others."""
    if draw == "raters":
        return (
            "The intervals are for raters like these: they say how far the numbers may be off with "
            "other units and with other raters, drawn as these were. For these raters alone: "
            "--draw units."
        )
    others = " For raters like these: --draw raters." if raters >= FEW_RATERS else ""
    icc = " (those of ICC are for raters like these)" if has_icc else ""
    return (
        "The intervals are for these raters: they say how far the numbers may be off with other "
        f"units, not with other raters{icc}.{others}"
    )


def method_words(settings: SamplingSettings, factors: int, *, percent: bool = False) -> str:
    """How the intervals were made and what they take for granted, in one line.

    `percent` says that percent agreement is among them, which has its own.
    """
    if settings.resamples == 0:
        return "no intervals were requested"
    if settings.draw == "raters":
        left_out = "one cluster" if factors else "one unit"
        return (
            f"{settings.confidence * 100:g} % jackknife intervals with Student's t: one rater is left "
            f"out at a time, and {left_out}; raters and {'clusters' if factors else 'units'} are "
            f"assumed to be independent draws"
        )
    kind = "BCa" if settings.method == "bca" else "percentile"
    drawn = "whole clusters" if factors else "units"
    if factors > 1:
        kind = "percentile pigeonhole"
        drawn = "the clusters of each factor"
    wilson = "; that of percent agreement is Wilson's" if percent else ""
    hint = "" if factors else " (turns of one dialogue are not: cluster by dialogue)"
    return (
        f"{settings.confidence * 100:g} % {kind} bootstrap, {settings.resamples:,} draws of "
        f"{drawn}, which are assumed to be independent{hint}; the raters are taken as they are{wilson}"
    )


def cautions(
    ratings: Ratings, found: Agreement, icc: Intraclass, clusters: Sequence[int]
) -> tuple[str, ...]:
    """The sentences that belong to a table's coefficients."""
    if not found.units:
        return ()
    return tuple(
        each
        for each in (
            _few_raters(found),
            _few_drawn(found, clusters),
            _rare(ratings),
            _little_seen(ratings, found),
            _undefined(found),
            _all_agree(found),
            _left_out(icc),
            _dependent(icc, clusters),
        )
        if each
    )


def _few_raters(found: Agreement) -> str:
    if found.raters >= FEW_RATERS:
        return ""
    return (
        "There are only two raters: this is how well the two agree, and says little about how "
        "well other raters would."
    )


def _few_drawn(found: Agreement, clusters: Sequence[int]) -> str:
    drawn = min(clusters, default=found.units)
    if drawn >= FEW_DRAWN or not (found.interval or found.resamples):
        return ""
    what = "clusters" if clusters else "units that two raters judged"
    return (
        f"There are only {drawn} {what}: with fewer than {FEW_DRAWN}, the interval is often too "
        f"narrow."
    )


def _rare(ratings: Ratings) -> str:
    if ratings.level not in ("nominal", "ordinal"):
        return ""
    counts = np.bincount(ratings.code, minlength=len(ratings.values))
    rare = [place for place in range(len(counts)) if 0 < counts[place] < RARE]
    if not rare:
        return ""
    named = ", ".join(
        f"{_shown(ratings.values[place])} ({counts[place]})" for place in rare[:NAMED]
    )
    more = f" and {len(rare) - NAMED} more" if len(rare) > NAMED else ""
    return (
        f"Given fewer than {RARE} times: {named}{more}. Agreement on rare answers cannot be "
        f"estimated well, and the interval may be too narrow."
    )


def _little_seen(ratings: Ratings, found: Agreement) -> str:
    """Where a handful of units carries the whole coefficient, whatever the number of units."""
    if not (found.interval or found.resamples) or found.percent == 1:
        return ""
    counts = np.bincount(ratings.code, minlength=len(ratings.values))
    commonest = int(counts.argmax())
    name = _shown(ratings.values[commonest])
    varied = count_distinct(ratings.unit[ratings.code != commonest])
    if varied < FEW_UNITS and ratings.level in ("nominal", "ordinal"):
        return (
            f"Units that hold anything but '{name}': {varied}. The interval rests on them and is "
            f"often too narrow."
        )
    # Each unit once per answer that it got.
    held = np.sort(ratings.unit * len(ratings.values) + ratings.code)
    held = held[np.append(True, held[1:] != held[:-1])] // len(ratings.values)
    split = int((np.bincount(held) > 1).sum())
    if split < FEW_UNITS:
        return (
            f"Units on which raters differ: {split}. The interval rests on them and is often too "
            f"narrow."
        )
    return ""


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _undefined(found: Agreement) -> str:
    if not found.undefined:
        return ""
    share = found.undefined / found.resamples
    kept = "left out" if share <= 1 - LEAST_DEFINED else "too many for an interval"
    return (
        f"{found.undefined:,} of {found.resamples:,} draws had no α (all answers in them are "
        f"the same, or there are none); they were {kept}."
    )


def _all_agree(found: Agreement) -> str:
    if found.no_interval != NO_SPREAD or found.percent != 1:
        return ""
    return (
        "No two raters differ on any unit: draws cannot show disagreement that was not seen, so "
        "there is no interval of α."
    )


def _left_out(icc: Intraclass) -> str:
    if not icc.left_out or not icc.units:
        return ""
    return (
        f"The intraclass correlations use the units that all {icc.raters} raters judged: "
        f"{icc.units} of {icc.units + icc.left_out}."
    )


def _dependent(icc: Intraclass, clusters: Sequence[int]) -> str:
    if not clusters or not icc.units:
        return ""
    return (
        "The intervals of the intraclass correlations assume independent units and ignore clusters."
    )
