"""Raters who give one and the same answer throughout, where others do not."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import exp, lgamma, log
from operator import itemgetter
from typing import NamedTuple

from palaver.analysis.behaviour import Flag

# Straight-lining: nearly all answers are one and the same, or a long row of them is, so that a rater
# whose taste lies halfway between the others' and "always this" would do it less than once in a
# thousand studies.
NEARLY_ALL, LEAST_ANSWERS, LEAST_ROW = 0.95, 20, 20
RARELY = 0.001
# How many answers of others about anything weigh as much as one about the same thing.
PRIOR = 1.0


class Chosen(NamedTuple):
    """What one rater answered to a question about a unit; in the order in which they answered.

    `place` is the place of the answer on a scale of `points`, where it is one: questions with equal
    scales can then be looked at together.
    """

    rater: int
    question: str
    unit: int
    answer: str
    place: str | None = None
    points: int = 0


# Question, unit and answer; by rater and what is looked at together, in the order of answering.
Said = tuple[str, int, str]
Groups = dict[tuple[int, str | int], list[Said]]


def straight_lines(answers: Iterable[Chosen], *, excluded: Collection[int] = ()) -> dict[int, Flag]:
    """Raters who give one and the same answer nearly always, or many times in a row.

    What others say, to the question and about the same units, is what an honest rater would mostly
    say, too: where nearly everybody answers "none", doing so throughout is no sign of anything.
    `excluded` raters are nobody's others. Of several lines of one rater the least likely is given.
    """
    by_question: Groups = defaultdict(list)
    # Questions with equal scales are also looked at together, by the place of the answer.
    by_scale: Groups = defaultdict(list)
    for rater, question, unit, answer, place, points in answers:
        by_question[rater, question].append((question, unit, answer))
        if place is not None:
            by_scale[rater, points].append((question, unit, place))
    found: dict[int, tuple[float, Flag]] = {}
    for groups, least in ((by_question, 1), (by_scale, 2)):
        for line, usual in _likely(groups, _lines(groups, questions=least), excluded):
            chance = line.chance(usual)
            if chance < min(RARELY, found.get(line.rater, (1.0,))[0]):
                found[line.rater] = (chance, line.flag(usual))
    return {rater: flag for rater, (_, flag) in found.items()}


def at_least(k: int, n: int, share: float) -> float:
    """The chance of `k` or more out of `n` where each has this share: the binomial tail.

    >>> round(at_least(9, 10, 0.5), 6)  # 11 of 1024
    0.010742
    """
    if share >= 1 or k <= 0:
        return 1.0
    if share <= 0:
        return 0.0

    def exactly(j: int) -> float:
        ways = lgamma(n + 1) - lgamma(j + 1) - lgamma(n - j + 1)
        return exp(ways + j * log(share) + (n - j) * log(1 - share))

    return sum(map(exactly, range(k, n + 1)))


@dataclass(frozen=True, slots=True)
class _Line:
    """One answer that a rater gave `count` times: `among` all of `mine`, or a row of them."""

    rater: int
    answer: str
    count: int
    mine: Sequence[Said]
    among: Sequence[Said]
    longest: int

    @property
    def is_row(self) -> bool:
        return len(self.among) < len(self.mine)

    def chance(self, usual: float) -> float:
        """How likely it is for a rater of strong taste, where others have the `usual` share.

        A row is also held against what the rater does outside of it: who likes this answer has long
        rows of it, too.
        """
        taste = (1 + usual) / 2
        if not self.is_row:
            return at_least(self.count, len(self.among), taste)
        left = len(self.mine) - self.count
        besides = sum(answer == self.answer for _, _, answer in self.mine) - self.count
        return (left + 1) * max(taste, besides / left) ** self.count

    def flag(self, usual: float) -> Flag:
        questions = {question for question, _, _ in self.mine}
        return Flag(
            name="straight-lining",
            count=self.count,
            n=len(self.mine),
            own=self.count / len(self.mine),
            others=usual,
            about=self.answer,
            question=questions.pop() if len(questions) == 1 else "",
            longest=self.longest,
        )


def _lines(groups: Groups, *, questions: int) -> Iterator[_Line]:
    """What each rater repeats in each group of answers to so many questions or more."""
    for (rater, _), mine in groups.items():
        if len(mine) < LEAST_ANSWERS or (
            questions > 1 and len({q for q, _, _ in mine}) < questions
        ):
            continue
        answer, count = Counter(map(itemgetter(2), mine)).most_common(1)[0]
        if count < LEAST_ROW:
            continue
        if count >= NEARLY_ALL * len(mine):
            _, start, end = _longest_row(mine, answer)
            yield _Line(rater, answer, count, mine, mine, end - start)
        repeated, start, end = _longest_row(mine)
        if LEAST_ROW <= end - start < len(mine):
            yield _Line(rater, repeated, end - start, mine, mine[start:end], end - start)


def _longest_row(mine: Sequence[Said], answer: str | None = None) -> tuple[str, int, int]:
    """The answer that is given most often in a row (or the given one), from where to where."""
    start, best = 0, ("", 0, 0)
    for repeated, row in groupby(mine, key=itemgetter(2)):
        end = start + len(list(row))
        if end - start > best[2] - best[1] and answer in (None, repeated):
            best = (repeated, start, end)
        start = end
    return best


def _likely(
    groups: Groups, lines: Iterable[_Line], excluded: Collection[int]
) -> Iterator[tuple[_Line, float]]:
    """The lines that others do not draw, with the share of the others who give their answer."""
    to: Counter[tuple[str, str]] = Counter()
    for (rater, _), mine in groups.items():
        if rater not in excluded:
            to.update(map(itemgetter(0, 2), mine))
    asked: Counter[str] = Counter()
    for (question, _), count in to.items():
        asked[question] += count
    rare = []
    for line in lines:
        overall = _overall(line, to, asked, counted=line.rater not in excluded)
        if overall and line.chance(sum(overall.values()) / len(overall)) < RARELY:
            rare.append((line, overall))
    about: dict[tuple[str, int], Counter[str]] = {
        (question, unit): Counter() for line, _ in rare for question, unit, _ in line.among
    }
    for (rater, _), mine in groups.items() if about else ():
        if rater not in excluded:
            for question, unit, answer in mine:
                if (question, unit) in about:
                    about[question, unit][answer] += 1
    for line, overall in rare:
        yield line, _usual(line, overall, about, counted=line.rater not in excluded)


def _overall(
    line: _Line, to: Counter[tuple[str, str]], asked: Counter[str], *, counted: bool
) -> dict[str, float]:
    """How often others give the answer of a line to each of its questions, where there are others."""
    own = Counter(map(itemgetter(0, 2), line.mine)) if counted else Counter()
    given = Counter(map(itemgetter(0), line.mine)) if counted else Counter()
    return {
        question: (to[question, line.answer] - own[question, line.answer])
        / (asked[question] - given[question])
        for question in {question for question, _, _ in line.among}
        if asked[question] > given[question]
    }


def _usual(
    line: _Line,
    overall: Mapping[str, float],
    about: Mapping[tuple[str, int], Counter[str]],
    *,
    counted: bool,
) -> float:
    """How often others give the answer of a line where it was given.

    About each unit it is their share there, drawn towards their share in the whole question.
    """
    shares = []
    for question, unit, answer in line.among:
        if question in overall:
            there = about[question, unit]
            alike = there[line.answer] - counted * (answer == line.answer)
            n = there.total() - counted
            shares.append((alike + PRIOR * overall[question]) / (n + PRIOR))
    return sum(shares) / len(shares)
