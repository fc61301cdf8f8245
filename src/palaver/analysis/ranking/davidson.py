"""The Bradley–Terry model with ties, after Davidson, fitted to many rows of counts at once.

With log strengths θ and tie parameter ν ≥ 0, the odds of "a wins", "b wins" and "tie" are

    e^{(θₐ − θᵦ)/2}  :  e^{(θᵦ − θₐ)/2}  :  ν,

which is the model of `choice` with π = e^θ. The log likelihood depends on the votes only through
the number of comparisons of each pair, each system's (wins − losses) / 2 and the number of ties:

    ℓ = Σᵢ sᵢ θᵢ + T log ν − Σ_pairs n log(e^{d/2} + e^{−d/2} + ν),   d = θₐ − θᵦ.

It is concave in (θ, log ν), so Newton's method finds the maximum, where `graph` says
that there is one. Strengths are told apart only by their differences: their mean is set to 0.
Without ties ν is 0 and the model is that of Bradley and Terry.

R. R. Davidson (1970), On extending the Bradley–Terry model to accommodate ties in paired comparison
experiments, Journal of the American Statistical Association 65, 317–328. R. A. Bradley and
M. E. Terry (1952), Rank analysis of incomplete block designs, Biometrika 39, 324–345.
"""

from dataclasses import dataclass

from palaver.analysis.ranking.cells import VotedPairs
from palaver.core.numeric import Numbers, np

# A fit has converged when its last step moved no parameter by more than this.
STEP = 1e-8
# Near the centre each round leaves less than a tenth of the error, so this is enough for 1e-8.
QUICK_STEP = 1e-7
NEWTON_ROUNDS = 100
QUICK_ROUNDS = 12


@dataclass(frozen=True, slots=True)
class Fits:
    """One fit per row of counts: strengths with mean 0, log ν (−∞ without ties), and whether it
    converged."""

    strengths: Numbers
    log_tie: Numbers
    converged: Numbers


@dataclass(frozen=True, slots=True)
class Sums:
    """What the likelihood needs of rows of counts: n by pair, s by system, T."""

    compared: Numbers
    scores: Numbers
    ties: Numbers

    def rows(self, chosen: Numbers) -> "Sums":
        return Sums(self.compared[chosen], self.scores[chosen], self.ties[chosen])


@dataclass(frozen=True, slots=True)
class Centre:
    """The fit from which other rows start, with the inverse curvature there."""

    strengths: Numbers
    log_tie: float
    inverse: Numbers
    votes: float


