"""MACE: by summing over every hidden choice, the algorithm written out, and simulated raters."""

from itertools import pairwise, product
from math import log, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import digamma
from scipy.stats import dirichlet

from palaver.analysis.aggregation import Answers, mace
from palaver.analysis.aggregation.mace import (
    _expect,
    _from_even_dirichlet,
    _maximise,
    _Priors,
    _Weights,
)
from palaver.core.errors import InputError


def drawn(seed, *, units=10, raters=4, labels=3, skill=(0.3, 0.95), missing=0.15):
    rng = np.random.default_rng(seed)
    truth = rng.integers(labels, size=units)
    skills = rng.uniform(*skill, raters)
    return [
        (unit, rater, int(truth[unit] if rng.random() < skills[rater] else rng.integers(labels)))
        for unit in range(units)
        for rater in range(raters)
        if rng.random() >= missing
    ]


def enumerated(row, knows, habit, labels):
    """Posterior of the label, chance that each answer is known, and the likelihood of one unit.

    Sums over every true label and every pattern of knowing and guessing.
    """
    total, by_label, known = 0.0, np.zeros(labels), np.zeros(len(row))
    for true in range(labels):
        for hidden in product([True, False], repeat=len(row)):
            chance = 1 / labels
            for (rater, label), knew in zip(row, hidden, strict=True):
                if knew:
                    chance *= knows[rater] * (label == true)
                else:
                    chance *= (1 - knows[rater]) * habit[rater][label]
            total += chance
            by_label[true] += chance
            known += chance * np.array(hidden)
    return by_label / total, known / total, total


@pytest.mark.parametrize("seed", range(5))
def test_a_step_agrees_with_summing_over_every_hidden_choice(seed):
    rng = np.random.default_rng(seed)
    answers = Answers.of(drawn(seed, units=5, raters=3))
    knows, habit = rng.uniform(0.2, 0.9, 3), rng.dirichlet(np.ones(3), 3)
    posterior, counts, evidence = _expect(answers, _Weights(knows, 1 - knows, habit))
    known, guessed, likelihood = np.zeros(3), np.zeros((3, 3)), 0.0
    for unit in range(len(answers.units)):
        row = [
            (int(r), int(v))
            for u, r, v in zip(answers.unit, answers.rater, answers.label, strict=True)
            if u == unit
        ]
        labels, knew, total = enumerated(row, knows, habit, 3)
        assert posterior[unit] == pytest.approx(labels, abs=1e-12)
        for (rater, label), share in zip(row, knew, strict=True):
            known[rater] += share
            guessed[rater, label] += 1 - share
        likelihood += log(total)
    assert counts.known == pytest.approx(known, abs=1e-12)
    assert counts.guessed == pytest.approx(guessed, abs=1e-12)
    assert evidence == pytest.approx(likelihood, abs=1e-12)


def test_plain_em_stands_on_the_highest_likelihood():
    # Two raters guess, two labels, few units: scipy climbs the same likelihood from many starts.
    said = drawn(8, units=12, raters=3, labels=2, missing=0)
    answers = Answers.of(said, labels=[0, 1])
    rows = [[(r, v) for u, r, v in said if u == unit] for unit in range(12)]

    def loss(free):
        knows, one = free[:3], free[3:]
        habit = [(1 - h, h) for h in one]
        total = 0.0
        for row in rows:
            total -= log(
                sum(
                    0.5 * prod(knows[r] * (v == t) + (1 - knows[r]) * habit[r][v] for r, v in row)
                    for t in range(2)
                )
            )
        return total

    rng = np.random.default_rng(0)
    best = min(
        minimize(loss, rng.uniform(0.1, 0.9, 6), bounds=[(1e-6, 1 - 1e-6)] * 6).fun
        for _ in range(15)
    )
    found = mace(answers, variational=False, restarts=15, rounds=5000, tolerance=1e-13)
    assert -found.objective == pytest.approx(best, abs=1e-3)


