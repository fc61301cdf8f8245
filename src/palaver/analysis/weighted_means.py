"""A weighted mean of estimates that are independent of each other, with an interval made of theirs.

With weights wᵢ that add up to 1, values θᵢ and intervals [lᵢ, uᵢ], the ends of the mean θ = Σ wᵢθᵢ are
θ − √Σ wᵢ²(θᵢ − lᵢ)² and θ + √Σ wᵢ²(uᵢ − θᵢ)²: variances are recovered from the intervals, separately
on either side. An interval that knows how near its value is to the end of its range (Wilson's, of a
share) hands this on, also where the share is none or all.

The mean has no interval where one of the parts that count has none.

G. Y. Zou, W. Huang and X. Zhang (2009), A note on confidence interval estimation for a linear function
of binomial proportions, Computational Statistics & Data Analysis 53, 1080-1085.
"""

from palaver.core.numeric import Numbers, np


def combined_ends(
    values: Numbers, lows: Numbers, highs: Numbers, weights: Numbers
) -> tuple[Numbers, Numbers]:
    """Both ends of the means of parts × columns, under the weights of the parts; NaN where none.

    >>> import numpy
    >>> one = numpy.array([[0.9], [0.5]])
    >>> low, high = combined_ends(one, one - [[0.06], [0.08]], one + [[0.06], [0.08]], [0.5, 0.5])
    >>> round(float(low[0]), 3), round(float(high[0]), 3)
    (0.65, 0.75)
    """
    weights = np.asarray(weights, dtype=float)
    used = weights > 0
    if used.sum() == 1:
        # As it is: no rounding makes two numbers of one.
        return lows[used][0], highs[used][0]
    shares = weights[used][:, None]
    middle = (shares * values[used]).sum(axis=0)
    below = np.sqrt(((shares * (values[used] - lows[used])) ** 2).sum(axis=0))
    above = np.sqrt(((shares * (highs[used] - values[used])) ** 2).sum(axis=0))
    return middle - below, middle + above
