"""MACE: each answer is either the true label or a guess after the rater's own habit.

D. Hovy, T. Berg-Kirkpatrick, A. Vaswani and E. Hovy (2013), Learning whom to trust with MACE,
Proceedings of NAACL-HLT, 1120–1130. M. Johnson (2007), Why doesn't EM find good HMM POS-taggers?,
Proceedings of EMNLP-CoNLL, 296–305, for the variational update.
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
from palaver.core.numeric import Numbers, np, special

RESTARTS = 10
ROUNDS = 500
TOLERANCE = 1e-11
# The priors of the paper: competence is near 0 or near 1, guesses are spread evenly.
COMPETENCE_PRIOR = 0.5
GUESS_PRIOR = 10.0


@dataclass(frozen=True, slots=True)
class _Priors:
    """Pseudo-counts of knowing and of guessing, and of each guessed label."""

    competence: float
    guess: float


@dataclass(frozen=True, slots=True)
class _Counts:
    """Expected numbers of answers: known and guessed by rater, guessed by rater and label."""

    known: Numbers
    guessed: Numbers


@dataclass(frozen=True, slots=True)
class _Weights:
    """What stands for θ, 1 − θ and ξ in the next round; variational ones sum to less than 1."""

    knows: Numbers
    guesses: Numbers
    habit: Numbers


@dataclass(frozen=True, slots=True)
class _Fit:
    posterior: Numbers
    counts: _Counts
    objective: float
    rounds: int
    converged: bool


def mace(
    answers: Answers,
    *,
    variational: bool = True,
    competence_prior: float = COMPETENCE_PRIOR,
    guess_prior: float = GUESS_PRIOR,
    restarts: int = RESTARTS,
    rounds: int = ROUNDS,
    tolerance: float = TOLERANCE,
    seed: int = 1,
) -> Aggregation:
    """The posterior label of each unit and the competence of each rater.

    Each of L labels is the true label of a unit with chance 1/L. Rater j knows it with chance θ_j
    and gives it; otherwise they guess label l with chance ξ_jl. So

        P(answers of unit i, true label t) = 1/L Π_{j said l of i} (θ_j [l = t] + (1 − θ_j) ξ_jl),

    and with q_i(t) the posterior of t, an answer l is known rather than guessed with chance
    q_i(l) θ_j / (θ_j + (1 − θ_j) ξ_jl). Summed up, these give the next θ and ξ.

    With `variational` (the paper's better variant) θ_j has the prior Beta(a, a) with a =
    `competence_prior` and ξ_j a symmetric Dirichlet with `guess_prior`; expected counts c become
    exp(ψ(c + prior)) / exp(ψ(sum of the same)), and what is maximised is the lower bound of the log
    evidence. Without it, plain EM maximises the log-likelihood. The best of `restarts` random
    starts is taken. A rater's competence is θ_j: its posterior mean, or its maximum-likelihood
    value.

    >>> said = [(unit, rater, "abc"[unit % 3] if rater < 4 else "a")
    ...         for unit in range(30) for rater in range(5)]
    >>> found = mace(Answers.of(said))
    >>> [rater.competence > 0.9 for rater in found.raters]
    [True, True, True, True, False]
    """
    priors = _checked(variational, competence_prior, guess_prior, restarts, rounds)
    dice = np.random.default_rng(seed)
    best = _fit(answers, _start(answers, dice), priors, rounds, tolerance)
    for _ in range(restarts - 1):
        other = _fit(answers, _start(answers, dice), priors, rounds, tolerance)
        if other.objective > best.objective:
            best = other
    units = most_likely(answers, best.posterior)
    return Aggregation(
        name="mace",
        method=_method(priors, restarts),
        labels=tuple(answers.labels),
        units=units,
        raters=_raters(answers, best.counts, priors),
        objective=best.objective,
        iterations=best.rounds,
        converged=best.converged,
        missing=answers.missing,
        warnings=(
            *model_warnings(answers, converged=best.converged, iterations=best.rounds),
            *undecided_warning(units),
        ),
    )


def _checked(
    variational: bool, competence_prior: float, guess_prior: float, restarts: int, rounds: int
) -> _Priors | None:
    if restarts < 1 or rounds < 1:
        raise InputError(f"MACE takes 1 or more starts and rounds; got {restarts} and {rounds}.")
    if not variational:
        return None
    if competence_prior <= 0 or guess_prior <= 0:
        raise InputError(
            f"The priors of MACE are above 0; got {competence_prior} and {guess_prior}. "
            "For none, use plain EM (variational=False)."
        )
    return _Priors(competence_prior, guess_prior)


def _start(answers: Answers, dice: "np.random.Generator") -> _Weights:
    size, width = len(answers.raters), len(answers.labels)
    knows = dice.uniform(0.3, 0.9, size)
    habit = dice.dirichlet(np.full(width, 5.0), size)
    return _Weights(knows, 1 - knows, habit)


def _fit(
    answers: Answers, weights: _Weights, priors: _Priors | None, rounds: int, tolerance: float
) -> _Fit:
    reached, converged, done = -np.inf, False, 0
    # The start was not computed from counts: in the variational case it has no bound to compare.
    penalty = np.inf if priors else 0.0
    while done < rounds and not converged:
        done += 1
        posterior, counts, evidence = _expect(answers, weights)
        objective = evidence - penalty
        converged = objective - reached <= tolerance * (1 + abs(objective))
        reached = objective
        weights = _maximise(counts, priors)
        penalty = _divergence(counts, priors)
    return _Fit(posterior, counts, reached, done, converged)


def _expect(answers: Answers, weights: _Weights) -> tuple[Numbers, _Counts, float]:
    """The posteriors under these weights, the expected counts, and the log of what they explain."""
    size, width = len(answers.raters), len(answers.labels)
    cells = answers.rater * width + answers.label
    guess = (weights.guesses[:, None] * weights.habit).reshape(-1)[cells]
    know = weights.knows[answers.rater]
    with np.errstate(divide="ignore"):
        log_guess, log_either = np.log(guess), np.log(know + guess)
    # Every answer may be a guess; the one equal to the true label may also be known.
    joint = np.repeat(log_guess[:, None], width, axis=1)
    joint[np.arange(len(answers)), answers.label] = log_either
    starts = np.searchsorted(answers.unit, np.arange(len(answers.units)))
    totals = np.add.reduceat(joint, starts, axis=0) - np.log(width)
    highest = totals.max(axis=1, keepdims=True)
    scaled = np.exp(totals - highest)
    sums = scaled.sum(axis=1, keepdims=True)
    posterior = scaled / sums
    either = know + guess
    share = np.divide(know, either, out=np.zeros_like(know), where=either > 0)
    known = posterior[answers.unit, answers.label] * share
    counts = _Counts(
        known=np.bincount(answers.rater, weights=known, minlength=size),
        guessed=np.bincount(cells, weights=1 - known, minlength=size * width).reshape(size, width),
    )
    return posterior, counts, float((np.log(sums) + highest).sum())


def _maximise(counts: _Counts, priors: _Priors | None) -> _Weights:
    guesses = counts.guessed.sum(axis=1)
    if priors is None:
        totals = counts.known + guesses
        even = np.full_like(counts.guessed, 1 / counts.guessed.shape[1])
        habit = np.divide(counts.guessed, guesses[:, None], out=even, where=guesses[:, None] > 0)
        return _Weights(counts.known / totals, guesses / totals, habit)
    either = special.digamma(counts.known + guesses + 2 * priors.competence)
    smoothed = counts.guessed + priors.guess
    return _Weights(
        knows=np.exp(special.digamma(counts.known + priors.competence) - either),
        guesses=np.exp(special.digamma(guesses + priors.competence) - either),
        habit=np.exp(special.digamma(smoothed) - special.digamma(smoothed.sum(axis=1))[:, None]),
    )


def _divergence(counts: _Counts, priors: _Priors | None) -> float:
    """The Kullback–Leibler divergence of the variational posteriors of θ and ξ from their priors."""
    if priors is None:
        return 0.0
    competence = np.column_stack([counts.known, counts.guessed.sum(axis=1)]) + priors.competence
    return _from_even_dirichlet(competence, priors.competence) + _from_even_dirichlet(
        counts.guessed + priors.guess, priors.guess
    )


def _from_even_dirichlet(rows: Numbers, prior: float) -> float:
    width = rows.shape[1]
    totals = rows.sum(axis=1)
    each = (
        special.gammaln(totals)
        - special.gammaln(rows).sum(axis=1)
        - special.gammaln(width * prior)
        + width * special.gammaln(prior)
        + ((rows - prior) * (special.digamma(rows) - special.digamma(totals)[:, None])).sum(axis=1)
    )
    return float(each.sum())


def _raters(
    answers: Answers, counts: _Counts, priors: _Priors | None
) -> tuple[RaterCompetence, ...]:
    prior = priors.competence if priors else 0.0
    given = answers.per_rater()
    competence = (counts.known + prior) / (given + 2 * prior)
    return tuple(
        RaterCompetence(rater, int(given[n]), float(competence[n]))
        for n, rater in enumerate(answers.raters)
    )


def _method(priors: _Priors | None, restarts: int) -> str:
    fitted = (
        "plain EM"
        if priors is None
        else f"variational Bayes, Beta({priors.competence:g}, {priors.competence:g}) on competence "
        f"and Dirichlet({priors.guess:g}) on guesses"
    )
    return (
        f"MACE (Hovy et al. 2013), {fitted}, best of {restarts} starts: an answer is the true label "
        "or a guess. Competence: the chance that a rater does not guess."
    )
