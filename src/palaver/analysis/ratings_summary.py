"""What people thought of each system over dialogues, and how often the task was done: one record.

The ratings of a dialogue are averaged first, so that a dialogue with many ratings counts as one; mean
and standard error are those of the dialogues' means. Success stands beside it with Wilson's interval.
Pairs of systems are tested question by question, with p-values corrected for the number of pairs
(Holm).

Which test: Welch's t test of the dialogues' means; with fewer than ten dialogues on a side, a
permutation test of them. Where the same people rated several dialogues of one of two systems and none
of the other, these dialogues are not independent, and whole people are permuted. The standard error is
that over dialogues, as papers give it; the interval is that of `analysis.means`, over people where some
rated several dialogues: where each dialogue has one rating, it is the interval of the mean of answers.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from palaver.analysis.comparisons.permutation import unpaired_permutation
from palaver.analysis.comparisons.result import TestResult
from palaver.analysis.comparisons.shares import Successes
from palaver.analysis.comparisons.unpaired import two_shares, welch
from palaver.analysis.corrections import holm
from palaver.analysis.means import mean
from palaver.analysis.proportions import wilson_interval
from palaver.analysis.resampling import BootstrapSettings
from palaver.core.estimates import MISSING, Interval, all_the_same
from palaver.core.numeric import Numbers, np, stats
from palaver.core.serial import if_any

# With fewer dialogues than these on a side, the t distribution is not relied on.
FEW_DIALOGUES = 10


@dataclass(frozen=True, slots=True)
class RatedDialogue:
    """One rating: by whom, in which dialogue, of which system."""

    system: str
    dialogue: Hashable
    rater: Hashable | None
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemRating:
    """The mean over `n` dialogues, its standard error (s/√n; NaN for one dialogue) and interval.

    `reason` says why there is no interval.
    """

    system: str
    mean: float
    sem: float
    interval: Interval | None
    n: int
    ratings: int
    reason: str = if_any("")


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemSuccess:
    """In how many of `n` dialogues whose outcome says so the task was done."""

    system: str
    successes: int
    n: int
    interval: Interval | None

    @property
    def share(self) -> float:
        return self.successes / self.n if self.n else MISSING


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryPair:
    """Two systems: a minus b, the p-value of no difference, and the same corrected for all pairs."""

    a: str
    b: str
    difference: float
    test: TestResult
    adjusted: float


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionSummary:
    """One question: every system, the best first, and every pair."""

    question: str
    systems: tuple[SystemRating, ...]
    pairs: tuple[SummaryPair, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingsSummary:
    """Ratings by question, and success where outcomes are known."""

    questions: tuple[QuestionSummary, ...]
    success: tuple[SystemSuccess, ...] = ()
    success_pairs: tuple[SummaryPair, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def systems(self) -> tuple[str, ...]:
        """All systems, in the order of the first question; those without ratings last."""
        rated = [each.system for question in self.questions for each in question.systems]
        return tuple(dict.fromkeys([*rated, *(each.system for each in self.success)]))


def summarise_ratings(
    ratings: Mapping[str, Sequence[RatedDialogue]],
    successes: Mapping[str, Successes] | None = None,
    *,
    settings: BootstrapSettings | None = None,
) -> RatingsSummary:
    """The summary of each question's ratings; `successes` by system.

    >>> rated = [RatedDialogue("x", "d1", "r1", 4), RatedDialogue("x", "d1", "r2", 2)]
    >>> rated += [RatedDialogue("x", "d2", "r3", 5)]
    >>> (found,) = summarise_ratings({"humanlike": rated}).questions[0].systems
    >>> found.mean, found.sem, found.n, found.ratings
    (4.0, 1.0, 2, 3)
    """
    used = settings or BootstrapSettings()
    questions = tuple(_question(name, given, used) for name, given in ratings.items() if given)
    known = {name: each for name, each in (successes or {}).items() if each.n}
    shares = {(a, b): _test_shares(known[a], known[b]) for a, b in combinations(known, 2)}
    return RatingsSummary(
        questions=questions,
        success=tuple(
            SystemSuccess(
                system=name,
                successes=each.successes,
                n=each.n,
                interval=wilson_interval(each.successes, each.n, confidence=used.confidence),
            )
            for name, each in known.items()
        ),
        success_pairs=_pairs(shares),
        warnings=tuple(_warnings(questions)),
    )


@dataclass(frozen=True, slots=True)
class _Side:
    """The means of a system's dialogues, and the group of people who rated each."""

    means: list[float]
    people: list[Hashable]


