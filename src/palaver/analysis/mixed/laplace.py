"""The likelihood of the ordinal mixed model, its random intercepts integrated out by Laplace.

With û the mode of the penalised log-likelihood ℓ(u) − uᵀu/2 and H minus its second derivative there, the
approximation is ℓ(û) − ûᵀû/2 − ½ log |H|. Its slope in the parameters is computed with it.
"""

from dataclasses import dataclass

from palaver.core.numeric import Numbers, np, special

# Newton's method settles within a handful of steps; more are a likelihood without a top.
STEPS = 100


@dataclass(slots=True)
class OrdinalLikelihood:
    """The likelihood; `mode` is where the last search for û ended and where the next begins.

    Parameters are the first threshold, the logarithms of the distances between thresholds, the
    places of all systems but the first, and the spreads of the factors.
    """

    steps: Numbers  # the step of each rating, from 0
    count: int  # how many steps there are
    design: Numbers  # ratings × systems without the first: 1 where the rating is the system's
    places: Numbers
    factor_of: Numbers
    factors: int
    mode: Numbers

    @property
    def bounds(self) -> list[tuple[float | None, float | None]]:
        """Spreads are 0 or more; widths between thresholds are logarithms; the rest is free."""
        free: list[tuple[float | None, float | None]] = [(None, None)]
        widths: list[tuple[float | None, float | None]] = [(-12.0, 6.0)]
        spreads: list[tuple[float | None, float | None]] = [(0.0, 50.0)]
        return (
            free + widths * (self.count - 2) + [(-30.0, 30.0)] * self.design.shape[1]
        ) + spreads * self.factors

    def thresholds(self, parameters: Numbers) -> Numbers:
        """κ: the first as it is, the others by the logarithms of their distances."""
        widths = np.exp(parameters[1 : self.count - 1])
        found: Numbers = parameters[0] + np.concatenate([[0.0], np.cumsum(widths)])
        return found

    def effects(self, parameters: Numbers) -> Numbers:
        """β of every system but the first, which is at 0."""
        first = self.count - 1
        return parameters[first : first + self.design.shape[1]]

    def spreads(self, parameters: Numbers) -> Numbers:
        """σ of every factor."""
        return parameters[self.count - 1 + self.design.shape[1] :]

    def criterion(self, parameters: Numbers) -> tuple[float, Numbers]:
        """Minus Laplace's approximation of the log-likelihood, and its slope in the parameters."""
        cuts = np.concatenate([[-np.inf], self.thresholds(parameters), [np.inf]])
        fixed = self.design @ self.effects(parameters)
        above, below = cuts[self.steps + 1] - fixed, cuts[self.steps] - fixed
        scale = self.spreads(parameters)[self.factor_of] if self.factors else np.empty(0)
        mode = self._mode(above, below, scale)
        here = self._around(above, below, scale, mode)
        lower = np.linalg.cholesky(here.curve)
        size = float(np.log(np.diag(lower)).sum())
        value = -float(here.logs.sum()) + float(mode @ mode) / 2 + size
        return value, self._slope(parameters, here, scale, mode, np.linalg.inv(here.curve))

    def _slope(
        self, parameters: Numbers, here: "_Around", scale: Numbers, u: Numbers, inverse: Numbers
    ) -> Numbers:
        """How the criterion follows the parameters.

        û makes the penalised log-likelihood level, so it counts through log |H| alone: a rating's
        weight in H enters with its leverage h = z S H⁻¹ S zᵀ, and û moves with H⁻¹ S Zᵀ times the
        change of the slopes.
        """
        leverage = self._leverages(scale[:, None] * inverse * scale)
        dense_a, dense_b = here.upper * (1 - here.upper), here.lower * (1 - here.lower)
        bent_a, bent_b = dense_a * (1 - 2 * here.upper), dense_b * (1 - 2 * here.lower)
        pulled = inverse @ (scale * self._summed(-leverage * (bent_a + bent_b)))
        along = self._moved(scale, pulled)
        inside = np.exp(here.logs)
        by_a = -dense_a / inside + (leverage * bent_a + dense_a * along) / 2
        by_b = dense_b / inside + (leverage * bent_b + dense_b * along) / 2
        of_cuts = np.bincount(self.steps, weights=by_a, minlength=self.count)[:-1]
        of_cuts += np.bincount(self.steps, weights=by_b, minlength=self.count)[1:]
        later = np.cumsum(of_cuts[::-1])[::-1]
        found = [later[:1], later[1:] * np.exp(parameters[1 : self.count - 1])]
        shift = -(by_a + by_b)
        found.append(self.design.T @ shift)
        if self.factors:
            each = self._summed(shift) * u + pulled * self._summed(here.slopes) / 2
            each = each + (inverse * (scale[:, None] * here.products).T).sum(axis=1)
            found.append(np.bincount(self.factor_of, weights=each, minlength=self.factors))
        return np.concatenate(found)

    def _moved(self, scale: Numbers, mode: Numbers) -> Numbers:
        found: Numbers = (scale * mode)[self.places].sum(axis=1)
        return found

    def _summed(self, weights: Numbers) -> Numbers:
        """Zᵀ times one number of each rating."""
        found = np.zeros(len(self.factor_of))
        for column in self.places.T:
            found += np.bincount(column, weights=weights, minlength=len(found))
        return found

    def _leverages(self, matrix: Numbers) -> Numbers:
        """z M zᵀ of each rating."""
        found = np.zeros(len(self.steps))
        for one in self.places.T:
            for other in self.places.T:
                found += matrix[one, other]
        return found

    def _log_likelihoods(self, above: Numbers, below: Numbers, moved: Numbers) -> Numbers:
        inside = np.log(-np.expm1(below - above))
        found: Numbers = (
            special.log_expit(above - moved) + special.log_expit(moved - below) + inside
        )
        return found

    def _mode(self, above: Numbers, below: Numbers, scale: Numbers) -> Numbers:
        """û by Newton's method."""
        u = self.mode
        if not len(u):
            return u
        for _ in range(STEPS):
            here = self._around(above, below, scale, u)
            step = np.linalg.solve(here.curve, scale * self._summed(here.slopes) - u)
            if float(np.abs(step).max()) < 1e-7:  # the next error is of the order of its square
                u = u + step
                break
            u = self._climbed(above, below, scale, u, step)
        self.mode = u
        return u

    def _climbed(
        self, above: Numbers, below: Numbers, scale: Numbers, u: Numbers, step: Numbers
    ) -> Numbers:
        """u moved by the step, or by as much of it as does not lead downhill."""

        def height(there: Numbers) -> float:
            logs = self._log_likelihoods(above, below, self._moved(scale, there))
            return float(logs.sum() - there @ there / 2)

        begun = height(u)
        for share in (1.0, 0.5, 0.25, 0.1, 0.01):
            trial: Numbers = u + share * step
            if height(trial) >= begun - 1e-9 * abs(begun):
                break
        return trial

    def _around(self, above: Numbers, below: Numbers, scale: Numbers, u: Numbers) -> "_Around":
        """The likelihood near u.

        For the logistic distribution F the log-likelihood of a rating has the slope
        F(κ_j − η) + F(κ_{j−1} − η) − 1 in η and the curvature −f(κ_j − η) − f(κ_{j−1} − η).
        """
        moved, q = self._moved(scale, u), len(u)
        upper, lower = special.expit(above - moved), special.expit(below - moved)
        weights = upper * (1 - upper) + lower * (1 - lower)
        products = np.zeros(q * q)
        for place, column in enumerate(self.places.T):
            own = np.bincount(column, weights=weights, minlength=q)
            products[:: q + 1] += own
            for other in self.places.T[:place]:
                met = np.bincount(column * q + other, weights=weights, minlength=q * q)
                products += met + met.reshape(q, q).T.ravel()
        crossed = products.reshape(q, q)
        return _Around(
            logs=self._log_likelihoods(above, below, moved),
            upper=upper,
            lower=lower,
            slopes=upper + lower - 1,
            products=crossed,
            curve=scale[:, None] * crossed * scale + np.eye(q),
        )


@dataclass(frozen=True, slots=True)
class _Around:
    """Per rating: log-likelihood, F at both thresholds, slope; ZᵀWZ; and H = I + S ZᵀWZ S."""

    logs: Numbers
    upper: Numbers
    lower: Numbers
    slopes: Numbers
    products: Numbers
    curve: Numbers
