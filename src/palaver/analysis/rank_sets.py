"""Ranks and tied sets: how much of an order the evidence supports.

Two systems are told apart when the simultaneous interval of their difference leaves out 0. All
differences are judged at once: with d̂ᵢⱼ the difference of two strengths and sᵢⱼ its standard error,
the critical value c is the quantile of maxᵢⱼ |dᵢⱼ − d̂ᵢⱼ| / sᵢⱼ at the confidence wanted, over draws
of the strengths. So the chance that any two equal systems are told apart is at most one minus the
confidence. A system's rank then lies between 1 + the number of systems that are surely better and
m − the number that are surely worse, for all systems at once.

M. Mogstad, J. P. Romano, A. M. Shaikh and D. Wilhelm (2024), Inference for ranks with applications
to mobility across neighbourhoods and academic achievement across countries, Review of Economic
Studies 91, 476–518.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from math import isclose

from palaver.core.numeric import Numbers, np
from palaver.core.words import listed

SIMULATIONS = 4000
# Of more sets than these a sentence would be longer than the table.
MOST_SETS = 6
# A sentence names at most this many systems of one set; of more, the first few.
MOST_NAMED = 6


@dataclass(frozen=True, slots=True)
class SimultaneousComparison:
    """What the simultaneous intervals say: `better[i, j]` where i is surely better than j."""

    better: Numbers
    critical: float
    # The standard errors of the differences; 0 where one never varies.
    errors: Numbers

    def rank_interval(self, place: int) -> tuple[int, int]:
        """The ranks that a system can have."""
        surely_better = int(self.better[:, place].sum())
        surely_worse = int(self.better[place].sum())
        return 1 + surely_better, len(self.better) - surely_worse


def compare_draws(values: Numbers, draws: Numbers, *, confidence: float) -> SimultaneousComparison:
    """Simultaneous comparisons from bootstrap draws (draws × systems)."""
    apart = draws - draws.mean(axis=0)
    covariance = np.einsum("ri,rj->ij", apart, apart) / (len(draws) - 1)
    return _compare(values, draws - values, covariance, confidence)


def compare_normal(
    values: Numbers,
    covariance: Numbers,
    *,
    confidence: float,
    freedom: float | None = None,
    seed: int = 1,
    simulations: int = SIMULATIONS,
) -> SimultaneousComparison:
    """Simultaneous comparisons from a covariance, by simulated normal errors.

    With `freedom`, the errors are those of a multivariate t distribution with that many degrees of
    freedom, as a covariance from few clusters is itself uncertain.
    """
    dice = np.random.default_rng(seed)
    spread, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    root = vectors * np.sqrt(np.maximum(spread, 0.0))
    errors = np.einsum("rk,ik->ri", dice.standard_normal((simulations, len(values))), root)
    if freedom is not None:
        errors /= np.sqrt(dice.chisquare(freedom, size=simulations) / freedom)[:, None]
    return _compare(values, errors, covariance, confidence)


def compare_at(values: Numbers, covariance: Numbers, critical: float) -> SimultaneousComparison:
    """Simultaneous comparisons at a critical value that was found elsewhere."""
    error = _errors(covariance)
    difference = values[:, None] - values[None, :]
    better = (error > 0) & (difference > critical * error)
    return SimultaneousComparison(better, critical, error)


def _compare(
    values: Numbers, errors: Numbers, covariance: Numbers, confidence: float
) -> SimultaneousComparison:
    error = _errors(covariance)
    # A difference that never varies cannot be judged: it does not count towards the largest.
    per_error = np.divide(1.0, error, out=np.zeros_like(error), where=error > 0)
    by_system = np.ascontiguousarray(errors.T)
    largest = np.zeros(len(errors))
    for place in range(len(values) - 1):
        apart = by_system[place + 1 :] - by_system[place]
        np.abs(apart, out=apart)
        apart *= per_error[place, place + 1 :, None]
        np.maximum(largest, apart.max(axis=0), out=largest)
    critical = float(np.quantile(largest, confidence)) if len(errors) else float("inf")
    return compare_at(values, covariance, critical)


def _errors(covariance: Numbers) -> Numbers:
    """The standard errors of differences; 0 where one never varies."""
    variance = np.diag(covariance)
    between = np.maximum(variance[:, None] + variance[None, :] - 2 * covariance, 0.0)
    # What rounding leaves of nothing is nothing.
    between[between < 1e-14 * max(float(variance.max(initial=0.0)), 1e-300)] = 0.0
    error: Numbers = np.sqrt(between)
    return error


def tied_sets(
    names_best_first: Sequence[str], told_apart: Callable[[str, str], bool]
) -> list[list[str]]:
    """The largest sets of systems that cannot be distinguished from each other; they may overlap.

    Every system is in at least one; a system that differs from all others is a set of its
    own. Names within a set and the sets themselves stand in rank order.

    >>> apart = {("a", "b"), ("a", "c"), ("a", "d"), ("b", "d")}
    >>> tied_sets(["a", "b", "c", "d"], lambda one, other: (one, other) in apart)
    [['a'], ['b', 'c'], ['c', 'd']]
    """
    count = len(names_best_first)
    near: list[set[int]] = [set() for _ in range(count)]
    for one in range(count):
        for other in range(one + 1, count):
            a, b = names_best_first[one], names_best_first[other]
            if not (told_apart(a, b) or told_apart(b, a)):
                near[one].add(other)
                near[other].add(one)
    found = sorted(_cliques(near))
    return [[names_best_first[place] for place in each] for each in found]


def _cliques(near: list[set[int]]) -> list[list[int]]:
    """The maximal cliques of a graph (Bron and Kerbosch 1973, with a pivot)."""
    found: list[list[int]] = []
    waiting: list[tuple[set[int], set[int], set[int]]] = [(set(), set(range(len(near))), set())]
    while waiting:
        chosen, open_, closed = waiting.pop()
        if not open_ and not closed:
            found.append(sorted(chosen))
            continue
        for place in sorted(open_ - near[_pivot(near, open_, closed)]):
            waiting.append((chosen | {place}, open_ & near[place], closed & near[place]))
            open_ = open_ - {place}
            closed = closed | {place}
    return [each for each in found if each]


def _pivot(near: list[set[int]], open_: set[int], closed: set[int]) -> int:
    """A system that is tied with most of the open ones: those need not be followed by themselves."""
    best, most = -1, -1
    for place in open_ | closed:
        tied = len(near[place] & open_)
        if tied > most:
            best, most = place, tied
        if tied >= len(open_) - 1:
            break
    return best


def leader_of(names_best_first: Sequence[str], sets: Sequence[Sequence[str]]) -> str | None:
    """The one that is told apart from all others; None on a tie, and where there are no others.

    >>> leader_of("ABC", [["A"], ["B", "C"]]), leader_of("AB", [["A", "B"]]), leader_of("A", [["A"]])
    ('A', None, None)
    """
    return sets[0][0] if len(names_best_first) > 1 and sets and len(sets[0]) == 1 else None


def open_sentence(
    values: Mapping[str, float],
    why: str,
    *,
    what: str,
    noun: str = "system",
    final: bool = True,
    lowest: bool = False,
) -> str:
    """That nobody leads because the order cannot be tested, and who stands first, or together.

    Whoever is highest stands first, or whoever is `lowest`.

    >>> open_sentence({"A": 0.4, "B": -0.4}, "all votes share one rater", what="strength")
    'No system leads: all votes share one rater; A has the highest strength so far'
    >>> open_sentence({"A": 0.0, "B": 0.0}, "all votes share one rater", what="strength")
    'No system leads: all votes share one rater; A and B have the same strength'
    """
    top, best = (min(values.values()), "lowest") if lowest else (max(values.values()), "highest")
    first = [name for name, value in values.items() if isclose(value, top, abs_tol=1e-9)]
    named = listed(first, most=MOST_NAMED)
    if len(values) == 1:
        return f"{named} is the only {noun}"
    if len(first) == 1:
        standing = f"{named} has the {best} {what} so far"
    elif len(first) == len(values):
        standing = f"{named} have the same {what}"
    else:
        standing = f"{named} share the {best} {what} so far"
    return f"No {noun} leads{'' if final else ' yet'}: {why}; {standing}"


def order_sentence(
    names_best_first: Sequence[str],
    sets: Sequence[Sequence[str]],
    *,
    final: bool = False,
    noun: str = "system",
) -> str:
    """Who leads, who follows and who cannot be distinguished, in one sentence.

    A set that shares a system with one before it begins with "nor can": its systems cannot be told
    apart either, though those that are in one set only are told apart from some of the other.

    >>> order_sentence("ABC", [["A"], ["B", "C"]])
    'A leads; B and C cannot be distinguished'
    >>> order_sentence("ABC", [["A"], ["B"], ["C"]])
    'A leads; B and C follow, in this order'
    >>> order_sentence("ABCD", [["A"], ["B", "C"], ["C", "D"]])
    'A leads; B and C cannot be distinguished, nor can C and D'
    >>> order_sentence("ABC", [["A", "B"], ["C"]], final=True)
    'No system leads; A and B cannot be distinguished; C follows'
    >>> order_sentence("A", [["A"]])
    'A is the only system'
    """
    if not sets:
        return "No comparisons yet"
    if len(names_best_first) == 1:
        return f"{names_best_first[0]} is the only {noun}"
    nobody = f"No {noun} leads" if final else f"No {noun} leads yet"
    leader = leader_of(names_best_first, sets)
    text = f"{leader} leads" if leader is not None else nobody
    if all(len(each) == 1 for each in sets):
        return f"{text}; {_followers([each[0] for each in sets[1:]])}"
    if len(sets) > MOST_SETS:
        return f"{text}; {_in_part(names_best_first, sets, noun)}"
    named: list[str] = []
    for number, each in enumerate(sets):
        if len(each) > 1:
            text += _clause(each, named)
        elif each[0] in named:
            continue
        elif named and _is_below(each[0], named, names_best_first):
            # Those that come one after the other are told in one clause.
            lone = [one[0] for one in takewhile(lambda one: len(one) == 1, sets[number:])]
            text += f"; {_followers(lone)}"
            named += lone
            continue
        elif named:
            text += f"; {each[0]} differs from all others"
        named += each
    return text


def _followers(names: Sequence[str]) -> str:
    """Systems that are told apart from all others, after those that were named."""
    if len(names) == 1:
        return f"{names[0]} follows"
    return f"{listed(names, most=MOST_NAMED)} follow, in this order"


def _is_below(name: str, named: Collection[str], names_best_first: Sequence[str]) -> bool:
    place = names_best_first.index(name)
    return all(names_best_first.index(other) < place for other in named)


def _in_part(names: Sequence[str], sets: Sequence[Sequence[str]], noun: str) -> str:
    """Of many sets, who may be first, and that the rest of the order is known in part."""
    count = len(names)
    if leader_of(names, sets) is not None:
        return f"the other {count - 1:,} {noun}s are told apart only in part"
    beside = {name for each in sets if names[0] in each for name in each} - {names[0]}
    near = listed([name for name in names if name in beside], most=MOST_NAMED)
    return (
        f"{names[0]} cannot be distinguished from {near}; all {count:,} {noun}s are told apart "
        "only in part"
    )


def _clause(names: Sequence[str], named: Collection[str]) -> str:
    if set(names) & set(named):
        return f", nor can {listed(names, most=MOST_NAMED)}"
    return f"; {listed(names, most=MOST_NAMED)} cannot be distinguished"
