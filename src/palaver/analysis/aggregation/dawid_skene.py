"""Dawid and Skene's model: each rater confuses true labels in a way of their own.

A. P. Dawid and A. M. Skene (1979), Maximum likelihood estimation of observer error-rates using the
EM algorithm, Applied Statistics 28, 20–28.
"""

from dataclasses import dataclass

from palaver.analysis.aggregation.aggregated import (
    Aggregation,
    RaterCompetence,
    model_warnings,
    most_likely,
    undecided_warning,
)
from palaver.analysis.aggregation.answers import Answers
from palaver.core.errors import InputError
from palaver.core.numeric import Numbers, np

ROUNDS = 1000
# The objective may still grow by this share of itself when the rounds end.
TOLERANCE = 1e-10


def dawid_skene(
    answers: Answers,
    *,
    pseudo_counts: float = 0.0,
    rounds: int = ROUNDS,
    tolerance: float = TOLERANCE,
) -> Aggregation:
    """The posterior label of each unit and the confusion matrix of each rater, by EM.

    A unit's true label is k with chance p_k; rater j then answers l with chance π_jkl, independently
    of the other raters. From the posteriors T_ik that unit i is k, starting with the shares of its
    answers, two steps alternate until the log-likelihood Σ_i log Σ_k p_k Π π_jkl stands still:

        p_k ∝ Σ_i T_ik + c,   π_jkl ∝ Σ_i T_ik [j said l of i] + c
        T_ik ∝ p_k Π_{j said l of i} π_jkl

    c is `pseudo_counts`: 0 gives maximum likelihood; more pulls every chance towards an even spread
    and the objective is then the log-likelihood plus c times the sum of all log chances. Where no
    unit of a rater can be k, that row of theirs is an even spread, which changes nothing. EM finds
    the maximum near the start, not surely the highest; answers that agree more than they err make
    it the one that is meant. A rater's competence is Σ_k p_k π_jkk, the chance of a right answer.

    >>> said = [(unit, rater, "ab"[(unit + (rater == 3 and unit < 2)) % 2])
    ...         for unit in range(8) for rater in range(4)]
    >>> found = dawid_skene(Answers.of(said))
    >>> [round(rater.competence, 2) for rater in found.raters]
    [1.0, 1.0, 1.0, 0.75]
    """
    _check(pseudo_counts, rounds, tolerance)
    posterior = answers.counts()
    posterior /= posterior.sum(axis=1, keepdims=True)
    reached, converged, done = -np.inf, False, 0
    while done < rounds and not converged:
        done += 1
        chances = _maximise(answers, posterior, pseudo_counts)
        posterior, objective = _expect(answers, chances, pseudo_counts)
        converged = objective - reached <= tolerance * (1 + abs(objective))
        reached = objective
    units = most_likely(answers, posterior)
    return Aggregation(
        name="dawid-skene",
        method=_method(pseudo_counts),
        labels=tuple(answers.labels),
        units=units,
        raters=_raters(answers, chances),
        prior=dict(zip(answers.labels, chances.prior.tolist(), strict=True)),
        objective=reached,
        iterations=done,
        converged=converged,
        missing=answers.missing,
        warnings=(
            *model_warnings(answers, converged=converged, iterations=done),
            *undecided_warning(units),
        ),
    )


@dataclass(frozen=True, slots=True)
class _Chances:
    """`prior` by true label; `confusion` is raters × true labels × given labels."""

    prior: Numbers
    confusion: Numbers


def _check(pseudo_counts: float, rounds: int, tolerance: float) -> None:
    if not 0 <= pseudo_counts < float("inf"):
        raise InputError(f"Pseudo-counts are 0 or more; got {pseudo_counts}.")
    if rounds < 1 or tolerance < 0:
        raise InputError(
            f"EM takes at least one round and a tolerance of 0 or more; got {rounds} and {tolerance}."
        )


def _maximise(answers: Answers, posterior: Numbers, pseudo_counts: float) -> _Chances:
    size, width = len(answers.raters), len(answers.labels)
    cells = answers.rater * width + answers.label
    expected = np.empty((size, width, width))
    for true in range(width):
        weights = posterior[answers.unit, true]
        expected[:, true, :] = np.bincount(cells, weights=weights, minlength=size * width).reshape(
            size, width
        )
    expected += pseudo_counts
    totals = expected.sum(axis=2, keepdims=True)
    even = np.full_like(expected, 1 / width)
    confusion = np.divide(expected, totals, out=even, where=totals > 0)
    prior = posterior.sum(axis=0) + pseudo_counts
    return _Chances(prior / prior.sum(), confusion)


def _expect(answers: Answers, chances: _Chances, pseudo_counts: float) -> tuple[Numbers, float]:
    """The posteriors under these chances, and the objective at them."""
    with np.errstate(divide="ignore"):
        confusion, prior = np.log(chances.confusion), np.log(chances.prior)
    starts = np.searchsorted(answers.unit, np.arange(len(answers.units)))
    joint = np.add.reduceat(confusion[answers.rater, :, answers.label], starts, axis=0) + prior
    highest = joint.max(axis=1, keepdims=True)
    scaled = np.exp(joint - highest)
    totals = scaled.sum(axis=1, keepdims=True)
    objective = float((np.log(totals) + highest).sum())
    if pseudo_counts:
        objective += pseudo_counts * float(confusion.sum() + prior.sum())
    return scaled / totals, objective


def _raters(answers: Answers, chances: _Chances) -> tuple[RaterCompetence, ...]:
    right = np.einsum("k,jkk->j", chances.prior, chances.confusion)
    given = answers.per_rater()
    return tuple(
        RaterCompetence(
            rater=rater,
            n=int(given[n]),
            competence=float(right[n]),
            confusion={
                true: dict(zip(answers.labels, row.tolist(), strict=True))
                for true, row in zip(answers.labels, chances.confusion[n], strict=True)
            },
        )
        for n, rater in enumerate(answers.raters)
    )


def _method(pseudo_counts: float) -> str:
    fitted = (
        "by maximum likelihood"
        if pseudo_counts == 0
        else f"with pseudo-counts of {pseudo_counts:g}"
    )
    return (
        f"Dawid and Skene's model (1979) {fitted}: raters err independently, each with a confusion "
        "matrix of their own. Competence: the chance of a right answer."
    )