def _question(
    name: str, given: Sequence[RatedDialogue], settings: BootstrapSettings
) -> QuestionSummary:
    groups = _groups_of_people(given)
    by_dialogue: dict[str, dict[Hashable, list[RatedDialogue]]] = {}
    for each in given:
        by_dialogue.setdefault(each.system, {}).setdefault(each.dialogue, []).append(each)
    sides = {
        system: _Side(
            [sum(one.value for one in said) / len(said) for said in dialogues.values()],
            [groups.get(said[0].rater, key) for key, said in dialogues.items()],
        )
        for system, dialogues in by_dialogue.items()
    }
    counts = {system: sum(map(len, said.values())) for system, said in by_dialogue.items()}
    systems = [_rating(system, side, counts[system], settings) for system, side in sides.items()]
    systems.sort(key=lambda each: -each.mean)
    order = [each.system for each in systems]
    tests = {(a, b): _test(sides[a], sides[b]) for a, b in combinations(order, 2)}
    return QuestionSummary(question=name, systems=tuple(systems), pairs=_pairs(tests))


def _why_none(means: Numbers, side: _Side) -> str:
    if np.ptp(means) > 0 and len(set(side.people)) == 1:
        return "all dialogues were rated by the same people"
    return all_the_same(len(means), "dialogues")


def _rating(system: str, side: _Side, ratings: int, settings: BootstrapSettings) -> SystemRating:
    means = np.array(side.means)
    n = len(means)
    # People who rated several dialogues are what is independent.
    found = mean(
        means,
        [side.people],
        resamples=settings.resamples,
        seed=settings.seed,
        confidence=settings.confidence,
        shares=False,
    )
    return SystemRating(
        system=system,
        mean=float(means.mean()),
        sem=float(means.std(ddof=1) / n**0.5) if n > 1 else MISSING,
        interval=found.interval,
        n=n,
        ratings=ratings,
        reason="" if found.interval else _why_none(means, side) or found.reason,
    )


def _test(a: _Side, b: _Side) -> TestResult:
    """The test of the rule above."""
    alone = len(set(a.people)) == len(a.people) and len(set(b.people)) == len(b.people)
    if not alone and not set(a.people) & set(b.people):
        return unpaired_permutation(a.means, b.means, clusters_a=a.people, clusters_b=b.people)
    if min(len(a.means), len(b.means)) < FEW_DIALOGUES:
        return unpaired_permutation(a.means, b.means)
    return welch(a.means, b.means)


def _test_shares(a: Successes, b: Successes) -> TestResult:
    """The z test of two shares; Fisher's exact test where a cell has too few for it."""
    found = two_shares(a, b)
    if found.reason or not found.warnings:
        return found
    table = [[a.successes, a.n - a.successes], [b.successes, b.n - b.successes]]
    return TestResult(
        name="fisher",
        p=float(stats.fisher_exact(table).pvalue),
        n=found.n,
        difference=found.difference,
        effects=found.effects,
        method="Fisher's exact test; assumes independent answers",
    )


def _pairs(tests: Mapping[tuple[str, str], TestResult]) -> tuple[SummaryPair, ...]:
    corrected = holm([test.p for test in tests.values()])
    return tuple(
        SummaryPair(a=a, b=b, difference=test.difference, test=test, adjusted=adjusted)
        for ((a, b), test), adjusted in zip(tests.items(), corrected, strict=True)
    )


def _groups_of_people(given: Iterable[RatedDialogue]) -> dict[Hashable, Hashable]:
    """For each rater the first of all raters that dialogues with several raters tie them to."""
    leader: dict[Hashable, Hashable] = {}

    def led(rater: Hashable) -> Hashable:
        while leader.setdefault(rater, rater) != rater:
            rater = leader[rater]
        return rater

    together: dict[Hashable, list[Hashable]] = defaultdict(list)
    for each in given:
        if each.rater is not None:
            together[each.dialogue].append(each.rater)
    for first, *others in together.values():
        for other in others:
            leader[led(other)] = led(first)
    return {
        rater: led(rater) for rater in list(leader) + [r for rs in together.values() for r in rs]
    }


def _warnings(questions: Iterable[QuestionSummary]) -> Iterator[str]:
    for question in questions:
        for pair in question.pairs:
            if pair.test.reason:
                yield (
                    f"{pair.a} and {pair.b} were not tested on {question.question}: "
                    f"{pair.test.reason}."
                )
