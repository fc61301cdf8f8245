"""What the votes of a study say: the one place that chooses between the two kinds of inference.

While votes come, and after a rule has stopped them, intervals hold however often one looks
(`analysis/sequential`). Once all planned votes are in, and nothing but the plan ended the study, they
are those of a study that is looked at once (`analysis/ranking/fixed`). Board, desk, report and
`palaver rank` of a study take what this says and never decide anew.

Sequences add raters one after the other, in the order in which they were done, and a rater once: the
votes of a visit wait until it is over, and those of a later visit of the same person do not count.
Whoever votes without a visit (imported answers, model judges) counts from their first vote on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from palaver.analysis.ranking.fixed import fixed_verdict
from palaver.analysis.ranking.verdict import VoteVerdict
from palaver.analysis.ranking.votes import Votes
from palaver.analysis.resampling import encode
from palaver.analysis.sequential.live import live_verdict
from palaver.core.numeric import Numbers, np
from palaver.core.questions.comparative import NEITHER, TIE
from palaver.core.words import counted
from palaver.storage.judging.votes import NO_VISIT, OUTCOMES, VoteRows

# The places of votes that are not counted: yet, because a visit is not over, or at all.
WAITS, AGAIN = -1, -2


@dataclass(frozen=True, slots=True)
class CastVotes:
    """Votes in the order they came, and the place of each in the order in which they count.

    A place of -1 is that of a vote that waits, -2 one of a later visit of its rater.
    """

    votes: Votes
    turns: Numbers

    def in_turn(self) -> tuple[Votes, Numbers]:
        """The votes that count, in their order, and then the others; and which of them count."""
        counts = self.turns >= 0
        order = np.concatenate(
            [
                np.flatnonzero(counts)[np.argsort(self.turns[counts], kind="stable")],
                np.flatnonzero(~counts),
            ]
        )
        return self.votes.taken(order), counts[order]


def study_verdict(
    cast: CastVotes,
    *,
    systems: Sequence[str] = (),
    final: bool,
    stopped: bool = False,
    within: float | None = None,
    confidence: float = 0.95,
) -> VoteVerdict:
    """Who is better than whom by the votes of a study.

    `final` says that all planned votes are in, `stopped` that a rule ended the study because of what
    the votes said; `within` is the difference from one half up to which two systems count as equal.
    """
    if final and not stopped:
        return fixed_verdict(
            cast.votes, systems=systems, final=True, within=within, confidence=confidence
        )
    votes, counts = cast.in_turn()
    found = live_verdict(
        votes, counted=counts, systems=systems, within=within, confidence=confidence
    )
    again = int((cast.turns == AGAIN).sum())
    return replace(
        found, waiting=found.waiting - again, warnings=(*found.warnings, *_came_again(again))
    )


def _came_again(votes: int) -> Iterator[str]:
    if votes:
        yield (
            f"{counted(votes, 'vote')} of raters who came again {'is' if votes == 1 else 'are'} not in "
            "these intervals of win rates: a rater counts once."
        )


def cast_votes(rows: VoteRows, kind: str | None = None) -> CastVotes:
    """The votes that were read, of all raters or of one kind; systems against themselves left out."""
    chosen = np.ones(len(rows), dtype=bool)
    if kind is not None:
        chosen = np.array(rows.kind) == rows.kinds.get(kind, -1)
    first, second = np.array(rows.first)[chosen], np.array(rows.second)[chosen]
    outcome, raters = np.array(rows.outcome)[chosen], np.array(rows.rater)[chosen]
    known = list(rows.systems)
    present = sorted(known[n] for n in np.unique(np.concatenate([first, second])).tolist())
    place = np.array([_place(present, name) for name in known], dtype=np.intp)
    apart = first != second
    both_bad = outcome[apart] == OUTCOMES.index(NEITHER)
    said = np.where(both_bad, OUTCOMES.index(TIE), outcome[apart])
    votes = Votes(
        systems=tuple(present),
        first=place[first[apart]],
        second=place[second[apart]],
        outcome=said.astype(np.int8),
        both_bad=both_bad,
        clusters={"rater": encode(_dense(raters[apart])).codes},
        self_comparisons=int((~apart).sum()),
    )
    return CastVotes(votes, vote_turns(rows)[chosen][apart])


def _place(names: list[str], name: str) -> int:
    return names.index(name) if name in names else -1


def _dense(values: Numbers) -> Numbers:
    return np.unique(values, return_inverse=True)[1]


def vote_turns(rows: VoteRows) -> Numbers:
    """The place of each vote in the order in which votes count."""
    turns = np.full(len(rows), WAITS, dtype=np.intp)
    if not len(rows):
        return turns
    time, raters = np.array(rows.time), _dense(np.array(rows.rater))
    ids, visits = np.unique(np.array(rows.visit), return_inverse=True)
    ends = np.array([rows.ended.get(visit, np.nan) for visit in ids.tolist()])
    visiting = np.array(rows.visit) != NO_VISIT
    first_visit = np.full(int(raters.max()) + 1, -1, dtype=np.intp)
    first_visit[raters[visiting][::-1]] = visits[visiting][::-1]
    began = np.full(len(first_visit), np.nan)
    began[raters[~visiting][::-1]] = time[~visiting][::-1]
    since = np.where(visiting, ends[visits], began[raters])
    again = visiting & (visits != first_visit[raters])
    counts = ~again & ~np.isnan(since)
    turns[again] = AGAIN
    places = np.flatnonzero(counts)
    turns[places[np.argsort(since[places], kind="stable")]] = np.arange(len(places))
    return turns
