"""Validators who flag everything, always say one thing, or often disagree with what others settled.

Each is compared with the others who judged the same round, and a note carries its counts. Nobody is
left out by it: whoever runs the study may do so, as with any rater.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from palaver.analysis.straight_lines import RARELY
from palaver.core.evaluation.example_standing import standing_of
from palaver.core.evaluation.rounds import RoundTerms, Verdict, WrittenExample
from palaver.core.evaluation.validators import Validator
from palaver.core.numeric import special
from palaver.core.words import counted, percent

# Of fewer votes nothing is said; and nearly all of them are one and the same from this share on.
LEAST_VOTES, NEARLY_ALL = 10, 0.95
# Agreement that is no better than chance is named from so many examples on, and where chance alone
# would not make nearly everybody agree.
LEAST_FOR_CHANCE, MOST_CHANCE = 20, 0.8
SETTLED: tuple[Verdict, ...] = ("correct", "incorrect", "flagged")


@dataclass(slots=True)
class _Votes:
    """What one validator said: verdicts, answers in words, and how they stand to what others settled."""

    verdicts: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)
    # Of the examples that others settled: what this one said, what the others did, and how often both.
    said: Counter[str] = field(default_factory=Counter)
    settled: Counter[str] = field(default_factory=Counter)
    agreed: int = 0

    @property
    def compared(self) -> int:
        return sum(self.said.values())

    @property
    def n(self) -> int:
        return sum(self.verdicts.values())


def validators(examples: Sequence[WrittenExample], terms: RoundTerms) -> tuple[Validator, ...]:
    """Everybody who judged examples of a round, by name, with what stands out in how they did."""
    found = _counted(examples)
    everybody = _Votes()
    for each in found.values():
        everybody.verdicts.update(each.verdicts)
        everybody.answers.update(each.answers)
    monotonous = {
        rater: note for rater, mine in found.items() if (note := _one_thing(mine, everybody))
    }
    _compare(found, examples, terms, monotonous)
    return tuple(
        Validator(
            rater=rater,
            correct=votes.verdicts["correct"],
            incorrect=votes.verdicts["incorrect"],
            flagged=votes.verdicts["flagged"],
            compared=votes.compared,
            agreed=votes.agreed,
            notes=tuple(filter(None, (monotonous.get(rater, ""), _disagreement(votes)))),
        )
        for rater, votes in sorted(found.items())
    )


def validator_notes(examples: Sequence[WrittenExample], terms: RoundTerms) -> tuple[Validator, ...]:
    """The validators of a round of whom something stands out; their votes are counted all the same."""
    return tuple(each for each in validators(examples, terms) if each.notes)


def _counted(examples: Sequence[WrittenExample]) -> dict[str, _Votes]:
    found: dict[str, _Votes] = defaultdict(_Votes)
    for vote in (vote for example in examples for vote in example.votes if vote.mode == "user"):
        found[vote.rater].verdicts[vote.verdict] += 1
        found[vote.rater].answers[vote.label or vote.verdict] += 1
    return found


def _compare(
    found: Mapping[str, _Votes],
    examples: Sequence[WrittenExample],
    terms: RoundTerms,
    unread: Collection[str],
) -> None:
    """Note what others settled; those who say one thing whatever they read settle nothing here."""
    for example in examples:
        owner = next((vote.verdict for vote in example.votes if vote.mode == "owner"), None)
        votes = [vote for vote in example.votes if vote.mode == "user"]
        for vote in votes:
            others = [v.verdict for v in votes if v is not vote and v.rater not in unread]
            settled = _settled(others, terms, owner)
            if settled is not None:
                mine = found[vote.rater]
                mine.said[vote.verdict] += 1
                mine.settled[settled] += 1
                mine.agreed += settled == vote.verdict


def _settled(others: Sequence[Verdict], terms: RoundTerms, owner: Verdict | None) -> Verdict | None:
    """What an example comes to by these votes; None where it comes to nothing."""
    standing = standing_of(
        others, matching=terms.matching, validators=terms.validators, owner=owner
    )
    return next((each for each in SETTLED if each == standing), None)


def _one_thing(mine: _Votes, everybody: _Votes) -> str:
    """That nearly all that somebody said is one and the same, which others say far less often."""
    if mine.n < LEAST_VOTES:
        return ""
    others = everybody.n - mine.n
    for own, every in ((mine.verdicts, everybody.verdicts), (mine.answers, everybody.answers)):
        said, count = own.most_common(1)[0]
        theirs = every[said] - count
        usual = (theirs + 1) / (others + 2)
        if count >= NEARLY_ALL * mine.n and _tail(count, mine.n, usual) < RARELY:
            share = percent(theirs / max(1, others), 0)
            what = "flags" if said == "flagged" else f"says “{said}” to"
            return f"{what} {count} of {counted(mine.n, 'example')}; others do in {share}"
    return ""


def _disagreement(mine: _Votes) -> str:
    """That somebody agrees with what others settled less often than by chance, or no more often.

    By chance two who say each verdict as often as these do agree in Σ p q of the examples.
    """
    n = mine.compared
    if n < LEAST_VOTES:
        return ""
    chance = sum(mine.said[v] * mine.settled[v] for v in SETTLED) / n**2
    expected = f"by chance it would be {percent(1 - chance, 0)}"
    apart = f"disagrees on {n - mine.agreed} of {counted(n, 'example')} that others settled"
    if _tail(n - mine.agreed, n, 1 - chance) < RARELY:
        return f"{apart}; {expected}"
    if n >= LEAST_FOR_CHANCE and chance < MOST_CHANCE and mine.agreed <= chance * n:
        return f"{apart}, no less than by chance; {expected}"
    return ""


def _tail(count: int, n: int, chance: float) -> float:
    """The chance of `count` or more of n independent things that each have this chance."""
    return float(special.bdtrc(count - 1, n, chance)) if count > 0 else 1.0
