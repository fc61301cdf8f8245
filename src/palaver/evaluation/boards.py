"""A board: the systems of a study, ranked by the comparisons they won.

It is made of a verdict (`analysis/ranking/verdict`), which says who is better than whom and how sure
that is; the board adds what was planned and, once all votes are in, the truth beside a simulated
crowd's. It is provisional until then. Nothing on it says who voted what, or when.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from palaver.analysis.ranking.verdict import Inference, PairVerdict, SystemVerdict, VoteVerdict
from palaver.core.serial import if_any
from palaver.core.studies.stops import StudyStop

Raters = Literal["all", "people", "simulated"]
State = Literal["provisional", "final"]

# "all" also counts model judges and the anonymous raters of imported labels.
KIND_OF: dict[Raters, str | None] = {"all": None, "people": "person", "simulated": "simulated"}


@dataclass(frozen=True, slots=True)
class VotePlan:
    """How many votes are planned, None where that is not known, and whether all work is done.

    Somebody may have abstained, or was excluded, or the study's rule stopped it: then fewer votes than
    planned are all there will be. `has_rule` says that votes were watched by a rule, `stop` that it
    has stopped the study; up to `within` of one half the rule takes two systems for equal.
    """

    needed: int | None
    is_over: bool = False
    has_rule: bool = False
    stop: StudyStop | None = None
    within: float | None = None

    def inference(self, votes: int) -> Inference:
        """Which intervals so many votes have: those of one look, once all are in and by no rule."""
        return "fixed" if self.has_all(votes) and not self.has_rule else "anytime"

    def has_all(self, votes: int) -> bool:
        """Whether so many votes are all that were planned."""
        return votes > 0 and (self.is_over or (self.needed is not None and votes >= self.needed))

    def awaited(self, votes: int) -> int | None:
        """With how many votes a ranking of so many is final; None where nothing says so."""
        fewer = self.needed is None or votes < self.needed
        return votes if fewer and self.has_all(votes) else self.needed


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemVotes:
    """One system's comparisons; the rate is None while n is 0, and `reason` says why it has no interval.

    `rank` holds the first and the last place that the system may have; `strength` is in log-odds with
    mean 0. Both are None where that is not known.
    """

    system: str
    wins: int
    ties: int
    losses: int
    n: int
    rate: float | None
    low: float | None
    high: float | None
    truth: float | None = None
    rank: tuple[int, int] | None = None
    strength: float | None = None
    strength_low: float | None = None
    strength_high: float | None = None
    reason: str = if_any("")


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteBoard:
    """The systems of a study by the comparisons they won, at one moment; `answer` says it in words.

    `inference` says what intervals are shown: `anytime` ones hold however often one looks, `fixed`
    ones for a study that is looked at once. `voters` gave the votes; `waiting` votes are not yet in
    `anytime` intervals because their raters are still at work.
    """

    derived: ClassVar[tuple[str, ...]] = ("intervals",)
    title: str
    state: State
    votes: int
    needed: int | None
    raters: Raters
    systems: tuple[SystemVotes, ...]
    updated: float
    answer: str = ""
    # How many raters were excluded; their votes are not counted.
    excluded: int = 0
    # Systems that only people judge: a simulated crowd does not know how good they are.
    unjudged: tuple[str, ...] = ()
    inference: Inference = "anytime"
    pairs: tuple[PairVerdict, ...] = ()
    voters: int = 0
    waiting: int = 0
    confidence: float = 0.95
    method: str = ""
    warnings: tuple[str, ...] = if_any(())
    # That a rule ended the study, because of what the votes said.
    stop: StudyStop | None = if_any(None)

    @property
    def intervals(self) -> str:
        """Which intervals these are, in one plain sentence."""
        return interval_words(self.inference, over=self.state == "final")

    @property
    def has_truth(self) -> bool:
        """Whether the true rates are known and may be shown."""
        return any(row.truth is not None for row in self.systems)

    @property
    def has_ranks(self) -> bool:
        """Whether it is known which places systems may have."""
        return any(row.rank is not None for row in self.systems)


def interval_words(inference: Inference, *, over: bool = False) -> str:
    """What intervals of votes hold for, in one plain sentence; `over` says that no more votes come.

    >>> interval_words("fixed")
    'All planned votes are in: intervals of a study looked at once, clustered by rater.'
    """
    if inference == "fixed":
        return "All planned votes are in: intervals of a study looked at once, clustered by rater."
    if over:
        return (
            "The study's rule watched the votes: these intervals hold however often one looked and "
            "whenever it stopped."
        )
    return (
        "These intervals hold however often you look; they are wider than those of the finished "
        "study."
    )


def vote_board(
    verdict: VoteVerdict,
    *,
    title: str,
    votes: int,
    plan: VotePlan,
    final: bool,
    raters: Raters = "all",
    truth: Mapping[str, float] | None = None,
    unjudged: Sequence[str] = (),
    excluded: int = 0,
    now: float,
) -> VoteBoard:
    """The board of what votes say.

    `votes` counts those of a system with itself, too; `final` says that they are all. `truth` holds
    the true win rates of a simulated crowd, shown only then, `unjudged` the systems that it leaves to
    people.
    """
    known = truth if final and truth is not None else {}
    return VoteBoard(
        title=title,
        state="final" if final else "provisional",
        votes=votes,
        needed=plan.needed,
        raters=raters,
        systems=tuple(_row(each, known.get(each.system)) for each in verdict.systems),
        updated=now,
        answer=verdict.answer,
        excluded=excluded,
        unjudged=tuple(unjudged),
        inference=verdict.inference,
        pairs=verdict.pairs,
        voters=verdict.raters,
        waiting=verdict.waiting,
        confidence=verdict.confidence,
        method=verdict.method,
        warnings=verdict.warnings,
        stop=plan.stop,
    )


def _row(found: SystemVerdict, truth: float | None) -> SystemVotes:
    rate, strength = found.rate, found.strength
    ends, around = rate.interval, strength.interval
    return SystemVotes(
        system=found.system,
        wins=found.wins,
        ties=found.ties,
        losses=found.losses,
        n=found.votes,
        rate=rate.value if rate.is_defined else None,
        low=None if ends is None else ends.low,
        high=None if ends is None else ends.high,
        truth=truth,
        rank=found.rank_interval,
        strength=strength.value if strength.is_defined else None,
        strength_low=None if around is None else around.low,
        strength_high=None if around is None else around.high,
        reason=rate.reason,
    )