class Davidson:
    """The model of a set of pairs."""

    def __init__(self, pairs: VotedPairs) -> None:
        self.pairs = pairs

    def sums(self, counts: Numbers) -> Sums:
        """The sufficient statistics of rows of counts."""
        low, high, tied = self.pairs.split(counts)
        return Sums(
            compared=low + high + tied,
            scores=self.pairs.net((low - high) / 2),
            ties=tied.sum(axis=1).astype(float),
        )

    def fit(self, counts: Numbers) -> Fits:
        """The maximum of the likelihood for each row of counts, by Newton's method."""
        return self._from_even(self.sums(counts))

    def fit_near(self, counts: Numbers, centre: "Centre") -> Fits:
        """The same for rows whose maximum is near that of the votes as they are.

        Every row is moved by the inverse curvature at the `centre`, made once; few rounds are
        enough while samples are large. What has not converged by then is fitted by Newton's method
        proper.
        """
        sums = self.sums(counts)
        here = np.tile(centre.strengths, (len(counts), 1))
        tie = np.where(sums.ties > 0, centre.log_tie, -np.inf)
        scale = (centre.votes / sums.compared.sum(axis=1))[:, None]
        open_ = np.arange(len(counts))
        for _ in range(QUICK_ROUNDS):
            # Not a matrix product: a threaded one waits longer than this takes.
            slope = self._slope(sums.rows(open_), here[open_], tie[open_])
            step = np.einsum("rp,pq->rq", slope, centre.inverse) * scale[open_]
            here[open_] += step[:, :-1]
            tie[open_] += step[:, -1]
            open_ = open_[~(_moved(step, tie[open_]) < QUICK_STEP)]
            if not len(open_):
                break
        converged = np.ones(len(counts), dtype=bool)
        if len(open_):
            again = self._from_even(sums.rows(open_))
            here[open_], tie[open_] = again.strengths, again.log_tie
            converged[open_] = again.converged
        return Fits(here - here.mean(axis=1, keepdims=True), tie, converged)

    def centre(self, counts: Numbers, strengths: Numbers, log_tie: float) -> "Centre":
        """A fit of one row of counts as the place from which others start."""
        (compared,) = self.sums(counts[None, :]).compared
        bend = self.curvature(compared, strengths, log_tie)
        return Centre(strengths, log_tie, np.linalg.inv(bend), float(compared.sum()))

    def chances(self, strengths: Numbers, log_tie: Numbers) -> tuple[Numbers, Numbers]:
        """By row and pair: P(low wins) − P(high wins), and P(tie)."""
        # e^{θ/2} once per system instead of once per pair.
        root = np.exp(strengths / 2)
        low, high = np.take(root, self.pairs.low, axis=1), np.take(root, self.pairs.high, axis=1)
        tie = low * high * np.exp(log_tie)[:, None]
        low *= low
        high *= high
        part = 1 / (low + high + tie)
        low -= high
        low *= part
        tie *= part
        return low, tie

    def curvature(self, compared: Numbers, strengths: Numbers, log_tie: float) -> Numbers:
        """Minus the second derivatives of ℓ for one row, made invertible.

        The likelihood does not change when all strengths grow alike; a constant added to the block
        of the strengths makes it curved in that direction without moving any step out of mean 0.
        Where there are no ties, log ν has a curvature of 1 instead of 0 and never moves.
        """
        found: Numbers = self._curvatures(
            compared[None, :], strengths[None, :], np.array([log_tie], dtype=float)
        )[0]
        return found

    def _curvatures(self, compared: Numbers, strengths: Numbers, log_tie: Numbers) -> Numbers:
        size = self.pairs.systems
        low, high = self.pairs.low, self.pairs.high
        margin, tie = self.chances(strengths, log_tie)
        own = compared * (1 - tie - margin**2) / 4
        cross = self.pairs.net(-compared * tie * margin / 2)
        found = np.zeros((len(compared), size + 1, size + 1))
        found[:, low, high] = -own
        found[:, high, low] = -own
        diagonal = self.pairs.total(own)
        found[:, np.arange(size), np.arange(size)] = diagonal
        found[:, :size, :size] += (diagonal.mean(axis=1) / size)[:, None, None]
        found[:, :size, size] = found[:, size, :size] = cross
        around = (compared * tie * (1 - tie)).sum(axis=1)
        found[:, size, size] = np.where(around > 0, around, 1.0)
        return found

    def _slope(self, sums: Sums, strengths: Numbers, log_tie: Numbers) -> Numbers:
        """The first derivatives of ℓ by row: of the strengths, then of log ν."""
        margin, tie = self.chances(strengths, log_tie)
        expected = self.pairs.net(sums.compared * margin / 2)
        ties = np.einsum("rp,rp->r", sums.compared, tie)
        return np.column_stack([sums.scores - expected, sums.ties - ties])

    def _height(self, sums: Sums, strengths: Numbers, log_tie: Numbers) -> Numbers:
        """ℓ by row."""
        half = (strengths[:, self.pairs.low] - strengths[:, self.pairs.high]) / 2
        width = np.logaddexp(np.logaddexp(half, -half), log_tie[:, None])
        tied = sums.ties * np.where(sums.ties > 0, log_tie, 0.0)
        found: Numbers = (
            (sums.scores * strengths).sum(axis=1) + tied - (sums.compared * width).sum(axis=1)
        )
        return found

    def _from_even(self, sums: Sums) -> Fits:
        """Newton's method from equal strengths, with ties as frequent as they are."""
        decided = sums.compared.sum(axis=1) - sums.ties
        with np.errstate(divide="ignore"):
            log_tie = np.log(2 * sums.ties / decided)
        return self._newton(sums, np.zeros((len(sums.ties), self.pairs.systems)), log_tie)

    def _newton(self, sums: Sums, strengths: Numbers, log_tie: Numbers) -> Fits:
        here, tie = strengths.copy(), log_tie.copy()
        converged = np.zeros(len(here), dtype=bool)
        for _ in range(NEWTON_ROUNDS):
            open_ = np.flatnonzero(~converged)
            if not len(open_):
                break
            part = sums.rows(open_)
            slope = self._slope(part, here[open_], tie[open_])
            bend = self._curvatures(part.compared, here[open_], tie[open_])
            step = np.linalg.solve(bend, slope[:, :, None])[:, :, 0]
            step = self._shortened(part, here[open_], tie[open_], step)
            here[open_] += step[:, :-1]
            tie[open_] += step[:, -1]
            converged[open_] = _moved(step, tie[open_]) < STEP
        return Fits(here - here.mean(axis=1, keepdims=True), tie, converged)

    def _shortened(self, sums: Sums, here: Numbers, tie: Numbers, step: Numbers) -> Numbers:
        """Steps halved until none leads down."""
        before = self._height(sums, here, tie)
        slack = 1e-12 * (1 + np.abs(before))
        for _ in range(30):
            after = self._height(sums, here + step[:, :-1], tie + step[:, -1])
            down = ~(after >= before - slack)
            if not down.any():
                break
            step = np.where(down[:, None], step / 2, step)
        return step


def _moved(step: Numbers, log_tie: Numbers) -> Numbers:
    """The largest change of a parameter, by row; log ν does not count where it is −∞."""
    moved = np.abs(step[:, :-1]).max(axis=1)
    found: Numbers = np.where(np.isinf(log_tie), moved, np.maximum(moved, np.abs(step[:, -1])))
    return found
