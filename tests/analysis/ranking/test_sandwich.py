"""The sandwich against statsmodels, and against its definition written out vote by vote."""

from dataclasses import replace

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.optimize import approx_fprime

from palaver.analysis.ranking import cluster_scores as cluster_scores_module
from palaver.analysis.ranking import sandwich as sandwich_module
from palaver.analysis.ranking.cells import VoteCells, count_cells
from palaver.analysis.ranking.cluster_scores import sole
from palaver.analysis.ranking.davidson import Centre, Davidson
from palaver.analysis.ranking.sandwich import sandwich
from palaver.analysis.ranking.votes import Votes

from .simulated import draw_votes


def fitted(votes: Votes) -> tuple[Davidson, VoteCells, Centre]:
    cells = count_cells(votes)
    model = Davidson(cells.pairs)
    fits = model.fit(cells.counts[None, :])
    return model, cells, model.centre(cells.counts, fits.strengths[0], float(fits.log_tie[0]))


def logit(votes: Votes, **options: object) -> np.ndarray:
    """statsmodels' covariance of the strengths without ties, with mean 0."""
    size = len(votes.systems)
    design = np.zeros((len(votes), size))
    rows = np.arange(len(votes))
    design[rows, votes.first] += 1
    design[rows, votes.second] -= 1
    found = sm.Logit((votes.outcome == 0).astype(float), design[:, 1:]).fit(disp=0, **options)
    # From strengths relative to the first system to strengths with mean 0.
    centred = (np.eye(size) - 1 / size)[:, 1:]
    return centred @ found.cov_params() @ centred.T


def vote_by_vote(votes: Votes, centre: Centre, clusterings: list[np.ndarray]) -> np.ndarray:
    """Σ over clusters of u uᵀ for each clustering in turn, by numerical differentiation."""
    point = np.append(centre.strengths, centre.log_tie)

    def said(parameters: np.ndarray, a: int, b: int, outcome: int) -> float:
        half = (parameters[a] - parameters[b]) / 2
        odds = np.array([half, -half, parameters[-1]])
        return float(odds[outcome] - np.log(np.exp(odds).sum()))

    slopes = np.array(
        [
            approx_fprime(point, said, 1e-6, int(a), int(b), int(o))
            for a, b, o in zip(votes.first, votes.second, votes.outcome, strict=True)
        ]
    )
    middle = np.zeros((len(point), len(point)))
    for sign, codes in zip([1, 1, -1], clusterings, strict=False):
        names = np.unique(codes)
        sums = np.array([slopes[codes == name].sum(axis=0) for name in names])
        middle += sign * sums.T @ sums * len(names) / (len(names) - 1)
    return (centre.inverse @ middle @ centre.inverse)[:-1, :-1]


def test_single_votes_without_ties_are_as_in_statsmodels():
    votes = draw_votes([0.6, 0.1, -0.2, -0.5], 300, seed=1, nu=0.0)
    found = sandwich(*fitted(votes), [])
    expected = logit(votes, cov_type="HC0") * 300 / 299
    assert found.covariance == pytest.approx(expected, rel=1e-4, abs=1e-8)


def test_more_clusters_than_are_held_are_as_in_statsmodels(monkeypatch):
    monkeypatch.setattr(sandwich_module, "BLOCK", 20)
    votes = draw_votes([0.6, 0.1, -0.2, -0.5], 300, seed=1, nu=0.0, raters=25)
    codes = votes.clusters["rater"]
    found = sandwich(*fitted(votes), [codes])
    options = {"cov_type": "cluster", "cov_kwds": {"groups": codes, "use_correction": False}}
    expected = logit(votes, **options) * 25 / 24
    assert found.clusters == 25
    assert found.scores is None
    assert found.covariance == pytest.approx(expected, rel=1e-4, abs=1e-8)


def corrected_by_residuals(votes: Votes, centre: Centre) -> np.ndarray:
    """Bell and McCaffrey's correction as they write it, with one matrix of votes × votes for each
    cluster: X_gᵀ (I − H_gg)^{−½} e_g of the weighted residuals, without ties."""
    size, rows = len(votes.systems), np.arange(len(votes))
    design = np.zeros((len(votes), size))
    design[rows, votes.first] += 1
    design[rows, votes.second] -= 1
    chance = 1 / (1 + np.exp(-design @ centre.strengths))
    weight = np.sqrt(chance * (1 - chance))
    scaled, residual = design * weight[:, None], ((votes.outcome == 0) - chance) / weight
    inverse = np.linalg.pinv(scaled.T @ scaled)
    added = []
    for code in np.unique(votes.clusters["rater"]):
        own = votes.clusters["rater"] == code
        values, vectors = np.linalg.eigh(np.eye(own.sum()) - scaled[own] @ inverse @ scaled[own].T)
        root = (vectors / np.sqrt(values)) @ vectors.T
        added.append(inverse @ scaled[own].T @ root @ residual[own])
    return np.array(added)


