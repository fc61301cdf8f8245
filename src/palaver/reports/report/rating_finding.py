"""What ratings and labels found: which systems differ, on what, and how many more would tell."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isfinite

from palaver.analysis.comparisons import system_mean
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
    SHARPER,
    judge_unseen,
    more_of,
    too_close,
    would_tell,
)
from palaver.reports.report.subject import QuestionRatings, count_answers, known_clusters


def finding_of_ratings(rated: Sequence[RatedQuestion]) -> Headline:
    """The headline of all questions that are answered with ratings or labels."""
    found, unseen = _finding(rated), _unseen(rated)
    first = _more_of_few(rated)
    if unseen:
        have = "has" if len(unseen) == 1 else "have"
        names = listed(unseen, most=MOST_LISTED)
        found = replace(
            found, finding=f"{found.finding.rstrip('.')}; {names} {have} no answers yet"
        )
        first += f" {judge_unseen(unseen, 'rated', 'answers', f'{FEW_CLUSTERS} dialogues or more')}"
    raters = {name for each in rated for name in each.ratings.frame.texts("rater") if name}
    lone = "Have several people rate: one says nothing about others." if len(raters) == 1 else ""
    return replace(found, next=" ".join(filter(None, (first.strip(), found.next, lone))))


def _more_of_few(rated: Sequence[RatedQuestion]) -> str:
    """Which systems have far less than the others, so that those come first."""
    thin = {name: count for each in rated for name, count in _thin(each).items()}
    if not thin:
        return ""
    there = "there is one" if [*thin.values()] == [1] else f"there are {min(thin.values())}"
    if len(thin) > 1:
        there = f"there are {min(thin.values())} or more" if len({*thin.values()}) > 1 else there
    what = next(_pairs(each).cluster for each in rated if _thin(each))
    return (
        f"Have more {what}s of {listed(list(thin), most=MOST_LISTED)} rated: {there}, and each system "
        f"needs {FEW_CLUSTERS}."
    )


def _thin(each: RatedQuestion) -> dict[str, int]:
    """The systems with too few dialogues, where others have enough, and how many these are."""
    if each.found is None or not each.found.pairs:
        return {}
    counts = {name: each.found.by_system[name] for name in each.found.systems}
    few = {name: count for name, count in counts.items() if count < FEW_CLUSTERS}
    return few if len(few) < len(counts) else {}


def _is_constant(each: RatedQuestion) -> bool:
    """Whether everybody gave the same answer about everything."""
    return len(set(each.ratings.frame.column("value"))) == 1


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
    if _is_constant(each):
        return Headline(_constant_words(each), f"{sizes}.", SHARPER)
    values = _mean_words(each.ratings, found)
    pairs = len(found.pairs)
    corrected = f" p-values are corrected for {pairs} pairs (Holm)." if pairs > 1 else ""
    return Headline(found.answer, f"{values}; {sizes}.{corrected}", _more_dialogues(each))


def _constant_words(each: RatedQuestion) -> str:
    ratings = each.ratings
    answer = next(iter(ratings.frame.texts("answer")), "")
    said = f"All answers to {ratings.name} are “{answer}”"
    if ratings.is_presence:
        given = bool(float(next(iter(ratings.frame.column("value")))))
        said = f"{'Every' if given else 'No'} answer gives {_name(ratings)}"
    return (
        f"{said}, so nothing distinguishes {listed(list(_pairs(each).systems), most=MOST_LISTED)}"
    )


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
    number = f"all {len(compared)}" if len(compared) > 2 else "both"
    return (
        f"{_sizes(compared)}. p-values are corrected for all pairs of systems on {number} {noun}s "
        f"(Holm); below, each {noun} is corrected for its own pairs only."
    )


def _open(
    each: RatedQuestion, *, questions: int = 1
) -> Iterator[tuple[tuple[str, str], Continuation]]:
    """What would tell the pairs that are not told apart yet, of so many questions as are tested.

    A system that has far less than others is left out: more of the same would bring it little.
    """
    found, thin = _pairs(each), _thin(each)
    for pair in found.pairs:
        gap = found.errors_apart(pair)
        if {pair.a, pair.b} & thin.keys():
            continue
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
    wanted = {frozenset(pair): one for pair, one in _open(each)}
    if not wanted and _thin(each):
        return ""
    if not wanted:
        return f"Rate more dialogues: without intervals no number of {what} can be given."

    def words(pair: frozenset[str]) -> str:
        one, other = (name for name in order if name in pair)
        if wanted[pair].is_far:
            return too_close(wanted[pair], what, (one, other))
        return would_tell(wanted[pair], what, (one, other))

    # The pair that decides who is first, where there is one; else the one that is told next.
    first = [frozenset((order[0], other)) for other in order[1:]]
    deciding = next((pair for pair in first if pair in wanted), None)
    nearest = min(wanted, key=lambda pair: wanted[pair].needed or float("inf"))
    if deciding is None:
        who = "where it is most frequent" if each.ratings.is_presence else "who is first"
        return f"No more {what} are needed to say {who}{of}. {words(nearest)}"
    if not wanted[deciding].is_far or wanted[nearest].is_far:
        return words(deciding)
    return f"{words(deciding)} {words(nearest)}"


def _more_of_several(left: Sequence[RatedQuestion], noun: str, *, questions: int) -> str:
    if not left:
        return f"No more answers are needed to see a difference on every {noun}."
    near: dict[str, Continuation] = {}
    same = [each for each in left if _is_constant(each)]
    open_ = 0  # questions without intervals, of which nothing says how many they would take
    for each in left:
        wanted = [one for _, one in _open(each, questions=questions)]
        open_ += not wanted and each not in same
        wanted = [one for one in wanted if not one.is_far]
        if wanted:
            near[_name(each.ratings)] = min(wanted, key=lambda one: one.needed or 0)
    what = f"rated {_pairs(left[0]).cluster}s"
    far = len(left) - len(near) - len(same) - open_
    beyond = ""
    if far:
        beyond = f"{counted(far, noun)} would take more than {MOST_TIMES} times what was collected."
    if same:
        where = f"every {noun}" if len(same) == questions else counted(len(same), noun)
        beyond = f"{beyond} On {where} all answers are the same.".strip()
    if open_:
        enough = f"On {counted(open_, noun)} there are too few {what} for a number: have "
        enough += f"{FEW_CLUSTERS} or more of each system rated."
        beyond = f"{beyond} {enough}".strip()
    if not near and not far:
        return beyond if open_ else f"{beyond} {SHARPER}"
    if not near:
        return f"More {what} of this kind will hardly tell: {beyond}"
    name = min(near, key=lambda each: near[each].needed or 0)
    few = (near[name].needed or 0) <= near[name].have
    more = f"A few more {what}" if few else more_of(near[name].more or 1, what)
    also = ", too" if len(left) < questions else ""
    text = f"{more} would tell systems apart on {name}{also} ({ASSUMED})."
    return f"{text} {beyond}".strip()


def _described(rated: Sequence[RatedQuestion]) -> Headline:
    """What was answered where no two systems are compared."""
    sizes = f"{_sizes(rated)}."
    alone = [each for each in rated if each.found is not None and each.found.systems]
    if alone:
        return _of_lone_systems(alone, sizes)
    often = [words for each in rated if (words := _most_frequent(each.ratings))]
    if not often or len(often) > MOST_NAMED:
        asked = counted(len(rated), "question")
        return Headline(f"{_sizes(rated)} to {asked}; no two systems are compared", sizes)
    return Headline(
        "; ".join(words.finding for words in often),
        f"{'; '.join(words.certainty for words in often)}; {sizes}",
    )


def _of_lone_systems(alone: Sequence[RatedQuestion], sizes: str) -> Headline:
    """What the only system got on each question."""
    got = [(each.ratings, *next(iter(_pairs(each).systems.items()))) for each in alone]
    systems = listed(list(dict.fromkeys(system for _, system, _ in got)), most=MOST_LISTED)
    next_ = "To compare, have dialogues of a second system rated."
    if len(got) > MOST_NAMED:
        finding = f"{counted(len(got), 'question')} were answered about {systems}; no two systems"
        return Headline(f"{finding} are compared", sizes, next_)
    only = "the only system" if len({system for _, system, _ in got}) == 1 else "never compared"
    said = [_got(ratings, _value(ratings, one.value)) for ratings, _, one in got]
    sure = [
        (f"{_name(ratings)} " if len(got) > 1 else "") + _estimate(ratings, one)
        for ratings, _, one in got
    ]
    return Headline(f"{listed(said)} for {systems}, {only}", f"{', '.join(sure)}; {sizes}", next_)


def _got(ratings: QuestionRatings, value: str) -> str:
    if ratings.is_presence:
        return f"{_name(ratings)} is given to {value} of answers"
    return f"{ratings.name} is {value} on average"


def _most_frequent(ratings: QuestionRatings) -> Headline | None:
    """The most frequent answer and the interval of its share; None where many share that."""
    answers = ratings.frame.texts("answer")
    given = [answer for answer in answers if answer]
    tally = Counter(given)
    most = max(tally.values(), default=0)
    often = [answer for answer, count in tally.items() if count == most]
    if not often or len(often) > MOST_NAMED:
        return None
    named = listed([f"“{answer}”" for answer in often])
    if len(often) > 1:
        found = f"{named} are the most frequent answers to {ratings.name}, each with "
    else:
        found = f"{named} is the most frequent answer to {ratings.name}, with "
    rows = [row for row, answer in enumerate(answers) if answer]
    is_it = [float(answers[row] == often[0]) for row in rows]
    share = system_mean(is_it, known_clusters(ratings.frame, rows))
    ends = share.interval
    sure = percent(share.value, 0)
    if ends is not None:
        sure = f"{sure} (95 % interval {100 * ends.low:.0f} to {percent(ends.high, 0)})"
    return Headline(f"{found}{percent(share.value, 0)}", f"“{often[0]}”: {sure}")