def test_the_variational_step_is_the_one_of_the_paper():
    answers = Answers.of(drawn(3))
    knows = np.full(4, 0.5)
    _, counts, _ = _expect(answers, _Weights(knows, knows, np.full((4, 3), 1 / 3)))
    weights = _maximise(counts, _Priors(competence=0.5, guess=10.0))
    for j in range(4):
        spam = counts.guessed[j].sum()
        total = digamma(counts.known[j] + spam + 1.0)
        assert weights.knows[j] == pytest.approx(np.exp(digamma(counts.known[j] + 0.5) - total))
        assert weights.guesses[j] == pytest.approx(np.exp(digamma(spam + 0.5) - total))
        for k in range(3):
            wanted = np.exp(digamma(counts.guessed[j, k] + 10) - digamma(spam + 30))
            assert weights.habit[j, k] == pytest.approx(wanted)


def test_the_divergence_agrees_with_sampling():
    row = np.array([3.0, 1.5, 4.0])
    draws = np.random.default_rng(0).dirichlet(row, 200_000)
    sampled = (dirichlet.logpdf(draws.T, row) - dirichlet.logpdf(draws.T, np.full(3, 2.0))).mean()
    assert _from_even_dirichlet(row[None, :], 2.0) == pytest.approx(sampled, abs=0.01)


@pytest.mark.parametrize("variational", [True, False])
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_what_is_maximised_never_falls(seed, variational):
    answers = Answers.of(drawn(seed))
    first = 2 if variational else 1
    reached = [
        mace(answers, variational=variational, restarts=1, rounds=n, tolerance=0).objective
        for n in range(first, first + 6)
    ]
    assert all(later >= earlier - 1e-9 for earlier, later in pairwise(reached))


@pytest.mark.parametrize("variational", [True, False])
def test_competence_is_recovered(variational):
    rng = np.random.default_rng(5)
    skills = np.array([0.95, 0.8, 0.6, 0.4, 0.2, 0.0])
    truth = rng.integers(4, size=1500)
    said = [
        (unit, rater, int(truth[unit] if rng.random() < skill else rng.integers(4)))
        for unit in range(1500)
        for rater, skill in enumerate(skills)
    ]
    found = mace(Answers.of(said), variational=variational, restarts=4)
    assert [r.competence for r in found.raters] == pytest.approx(skills.tolist(), abs=0.06)
    right = np.mean([u.label == t for u, t in zip(found.units, truth, strict=True)])
    votes = np.array([[v for _, _, v in said[6 * u : 6 * u + 6]] for u in range(1500)])
    most = np.array([np.bincount(row, minlength=4).argmax() for row in votes])
    assert right > np.mean(most == truth)


def test_a_spammer_with_a_habit_gets_low_competence():
    rng = np.random.default_rng(6)
    truth = rng.integers(3, size=120)
    said = [(u, r, int(truth[u])) for u in range(120) for r in range(3)]
    said += [(u, "always 0", 0) for u in range(120)]
    found = mace(Answers.of(said))
    assert [u.label for u in found.units] == truth.tolist()
    assert min(r.competence for r in found.raters[:3]) > 0.95
    assert found.raters[3].competence < 0.15


@settings(max_examples=15, deadline=None)
@given(st.permutations([0, 1, 2]))
def test_renaming_labels_renames_the_answer(names):
    said = drawn(2, units=60, raters=5, skill=(0.7, 0.95))
    renamed = [(unit, rater, names[value]) for unit, rater, value in said]
    before = mace(Answers.of(said, labels=[0, 1, 2]), restarts=3)
    after = mace(Answers.of(renamed, labels=[0, 1, 2]), restarts=3)
    for one, other in zip(before.units, after.units, strict=True):
        for label, share in one.distribution.items():
            assert other.distribution[names[label]] == pytest.approx(share, abs=1e-3)


def test_the_same_seed_gives_the_same_numbers():
    answers = Answers.of(drawn(4, units=40))
    assert mace(answers, seed=7) == mace(answers, seed=7)


def test_one_rater_is_named():
    found = mace(Answers.of([(n, "ann", n % 2) for n in range(20)]))
    assert [u.label for u in found.units] == [n % 2 for n in range(20)]
    assert "only one rater" in found.warnings[0]


@pytest.mark.parametrize(
    "options", [{"restarts": 0}, {"rounds": 0}, {"competence_prior": 0.0}, {"guess_prior": -1.0}]
)
def test_bad_settings_are_named(options):
    with pytest.raises(InputError, match="got"):
        mace(Answers.of(drawn(1)), **options)
