"""Soft labels: what raters said of a unit as a distribution, with how far they disagree.

A distribution keeps what a single label throws away: that three of ten people heard it otherwise.
"""

from dataclasses import dataclass
from typing import Any, Literal

from palaver.analysis.aggregation.aggregated import Aggregated, entropy_bits, largest_entropy
from palaver.analysis.aggregation.answers import Answers
from palaver.core.errors import InputError
from palaver.core.estimates import MISSING, html_table
from palaver.core.numeric import Numbers, np
from palaver.core.serial import if_any

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")


@dataclass(frozen=True, slots=True)
class SoftLabel:
    """One unit's distribution. `variance` is None for nominal labels."""

    unit: Any
    counts: dict[Any, int]
    distribution: dict[Any, float]
    n: int
    entropy: float
    normalised_entropy: float
    disagreement: float
    variance: float | None = if_any(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftLabels(Aggregated):
    """The soft label of each unit, and how they were made."""

    units: tuple[SoftLabel, ...]

    def _repr_html_(self) -> str:
        rows = [
            {
                "unit": unit.unit,
                **{str(label): p for label, p in unit.distribution.items()},
                "entropy": unit.entropy,
                "disagreement": unit.disagreement,
                "n": unit.n,
            }
            for unit in self.units
        ]
        return html_table(rows, caption=self.method)


def soft_labels(
    answers: Answers, *, level: Level = "nominal", smoothing: float = 0.0
) -> SoftLabels:
    """Each unit's distribution over the labels.

    With m_c of a unit's m answers being c, L labels in all and `smoothing` s added to each,

        p_c = (m_c + s) / (m + s L)
        entropy = −Σ p_c log₂ p_c, in bits; normalised: divided by log₂ L
        disagreement = 1 − Σ p_c²: the chance that two answers drawn from p differ
        variance = Σ p_c x_c² − (Σ p_c x_c)², for ordinal, interval and ratio labels

    where x_c is the label itself or, at level ordinal, its place in the order, counted from 0. The
    normalised entropy is undefined (NaN) where there is one label only.

    C. E. Shannon (1948), A mathematical theory of communication, Bell System Technical Journal 27,
    379–423. E. H. Simpson (1949), Measurement of diversity, Nature 163, 688.

    >>> said = [("d", rater, value) for rater, value in enumerate("aab")] + [("e", 0, "c")]
    >>> first, second = soft_labels(Answers.of(said)).units
    >>> first.counts, round(first.entropy, 3), round(first.disagreement, 3)
    ({'a': 2, 'b': 1, 'c': 0}, 0.918, 0.444)
    >>> second.entropy, second.disagreement
    (0.0, 0.0)
    """
    if not 0 <= smoothing < float("inf"):
        raise InputError(f"Smoothing adds 0 or more to each count; got {smoothing}.")
    if level not in LEVELS:
        raise InputError(f"A level is one of {', '.join(LEVELS)}; got {level!r}.")
    counts = answers.counts()
    width = len(answers.labels)
    sizes = counts.sum(axis=1)
    shares = (counts + smoothing) / (sizes + smoothing * width)[:, None]
    entropies = entropy_bits(shares)
    variances = _variances(answers, shares, level)
    most = largest_entropy(width)
    units = tuple(
        SoftLabel(
            unit=unit,
            counts=dict(zip(answers.labels, counts[row].astype(int).tolist(), strict=True)),
            distribution=dict(zip(answers.labels, shares[row].tolist(), strict=True)),
            n=int(sizes[row]),
            entropy=float(entropies[row]),
            normalised_entropy=float(entropies[row]) / most if most > 0 else MISSING,
            disagreement=max(0.0, float(1 - (shares[row] ** 2).sum())),
            variance=None if variances is None else float(variances[row]),
        )
        for row, unit in enumerate(answers.units)
    )
    return SoftLabels(
        name="soft",
        method=_method(smoothing),
        labels=tuple(answers.labels),
        units=units,
        warnings=_warnings(sizes),
    )


def _variances(answers: Answers, shares: Numbers, level: Level) -> Numbers | None:
    if level == "nominal":
        return None
    if level == "ordinal":
        places = np.arange(len(answers.labels), dtype=float)
    elif all(isinstance(label, int | float) for label in answers.labels):
        places = np.array(answers.labels, dtype=float)
    else:
        raise InputError(
            f"At level {level} labels are numbers; got {answers.labels[0]!r}. "
            "Text labels are nominal or, with their order given, ordinal."
        )
    middle = shares @ places
    variances: Numbers = (shares * (places[None, :] - middle[:, None]) ** 2).sum(axis=1)
    return variances


def _method(smoothing: float) -> str:
    if smoothing == 0:
        return "Shares of the answers, without smoothing."
    return f"Shares of the answers, with {smoothing:g} added to the count of each label."


def _warnings(sizes: Numbers) -> tuple[str, ...]:
    lone = int((sizes == 1).sum())
    if not lone:
        return ()
    return (f"{lone} of {len(sizes)} units have one answer, so they cannot show disagreement.",)
