"""Distances between distributions over labels, averaged over items, as metrics.

A prediction and its reference are the masses of the same labels in the same order; counts do as well
as shares. The distances are those of `distances.py`.
"""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from palaver.core.errors import InputError
from palaver.core.numeric import Numbers, np
from palaver.metrics.distances import Distance, jsd, nmd, normalised, rnss, rsnod
from palaver.metrics.metric import Example, Metric, Score
from palaver.metrics.shapes import MASSES, fit_number

Masses = Sequence[tuple[float, ...]]
SAKAI = "T. Sakai (2018), Comparing two binned probability distributions for information access "
SAKAI += "evaluation, SIGIR, 1073–1076."
_PREDICTED = [[0.5, 0.0, 0.5], [0.0, 1.0, 0.0]]
_TRUE = [[0.5, 0.5, 0.0], [0, 4, 0]]


def mean_nmd(predictions: Masses, references: Masses) -> Score:
    """The mean normalised match distance: how far mass must be carried along ordered labels."""
    return _mean(nmd, predictions, references)


def mean_rsnod(predictions: Masses, references: Masses) -> Score:
    """The mean root symmetric normalised order-aware divergence, for ordered labels."""
    return _mean(rsnod, predictions, references)


def mean_rnss(predictions: Masses, references: Masses) -> Score:
    """The mean root normalised sum of squares, for labels without an order."""
    return _mean(rnss, predictions, references)


def mean_jsd(predictions: Masses, references: Masses) -> Score:
    """The mean Jensen–Shannon divergence in bits, for labels without an order."""
    return _mean(jsd, predictions, references)


def mean_kl(predictions: Masses, references: Masses, *, smoothing: Any = 0.0) -> Score:
    """The mean Kullback–Leibler divergence of the prediction q from the reference p, in nats.

    KL(p‖q) = Σᵢ pᵢ ln(pᵢ / qᵢ), with 0 · ln 0 = 0. It is infinite, and the score undefined, where a
    prediction gives nothing to a label that the reference has; `smoothing` adds that much to every
    share of the prediction, which is then divided by its sum.
    """
    added = _smoothing(smoothing)

    def divergence(q: Any, p: Any) -> Numbers:
        shares, right = normalised(q), normalised(p)
        smoothed = (shares + added) / (1 + added * shares.shape[-1])
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(right > 0, right * np.log(right / smoothed), 0.0)
        found: Numbers = np.maximum(0.0, terms.sum(axis=-1))
        return found

    found = _mean(divergence, predictions, references)
    endless = [n for n, value in enumerate(found.per_item, 1) if math.isinf(value)]
    if endless:
        return Score.undefined(
            f"prediction {endless[0]} gives no mass to a label that its reference has, so the "
            f"divergence is infinite ({len(endless)} of {len(predictions)} items); use option "
            "smoothing"
        )
    return found


def _smoothing(value: Any) -> float:
    try:
        found = fit_number(value)
    except ValueError:
        found = -1.0
    if found < 0:
        raise InputError(f"Option 'smoothing' takes a number of 0 or more; got {value!r}.")
    return found


def _mean(distance: Distance, predictions: Masses, references: Masses) -> Score:
    values: list[float] = [0.0] * len(predictions)
    for size, items in _by_size(predictions, references).items():
        first = np.array([predictions[item] for item in items]).reshape(-1, size)
        second = np.array([references[item] for item in items]).reshape(-1, size)
        for item, value in zip(items, distance(first, second), strict=True):
            values[item] = float(value)
    return Score.mean_of(values)


def _by_size(predictions: Masses, references: Masses) -> dict[int, list[int]]:
    """The items by how many labels they have; each must have as many on both sides."""
    sizes: dict[int, list[int]] = {}
    for item, (given, right) in enumerate(zip(predictions, references, strict=True)):
        if len(given) != len(right):
            raise InputError(
                f"Item {item + 1} has {len(given)} labels in the prediction and {len(right)} in "
                f"the reference; give the same labels in the same order."
            )
        sizes.setdefault(len(given), []).append(item)
    return sizes


_distance_metric = partial(
    Metric,
    family="distribution",
    direction="lower",
    predictions=MASSES,
    references=MASSES,
    decomposes=True,
)
NMD = _distance_metric(
    name="nmd",
    title="Normalised match distance",
    about="How far mass must be moved along ordered labels, as a share of the greatest distance.",
    unit="distance",
    paper=SAKAI,
    function=mean_nmd,
    example=Example(_PREDICTED, _TRUE, 0.125),
)
RSNOD = _distance_metric(
    name="rsnod",
    title="Root symmetric normalised order-aware divergence",
    about="How much two distributions over ordered labels differ; distant mass counts more.",
    unit="distance",
    paper=SAKAI,
    function=mean_rsnod,
    example=Example(_PREDICTED, _TRUE, 0.25),
)
RNSS = _distance_metric(
    name="rnss",
    title="Root normalised sum of squares",
    about="How much two distributions over labels without an order differ.",
    unit="distance",
    paper=SAKAI,
    function=mean_rnss,
    example=Example(_PREDICTED, _TRUE, 0.25),
)
JSD = _distance_metric(
    name="jsd",
    title="Jensen–Shannon divergence",
    about="How well one can tell which of two distributions a label was drawn from.",
    unit="bits",
    paper="J. Lin (1991), Divergence measures based on the Shannon entropy, IEEE Transactions on "
    "Information Theory 37, 145–151.",
    function=mean_jsd,
    example=Example(_PREDICTED, _TRUE, 0.25),
)
KL_DIVERGENCE = _distance_metric(
    name="kl_divergence",
    title="Kullback–Leibler divergence",
    about="How surprising the reference is to somebody who expects the prediction.",
    unit="nats",
    high=math.inf,
    paper="S. Kullback, R. A. Leibler (1951), On information and sufficiency, Annals of Mathematical "
    "Statistics 22, 79–86.",
    options={"smoothing": "added to every share of a prediction, such as 1e-6; 0 if not given"},
    function=mean_kl,
    example=Example([[0.5, 0.5], [0.25, 0.75]], [[1, 0], [1, 3]], math.log(2) / 2),
)
