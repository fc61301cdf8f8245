"""The sandwich against statsmodels, and against its definition written out vote by vote."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.optimize import approx_fprime

from palaver.analysis.ranking import sandwich as sandwich_module
from palaver.analysis.ranking.cells import VoteCells, count_cells
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


def test_clustered_votes_without_ties_are_as_in_statsmodels():
    votes = draw_votes([0.6, 0.1, -0.2, -0.5], 300, seed=1, nu=0.0, raters=25)
    codes = votes.clusters["rater"]
    found = sandwich(*fitted(votes), [codes])
    options = {"cov_type": "cluster", "cov_kwds": {"groups": codes, "use_correction": False}}
    expected = logit(votes, **options) * 25 / 24
    assert found.clusters == 25
    assert found.covariance == pytest.approx(expected, rel=1e-4, abs=1e-8)


@pytest.mark.parametrize("ways", [(), ("rater",), ("rater", "dialogue")])
@pytest.mark.parametrize("block", [sandwich_module.BLOCK, 20])
def test_with_ties_it_is_its_definition(ways, block, monkeypatch):
    monkeypatch.setattr(sandwich_module, "BLOCK", block)  # small blocks: many of them
    votes = draw_votes([0.6, 0.1, -0.2, -0.5], 200, seed=3, nu=0.8, raters=15, dialogues=40)
    model, cells, centre = fitted(votes)
    rater, dialogue = votes.clusters["rater"], votes.clusters["dialogue"]
    both = rater * 1000 + dialogue
    clusterings = {
        (): [np.arange(200)],
        ("rater",): [rater],
        ("rater", "dialogue"): [rater, dialogue, both],
    }[ways]
    found = sandwich(model, cells, centre, votes.factors(ways))
    expected = vote_by_vote(votes, centre, clusterings)
    if not found.mended:
        assert found.covariance == pytest.approx(expected, rel=1e-3, abs=1e-6)
    assert np.linalg.eigvalsh(found.covariance).min() > -1e-9


def test_a_variance_below_zero_is_mended_and_said():
    votes = draw_votes([0.3, 0.0, -0.3], 20, seed=0, nu=0.0, raters=3, dialogues=3)
    found = sandwich(*fitted(votes), votes.factors(["rater", "dialogue"]))
    assert found.mended
    assert np.linalg.eigvalsh(found.covariance).min() > -1e-9


def test_one_cluster_has_no_variance():
    votes = draw_votes([0.3, 0.0, -0.3], 60, seed=1, raters=1)
    found = sandwich(*fitted(votes), votes.factors(["rater"]))
    assert found.clusters == 1
    assert np.isnan(found.covariance).all()
