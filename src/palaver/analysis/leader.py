"""Which system is better, in one sentence that says no more than the votes do."""

from collections.abc import Sequence

from palaver.analysis.win_rates import WinRates


def leader_sentence(rates: WinRates, *, final: bool = False) -> str:
    """Who leads, who follows, and who cannot be told apart.

    The rule: two systems that met the same opponents (each other aside) are told apart when the
    95 % intervals of their win rates do not overlap. For two systems alone this is to say that
    neither interval holds one half; with more it asks for at least as much as a test of the
    difference at 5 %. Two systems that met different opponents have rates that cannot be compared:
    they are told apart only by their direct comparisons, when the interval of those does not hold
    one half.

    A system leads when it is told apart from every other system that has votes. Below it the
    ranking is cut wherever everybody above is told apart from everybody below. No correction is
    made for the number of systems, nor for looking before the planned votes are in: until then a
    board is provisional.

    >>> from palaver.analysis.win_rates import CountedPreference, win_rates
    >>> even = [CountedPreference("B", "C", "first", 10), CountedPreference("B", "C", "second", 9)]
    >>> leader_sentence(win_rates(even))
    'No system leads yet; B and C cannot be told apart'
    >>> clear = [CountedPreference("A", "B", "first", 19), CountedPreference("A", "C", "first", 19)]
    >>> leader_sentence(win_rates([*clear, *even]))
    'A leads; B and C cannot be told apart'
    """
    ranked = rank(rates)
    if not ranked:
        return "No comparisons yet"
    tiers = _tiers(rates, ranked)
    nobody = "No system leads" if final else "No system leads yet"
    clauses = [f"{tiers[0][0]} leads"] if len(tiers[0]) == 1 else [nobody, _open(rates, tiers[0])]
    clauses += [_clause(rates, tier) for tier in tiers[1:]]
    unseen = [system for system, tally in rates.systems.items() if tally.n == 0]
    if unseen:
        clauses.append(f"{_listed(unseen)} {'has' if len(unseen) == 1 else 'have'} no votes yet")
    return "; ".join(clauses)


def rank(rates: WinRates) -> list[str]:
    """The systems that have votes, highest rate first; equal rates stay in the order given."""
    known = [(tally.rate, system) for system, tally in rates.systems.items()]
    voted = [(rate, system) for rate, system in known if rate is not None]
    return [system for _, system in sorted(voted, key=lambda pair: pair[0], reverse=True)]


def told_apart(rates: WinRates, better: str, worse: str) -> bool:
    """Whether `better` is better than `worse`, by the rule of `leader_sentence`."""
    direct = rates.between(better, worse).interval
    if rates.opponents(better) - {worse} != rates.opponents(worse) - {better}:
        return direct is not None and direct.low > 0.5
    high, low = rates.systems[better].interval, rates.systems[worse].interval
    return high is not None and low is not None and high.low > low.high


def _tiers(rates: WinRates, ranked: Sequence[str]) -> list[Sequence[str]]:
    cuts = [
        place
        for place in range(1, len(ranked))
        if all(told_apart(rates, a, b) for a in ranked[:place] for b in ranked[place:])
    ]
    return [
        ranked[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(ranked)], strict=True)
    ]


def _clause(rates: WinRates, tier: Sequence[str]) -> str:
    return f"{tier[0]} follows" if len(tier) == 1 else _open(rates, tier)


def _open(rates: WinRates, tier: Sequence[str]) -> str:
    apart = any(told_apart(rates, a, b) for a in tier for b in tier if a != b)
    if apart:
        return f"the order of {_listed(tier)} is open"
    return f"{_listed(tier)} cannot be told apart"


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
