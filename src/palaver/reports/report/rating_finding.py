"""What ratings and labels found: which systems differ, on what, and how many more would tell."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isfinite

from palaver.analysis.corrections import holm
from palaver.analysis.means import FEW_CLUSTERS
from palaver.analysis.planning import MOST_TIMES, Continuation, continuation
from palaver.analysis.rank_sets import MOST_NAMED as MOST_LISTED
from palaver.core.estimates import Estimate
from palaver.core.studies.headline import Headline
from palaver.core.words import counted, decimals, listed, percent
from palaver.reports.report.answers import RatedQuestion
from palaver.reports.report.comparisons import LEVEL, ComparedSystems, is_apart
from palaver.reports.report.more_answers import (
    ASSUMED,
    MOST_NAMED,
    judge_unseen,
    roughly,
    too_close,
)
from palaver.reports.report.subject import QuestionRatings, count_answers


def finding_of_ratings(rated: Sequence[RatedQuestion]) -> Headline:
    """The headline of all questions that are answered with ratings or labels."""
    found, unseen = _finding(rated), _unseen(rated)
    if not unseen:
        return found
    have = "has" if len(unseen) == 1 else "have"
    return replace(
        found,
        finding=f"{found.finding.rstrip('.')}; {listed(unseen, most=MOST_LISTED)} {have} no answers yet",
        next=f"{judge_unseen(unseen, 'rated', 'answers', f'{FEW_CLUSTERS} dialogues or more')} "
        f"{found.next}".strip(),
    )


def _unseen(rated: Sequence[RatedQuestion]) -> list[str]:
    """The systems that are to be rated and that no question has an answer about."""
    named = dict.fromkeys(name for each in rated for name in each.ratings.unseen)
    return [
        name
        for name in named
        if all(name in each.ratings.unseen for each in rated if each.ratings.systems)
    ]


def _finding(rated: Sequence[RatedQuestion]) -> Headline:
    compared = [each for each in rated if each.found is not None and each.found.pairs]
    if not compared:
        return _described(rated)
    if len(compared) == 1:
        return _of_one_question(compared[0])
    told = _told(compared)
    noun = "label" if all(each.ratings.is_presence for each in compared) else "question"
    if not told:
        finding = f"No two systems can be distinguished on any of {counted(len(compared), noun)}"
    else:
        named = [_name(each.ratings) for each in sorted(told, key=_clarity)]
        most = ", most clearly on" if len(told) > MOST_NAMED else ":"
        finding = (
            f"Systems can be told apart on {len(told)} of {counted(len(compared), noun)}{most} "
            f"{listed(named[:MOST_NAMED])}"
        )
    left = [each for each in compared if each not in told]
    return Headline(
        finding,
        _ratings_certainty(compared, noun),
        _more_of_several(left, noun, questions=len(compared)),
    )


def _told(compared: Sequence[RatedQuestion]) -> list[RatedQuestion]:
    """The questions on which some systems differ, when all pairs on all questions are tests.

    The smallest p-value of a question is corrected for its pairs already; Holm's correction of
    these keeps the chance of naming any question on which nothing differs below the level.
    """
    least = holm([_least(each) for each in compared])
    return [each for each, p in zip(compared, least, strict=True) if p < LEVEL]


def _least(each: RatedQuestion) -> float:
    return min((p for pair in _pairs(each).pairs if isfinite(p := pair.adjusted)), default=1.0)


def _pairs(each: RatedQuestion) -> ComparedSystems:
    assert each.found is not None
    return each.found


def _clarity(each: RatedQuestion) -> tuple[float, float]:
    """The surest first: by the smallest corrected p, then by the widest gap."""
    found = _pairs(each)
    gaps = [gap for pair in found.pairs if isfinite(gap := found.errors_apart(pair))]
    return _least(each), -max(gaps, default=0.0)


def _name(ratings: QuestionRatings) -> str:
    """A label without the question it belongs to."""
    return ratings.name.removeprefix(f"{ratings.question}: ")


def _of_one_question(each: RatedQuestion) -> Headline:
    found = _pairs(each)
    sizes = _sizes([each])
    values = _mean_words(each.ratings, found)
    pairs = len(found.pairs)
    corrected = f" p-values are corrected for {pairs} pairs (Holm)." if pairs > 1 else ""
    return Headline(found.answer, f"{values}; {sizes}.{corrected}", _more_dialogues(each))


def _mean_words(ratings: QuestionRatings, found: ComparedSystems) -> str:
    what = f"Share with {_name(ratings)}" if ratings.is_presence else f"Mean of {ratings.name}"
    if len(found.systems) > MOST_NAMED:
        values = [each.value for each in found.systems.values()]
        return f"{what} goes from {_value(ratings, min(values))} to {_value(ratings, max(values))}"
    each = [f"{name} {_estimate(ratings, one)}" for name, one in found.systems.items()]
    return f"{what}: {', '.join(each)}"


def _value(ratings: QuestionRatings, value: float) -> str:
    return percent(value, 0) if ratings.is_presence else decimals(value, 2)


def _estimate(ratings: QuestionRatings, found: Estimate) -> str:
    ends = found.interval
    between = ""
    if ends is not None:
        low, high = _value(ratings, ends.low), _value(ratings, ends.high)
        between = f" (95 % interval {low.removesuffix(' %')} to {high})"
    return f"{_value(ratings, found.value)}{between}"


def _sizes(rated: Sequence[RatedQuestion]) -> str:
    frames = [each.ratings.frame for each in rated]
    answers = count_answers(each.ratings for each in rated)
    raters = {name for frame in frames for name in frame.texts("rater") if name}
    judged = {name for frame in frames for name in frame.texts("dialogue") if name}
    by = f" by {counted(len(raters), 'rater')}" if raters else ""
    about = f" on {counted(len(judged), 'dialogue')}" if judged else ""
    return f"{counted(answers, 'answer')}{by}{about}"


def _ratings_certainty(compared: Sequence[RatedQuestion], noun: str) -> str:
    return (
        f"{_sizes(compared)}. p-values are corrected for all pairs of systems on all "
        f"{len(compared)} {noun}s (Holm); below, each {noun} is corrected for its own pairs only."
    )


def _open(
    found: ComparedSystems, *, questions: int = 1
) -> Iterator[tuple[tuple[str, str], Continuation]]:
    """What would tell the pairs that are not told apart yet, of so many questions as are tested."""
    for pair in found.pairs:
        gap = found.errors_apart(pair)
        if not is_apart(pair, questions) and isfinite(gap) and found.independent:
            wanted = continuation(found.independent, gap, found.critical(questions))
            yield (pair.a, pair.b), replace(wanted, is_told=False)


def _more_dialogues(each: RatedQuestion) -> str:
    found = _pairs(each)
    what, of = f"rated {found.cluster}s", " of the others" if each.ratings.unseen else ""
    if all(map(is_apart, found.pairs)):
        known = f"No more {what} are needed: all systems are told apart."
        return "The others need no more: they are told apart." if of else known
    order = list(found.systems)
    wanted = {frozenset(pair): one for pair, one in _open(found)}
    if not wanted:
        return f"Rate more dialogues: without intervals no number of {what} can be given."

    def words(pair: frozenset[str]) -> str:
        one, other = (name for name in order if name in pair)
        if wanted[pair].is_far:
            return too_close(wanted[pair], what, (one, other))
        more = roughly(wanted[pair].more or 0)
        return f"About {more} more {what} would tell {one} from {other} ({ASSUMED})."

    # The pair that decides who is first, where there is one; else the one that is told next.
    first = [frozenset((order[0], other)) for other in order[1:]]
    deciding = next((pair for pair in first if pair in wanted), None)
    nearest = min(wanted, key=lambda pair: wanted[pair].needed or float("inf"))
    if deciding is None:
        return f"No more {what} are needed to say who is first{of}. {words(nearest)}"
    if not wanted[deciding].is_far or wanted[nearest].is_far:
        return words(deciding)
    return f"{words(deciding)} {words(nearest)}"


def _more_of_several(left: Sequence[RatedQuestion], noun: str, *, questions: int) -> str:
    if not left:
        return f"No more answers are needed to see a difference on every {noun}."
    near: dict[str, Continuation] = {}
    for each in left:
        wanted = [one for _, one in _open(_pairs(each), questions=questions)]
        wanted = [one for one in wanted if not one.is_far]
        if wanted:
            near[_name(each.ratings)] = min(wanted, key=lambda one: one.needed or 0)
    what = f"rated {_pairs(left[0]).cluster}s"
    far = len(left) - len(near)
    beyond = ""
    if far:
        beyond = f"{counted(far, noun)} would take more than {MOST_TIMES} times what was collected."
    if not near:
        return f"More {what} of this kind will hardly tell: {beyond}"
    name = min(near, key=lambda each: near[each].needed or 0)
    more = roughly(near[name].more or 0)
    text = f"About {more} more {what} would tell systems apart on {name}, too ({ASSUMED})."
    return f"{text} {beyond}".strip()


def _described(rated: Sequence[RatedQuestion]) -> Headline:
    """What was answered where no systems are compared."""
    sizes = f"{_sizes(rated)}."
    if len(rated) > 1:
        asked = counted(len(rated), "question")
        total = count_answers(each.ratings for each in rated)
        return Headline(
            f"{counted(total, 'answer')} to {asked}; no two systems are compared",
            sizes,
        )
    ratings, found = rated[0].ratings, rated[0].found
    if found is not None and found.systems:
        ((system, one),) = found.systems.items()
        what = f"is given to {_value(ratings, one.value)} of answers" if ratings.is_presence else ""
        said = (
            f"{_name(ratings)} {what}"
            if what
            else f"{ratings.name} is {_value(ratings, one.value)} on average"
        )
        return Headline(
            f"{said} for {system}, the only system",
            f"{_estimate(ratings, one)}; {sizes}",
            "To compare, have dialogues of a second system rated.",
        )
    answers = [each for each in ratings.frame.texts("answer") if each]
    tally = {each: answers.count(each) for each in dict.fromkeys(answers)}
    most = max(tally.values(), default=0)
    often = [f"“{each}”" for each, count in tally.items() if count == most]
    if not often or len(often) > MOST_NAMED:
        return Headline(f"{sizes.rstrip('.')} on {ratings.name}", sizes)
    verb = "is" if len(often) == 1 else "are"
    share = percent(most / len(answers), 0)
    each = "" if len(often) == 1 else "each "
    return Headline(
        f"{listed(often)} {verb} the most frequent answer{'' if len(often) == 1 else 's'} to "
        f"{ratings.name}, {each}with {share}",
        sizes,
    )
