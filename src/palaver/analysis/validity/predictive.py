"""Predictive validity: how much of overall quality does one label explain by itself?

S. E. Finch, J. D. Finch and J. D. Choi (2023), Don't forget your ABC's: evaluating the
state-of-the-art in chat-oriented dialogue systems, ACL, 15044–15071.
"""

from dataclasses import dataclass

from palaver.analysis.resampling import (
    RESAMPLES,
    bca_interval,
    check_settings,
    cluster_draws,
)
from palaver.analysis.validity.scores import DialogueScores
from palaver.core.errors import InputError
from palaver.core.estimates import MISSING, Estimate, Interval, html_table
from palaver.core.numeric import Numbers, np, stats
from palaver.core.serial import flat, plain

METHOD = "least squares over dialogue means; BCa bootstrap of the correlation over dialogues"
# Why an R² may have no interval: a label that explains all, or is the same in most samples.
NO_INTERVAL = "the samples of dialogues have the same R², or none"
FEW = 50
RARE = 10
# Spread below this share of the values themselves is rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Predictive:
    """How well one label predicts quality.

    `slope` is how much quality rises per unit of the label. `p` tests that it is 0.
    """

    label: str
    r2: Estimate = flat(value="r2")
    slope: float
    p: float

    def _repr_html_(self) -> str:
        return html_table([plain(self)])


def predictive_validity(
    scores: DialogueScores,
    quality: str,
    *,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
    seed: int = 1,
) -> list[Predictive]:
    """R² of each label on quality, one simple regression per label, largest first.

    Over the n dialogues that have both, with x the dialogue's mean of the label and y that of
    `quality`,

        R² = (Σ (x − x̄)(y − ȳ))² / (Σ (x − x̄)² Σ (y − ȳ)²),

    the share of the variance of quality that a straight line in the label explains. Its p is that
    of the slope's t test with n − 2 degrees of freedom. Undefined, with a reason, for fewer than
    three dialogues and where the label or quality does not vary.

    The interval is a BCa bootstrap that draws whole dialogues. It is made for the correlation, which
    has a sign, and then squared: an interval of the correlation that holds 0 becomes one of R² that
    begins at 0. An interval made for R² itself could never hold 0 and is too narrow for labels that
    explain little.

    >>> from palaver.analysis.validity.scores import dialogue_scores
    >>> names = ["d1", "d2", "d3", "d4"]
    >>> scores = dialogue_scores(names * 2, ["dull"] * 4 + ["quality"] * 4, [0, 0, 1, 1, 5, 4, 2, 1])
    >>> round(predictive_validity(scores, "quality", resamples=0)[0].r2.value, 3)
    0.9
    """
    check_settings(resamples, confidence)
    y = scores.mean_of(quality)
    names = scores.others(quality)
    if not names:
        raise InputError(f"There is no label besides '{quality}' to predict it from.")
    found = [
        _one(scores, name, y, resamples=resamples, confidence=confidence, seed=seed)
        for name in names
    ]
    return sorted(found, key=lambda each: (not each.r2.is_defined, -each.r2.value, each.label))


def _one(
    scores: DialogueScores,
    label: str,
    quality: Numbers,
    *,
    resamples: int,
    confidence: float,
    seed: int,
) -> Predictive:
    x = scores.mean_of(label)
    both = np.isfinite(x) & np.isfinite(quality)
    x, y = x[both], quality[both]
    n = len(x)
    reason = why_undefined(x, y)
    if reason:
        return Predictive(label=label, r2=Estimate.undefined(reason, n=n), slope=MISSING, p=MISSING)
    x, y = x - x.mean(), y - y.mean()
    rows = np.column_stack([np.ones(n), x, y, x * x, y * y, x * y])
    correlation = float(_correlations(rows.sum(axis=0, keepdims=True))[0])
    value = correlation**2
    draws = [
        _correlations(weights @ rows)
        for weights in cluster_draws([np.arange(n)], resamples=resamples, seed=seed)
    ]
    interval = None
    if draws:
        around = _correlations(rows.sum(axis=0) - rows)
        interval = squared(
            bca_interval(correlation, np.concatenate(draws), around, confidence=confidence)
        )
    return Predictive(
        label=label,
        r2=Estimate(
            value=value,
            interval=interval,
            n=n,
            method=METHOD,
            reason="" if interval or not draws else NO_INTERVAL,
            warnings=_warnings(scores, label, x, n),
        ),
        slope=float((x * y).sum() / (x * x).sum()),
        p=_p(value, n),
    )


def why_undefined(x: Numbers, y: Numbers) -> str:
    """Why there is no R² of x on y; empty where there is one."""
    if len(x) < 3:
        return f"only {len(x)} dialogues have both the label and quality, and a line needs three"
    if is_flat(x):
        return "the label is the same in every dialogue"
    if is_flat(y):
        return "quality is the same in every dialogue"
    return ""


def is_flat(values: Numbers) -> bool:
    """Whether values differ by no more than rounding."""
    return bool(np.ptp(values) <= ROUNDING * max(1.0, float(np.abs(values).max())))


def squared(interval: Interval | None) -> Interval | None:
    """The squares of all values in an interval; they begin at 0 where it holds 0."""
    if interval is None:
        return None
    ends = sorted((interval.low**2, interval.high**2))
    return Interval(0.0 if 0 in interval else ends[0], ends[1])


def _correlations(moments: Numbers) -> Numbers:
    """The correlation for each row of Σ1, Σx, Σy, Σx², Σy², Σxy; NaN where x or y does not vary."""
    n, sx, sy, sxx, syy, sxy = moments.T
    # Sums that should cancel leave rounding behind, which counts as no variation.
    vx, vy = n * sxx - sx * sx, n * syy - sy * sy
    varies = (vx > ROUNDING * n * sxx) & (vy > ROUNDING * n * syy)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (n * sxy - sx * sy) / np.sqrt(vx * vy)
    return np.where(varies, np.clip(ratio, -1, 1), np.nan)


def _p(r2: float, n: int) -> float:
    if r2 >= 1:
        return 0.0
    return float(stats.f.sf(r2 * (n - 2) / (1 - r2), 1, n - 2))


def _warnings(scores: DialogueScores, label: str, x: Numbers, n: int) -> tuple[str, ...]:
    found = []
    if n < FEW:
        found.append(f"'{label}' rests on {n} dialogues; below {FEW} the interval is too narrow.")
    place = scores.place(label)
    if scores.binary[place]:
        given = int((scores.sums[:, place] > 0).sum())
        if given < RARE:
            found.append(
                f"'{label}' occurs in {given} dialogues only; its R² depends on these few."
            )
    return tuple(found)
