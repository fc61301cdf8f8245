"""Permutation tests of a difference of means: exact where they can be, else by chance.

If the two systems did not matter, a pair could have come the other way round, and an unpaired value
could have come from either system. The test counts how often such a rearrangement makes a
difference at least as large. Whole clusters are rearranged where values of a cluster belong together.

Which of several equal values goes where makes no difference: only how many of each kind go there does.
Where values repeat, a random rearrangement is therefore drawn as counts (binomial for signs,
multivariate hypergeometric for deals), which has the same distribution and takes as long for a
million answers on a scale of five points as for a hundred.

R. A. Fisher (1935), The design of experiments. B. Phipson and G. K. Smyth (2010), Permutation
p-values should never be zero, Statistical Applications in Genetics and Molecular Biology 9, 39, for
(b + 1) / (B + 1).
"""

from collections.abc import Hashable, Iterator, Sequence
from itertools import combinations
from math import comb

from palaver.analysis.comparisons.effects import differences
from palaver.analysis.comparisons.result import Alternative, TestResult, check_alternative
from palaver.analysis.means import Clustering, Values, finite, joined
from palaver.analysis.resampling import distinct_rows, encode
from palaver.core.errors import InputError
from palaver.core.estimates import MISSING
from palaver.core.numeric import Numbers, np

TRIALS = 10_000
# All rearrangements are gone through while there are no more than this.
EXACT = 2**16
# Differences that differ by less than this share of what they are made of differ by rounding only.
TOLERANCE = 1e-12
# With fewer to rearrange than these, no p-value can be small.
LEAST = 6
# How many numbers are held at once.
BLOCK = 4_000_000
# What drawing one count costs, in draws of a single sign and of a single place in a shuffle.
SIGNS_PER_COUNT, PLACES_PER_COUNT = 30, 6


def paired_permutation(
    a: Values,
    b: Values,
    *,
    clusters: Sequence[Hashable] | None = None,
    trials: int = TRIALS,
    seed: int = 1,
    alternative: Alternative = "two-sided",
) -> TestResult:
    """The sign-flipping test of the mean difference of pairs.

    All 2ⁿ patterns of signs are gone through while they are no more than 65,536 (n counts the pairs,
    or clusters of pairs, that are not tied); otherwise `trials` of them are drawn and
    p = (b + 1) / (B + 1). With `clusters` (one per pair) a whole cluster changes sign at once.
    Takes it for granted that, if the systems are alike, differences are as likely up as down.

    >>> paired_permutation([3, 4, 5, 6], [1, 2, 4, 5]).p
    0.125
    """
    check_alternative(alternative)
    _check_trials(trials)
    apart = differences(a, b)
    if not len(apart):
        return TestResult(name="permutation (paired)", p=MISSING, reason="there are no pairs")
    sums, what = apart, "pairs"
    if clusters is not None:
        if len(clusters) != len(apart):
            raise InputError(
                f"Each of the {len(apart)} pairs needs a cluster; got {len(clusters)}."
            )
        sums, what = np.bincount(encode(clusters).codes, weights=apart), "clusters of pairs"
    moving = sums[sums != 0]
    exact = len(moving) < EXACT.bit_length()
    if exact:
        found = np.concatenate([signs @ moving for signs in _all_signs(len(moving))])
    else:
        found = np.concatenate(list(_flipped_sums(moving, trials, seed)))
    noise = TOLERANCE * float(np.abs(moving).sum())
    words = _few(len(moving), what)
    return TestResult(
        name="permutation (paired)",
        p=_share(found, float(moving.sum()), noise, alternative, exact),
        statistic=float(apart.mean()),
        n=len(apart),
        difference=float(apart.mean()),
        alternative=alternative,
        method=_method(f"signs of {len(moving)} {what}", exact, len(found)),
        warnings=words,
        # Of many pairs few may differ; that is worth saying of each two systems.
        few="".join(words) if len(sums) < LEAST else "",
    )


def unpaired_permutation(
    a: Values,
    b: Values,
    *,
    clusters_a: Clustering | None = None,
    clusters_b: Clustering | None = None,
    trials: int = TRIALS,
    seed: int = 1,
    alternative: Alternative = "two-sided",
) -> TestResult:
    """The permutation test of the difference of two means.

    All ways to deal the values to sides of these sizes are gone through while they are no more than
    65,536; otherwise `trials` of them are drawn and p = (b + 1) / (B + 1). With clusters, whole
    clusters are dealt; a cluster may then lie on one side only (else pair by it). Takes it for
    granted that, if the systems are alike, their values are alike in every way: a difference in
    spread alone can also make p small where the sides differ in size.

    >>> unpaired_permutation([5, 6, 7], [1, 2, 3]).p
    0.1
    """
    check_alternative(alternative)
    _check_trials(trials)
    one, other = finite(a), finite(b)
    name = "permutation (unpaired)"
    if not len(one) or not len(other):
        return TestResult(name=name, p=MISSING, reason="a side has no values")
    sums, counts, n_a = _dealt(one, other, clusters_a, clusters_b)
    n = len(sums)
    # With k on the smaller side there are 2ᵏ ways or more: of many values nobody counts them.
    exact = min(n_a, n - n_a) < EXACT.bit_length() and comb(n, n_a) <= EXACT
    centre = float(sums.sum() / counts.sum())
    shifted = sums - centre * counts  # differences do not change, and rounding stays small
    if exact:
        found = np.concatenate(
            [_mean_differences(shifted, counts, each) for each in _all_deals(n, n_a)]
        )
    else:
        found = np.concatenate(list(_dealt_differences(shifted, counts, n_a, trials, seed)))
    observed = float(_mean_differences(shifted, counts, (np.arange(n) < n_a)[None, :])[0])
    noise = TOLERANCE * float(np.abs(sums / counts).max())
    what = "values" if clusters_a is None else "clusters"
    words = _few(min(n_a, n - n_a), f"{what} on a side")
    return TestResult(
        name=name,
        p=_share(found, observed, noise, alternative, exact),
        statistic=observed,
        n=len(one) + len(other),
        difference=float(one.mean() - other.mean()),
        alternative=alternative,
        method=_method(f"{n} {what} dealt to the two sides", exact, len(found)),
        warnings=words,
        few="".join(words),
    )


