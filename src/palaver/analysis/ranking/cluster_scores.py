"""What each cluster of votes adds to fitted strengths, corrected for its own part in the fit.

With u_g the sum of the first derivatives of the log likelihood over the votes of cluster g and A its
curvature, the strengths would move by about A⁻¹u_g if the cluster counted twice. As the fit bends
towards each cluster, u_g is smaller than it would be at the true strengths, and the more so the
larger the cluster's part A_g of the curvature. The correction (CR2) is that of Bell and McCaffrey,

    a_g = A^{−½} (I − B_g)^{−½} A^{−½} u_g,   B_g = A^{−½} A_g A^{−½},

with which Σ a_g a_gᵀ is unbiased where votes are independent. It is made exactly, from the
eigenvalues of each B_g, while that is quick, otherwise from the first terms of the power series,

    a_g = (I + H/2 + 3H²/8 + 5H³/16) A⁻¹u_g,   H = A⁻¹A_g,

as the parts of many clusters are small. There is none where B_g has an eigenvalue of 1: without the
votes of that cluster some systems could not be compared with the others (`sole`).

R. M. Bell and D. F. McCaffrey (2002), Bias reduction in standard errors for linear regression with
multi-stage samples, Survey Methodology 28, 169–181.
"""

from dataclasses import dataclass

from palaver.analysis.ranking.cells import VoteCells
from palaver.analysis.ranking.davidson import Centre, Davidson
from palaver.core.numeric import Numbers, np

# Up to so many clusters × parameters³ eigenvalues are quick.
EXACT = 50_000_000
# (1 − x)^{−½} as far as it is used.
SERIES = (1.0, 1 / 2, 3 / 8, 5 / 16)
# What a term of the series may add without being missed.
NEGLIGIBLE = 5e-3
# An eigenvalue that rounding brought to 1.
MOST_LEVERAGE = 1 - 1e-9


@dataclass(frozen=True, slots=True)
class Residuals:
    """Derivatives of a vote by cell: the first for the low system (the high one's is minus that) and
    for log ν; the second, of the difference of the two, of both, and of log ν."""

    system: Numbers
    tie: Numbers
    low: Numbers
    high: Numbers
    bend: Numbers
    cross: Numbers
    tie_bend: Numbers
    model: Davidson

    @classmethod
    def of(cls, model: Davidson, cells: VoteCells, centre: Centre) -> "Residuals":
        (margin,), (tie,) = model.chances(
            centre.strengths[None, :], np.array([centre.log_tie], dtype=float)
        )
        said = np.repeat([0.5, -0.5, 0.0], len(margin))
        return cls(
            system=said - np.tile(margin / 2, 3),
            tie=np.repeat([0.0, 0.0, 1.0], len(margin)) - np.tile(tie, 3),
            low=np.tile(model.pairs.low, 3),
            high=np.tile(model.pairs.high, 3),
            bend=np.tile((1 - tie - margin**2) / 4, 3),
            cross=np.tile(-tie * margin / 2, 3),
            tie_bend=np.tile(tie * (1 - tie), 3),
            model=model,
        )

    @property
    def width(self) -> int:
        """How many parameters there are: the strengths and log ν."""
        return self.model.pairs.systems + 1

    def sums(self, cell: Numbers, codes: Numbers, clusters: int) -> Numbers:
        """u_g by cluster: clusters × (systems and log ν)."""
        return self._added(cell, codes, clusters, self.system[cell], self.tie[cell])

    def bent(self, cell: Numbers, codes: Numbers, moved: Numbers) -> Numbers:
        """A_g m_g by cluster, for a row m_g of parameters each."""
        apart = moved[codes, self.low[cell]] - moved[codes, self.high[cell]]
        tie = moved[codes, -1]
        cross = self.cross[cell]
        return self._added(
            cell,
            codes,
            len(moved),
            self.bend[cell] * apart + cross * tie,
            cross * apart + self.tie_bend[cell] * tie,
        )

    def _added(
        self, cell: Numbers, codes: Numbers, clusters: int, system: Numbers, tie: Numbers
    ) -> Numbers:
        place = codes * self.width
        size = clusters * self.width
        sums = np.bincount(place + self.low[cell], weights=system, minlength=size)
        sums -= np.bincount(place + self.high[cell], weights=system, minlength=size)
        found: Numbers = sums.reshape(clusters, self.width)
        found[:, -1] += np.bincount(codes, weights=tie, minlength=clusters)
        return found


@dataclass(frozen=True, slots=True)
class ClusterScores:
    """By cluster and system: what it `added` to the strengths, and its share of what is known of the
    system. `of_all` is its share of all that is known."""

    added: Numbers
    shares: Numbers
    of_all: Numbers

    @property
    def covariance(self) -> Numbers:
        """Σ a_g a_gᵀ."""
        found: Numbers = self.added.T @ self.added
        return found


