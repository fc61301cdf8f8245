"""Which system is better, in one sentence that says no more than the votes do."""

from palaver.analysis.rank_sets import order_sentence, tied_sets
from palaver.analysis.win_rates import WinRates
from palaver.core.words import listed


def leader_sentence(rates: WinRates, *, final: bool = False) -> str:
    """Who leads, who follows, and who cannot be distinguished.

    The rule: two systems that met the same opponents (each other aside) are told apart when the
    intervals of their win rates do not overlap. For two systems alone this is to say that neither
    interval holds one half; with more it asks for at least as much as a test of the difference. Two
    systems that met different opponents have rates that cannot be compared: they are told apart
    only by their direct comparisons, when the interval of those does not hold one half. All pairs
    are judged at once: with m of them each interval has a confidence of 1 − 0.05 / m (Bonferroni),
    so that at most one time in twenty any two equal systems are told apart.

    A system leads when it is told apart from every other system that has votes. Sets of systems
    that cannot be distinguished may overlap. Votes are taken to be independent of each other
    (`bradley_terry` does without that), and no correction is made for looking before the planned
    votes are in: until then a board is provisional.

    >>> from palaver.analysis.win_rates import CountedPreference, win_rates
    >>> even = [CountedPreference("B", "C", "first", 10), CountedPreference("B", "C", "second", 9)]
    >>> leader_sentence(win_rates(even))
    'No system leads yet; B and C cannot be distinguished'
    >>> clear = [CountedPreference("A", "B", "first", 19), CountedPreference("A", "C", "first", 19)]
    >>> leader_sentence(win_rates([*clear, *even]))
    'A leads; B and C cannot be distinguished'
    """
    ranked = rank(rates)
    sets = tied_sets(ranked, lambda one, other: told_apart(rates, one, other))
    clauses = [order_sentence(ranked, sets, final=final)]
    unseen = [system for system, tally in rates.systems.items() if tally.n == 0]
    if ranked and unseen:
        clauses.append(f"{listed(unseen)} {'has' if len(unseen) == 1 else 'have'} no votes yet")
    return "; ".join(clauses)


def rank(rates: WinRates) -> list[str]:
    """The systems that have votes, highest rate first; equal rates stay in the order given."""
    known = [(tally.rate, system) for system, tally in rates.systems.items()]
    voted = [(rate, system) for rate, system in known if rate is not None]
    return [system for _, system in sorted(voted, key=lambda pair: pair[0], reverse=True)]


def told_apart(rates: WinRates, better: str, worse: str) -> bool:
    """Whether `better` is better than `worse`, by the rule of `leader_sentence`."""
    voted = len(rank(rates))
    confidence = 1 - 0.05 / (voted * (voted - 1) / 2)
    direct = rates.between(better, worse).interval_at(confidence)
    if rates.opponents(better) - {worse} != rates.opponents(worse) - {better}:
        return direct is not None and direct.low > 0.5
    high = rates.systems[better].interval_at(confidence)
    low = rates.systems[worse].interval_at(confidence)
    return high is not None and low is not None and high.low > low.high