def test_clusters_are_corrected_for_their_own_part_in_the_fit(monkeypatch):
    votes = draw_votes([0.6, 0.1, -0.2, -0.5], 300, seed=1, nu=0.0, raters=12)
    found = sandwich(*fitted(votes), votes.factors(["rater"]))
    expected = corrected_by_residuals(votes, fitted(votes)[2])
    assert found.scores.added == pytest.approx(expected, abs=1e-7)
    assert found.covariance == pytest.approx(expected.T @ expected, abs=1e-8)
    # The series that many clusters take comes as near as its terms allow.
    monkeypatch.setattr(cluster_scores_module, "EXACT", 0)
    near = sandwich(*fitted(votes), votes.factors(["rater"]))
    assert near.covariance == pytest.approx(expected.T @ expected, rel=0.01, abs=1e-4)


def test_the_correction_with_ties_is_unbiased_for_independent_votes():
    """On average over votes of raters without tastes it is the inverse curvature."""
    ratio = []
    for seed in range(60):
        votes = draw_votes([0.3, 0.0, -0.3], 90, seed=seed, nu=0.8, raters=5)
        model, cells, centre = fitted(votes)
        found = np.diag(sandwich(model, cells, centre, votes.factors(["rater"])).covariance)
        single = np.diag(centre.inverse)[:-1] - centre.inverse[:-1, :-1].mean()
        ratio.append((found / single).mean())
    assert np.mean(ratio) == pytest.approx(1.0, abs=0.12)


@pytest.mark.parametrize("block", [sandwich_module.BLOCK, 20])
def test_with_ties_it_is_its_definition(block, monkeypatch):
    monkeypatch.setattr(sandwich_module, "BLOCK", block)  # small blocks: many of them
    votes = draw_votes([0.6, 0.1, -0.2, -0.5], 200, seed=3, nu=0.8, raters=15, dialogues=40)
    model, cells, centre = fitted(votes)
    single = sandwich(model, cells, centre, []).covariance
    assert single == pytest.approx(vote_by_vote(votes, centre, [np.arange(200)]), abs=1e-6)
    if block == 20:
        by_rater = sandwich(model, cells, centre, votes.factors(["rater"])).covariance
        expected = vote_by_vote(votes, centre, [votes.clusters["rater"]])
        assert by_rater == pytest.approx(expected, rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_two_ways_are_never_less_than_one(seed):
    votes = draw_votes([0.3, 0.0, -0.3], 60, seed=seed, nu=0.0, raters=5, dialogues=5)
    both = sandwich(*fitted(votes), votes.factors(["rater", "dialogue"]))
    for way in ("rater", "dialogue"):
        one = sandwich(*fitted(votes), votes.factors([way]))
        assert np.linalg.eigvalsh(both.covariance - one.covariance).min() > -1e-9
        assert (both.degrees <= one.degrees).all()


def test_degrees_of_freedom_count_clusters_that_matter():
    rater = np.repeat(np.arange(21), [100] + [5] * 20)
    votes = draw_votes([0.0, 0.0, 0.0], 200, seed=2, nu=0.5)
    even = {"rater": np.arange(200) % 20}
    degrees = [
        sandwich(*fitted(replace(votes, clusters=clusters)), [clusters["rater"]]).degrees
        for clusters in (even, {"rater": rater})
    ]
    assert degrees[0].min() > 15
    assert degrees[1].max() < 5


def test_one_cluster_has_no_variance():
    votes = draw_votes([0.3, 0.0, -0.3], 60, seed=1, raters=1)
    found = sandwich(*fitted(votes), votes.factors(["rater"]))
    assert found.clusters == 1
    assert np.isnan(found.covariance).all()


def test_who_hangs_on_one_cluster():
    first = ["a"] * 6 + ["c"] * 4
    votes = Votes.of(first, ["b"] * 10, first, clusters={"rater": [1, 2, 3] * 2 + [7] * 4})
    cells = count_cells(votes)
    assert sole(cells, votes.clusters["rater"]).tolist() == [False, False, True]
    assert not sole(cells, np.arange(10)).any()