def cluster_scores(
    residuals: Residuals, cells: VoteCells, centre: Centre, codes: Numbers
) -> ClusterScores:
    """What each cluster added; `codes` number the cluster of every vote."""
    clusters, width = int(codes.max()) + 1, residuals.width
    cell = cells.of_vote
    sums = residuals.sums(cell, codes, clusters)
    shares = _shares(residuals, cell, codes, clusters)
    of_all = shares.sum(axis=1) / shares.sum()
    shares /= np.maximum(shares.sum(axis=0), 1e-300)
    if clusters * width**3 <= EXACT:
        added = _exact(residuals, cell, codes, centre, sums)
    else:
        terms = _terms(float(shares.max()))
        added = _series(residuals, cell, codes, centre, sums, terms)
    return ClusterScores(added[:, :-1], shares, of_all)


def _exact(
    residuals: Residuals, cell: Numbers, codes: Numbers, centre: Centre, sums: Numbers
) -> Numbers:
    values, vectors = np.linalg.eigh((centre.inverse + centre.inverse.T) / 2)
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    parts = root @ _curvatures(residuals, cell, codes, len(sums)) @ root
    lever, turn = np.linalg.eigh(parts)
    scale = 1 / np.sqrt(1 - np.clip(lever, 0.0, MOST_LEVERAGE))
    seen = np.einsum("gpk,gp->gk", turn, sums @ root)
    found: Numbers = np.einsum("gpk,gk->gp", turn, seen * scale) @ root
    return found


def _terms(share: float) -> int:
    """How many terms of the series matter where no cluster has more than this share of a system."""
    return sum(1 for power in range(1, len(SERIES)) if (2 * share) ** power > NEGLIGIBLE)


def _series(
    residuals: Residuals,
    cell: Numbers,
    codes: Numbers,
    centre: Centre,
    sums: Numbers,
    terms: int,
) -> Numbers:
    term = sums @ centre.inverse
    added: Numbers = term.copy()
    for weight in SERIES[1 : terms + 1]:
        term = residuals.bent(cell, codes, term) @ centre.inverse
        added += weight * term
    return added


def _curvatures(residuals: Residuals, cell: Numbers, codes: Numbers, clusters: int) -> Numbers:
    """A_g of every cluster."""
    width, size = residuals.width, residuals.width - 1
    found = np.zeros((clusters, width, width))
    low, high, tie = residuals.low[cell], residuals.high[cell], np.full(len(cell), size)
    bend, cross = residuals.bend[cell], residuals.cross[cell]
    for one, other, value in (
        (low, low, bend / 2),
        (high, high, bend / 2),
        (low, high, -bend),
        (low, tie, cross),
        (high, tie, -cross),
        (tie, tie, residuals.tie_bend[cell] / 2),
    ):
        np.add.at(found, (codes, one, other), value)
    return found + found.transpose(0, 2, 1)


def _shares(residuals: Residuals, cell: Numbers, codes: Numbers, clusters: int) -> Numbers:
    """The diagonal of A_g by cluster and system: what its votes say of each."""
    size = residuals.width - 1
    value = residuals.bend[cell]
    found = np.bincount(codes * size + residuals.low[cell], value, clusters * size)
    found += np.bincount(codes * size + residuals.high[cell], value, clusters * size)
    return found.reshape(clusters, size)


def sole(cells: VoteCells, codes: Numbers) -> Numbers:
    """Which systems only the votes of one cluster compare with the others; none where all can do
    without any one cluster."""
    pairs = cells.pairs
    pair = cells.of_vote % len(pairs)
    lowest, highest = np.full(len(pairs), np.iinfo(np.intp).max), np.full(len(pairs), -1)
    np.minimum.at(lowest, pair, codes)
    np.maximum.at(highest, pair, codes)
    shared = lowest != highest
    found = np.zeros(pairs.systems, dtype=bool)
    if _reached(pairs.low, pairs.high, shared, pairs.systems).all():
        return found
    for cluster in np.unique(lowest[~shared]):
        kept = shared | (lowest != cluster)
        reached = _reached(pairs.low, pairs.high, kept, pairs.systems)
        if not reached.all():
            # Those on the smaller side are the ones that hang on one cluster.
            found |= ~reached if reached.sum() * 2 >= len(reached) else reached
    return found


def _reached(low: Numbers, high: Numbers, kept: Numbers, systems: int) -> Numbers:
    """Which systems the kept pairs connect with the first that any of them holds."""
    arrow = np.zeros((systems, systems), dtype=bool)
    arrow[low[kept], high[kept]] = arrow[high[kept], low[kept]] = True
    reach = np.zeros(systems, dtype=bool)
    reach[int(arrow.sum(axis=1).argmax())] = True
    edge = reach
    while edge.any():
        edge = arrow[edge].any(axis=0) & ~reach
        reach = reach | edge
    return reach
