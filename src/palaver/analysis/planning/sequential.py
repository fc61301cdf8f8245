"""What a study costs that stops by a rule as votes come in, by simulation.

Raters come one after the other, each with as many votes as in the fixed plan, and the votes are looked
at whenever a rater has finished: two systems by their confidence sequence, more by the verdict of
`sequential` at looks that grow by a twelfth. The study ends where the rule says so. The same is done
for systems that are equal, which cost most: nothing but equality can be decided about them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil, log
from typing import ClassVar

from palaver.analysis.planning.assumptions import Assumptions, Outcome
from palaver.analysis.planning.plan import Plan
from palaver.analysis.planning.simulated_studies import SimulatedStudy, StudyDrawing
from palaver.analysis.ranking.result import tallied
from palaver.analysis.ranking.verdict import VoteVerdict
from palaver.analysis.ranking.votes import Votes
from palaver.analysis.sequential.betting import log_wealth
from palaver.analysis.sequential.live import SCORES, check_margin
from palaver.analysis.sequential.stopping import should_stop
from palaver.analysis.sequential.strengths import LEAST_RATERS, fit_strengths
from palaver.analysis.sequential.verdicts import Moment, NoReadings, verdict
from palaver.core.errors import InputError
from palaver.core.estimates import html_table
from palaver.core.numeric import Numbers, np
from palaver.core.serial import internal, plain
from palaver.core.studies.stops import StoppingRule, Until

SIMULATIONS = 200
# Without a limit, a study stops at this many times the votes of the fixed plan.
MOST_TIMES = 3
# Looks at three systems or more: each when so much more is in than at the one before.
GROWTH = 1 / 12
# Fewer raters than these hardly ever decide anything.
FEW_RATERS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class SequentialCourse:
    """How simulated studies ended: after how many votes, and with what.

    `right`, `wrong` and `nothing` are shares of the studies. Wrong is a study in which anything false
    was said of any pair; nothing, one whose votes ran out before the rule was met.
    """

    derived: ClassVar[tuple[str, ...]] = ("mean", "median", "nine_in_ten", "raters", "cost")

    votes: tuple[int, ...] = internal(())
    right: float
    wrong: float
    nothing: float
    per_rater: int = internal(1)
    vote_cost: float | None = internal(None)

    @property
    def mean(self) -> float:
        """The mean number of votes."""
        return float(np.mean(self.votes))

    @property
    def median(self) -> int:
        return int(np.quantile(self.votes, 0.5, method="higher"))

    @property
    def nine_in_ten(self) -> int:
        """Nine studies of ten end with so many votes or fewer."""
        return int(np.quantile(self.votes, 0.9, method="higher"))

    @property
    def raters(self) -> int:
        """How many raters come in nine studies of ten, at most."""
        return ceil(self.nine_in_ten / self.per_rater)

    @property
    def cost(self) -> float | None:
        """The mean cost; None without a pay."""
        return None if self.vote_cost is None else self.vote_cost * self.mean


@dataclass(frozen=True, slots=True, kw_only=True)
class SequentialPlan:
    """Studies that stop by a rule, where one system is better as assumed and where all are equal."""

    assumptions: Assumptions
    rule: StoppingRule
    fixed_votes: int | None
    per_rater: int
    better: SequentialCourse
    equal: SequentialCourse
    pay: float | None
    method: str
    warnings: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        return html_table([plain(self.better), plain(self.equal)], caption=self.method)


def sequential_plan(
    fixed: Plan,
    *,
    until: Until = "order",
    within: float = 0.05,
    at_most: int | None = None,
    simulations: int = SIMULATIONS,
    seed: int = 1,
) -> SequentialPlan:
    """What the study of a fixed plan costs if it stops by the rule, of `at_most` votes.

    Without `at_most` the limit is three times the votes of the fixed plan.
    """
    assumed = fixed.assumptions
    check_votes(assumed.outcome)
    check_margin(within)
    if at_most is None and fixed.votes is None:
        raise InputError(
            "No fixed plan reaches the power, so a limit has to be given: the most votes to collect."
        )
    most = at_most or MOST_TIMES * (fixed.votes or 0)
    if most < assumed.pairs:
        raise InputError(f"{most} votes are less than one for each pair of systems.")
    rule = StoppingRule(until=until, within=within, at_most=most)
    rounds = max(1, round((fixed.votes or most) / assumed.raters / assumed.pairs))
    cost = None if fixed.pay is None else assumed.minutes / 60 * fixed.pay
    courses = [
        _course(each, rule, rounds, simulations, seed, cost)
        for each in (assumed, replace(assumed, difference=0.0))
    ]
    return SequentialPlan(
        assumptions=assumed,
        rule=rule,
        fixed_votes=fixed.votes,
        per_rater=rounds * assumed.pairs,
        better=courses[0],
        equal=courses[1],
        pay=fixed.pay,
        method=f"{simulations} simulated studies of each kind, looked at after every rater"
        + ("" if assumed.systems == 2 else f" or so, from {LEAST_RATERS} raters on"),
        warnings=tuple(_warnings(assumed, rule, rounds * assumed.pairs)),
    )


def check_votes(outcome: Outcome) -> None:
    """InputError for a study that is not about votes."""
    if outcome != "votes":
        raise InputError(
            f"A study stops by itself when votes decide; this one is about a {outcome}. Plan it with "
            "a fixed size, or ask a comparative question and plan for votes."
        )


def _course(
    assumed: Assumptions,
    rule: StoppingRule,
    rounds: int,
    simulations: int,
    seed: int,
    cost: float | None,
) -> SequentialCourse:
    per_rater = rounds * assumed.pairs
    raters = max(2, (rule.at_most or 0) // per_rater)
    crowd = replace(assumed, raters=raters, per_dialogue=1, cluster="rater")
    drawing = StudyDrawing(crowd, seed=seed)
    run = _of_two if assumed.systems == 2 else _of_more
    ends = [
        run(_one_by_one(drawing.study(raters * rounds, number)), crowd, rule, per_rater)
        for number in range(simulations)
    ]
    said = [end for _, end in ends]
    return SequentialCourse(
        votes=tuple(votes for votes, _ in ends),
        right=said.count("right") / simulations,
        wrong=said.count("wrong") / simulations,
        nothing=said.count("nothing") / simulations,
        per_rater=per_rater,
        vote_cost=cost,
    )


def _one_by_one(drawn: SimulatedStudy) -> SimulatedStudy:
    """The same study with all votes of the first rater first."""
    order = np.argsort(drawn.rater, kind="stable")
    return SimulatedStudy(
        drawn.dialogue[order],
        drawn.rater[order],
        drawn.first[order],
        drawn.second[order],
        drawn.value[order],
    )


def _of_two(
    drawn: SimulatedStudy, assumed: Assumptions, rule: StoppingRule, per_rater: int
) -> tuple[int, str]:
    """After how many votes a study of two systems ends, and how."""
    score = np.array(SCORES)[drawn.value]
    values = np.bincount(drawn.rater, weights=score) / np.bincount(drawn.rater)
    confidence = 1 - assumed.alpha
    wanted = log(2 / assumed.alpha)

    def first_time(mean: float, side: int) -> float:
        wealth = log_wealth(values, mean, confidence=confidence)[side]
        rich = np.flatnonzero(wealth >= wanted)
        return float(rich[0] + 1) if len(rich) else float("inf")

    better, worse = first_time(0.5, 0), first_time(0.5, 1)
    same = max(first_time(0.5 - rule.within, 0), first_time(0.5 + rule.within, 1))
    end = min(better, worse, same)
    if end == float("inf"):
        return len(values) * per_rater, "nothing"
    truly = assumed.difference
    is_right = truly > 0 if end == better else truly < 0 if end == worse else truly <= rule.within
    return int(end) * per_rater, "right" if is_right else "wrong"


def _of_more(
    drawn: SimulatedStudy, assumed: Assumptions, rule: StoppingRule, per_rater: int
) -> tuple[int, str]:
    """The same of three systems or more."""
    names = tuple(f"s{number:04d}" for number in range(assumed.systems))
    whole = len(drawn.value)
    found: VoteVerdict | None = None
    for raters in _looks(whole // per_rater):
        n = raters * per_rater
        votes = Votes(
            systems=names,
            first=drawn.first[:n],
            second=drawn.second[:n],
            outcome=drawn.value[:n],
            both_bad=np.zeros(n, dtype=bool),
        )
        found = verdict(_moment(votes, drawn.rater[:n], raters, assumed, rule))
        if should_stop(replace(rule, at_most=None), found):
            return n, "wrong" if _errs(found, assumed, rule) else "right"
    is_wrong = found is not None and _errs(found, assumed, rule)
    return whole, "wrong" if is_wrong else "nothing"


def _looks(most: int) -> Iterator[int]:
    raters = LEAST_RATERS
    while raters < most:
        yield raters
        raters += ceil(raters * GROWTH)
    if most >= LEAST_RATERS:
        yield most


def _moment(
    votes: Votes, rater: Numbers, raters: int, assumed: Assumptions, rule: StoppingRule
) -> Moment:
    return Moment(
        names=votes.systems,
        votes=votes,
        tallies=tallied(votes),
        raters=raters,
        strengths=fit_strengths(votes, rater),
        readings=NoReadings(),
        waiting=0,
        within=rule.within,
        confidence=1 - assumed.alpha,
    )


def _errs(found: VoteVerdict, assumed: Assumptions, rule: StoppingRule) -> bool:
    """Whether anything false was said: the first system is the better one, all others are alike."""
    first = found.systems[0].system if not assumed.difference else "s0000"
    for pair in found.pairs:
        truly = assumed.difference if first in (pair.higher, pair.lower) else 0.0
        if pair.decided and not (truly and pair.higher == first):
            return True
        if pair.equal and truly > rule.within:
            return True
    return False


def _warnings(assumed: Assumptions, rule: StoppingRule, per_rater: int) -> list[str]:
    texts = []
    if rule.within >= assumed.difference:
        texts.append(
            f"Systems that differ by {assumed.difference:g} count as equal within {rule.within:g}: "
            "make the margin smaller than the difference to look for."
        )
    most = (rule.at_most or 0) // per_rater
    if assumed.systems > 2 and most < LEAST_RATERS:
        texts.append(
            f"At most {most} raters come, and nothing is decided of three systems or more before "
            f"{LEAST_RATERS}: let more raters give fewer votes each."
        )
    elif most < FEW_RATERS:
        texts.append(
            f"At most {most} raters come; raters are what counts, so let more of them give fewer "
            "votes each."
        )
    return texts
