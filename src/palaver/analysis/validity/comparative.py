"""Quality that was judged by comparing two dialogues: what predicts it, and what it tells apart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log

from palaver.analysis.resampling import (
    RESAMPLES,
    BootstrapSettings,
    bca_interval,
    check_settings,
    cluster_draws,
    encode,
    left_out,
)
from palaver.analysis.validity.predictive import Predictive, squared
from palaver.analysis.validity.scores import DialogueScores
from palaver.analysis.validity.sensitivity import Sensitivity, told_apart
from palaver.core.errors import InputError
from palaver.core.estimates import MISSING, Estimate
from palaver.core.numeric import Numbers, np, special, stats

METHOD = (
    "logistic regression of the preferred dialogue on the difference of the label, McFadden's "
    "pseudo-R²; BCa bootstrap of its signed root over comparisons that share no dialogue"
)
SIGN_TEST = "sign test over pairs of dialogues, ties left out"
FEW = 30
STEPS = 50


@dataclass(frozen=True, slots=True)
class DialogueComparison:
    """Two dialogues that were compared: `score` is 1 where the first was better, −1, or 0 (a tie)."""

    first: str
    second: str
    score: float


def comparative_validity(
    scores: DialogueScores,
    comparisons: Sequence[DialogueComparison],
    *,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
    seed: int = 1,
) -> list[Predictive]:
    """McFadden's pseudo-R² of each label on comparative quality, largest first.

    With d the label's mean in the first dialogue less that in the second, and w = 1, ½ or 0 where
    the first was better, neither or the second, β maximises

        L(β) = Σ w ln σ(β d) + (1 − w) ln σ(−β d),    R² = 1 − L(β) / L(0),    L(0) = −n ln 2.

    There is no intercept, as which dialogue comes first means nothing. Several judgements of the same
    two dialogues count as their mean. A tie can be predicted no better than by a coin, so with ties R²
    stays below 1. p is that of the likelihood-ratio test. Where a label separates perfectly, R² is
    its limit and a warning says so. The interval is made for √R² with the sign of β and then squared,
    so that it can begin at 0. Undefined, with a reason, for fewer than three comparisons and
    where d is 0 in all of them.
    """
    check_settings(resamples, confidence)
    pairs = distinct_pairs(comparisons)
    place = {name: n for n, name in enumerate(scores.dialogues)}
    known = [pair for pair in pairs if pair.first in place and pair.second in place]
    if not known:
        raise InputError("None of the dialogues that were compared has labels.")
    settings = BootstrapSettings(resamples=resamples, confidence=confidence, seed=seed)
    clusters = _components(known)
    share = np.array([(pair.score + 1) / 2 for pair in known])
    firsts = [place[pair.first] for pair in known]
    seconds = [place[pair.second] for pair in known]
    found = []
    for label in scores.labels:
        means = scores.mean_of(label)
        apart = means[firsts] - means[seconds]
        here = np.isfinite(apart)
        codes = encode(clusters[here].tolist()).codes
        found.append(_one(label, apart[here], share[here], codes, settings))
    return sorted(found, key=lambda each: (not each.r2.is_defined, -each.r2.value, each.label))


def comparative_sensitivity(
    label: str,
    comparisons: Sequence[DialogueComparison],
    systems: Mapping[str, str],
    *,
    alpha: float = 0.05,
) -> Sensitivity:
    """The pairs of systems that a comparative question tells apart, by sign tests.

    Each pair of dialogues of different systems counts once, for the system that most judgements prefer.
    `systems` holds the system of each dialogue. The difference is the share of wins of a less that
    of b, with ties in both shares.
    """
    signs: dict[tuple[str, str], list[float]] = {}
    for pair in distinct_pairs(comparisons):
        one, other = systems.get(pair.first), systems.get(pair.second)
        if one is None or other is None or one == other:
            continue
        sign = float(np.sign(pair.score))
        signs.setdefault((min(one, other), max(one, other)), []).append(
            sign if one < other else -sign
        )
    names = sorted({name for pair in signs for name in pair})
    if len(names) < 2:
        raise InputError(f"'{label}' does not compare two systems.")
    return told_apart(
        label,
        [(a, b, *_sign_test(signs.get((a, b), []))) for a, b in combinations(names, 2)],
        alpha=alpha,
        method=SIGN_TEST,
    )


def distinct_pairs(comparisons: Sequence[DialogueComparison]) -> list[DialogueComparison]:
    """Each pair of dialogues once, with the mean of what was said of them, whichever came first."""
    said: dict[tuple[str, str], list[float]] = {}
    for comparison in comparisons:
        if not -1 <= comparison.score <= 1:
            raise InputError(
                f"A comparison is −1, 0 or 1; got {comparison.score} for '{comparison.first}' and "
                f"'{comparison.second}'."
            )
        if comparison.first == comparison.second:
            raise InputError(f"Dialogue '{comparison.first}' is compared with itself.")
        key = (min(comparison.first, comparison.second), max(comparison.first, comparison.second))
        said.setdefault(key, []).append(
            comparison.score if key[0] == comparison.first else -comparison.score
        )
    return [DialogueComparison(a, b, sum(given) / len(given)) for (a, b), given in said.items()]


def _sign_test(signs: Sequence[float]) -> tuple[float, float, str]:
    wins, losses = sum(s > 0 for s in signs), sum(s < 0 for s in signs)
    if not signs:
        return MISSING, MISSING, "the two systems were not compared"
    difference = (wins - losses) / len(signs)
    if wins + losses == 0:
        return difference, 1.0, ""
    return difference, float(stats.binomtest(wins, wins + losses).pvalue), ""


def _components(pairs: Sequence[DialogueComparison]) -> Numbers:
    """A number for each pair: the same for pairs that are linked by dialogues they share."""
    leader: dict[str, str] = {}

    def head(name: str) -> str:
        while leader.setdefault(name, name) != name:
            leader[name] = leader[leader[name]]
            name = leader[name]
        return name

    for pair in pairs:
        leader[head(pair.first)] = head(pair.second)
    return encode(head(pair.first) for pair in pairs).codes


def _one(
    label: str, apart: Numbers, share: Numbers, clusters: Numbers, settings: BootstrapSettings
) -> Predictive:
    n = len(apart)
    reason = ""
    if n < 3:
        reason = f"only {n} comparisons have the label on both sides, and three are needed"
    elif not apart.any():
        reason = "the label is the same on both sides of every comparison"
    if reason:
        return Predictive(label=label, r2=Estimate.undefined(reason, n=n), slope=MISSING, p=MISSING)
    # Scaled so that one step of Newton's method is of the same size for every label.
    width = float(np.abs(apart).max())
    apart = apart / width
    (value,), (slope,) = _pseudo_r2(apart, share, np.ones((1, n)))
    groups = int(clusters.max()) + 1
    interval = None
    if settings.resamples and groups > 1:
        blocks = cluster_draws([clusters], resamples=settings.resamples, seed=settings.seed)
        draws = np.concatenate([_signed(apart, share, weights) for weights in blocks])
        around = np.concatenate([_signed(apart, share, weights) for weights in left_out(clusters)])
        root = float(np.sign(slope) * np.sqrt(value))
        interval = squared(bca_interval(root, draws, around, confidence=settings.confidence))
    warnings = _warnings(label, groups, n, separated=_separates(apart, share))
    return Predictive(
        label=label,
        r2=Estimate(value=float(value), interval=interval, n=n, method=METHOD, warnings=warnings),
        slope=float(slope) / width,
        p=float(stats.chi2.sf(2 * n * log(2) * float(value), 1)),
    )


def _separates(apart: Numbers, share: Numbers) -> bool:
    toward = apart * (share - 0.5)
    decided = (apart != 0) & (np.abs(share - 0.5) < 0.5)
    return not decided.any() and bool((toward >= 0).all() or (toward <= 0).all())


def _signed(apart: Numbers, share: Numbers, weights: Numbers) -> Numbers:
    """The root of R² with the sign of β, for each row of `weights`; it has no end at 0."""
    values, slopes = _pseudo_r2(apart, share, weights)
    return np.sign(slopes) * np.sqrt(values)


def _pseudo_r2(apart: Numbers, share: Numbers, weights: Numbers) -> tuple[Numbers, Numbers]:
    """McFadden's R² and β for each row of `weights`, by Newton's method.

    ln L is concave in the one β; where labels separate, β grows until L no longer changes.
    """
    slopes = np.zeros(len(weights))
    for _ in range(STEPS):
        chance = special.expit(slopes[:, None] * apart)
        gradient = (weights * (share - chance)) @ apart
        bend = (weights * chance * (1 - chance)) @ apart**2
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.where(bend > 1e-12, gradient / bend, 0.0)
        step = np.clip(step, -5, 5)
        slopes = slopes + step
        if np.abs(step).max() < 1e-10:
            break
    lean = slopes[:, None] * apart
    fit = (
        weights * (share * special.log_expit(lean) + (1 - share) * special.log_expit(-lean))
    ).sum(1)
    return np.clip(1 + fit / (weights.sum(axis=1) * log(2)), 0, 1), slopes


def _warnings(label: str, groups: int, n: int, *, separated: bool) -> tuple[str, ...]:
    found = []
    if groups == 1:
        found.append(f"'{label}': all comparisons share dialogues, so there is no interval.")
    elif groups < FEW:
        found.append(
            f"'{label}' rests on {groups} comparisons that share no dialogue; below {FEW} the "
            "interval is too narrow."
        )
    if separated:
        found.append(f"'{label}' separates the {n} comparisons perfectly; its slope is unbounded.")
    return tuple(found)
