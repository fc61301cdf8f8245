"""How much raters differ in what they prefer, and what that adds to the uncertainty of a share.

Judgements that share a rater are alike, and so are those of one situation. With u a value per
judgement (whether the model is preferred, say) the covariance of two judgements is taken to be σ² if
they are one and the same, ρ² if they share their rater, κ² if they share their situation, else 0.
The three are estimated by moments: with e = u − ū, the expected values of

    Σ e²,   Σ_raters Σ_{i≠j} e_i e_j / (n_r − 1),   Σ_situations Σ_{i≠j} e_i e_j / (k_s − 1)

are linear in them (the estimation of ū included), for any design however unbalanced. The weights
keep one rater with much of the work from deciding alone. A negative ρ² or κ² is taken for 0.

The variance of ρ² is that of its quadratic form for normal values. It does not vanish with ρ² itself:
few raters who happen to agree do not make anybody sure, and the degrees of freedom say so.
"""

from dataclasses import dataclass

from palaver.core.numeric import Numbers, np


@dataclass(frozen=True, slots=True)
class Tastes:
    """What judgements have in common: in all, by rater, by situation, and how sure `rater` is."""

    total: float
    rater: float
    situation: float
    rater_variance: float


def tastes(values: Numbers, rater: Numbers, situation: Numbers) -> Tastes:
    """The parts of the variance of `values`, by the codes of their raters and situations.

    >>> said = np.array([1.0, 1, 1, 0, 0, 0])
    >>> who, what = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 1, 2, 0, 1, 2])
    >>> found = tastes(said, who, what)
    >>> round(found.rater, 3), round(found.situation, 3)
    (0.5, 0.0)
    """
    if len(values) < 2:
        return Tastes(0.0, 0.0, 0.0, 0.0)
    if (rater == rater[0]).all():  # of one rater nobody knows how they differ from others
        rater = np.arange(len(values))
    apart = values - values.mean()
    by_rater, by_situation = _Grouping.of(rater), _Grouping.of(situation)
    found = np.array([(apart**2).sum(), by_rater.form(apart), by_situation.form(apart)])
    ones = np.ones(len(values))
    form_sums = (ones, by_rater.is_shared, by_situation.is_shared)
    pair_sums = (ones, by_rater.others, by_situation.others)
    n = len(values)
    expected = np.array(
        [
            [
                (form.sum() if one == other else 0.0)
                - 2 / n * float(form @ pairs)
                + form.sum() * pairs.sum() / n**2
                for other, pairs in enumerate(pair_sums)
            ]
            for one, form in enumerate(form_sums)
        ]
    )
    total, shared, alike = np.linalg.lstsq(expected, found, rcond=None)[0].tolist()
    shared, alike = max(shared, 0.0), max(alike, 0.0)
    return Tastes(max(total, 0.0), shared, alike, by_rater.variance_of(total, shared))


def shared_tastes(one: Numbers, other: Numbers, raters: Numbers, other_raters: Numbers) -> float:
    """The covariance of what raters prefer in two sets of judgements, by the same codes of raters.

    With e each set's values less their mean and E_r, F_r the sums of a rater, it is
    Σ w_r E_r F_r / Σ w_r n_r m_r (1 − n_r/n − m_r/m + Σ n_q m_q / nm), w_r = 1/√(n_r m_r).
    """
    size = int(max(raters.max(initial=-1), other_raters.max(initial=-1))) + 1
    n, m = (np.bincount(each, minlength=size).astype(float) for each in (raters, other_raters))
    sums = np.bincount(raters, one - one.mean(), minlength=size)
    others = np.bincount(other_raters, other - other.mean(), minlength=size)
    both = (n > 0) & (m > 0)
    weight = 1 / np.sqrt(n[both] * m[both])
    common = float((n * m).sum()) / (n.sum() * m.sum())
    left = 1 - n[both] / n.sum() - m[both] / m.sum() + common
    expected = float((weight * n[both] * m[both] * left).sum())
    return float((weight * sums[both] * others[both]).sum()) / expected if expected > 0 else 0.0


@dataclass(frozen=True, slots=True)
class _Grouping:
    """Judgements by rater, or by situation."""

    codes: Numbers
    counts: Numbers

    @classmethod
    def of(cls, codes: Numbers) -> "_Grouping":
        return cls(codes, np.bincount(codes).astype(float))

    @property
    def others(self) -> Numbers:
        """How many others each judgement shares its group with."""
        return self.counts[self.codes] - 1

    @property
    def is_shared(self) -> Numbers:
        """1 for each judgement that is not alone in its group."""
        return (self.others > 0).astype(float)

    def form(self, apart: Numbers) -> float:
        """Σ over groups of Σ_{i≠j} e_i e_j / (n − 1)."""
        sums, squares = np.bincount(self.codes, apart), np.bincount(self.codes, apart**2)
        return float(((sums**2 - squares) / np.maximum(self.counts - 1, 1)).sum())

    def variance_of(self, total: float, shared: float) -> float:
        """The variance of the estimate of `shared`; 0 where no group has two."""
        n = self.counts[self.counts > 1]
        if not len(n):
            return 0.0
        own = max(total - shared, 0.0)
        spread = ((own + n * shared) ** 2 + own**2 / (n - 1)).sum()
        return float(2 * spread / n.sum() ** 2 * len(n) / max(len(n) - 1, 1))


def pair_weight(weights: Numbers, codes: Numbers) -> float:
    """Σ over groups of Σ_{i≠j} g_i g_j: how much of a variance that groups share enters Σ g u."""
    return float((np.bincount(codes, weights) ** 2).sum() - (weights**2).sum())
