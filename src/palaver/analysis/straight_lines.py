"""Raters who give one and the same answer throughout, where others do not."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import exp, lgamma, log
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


def straight_lines(answers: Sequence[Chosen], *, excluded: Collection[int] = ()) -> dict[int, Flag]:
    """Raters who give one and the same answer nearly always, or many times in a row.

    What others say about the same units is what an honest rater would mostly say, too: where nearly
    everybody answers "none", doing so throughout is no sign of anything. `excluded` raters are
    nobody's others. Of several lines of one rater the least likely is given.
    """
    # Questions with equal scales are also looked at together, by the place of the answer.
    together = [each._replace(answer=each.place) for each in answers if each.place is not None]
    found: dict[int, tuple[float, Flag]] = {}
    for given, lines in (
        (answers, _lines(answers, lambda each: each.question)),
        (together, _lines(together, lambda each: str(each.points), several=True)),
    ):
        said = _Said(given, lines, excluded)
        for line in lines:
            usual = said.usual_share(line)
            chance = 1.0 if usual is None else line.chance(usual)
            if usual is not None and chance < min(RARELY, found.get(line.rater, (1.0,))[0]):
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
    """One answer that a rater gave `count` times: among all of `mine`, or as a row of them."""

    rater: int
    answer: str
    count: int
    mine: Sequence[Chosen]
    among: Sequence[Chosen]
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
        besides = sum(each.answer == self.answer for each in self.mine) - self.count
        return (left + 1) * max(taste, besides / left) ** self.count

    def flag(self, usual: float) -> Flag:
        questions = {each.question for each in self.mine}
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


def _lines(
    answers: Iterable[Chosen], group: Callable[[Chosen], str], *, several: bool = False
) -> list[_Line]:
    """What each rater repeats in each group of answers; `several` takes groups of many questions."""
    groups: dict[tuple[int, str], list[Chosen]] = defaultdict(list)
    for each in answers:
        groups[each.rater, group(each)].append(each)
    lines = []
    for (rater, _), mine in groups.items():
        if len(mine) < LEAST_ANSWERS or (several and len({each.question for each in mine}) < 2):
            continue
        answer, count = Counter(each.answer for each in mine).most_common(1)[0]
        repeated, start, end = _longest_row(mine)
        if count >= NEARLY_ALL * len(mine):
            longest = _longest_row(mine, answer)
            lines.append(_Line(rater, answer, count, mine, mine, longest[2] - longest[1]))
        if end - start >= LEAST_ROW:
            lines.append(_Line(rater, repeated, end - start, mine, mine[start:end], end - start))
    return lines


def _longest_row(mine: Sequence[Chosen], answer: str | None = None) -> tuple[str, int, int]:
    """The answer that is given most often in a row (or how often the given one is), from and to."""
    start, best = 0, ("", 0, 0)
    for repeated, row in groupby(each.answer for each in mine):
        end = start + sum(1 for _ in row)
        if end - start > best[2] - best[1] and answer in (None, repeated):
            best = (repeated, start, end)
        start = end
    return best


class _Said:
    """What everybody said to the questions, and about the units, of some lines."""

    def __init__(
        self, answers: Iterable[Chosen], lines: Iterable[_Line], excluded: Collection[int]
    ) -> None:
        self.excluded = excluded
        self.about: dict[tuple[str, int], Counter[str]] = {
            (each.question, each.unit): Counter() for line in lines for each in line.among
        }
        self.to: dict[str, Counter[str]] = {question: Counter() for question, _ in self.about}
        for each in answers:
            if each.question in self.to and each.rater not in excluded:
                self.to[each.question][each.answer] += 1
                if (each.question, each.unit) in self.about:
                    self.about[each.question, each.unit][each.answer] += 1

    def usual_share(self, line: _Line) -> float | None:
        """How often others give the answer of a line where it was given; None without others.

        About each unit it is their share there, drawn towards their share in the whole question.
        """
        own = Counter((each.question, each.answer == line.answer) for each in line.mine)
        counted = 0 if line.rater in self.excluded else 1
        shares = []
        for each in line.among:
            to, about = self.to[each.question], self.about[each.question, each.unit]
            mine = counted * own[each.question, True]
            others = to.total() - mine - counted * own[each.question, False]
            if others <= 0:
                continue
            overall = (to[line.answer] - mine) / others
            alike = about[line.answer] - counted * (each.answer == line.answer)
            shares.append((alike + PRIOR * overall) / (about.total() - counted + PRIOR))
        return sum(shares) / len(shares) if shares else None
