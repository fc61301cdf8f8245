"""The fit against other implementations, a direct search for the maximum, and a published table."""

import choix
import evalica
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from palaver.analysis.choice import preference_chances
from palaver.analysis.ranking.cells import VotedPairs, count_cells
from palaver.analysis.ranking.davidson import Davidson
from palaver.analysis.ranking.graph import has_maximum

from .simulated import draw_votes

SYSTEMS = 4
LOW, HIGH = np.triu_indices(SYSTEMS, 1)
PAIRS = VotedPairs.of(SYSTEMS, LOW, HIGH)

# Home teams aside, wins of the American League's East division in 1987; A. Agresti (2013),
# Categorical data analysis, 3rd edition, table 11.10, with its estimates relative to Baltimore.
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
WINS = np.array(
    [
        [0, 7, 9, 7, 7, 9, 11],
        [6, 0, 7, 5, 11, 9, 9],
        [4, 6, 0, 7, 7, 8, 12],
        [6, 8, 6, 0, 6, 7, 10],
        [6, 2, 6, 7, 0, 7, 12],
        [4, 4, 5, 6, 6, 0, 6],
        [2, 4, 1, 3, 1, 7, 0],
    ]
)
PUBLISHED = (1.581, 1.436, 1.294, 1.248, 1.108, 0.684, 0.0)


def searched(pairs: VotedPairs, counts: np.ndarray) -> tuple[np.ndarray, float]:
    """The maximum of Davidson's likelihood by a general optimiser, from the formulas of `choice`."""
    low, high, tied = pairs.split(counts)

    def cost(point: np.ndarray) -> float:
        strengths = np.exp(np.append(point[:-1], -point[:-1].sum()))
        tie = 1 / (1 + 2 * np.exp(-point[-1]))
        total = 0.0
        for a, b, won, lost, t in zip(pairs.low, pairs.high, low, high, tied, strict=True):
            chances = preference_chances(strengths[a], strengths[b], tie)
            parts = ((won, chances.first), (lost, chances.second), (t, chances.tie))
            total -= sum(n * np.log(p) for n, p in parts if n)
        return total

    found = minimize(cost, np.zeros(pairs.systems), method="BFGS", options={"gtol": 1e-7})
    return np.append(found.x[:-1], -found.x[:-1].sum()), float(found.x[-1])


def test_a_published_table():
    low, high = np.triu_indices(7, 1)
    counts = np.r_[WINS[low, high], WINS[high, low], np.zeros(21)]
    fits = Davidson(VotedPairs.of(7, low, high)).fit(counts[None, :])
    strengths = fits.strengths[0] - fits.strengths[0][-1]
    assert dict(zip(TEAMS, strengths.round(3), strict=True)) == dict(
        zip(TEAMS, PUBLISHED, strict=True)
    )


@pytest.mark.parametrize("seed", range(3))
def test_without_ties_it_is_the_fit_of_choix_and_of_evalica(seed):
    votes = draw_votes([1.0, 0.3, 0.0, -0.4, -0.9], 300, seed=seed, nu=0.0)
    cells = count_cells(votes)
    mine = Davidson(cells.pairs).fit(cells.counts[None, :]).strengths[0]
    won = [
        (int(a), int(b)) if said == 0 else (int(b), int(a))
        for a, b, said in zip(votes.first, votes.second, votes.outcome, strict=True)
    ]
    theirs = choix.ilsr_pairwise(5, won)
    assert mine == pytest.approx(theirs - theirs.mean(), abs=1e-6)
    names = votes.systems
    scores = np.log(
        evalica.bradley_terry(
            [names[a] for a, _ in won],
            [names[b] for _, b in won],
            [evalica.Winner.X] * len(won),
            tolerance=1e-12,
            limit=10_000,
        ).scores.sort_index()
    )
    assert mine == pytest.approx((scores - scores.mean()).to_numpy(), abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_with_ties_it_is_the_maximum_that_a_general_optimiser_finds(seed):
    votes = draw_votes([0.8, 0.2, -0.1, -0.9], 200, seed=seed, nu=0.7)
    cells = count_cells(votes)
    fits = Davidson(cells.pairs).fit(cells.counts[None, :])
    strengths, log_tie = searched(cells.pairs, cells.counts)
    assert fits.strengths[0] == pytest.approx(strengths, abs=1e-5)
    assert fits.log_tie[0] == pytest.approx(log_tie, abs=1e-5)


def test_two_systems_by_hand():
    # π₁ / π₂ = w₁ / w₂ and ν = t / √(w₁ w₂), from Davidson's equations for a single pair.
    pairs = VotedPairs.of(2, np.array([0]), np.array([1]))
    fits = Davidson(pairs).fit(np.array([[9.0, 4.0, 3.0]]))
    assert fits.strengths[0] == pytest.approx([np.log(9 / 4) / 2, -np.log(9 / 4) / 2], abs=1e-10)
    assert np.exp(fits.log_tie[0]) == pytest.approx(0.5, abs=1e-10)


few = st.lists(st.integers(0, 4), min_size=18, max_size=18).map(np.array)


@given(few)
@settings(max_examples=200, deadline=None)
def test_wherever_a_maximum_exists_it_is_found_and_is_one(cells):
    if not has_maximum(PAIRS, cells):
        return
    model = Davidson(PAIRS)
    fits = model.fit(cells[None, :].astype(float))
    assert fits.converged.all()
    assert fits.strengths[0].sum() == pytest.approx(0, abs=1e-9)
    # At the maximum, expected and observed scores and ties agree: Davidson's equations.
    margin, tie = model.chances(fits.strengths, fits.log_tie)
    sums = model.sums(cells[None, :].astype(float))
    assert PAIRS.net(sums.compared * margin / 2)[0] == pytest.approx(sums.scores[0], abs=1e-6)
    assert (sums.compared * tie).sum() == pytest.approx(sums.ties[0], abs=1e-6)


@pytest.mark.parametrize("nu", [0.0, 0.6])
def test_many_rows_near_the_centre_are_fitted_as_one_by_one(nu):
    cells = count_cells(draw_votes([1.2, 0.4, 0.0, -0.5, -1.1], 400, seed=5, nu=nu))
    model = Davidson(cells.pairs)
    whole = model.fit(cells.counts[None, :])
    centre = model.centre(cells.counts, whole.strengths[0], float(whole.log_tie[0]))
    dice = np.random.default_rng(1)
    rows = dice.multinomial(400, cells.counts / 400, size=60).astype(float)
    rows[0] *= 3
    rows = np.array([row for row in rows if has_maximum(cells.pairs, row)])
    near, alone = model.fit_near(rows, centre), model.fit(rows)
    assert near.converged.all()
    assert near.strengths == pytest.approx(alone.strengths, abs=1e-7)
    assert near.log_tie == pytest.approx(alone.log_tie, abs=1e-7)


def test_a_sample_without_ties_has_no_tie_parameter():
    cells = count_cells(draw_votes([0.5, 0.0, -0.5], 200, seed=2, nu=0.3))
    model = Davidson(cells.pairs)
    whole = model.fit(cells.counts[None, :])
    centre = model.centre(cells.counts, whole.strengths[0], float(whole.log_tie[0]))
    row = cells.counts.copy()
    row[2 * len(cells.pairs) :] = 0
    near = model.fit_near(row[None, :], centre)
    assert np.isneginf(near.log_tie[0])
    assert near.strengths == pytest.approx(model.fit(row[None, :]).strengths, abs=1e-7)
