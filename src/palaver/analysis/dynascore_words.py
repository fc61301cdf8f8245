"""What a reader of Dynascores must be told: what is missing, set aside, or rests on one pair."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from palaver.core.numeric import Numbers, np
from palaver.core.words import listed

# A pair decides a rate where it makes up more than this share of it and is a near tie: nearer than
# this share of the mean step.
MOST_OF_A_RATE = 0.5
NEAR_TIE = 0.5
# Of two pairs one nearly always makes up more than half.
LEAST_PAIRS = 3
# A metric that makes up more than this share of the scores at a smaller weight drowns the rest.
MOST_OF_A_SCORE = 0.9
MOST_SHOWN = 3


def lacking(
    values: Numbers, needed: Sequence[bool], models: Sequence[str], metrics: Sequence[str]
) -> dict[str, str]:
    """The models that have no value in a metric that is needed, and which metrics those are."""
    found: dict[str, str] = {}
    for model, row in zip(models, values, strict=True):
        missing = [
            metric
            for metric, wanted, value in zip(metrics, needed, row, strict=True)
            if wanted and not np.isfinite(value)
        ]
        if missing:
            found[model] = f"it has no {listed(missing)}"
    return found


def aside_words(set_aside: Mapping[str, str], *, some_left: bool) -> list[str]:
    """Which metrics were set aside and why; one sentence per reason."""
    by_reason: dict[str, list[str]] = {}
    for metric, reason in set_aside.items():
        by_reason.setdefault(reason, []).append(metric)
    rest = "the others share its weight" if some_left else "no score can be computed"
    return [
        f"{listed(metrics)} {'is' if len(metrics) == 1 else 'are'} set aside, because {reason}; "
        f"{rest if len(metrics) == 1 else rest.replace('its', 'their')}."
        for reason, metrics in by_reason.items()
    ]


def rate_words(
    rates: Numbers,
    order: Numbers,
    steps: Numbers,
    weighed: Sequence[bool],
    models: Sequence[str],
    metrics: Sequence[str],
) -> list[str]:
    """Exact ties, and pairs that decide a rate; `rates` are pairs × metrics, NaN where none counts."""
    named = [models[place] for place in order]
    pairs = [f"{one} and {following}" for one, following in pairwise(named)]
    counting = np.isfinite(rates[:, 0])
    told = []
    tied = [pair for pair, step in zip(pairs, steps, strict=True) if step == 0]
    if tied and counting.any():
        shown = "; ".join(tied[:MOST_SHOWN]) + ("; …" if len(tied) > MOST_SHOWN else "")
        told.append(
            f"Equal in {metrics[0]}, so that their order in the table decides who is compared "
            f"with the next: {shown}."
        )
    if counting.sum() < LEAST_PAIRS:
        return told
    near = np.where(counting, steps, np.inf) < NEAR_TIE * steps[counting].mean()
    decided: dict[int, list[str]] = {}
    for metric in range(1, len(metrics)):
        each = np.nan_to_num(rates[:, metric])
        largest = int(np.argmax(each))
        if weighed[metric] and near[largest] and each[largest] > MOST_OF_A_RATE * each.sum():
            decided.setdefault(largest, []).append(metrics[metric])
    return told + [
        f"The rate of {listed(names)} rests for the most part on {pairs[place]}, which are "
        f"only {steps[place]:.4g} apart in {metrics[0]}: a small change there moves all scores."
        for place, names in decided.items()
    ]


def drowning_words(
    good: Numbers, amrs: Numbers, shares: Numbers, metrics: Sequence[str]
) -> list[str]:
    """The metric that makes up nearly all of the scores (good: models × metrics), if there is one."""
    used, scored = shares > 0, np.isfinite(good[:, 0])
    if not used.any() or not scored.any():
        return []
    means = np.abs(good[scored][:, used]).mean(axis=0)
    parts = shares[used] * means / amrs[used]
    largest = int(np.argmax(parts))
    place = int(np.flatnonzero(used)[largest])
    portion = float(parts[largest] / parts.sum())
    if place == 0 or not portion > MOST_OF_A_SCORE > shares[place]:
        return []
    return [
        f"{metrics[place]} makes up {100 * min(portion, 0.999):.3g} % of the scores at a weight of "
        f"{100 * shares[place]:.3g} %: it hardly changes between models that differ in "
        f"{metrics[0]}, so a little of it counts for much. With weight 0 the others decide."
    ]