def _dealt(
    one: Numbers,
    other: Numbers,
    clusters_a: Clustering | None,
    clusters_b: Clustering | None,
) -> tuple[Numbers, Numbers, int]:
    """Sums and counts of what is dealt, side a first, and how many are of side a."""
    if clusters_a is None or clusters_b is None:
        return np.concatenate([one, other]), np.ones(len(one) + len(other)), len(one)
    if len(clusters_a) != len(one) or len(clusters_b) != len(other):
        raise InputError("Each value needs a cluster.")
    codes = encode(joined(clusters_a, clusters_b)).codes
    # The clusters of side a come first and have the lowest numbers.
    n_a = int(codes[: len(one)].max()) + 1
    if (codes[len(one) :] < n_a).any():
        raise InputError(
            "A cluster has values of both systems; pair by the cluster instead of dealing it."
        )
    sums = np.bincount(codes, weights=np.concatenate([one, other]))
    return sums, np.bincount(codes).astype(float), n_a


def _mean_differences(sums: Numbers, counts: Numbers, on_a: Numbers) -> Numbers:
    """The difference of means for each row of `on_a`, which says what of all lies on side a."""
    chosen = on_a.astype(float)
    return _differences_of(chosen @ sums, chosen @ counts, sums.sum(), counts.sum())


def _differences_of(total: Numbers, rows: Numbers, all_sums: float, all_rows: float) -> Numbers:
    found: Numbers = total / rows - (all_sums - total) / (all_rows - rows)
    return found


def _flipped_sums(moving: Numbers, trials: int, seed: int) -> Iterator[Numbers]:
    """The sums of differences whose signs are drawn."""
    sizes, counts = np.unique(np.abs(moving), return_counts=True)
    if SIGNS_PER_COUNT * len(sizes) > len(moving):
        yield from (signs @ moving for signs in _random_signs(len(moving), trials, seed))
        return
    dice = np.random.default_rng(seed)
    for size in _sizes(trials, len(sizes)):
        up = dice.binomial(counts, 0.5, size=(size, len(counts)))
        yield (2 * up - counts) @ sizes


def _dealt_differences(
    sums: Numbers, counts: Numbers, n_a: int, trials: int, seed: int
) -> Iterator[Numbers]:
    """The differences of means of deals that are drawn."""
    kinds, times = distinct_rows(np.column_stack([sums, counts]))
    if PLACES_PER_COUNT * len(times) > len(sums):
        dealt = _random_deals(len(sums), n_a, trials, seed)
        yield from (_mean_differences(sums, counts, each) for each in dealt)
        return
    dice = np.random.default_rng(seed)
    for size in _sizes(trials, len(times)):
        on_a = dice.multivariate_hypergeometric(times, n_a, size=size, method="marginals")
        total, rows = on_a @ kinds[:, 0], on_a @ kinds[:, 1]
        yield _differences_of(total, rows, sums.sum(), counts.sum())


def _all_signs(n: int) -> Iterator[Numbers]:
    patterns = np.arange(2**n)
    yield 1.0 - 2.0 * ((patterns[:, None] >> np.arange(n)) & 1)


def _random_signs(n: int, trials: int, seed: int) -> Iterator[Numbers]:
    dice = np.random.default_rng(seed)
    for size in _sizes(trials, n):
        yield 1.0 - 2.0 * dice.integers(0, 2, size=(size, n), dtype=np.int8)


def _all_deals(n: int, n_a: int) -> Iterator[Numbers]:
    chosen = np.array(list(combinations(range(n), n_a)))
    found = np.zeros((len(chosen), n), dtype=bool)
    np.put_along_axis(found, chosen, True, axis=1)
    yield found


def _random_deals(n: int, n_a: int, trials: int, seed: int) -> Iterator[Numbers]:
    dice = np.random.default_rng(seed)
    sides = np.arange(n) < n_a
    for size in _sizes(trials, n):
        yield dice.permuted(np.tile(sides, (size, 1)), axis=1)


def _sizes(trials: int, width: int) -> Iterator[int]:
    step = max(1, BLOCK // max(1, width))
    for start in range(0, trials, step):
        yield min(step, trials - start)


def _share(
    found: Numbers, observed: float, noise: float, alternative: Alternative, exact: bool
) -> float:
    """How often a rearrangement is at least as far out; each tail counts for two-sided tests."""
    if alternative == "two-sided":
        reached = int((np.abs(found) >= abs(observed) - noise).sum())
    elif alternative == "greater":
        reached = int((found >= observed - noise).sum())
    else:
        reached = int((found <= observed + noise).sum())
    return reached / len(found) if exact else (reached + 1) / (len(found) + 1)


def _check_trials(trials: int) -> None:
    if trials < 1:
        raise InputError(f"A permutation test takes 1 trial or more; got {trials}.")


def _method(what: str, exact: bool, count: int) -> str:
    how = f"all {count:,} rearrangements" if exact else f"{count:,} random rearrangements"
    return f"permutation test, {how} ({what})"


def _few(n: int, what: str) -> tuple[str, ...]:
    if n >= LEAST:
        return ()
    return (f"There are only {n} {what} to rearrange: small p-values are out of reach.",)
