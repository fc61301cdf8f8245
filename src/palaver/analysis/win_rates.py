"""Win rates: what comparisons of two say about each system.

A system's rate is (wins + ties / 2) / n: the share of its comparisons that it won, with a tie as
half a win. A system that was never compared has no rate: None, not 0 and not one half. Which system is
better is decided elsewhere (`ranking/fixed`, `sequential/live`).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from palaver.analysis.choice import preference_chances
from palaver.analysis.proportions import wilson_interval
from palaver.analysis.rank_sets import MOST_NAMED
from palaver.core.errors import InputError
from palaver.core.estimates import Interval
from palaver.core.questions.comparative import FIRST, SECOND, TIE
from palaver.core.words import listed


@dataclass(frozen=True, slots=True)
class CountedPreference:
    """How often one answer (first, second or tie) was given about an ordered pair of systems."""

    first: str
    second: str
    value: str
    count: int


@dataclass(frozen=True, slots=True)
class WinTally:
    """Comparisons as one side sees them."""

    wins: int = 0
    ties: int = 0
    losses: int = 0

    @property
    def n(self) -> int:
        return self.wins + self.ties + self.losses

    @property
    def rate(self) -> float | None:
        """(wins + ties / 2) / n; None (undefined) without comparisons."""
        return (self.wins + self.ties / 2) / self.n if self.n else None

    @property
    def interval(self) -> Interval | None:
        """The 95 % Wilson interval of the rate, with wins + ties / 2 as successes out of n.

        A tie counts as half a success and keeps its full place in n. One comparison then scores
        0, ½ or 1 with variance rate (1 − rate) − P(tie) / 4, which is never more than the binomial
        variance that Wilson's interval assumes: with ties it covers the true rate at least as
        often as it says. Comparisons are taken to be independent of each other; None without any.
        """
        return wilson_interval(self.wins + self.ties / 2, self.n)

    def __add__(self, other: "WinTally") -> "WinTally":
        return WinTally(self.wins + other.wins, self.ties + other.ties, self.losses + other.losses)

    def reversed(self) -> "WinTally":
        return WinTally(self.losses, self.ties, self.wins)


@dataclass(frozen=True, slots=True)
class WinRates:
    """The tally of each system, and of each pair that was compared.

    The keys of `pairs` have their two systems in the order of `systems`; a tally there is the first
    one's. A comparison of a system with itself says nothing about who is better: it is in no tally
    and is counted in `self_comparisons`.
    """

    systems: dict[str, WinTally]
    pairs: dict[tuple[str, str], WinTally]
    self_comparisons: int = 0

    @property
    def comparisons(self) -> int:
        """How many comparisons were counted, those of a system with itself included."""
        return sum(tally.n for tally in self.pairs.values()) + self.self_comparisons

    def between(self, system: str, other: str) -> WinTally:
        """The direct comparisons of two systems as `system` sees them."""
        if (system, other) in self.pairs:
            return self.pairs[system, other]
        return self.pairs.get((other, system), WinTally()).reversed()


def win_rates(preferences: Iterable[CountedPreference], systems: Iterable[str] = ()) -> WinRates:
    """The tallies of `systems` and of every other system that the preferences name.

    >>> found = win_rates([CountedPreference("a", "b", "first", 3),
    ...                    CountedPreference("b", "a", "tie", 2)], systems=["a", "b", "c"])
    >>> found.systems["a"], found.systems["a"].rate
    (WinTally(wins=3, ties=2, losses=0), 0.8)
    >>> found.systems["c"].rate is None
    True
    """
    counted = [preference for preference in preferences if preference.count]
    named = [name for each in counted for name in (each.first, each.second)]
    tallies = {name: WinTally() for name in (*systems, *named)}
    place = {name: index for index, name in enumerate(tallies)}
    pairs: dict[tuple[str, str], WinTally] = {}
    self_comparisons = 0
    for each in counted:
        tally = _tally(each)
        one, other = each.first, each.second
        if one == other:
            self_comparisons += each.count
            continue
        tallies[one] += tally
        tallies[other] += tally.reversed()
        if place[one] > place[other]:
            one, other, tally = other, one, tally.reversed()
        pairs[one, other] = pairs.get((one, other), WinTally()) + tally
    return WinRates(tallies, pairs, self_comparisons)


def expected_win_rates(
    strengths: Mapping[str, float],
    pairs: Mapping[tuple[str, str], float],
    tie_probability: float,
) -> dict[str, float]:
    """The true win rate of each system that is compared, under Davidson's model (`choice`).

    `pairs` says how many comparisons of each pair of systems are planned. A system's true rate is the
    mean of P(win) + P(tie) / 2 over the pairs it is in, weighted by those numbers: what its win
    rate is expected to be when all are in. A system without planned comparisons has no true rate
    and is left out, and so are comparisons of a system with itself.

    >>> expected_win_rates({"a": 3.0, "b": 1.0}, {("a", "b"): 20}, tie_probability=0.0)
    {'a': 0.75, 'b': 0.25}
    """
    scores: defaultdict[str, float] = defaultdict(float)
    planned: defaultdict[str, float] = defaultdict(float)
    for (first, second), weight in pairs.items():
        if first == second or weight <= 0:
            continue
        rate = preference_chances(
            _strength(strengths, first), _strength(strengths, second), tie_probability
        ).rate
        for system, share in ((first, rate), (second, 1 - rate)):
            scores[system] += weight * share
            planned[system] += weight
    return {system: scores[system] / planned[system] for system in planned}


def no_votes(systems: Sequence[str]) -> str:
    """That these have no votes yet; empty for none.

    >>> no_votes(["A"]), no_votes(["A", "B"]), no_votes([])
    ('A has no votes yet', 'A and B have no votes yet', '')
    """
    if not systems:
        return ""
    return (
        f"{listed(systems, most=MOST_NAMED)} {'has' if len(systems) == 1 else 'have'} no votes yet"
    )


def _tally(preference: CountedPreference) -> WinTally:
    count = preference.count
    match preference.value:
        case "first":
            return WinTally(wins=count)
        case "tie" | "neither":
            return WinTally(ties=count)
        case "second":
            return WinTally(losses=count)
    raise InputError(
        f"A comparison is answered with {FIRST!r}, {SECOND!r} or {TIE!r}; got {preference.value!r}."
    )


def _strength(strengths: Mapping[str, float], system: str) -> float:
    if system not in strengths:
        known = ", ".join(strengths)
        raise InputError(f"System '{system}' has no strength. Those given: {known or 'none'}.")
    return strengths[system]
