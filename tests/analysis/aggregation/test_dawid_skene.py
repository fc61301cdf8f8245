"""Dawid and Skene's model: their own data, the algorithm written out, and likelihoods by hand."""

from itertools import pairwise
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from palaver.analysis.aggregation import Answers, dawid_skene
from palaver.core.errors import InputError

# Dawid and Skene (1979), table 1: 45 patients. The first anaesthetist judged each form three times,
# the other four once: three digits, then four.
PATIENTS = (
    """
111 1111|333 4334|112 2122|222 3121|222 3222|222 3322|122 2111|333 3433|222 2223|232 2223|444 4444
222 3343|111 1111|222 3212|121 1111|111 2111|111 1111|111 1111|222 2221|222 1322|222 2222|222 2221
222 3222|221 2222|111 1111|111 1111|232 2222|111 1111|111 1111|112 1121|111 1111|333 3233|111 1111
222 2222|222 3232|433 4343|221 2232|232 3233|333 3432|111 1111|111 1111|121 2111|232 2222|121 1111
222 2222
""".strip()
    .replace("\n", "|")
    .split("|")
)


def anaesthetists():
    said = []
    for patient, row in enumerate(PATIENTS):
        own, others = row.split()
        said += [(patient, 1, int(value)) for value in own]
        said += [(patient, rater, int(value)) for rater, value in enumerate(others, start=2)]
    return Answers.of(said, repeated=True)


def slow(answers, rounds, pseudo_counts=0.0):
    """The two steps written out, one answer at a time."""
    units, raters, labels = (range(len(x)) for x in (answers.units, answers.raters, answers.labels))
    said = list(zip(answers.unit, answers.rater, answers.label, strict=True))
    posterior = []
    for i in units:
        own = [label for unit, _, label in said if unit == i]
        posterior.append([own.count(k) / len(own) for k in labels])
    for _ in range(rounds):
        prior = [sum(posterior[i][k] for i in units) + pseudo_counts for k in labels]
        prior = [each / sum(prior) for each in prior]
        confusion = {}
        for j in raters:
            for k in labels:
                row = [
                    sum(posterior[u][k] for u, r, given in said if r == j and given == label)
                    + pseudo_counts
                    for label in labels
                ]
                total = sum(row)
                for label in labels:
                    confusion[j, k, label] = row[label] / total if total else 1 / len(labels)
        likelihood = 0.0
        for i in units:
            joint = list(prior)
            for unit, rater, label in said:
                if unit == i:
                    joint = [joint[k] * confusion[rater, k, label] for k in labels]
            posterior[i] = [each / sum(joint) for each in joint]
            likelihood += log(sum(joint))
    return prior, confusion, posterior, likelihood


def drawn(seed, *, units=12, raters=3, labels=3):
    rng = np.random.default_rng(seed)
    truth = rng.integers(labels, size=units)
    return [
        (unit, rater, int(truth[unit] if rng.random() < 0.7 else rng.integers(labels)))
        for unit in range(units)
        for rater in range(raters)
        if rng.random() < 0.85
    ]


def test_their_own_data_give_their_own_estimates():
    found = dawid_skene(anaesthetists())
    # The shares of the four categories as they print them.
    assert [round(share, 2) for share in found.prior.values()] == [0.40, 0.42, 0.11, 0.07]
    assert found.converged
    assert (found.units[0].label, found.units[10].label) == (1, 4)
    assert found.units[10].probability == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("pseudo_counts", [0.0, 0.3])
def test_it_agrees_with_the_algorithm_written_out(seed, pseudo_counts):
    answers = Answers.of(drawn(seed))
    found = dawid_skene(answers, rounds=7, tolerance=0, pseudo_counts=pseudo_counts)
    assert found.iterations == 7
    prior, confusion, posterior, likelihood = slow(answers, 7, pseudo_counts)
    assert list(found.prior.values()) == pytest.approx(prior, abs=1e-10)
    for j, rater in enumerate(found.raters):
        for k, true in enumerate(answers.labels):
            row = list(rater.confusion[true].values())
            wanted = [confusion[j, k, label] for label in range(len(answers.labels))]
            assert row == pytest.approx(wanted, abs=1e-10)
    for unit, wanted in zip(found.units, posterior, strict=True):
        assert list(unit.distribution.values()) == pytest.approx(wanted, abs=1e-9)
    if not pseudo_counts:
        assert found.objective == pytest.approx(likelihood, abs=1e-9)


