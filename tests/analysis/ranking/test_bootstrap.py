"""Bootstrap samples of single votes against what is known of them."""

import numpy as np
import pytest

from palaver.analysis.ranking import bootstrap as bootstrap_module
from palaver.analysis.ranking.bootstrap import bootstrap
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


def test_samples_of_votes_spread_as_the_sandwich_says():
    model, cells, centre = fitted(draw_votes([0.8, 0.2, -0.3, -0.7], 4000, seed=2))
    found = bootstrap(model, cells, centre, resamples=2000, seed=1)
    expected = np.sqrt(np.diag(sandwich(model, cells, centre, []).covariance))
    assert found.strengths.std(axis=0, ddof=1) == pytest.approx(expected, rel=0.06)
    assert found.strengths.mean(axis=0) == pytest.approx(centre.strengths, abs=0.01)


def test_the_number_of_workers_does_not_change_the_samples(monkeypatch):
    model, cells, centre = fitted(draw_votes([0.8, 0.2, -1.0], 200, seed=2))
    several = bootstrap(model, cells, centre, resamples=130, seed=4)
    monkeypatch.setattr(bootstrap_module, "WORKERS", 1)
    alone = bootstrap(model, cells, centre, resamples=130, seed=4)
    other = bootstrap(model, cells, centre, resamples=130, seed=5)
    assert (several.strengths == alone.strengths).all()
    assert several.strengths.shape == (130, 3)
    assert not (other.strengths == alone.strengths).all()


def test_separated_samples_are_counted_and_left_out():
    # One win of the weak system in twenty votes: it is missing from (19/20)²⁰ = 36 % of the samples.
    votes = Votes.of(["strong"] * 20, ["weak"] * 20, ["strong"] * 19 + ["weak"])
    model, cells, centre = fitted(votes)
    found = bootstrap(model, cells, centre, resamples=2000, seed=1)
    assert found.separated / 2000 == pytest.approx(0.95**20, abs=0.04)
    assert len(found.strengths) == 2000 - found.separated
    assert np.isfinite(found.strengths).all()
