"""How much two different values count as agreement: the weights of weighted coefficients."""

from typing import Literal, get_args

from palaver.core.errors import InputError
from palaver.core.numeric import Numbers, np

Closeness = Literal["identity", "linear", "quadratic"]
CLOSENESS: tuple[Closeness, ...] = get_args(Closeness)


def closeness_of(scores: Numbers | None, kind: Closeness, *, values: int) -> Numbers:
    """A matrix of values × values, 1 on the diagonal.

    With the scores x of the values and their range R, linear is 1 − |x_c − x_k| / R and quadratic
    1 − (x_c − x_k)² / R². Identity is 0 off the diagonal.

    >>> import numpy
    >>> closeness_of(numpy.array([1.0, 2.0, 3.0]), "linear", values=3).tolist()
    [[1.0, 0.5, 0.0], [0.5, 1.0, 0.5], [0.0, 0.5, 1.0]]
    """
    if kind not in CLOSENESS:
        raise InputError(f"Weights are identity, linear or quadratic; got '{kind}'.")
    if kind == "identity":
        return np.eye(values)
    if scores is None:
        raise InputError(f"The weights '{kind}' need values with an order; names have none.")
    apart = np.abs(scores[:, None] - scores[None, :])
    widest = apart.max(initial=0)
    share = apart / widest if widest > 0 else apart
    found: Numbers = 1 - (share if kind == "linear" else share**2)
    return found