def test_no_neighbouring_chances_have_a_higher_likelihood():
    # Two labels, three raters: the likelihood of every free parameter by hand, climbed by scipy
    # from the estimate; it must already stand on top.
    said = [
        (unit, rater, int(value))
        for unit, row in enumerate(["111", "110", "101", "000", "001", "000", "111", "010"] * 3)
        for rater, value in enumerate(row)
    ]
    answers = Answers.of(said)
    rows = [[value for u, _, value in said if u == unit] for unit in range(24)]

    def loss(free):
        prior, right = free[0], free[1:].reshape(3, 2)
        total = 0.0
        for row in rows:
            one, zero = prior, 1 - prior
            for rater, value in enumerate(row):
                one *= right[rater, 1] if value else 1 - right[rater, 1]
                zero *= 1 - right[rater, 0] if value else right[rater, 0]
            total -= log(one + zero)
        return total

    found = dawid_skene(answers, tolerance=1e-14, rounds=20000)
    own = [found.prior[1]]
    for rater in found.raters:
        own += [rater.confusion[0][0], rater.confusion[1][1]]
    best = minimize(loss, np.clip(own, 1e-6, 1 - 1e-6), bounds=[(1e-9, 1 - 1e-9)] * 7)
    assert -found.objective == pytest.approx(loss(np.clip(own, 1e-12, 1 - 1e-12)), abs=1e-6)
    assert -found.objective <= best.fun + 1e-5


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000))
def test_the_likelihood_never_falls(seed):
    answers = Answers.of(drawn(seed))
    reached = [dawid_skene(answers, rounds=n, tolerance=0).objective for n in range(1, 8)]
    assert all(later >= earlier - 1e-9 for earlier, later in pairwise(reached))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.permutations([0, 1, 2]))
def test_renaming_labels_and_reordering_rows_changes_nothing_else(seed, names):
    said = drawn(seed)
    renamed = [(unit, rater, names[value]) for unit, rater, value in reversed(said)]
    options = {"labels": [0, 1, 2]}
    before = {u.unit: u for u in dawid_skene(Answers.of(said, **options), rounds=5).units}
    after = {u.unit: u for u in dawid_skene(Answers.of(renamed, **options), rounds=5).units}
    for unit, each in before.items():
        for label, share in each.distribution.items():
            assert after[unit].distribution[names[label]] == pytest.approx(share, abs=1e-9)


def test_perfect_raters_are_believed_and_a_spammer_is_not():
    rng = np.random.default_rng(1)
    truth = rng.integers(3, size=200)
    said = [(u, r, int(truth[u])) for u in range(200) for r in range(3)]
    said += [(u, "spammer", int(rng.integers(3))) for u in range(200)]
    found = dawid_skene(Answers.of(said))
    assert [u.label for u in found.units] == truth.tolist()
    assert [round(r.competence, 6) for r in found.raters[:3]] == [1.0, 1.0, 1.0]
    assert found.raters[3].competence == pytest.approx(1 / 3, abs=0.12)


def test_a_rater_who_always_says_the_opposite_is_turned_round():
    rng = np.random.default_rng(2)
    truth = rng.integers(2, size=300)
    said = []
    for unit, true in enumerate(truth):
        for rater in range(4):
            said.append((unit, rater, int(true if rng.random() < 0.8 else 1 - true)))
        said.append((unit, "contrary", int(1 - true if rng.random() < 0.9 else true)))
    found = dawid_skene(Answers.of(said))
    contrary = found.raters[-1]
    assert contrary.confusion[0][1] > 0.8
    assert np.mean([u.label == t for u, t in zip(found.units, truth, strict=True)]) > 0.93


def test_one_rater_one_label_and_too_few_rounds_are_said():
    alone = dawid_skene(Answers.of([(n, "ann", n % 2) for n in range(20)]))
    assert [u.label for u in alone.units] == [n % 2 for n in range(20)]
    assert "only one rater" in alone.warnings[0]
    same = dawid_skene(Answers.of([(n, r, "a") for n in range(20) for r in range(3)]))
    assert "Every answer is the same label" in " ".join(same.warnings)
    short = dawid_skene(Answers.of(drawn(1, units=60)), rounds=2)
    assert not short.converged
    assert "had not converged after 2 rounds" in " ".join(short.warnings)


@pytest.mark.parametrize(
    "options", [{"pseudo_counts": -1.0}, {"pseudo_counts": float("nan")}, {"rounds": 0}]
)
def test_bad_settings_are_named(options):
    with pytest.raises(InputError, match="got"):
        dawid_skene(Answers.of(drawn(1)), **options)
