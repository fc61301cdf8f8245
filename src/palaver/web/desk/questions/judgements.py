"""What was judged, as pages show it: agreement, distributions, and the sentence above them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, get_args

from palaver.core.questions.question import Question
from palaver.core.studies.progress import SlotProgress
from palaver.core.words import counted, decimals, isolated, listed
from palaver.studies.review.answers import NUMBERS, Facet, code_words, facet_words
from palaver.studies.review.question_overview import (
    OWN_CHATS,
    AnswerCount,
    FacetOverview,
    QuestionOverview,
    RaterFilter,
)
from palaver.web.desk.measures.reading import Freshness
from palaver.web.formatting import percent, with_query
from palaver.web.shell import ChoiceLink

RATER_CHOICES: dict[str, str] = {
    "all": "Everyone",
    "person": "People",
    "model": "Models",
    "simulated": "Simulated",
    "anonymous": "Anonymous",
}
BINS = 10
MOST_WHOLE = 20

# A title names at most this many answers that were given equally often.
MOST_EQUAL = 4
LEFT_OUT = "Left out"

Links = Callable[[Facet, Any], str]
# What the two sides of a comparison are, by the code of the side.
Sides = Mapping[Any, str | None]
NO_SIDES: Sides = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """How often one answer was given; `width` is its share in percent, `height` that of the most."""

    words: str
    count: int
    share: str
    width: float
    height: float
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgements:
    """What raters said so far; `answer` says it in one sentence."""

    answer: str
    excluded: str
    raters_url: str
    choices: tuple[ChoiceLink, ...]
    # How far the sheets of each stage are.
    sheets: Mapping[int, SlotProgress]
    questions: list[QuestionOverview]
    address: str
    # The kind of rater that is chosen; None for all.
    raters: str | None
    bars: Callable[[FacetOverview], tuple[Bar, ...]]
    freshness: Freshness


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """How often each answer was given, under the sentence that says so."""

    name: str
    title: str
    bars: tuple[Bar, ...]


def chosen_raters(asked: str | None) -> RaterFilter:
    """Whose answers the address asks for; everybody's where it names no kind of rater."""
    return next((kind for kind in get_args(RaterFilter) if kind == asked), "all")


def rater_choices(address: str, raters: str, **kept: str | None) -> tuple[ChoiceLink, ...]:
    """The filter by kind of rater; what else the address says is kept."""
    return tuple(
        ChoiceLink(
            label=label,
            url=with_query(address, raters=None if kind == "all" else kind, **kept),
            current=kind == raters,
        )
        for kind, label in RATER_CHOICES.items()
        if kind != "anonymous" or raters == "anonymous"
    )


def excluded_words(count: int) -> str:
    """How many raters are left out; empty where none is."""
    return f"{counted(count, 'rater')} left out" if count else ""


def agreement_sentence(overviews: Sequence[QuestionOverview]) -> str:
    """On what raters agree most and least."""
    known = [
        (found.agreement.alpha, overview, found)
        for overview in overviews
        for found in overview.facets
        if found.agreement.alpha is not None
    ]
    if not any(overview.labels for overview in overviews):
        return "Nobody has judged anything yet; answers are measured here as they come in"
    if not known and all(overview.single for overview in overviews if overview.labels):
        return OWN_CHATS
    if not known:
        return "Agreement cannot be measured yet: nothing has different answers from two raters"
    best, worst = (choose(known, key=lambda each: each[0]) for choose in (max, min))
    if len(known) == 1:
        return f"Raters agree on {_about(best[1], best[2])} with α = {decimals(best[0], 2)}"
    return (
        f"Raters agree most on {_about(best[1], best[2])} (α = {decimals(best[0], 2)}) "
        f"and least on {_about(worst[1], worst[2])} (α = {decimals(worst[0], 2)})"
    )


def facet_bars(found: FacetOverview) -> tuple[Bar, ...]:
    """How often each answer was given, as a template asks for it."""
    return _facet_bars(found, None)


def bars(
    question: Question | None,
    facet: Facet,
    counts: Mapping[Any, int],
    *,
    link: Links | None = None,
    sides: Sides = NO_SIDES,
    left_out: int = 0,
) -> tuple[Bar, ...]:
    """How often each answer was given, in the order of the scale; numbers are put into bins.

    `sides` names what the two sides of a comparison are; answers that were `left_out` come last.
    """
    if facet.level in NUMBERS:
        return _numbered(facet, counts, left_out)
    scale = list(range(len(facet.scale))) if facet.level == "ordinal" else list(facet.scale)
    codes = [*scale, *(code for code in sorted(counts, key=str) if code not in scale)]
    given = [
        (
            sides.get(code) or code_words(question, facet, code),
            counts.get(code, 0),
            link(facet, code) if link is not None else "",
        )
        for code in codes
    ]
    return _bars(_with_left_out(given, left_out))


def distributions(overview: QuestionOverview, *, link: Links) -> tuple[Distribution, ...]:
    """All answers to a question: one chart, or one for each aspect; labels share one.

    What is no label ("does not apply") and what was left out are answers, too, and counted.
    """
    question, facets = overview.question, overview.facets
    if facets and all(found.facet.is_presence for found in facets):
        total = overview.labels
        given = [
            (facet_words(question, f.facet), f.tally.get(True, 0), link(f.facet, True))
            for f in facets
        ]
        most = max(count for _, count, _ in given)
        often = [f"“{isolated(words)}”" for words, count, _ in given if count == most]
        title = (
            f"{often[0]} is given most often, in {percent(most / total)} of {counted(total, 'answer')}"
            if most and len(often) == 1
            else f"{listed(often, most=MOST_EQUAL)} are given most often, "
            f"each in {percent(most / total)} of {counted(total, 'answer')}"
            if most
            else f"None of the labels was given in {counted(total, 'answer')}"
        )
        given += [(_sentence(each.answer), each.count, "") for each in overview.unlabelled]
        shown = _with_left_out(given, overview.left_out)
        return (
            Distribution(name="", title=title, bars=_bars(shown, total=total + overview.left_out)),
        )
    return tuple(
        Distribution(
            name=facet_words(question, found.facet),
            title=_most_frequent(question, found),
            bars=_facet_bars(found, link, overview.left_out),
        )
        for found in facets
    )


def _facet_bars(found: FacetOverview, link: Links | None, left_out: int = 0) -> tuple[Bar, ...]:
    if found.by_system:
        given = [(each.answer, each.count, "") for each in found.by_system]
        return _bars(_with_left_out(given, left_out))
    return bars(found.question, found.facet, found.tally, link=link, left_out=left_out)


def _with_left_out(given: list[tuple[str, int, str]], left_out: int) -> list[tuple[str, int, str]]:
    return [*given, (LEFT_OUT, left_out, "")] if left_out else given


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def answer_list(
    question: Question | None, facet: Facet, counts: Mapping[Any, int], sides: Sides = NO_SIDES
) -> list[str]:
    """The answers to one unit, each with how often it was given."""
    order = {code: n for n, code in enumerate(facet.scale)} if facet.level == "nominal" else {}
    codes = sorted(counts, key=lambda code: (order.get(code, len(order)), str(code)))
    if facet.level != "nominal":
        codes = sorted(counts)
    return [
        f"{isolated(sides.get(code) or code_words(question, facet, code))} × {counts[code]}"
        for code in codes
    ]


def _numbered(facet: Facet, counts: Mapping[Any, int], left_out: int) -> tuple[Bar, ...]:
    """Numbers one by one where they are few and whole, else in bins of equal width."""
    low, high = facet.ends or (0.0, 1.0)
    is_whole = all(float(number).is_integer() for number in (low, high, *counts))
    if is_whole and high - low <= MOST_WHOLE:
        whole = range(int(low), int(high) + 1)
        given = [(f"{number:,}", counts.get(number, 0), "") for number in whole]
        return _bars(_with_left_out(given, left_out))
    step = (high - low) / BINS
    totals = [0] * BINS
    for number, count in counts.items():
        totals[_bin(number, low, high)] += count
    edges = [(low + n * step, low + (n + 1) * step) for n in range(BINS)]
    given = [
        (f"{start:g} to {'' if n == BINS - 1 else 'under '}{end:g}", count, "")
        for n, ((start, end), count) in enumerate(zip(edges, totals, strict=True))
    ]
    return _bars(_with_left_out(given, left_out))


def _bin(number: float, low: float, high: float) -> int:
    place = int((number - low) / (high - low) * BINS) if high > low else 0
    return min(BINS - 1, max(0, place))


def _bars(given: Sequence[tuple[str, int, str]], *, total: int | None = None) -> tuple[Bar, ...]:
    out_of = sum(count for _, count, _ in given) if total is None else total
    most = max((count for _, count, _ in given), default=0)
    return tuple(
        Bar(
            words=words,
            count=count,
            share=percent(count / out_of) if out_of else "–",
            width=round(100 * count / out_of, 2) if out_of else 0.0,
            height=round(100 * count / most, 2) if most else 0.0,
            url=url,
        )
        for words, count, url in given
    )


def _most_frequent(question: Question | None, found: FacetOverview) -> str:
    total = sum(found.tally.values())
    about = f"{facet_words(question, found.facet)}: " if found.facet.name else ""
    if found.facet.level in NUMBERS:
        values = [number for number, count in found.tally.items() for _ in range(count)]
        middle = f"{median(values):g} (n = {total:,})"
        return (
            f"{about}the middle answer is {middle}" if about else f"The middle answer is {middle}"
        )
    most = max(found.tally.values())
    share = percent(most / total)
    if found.by_system:
        return _preferred(found.by_system, total)
    often = [code for code, count in found.tally.items() if count == most]
    words = [
        f"“{isolated(code_words(question, found.facet, code))}”" for code in sorted(often, key=str)
    ]
    if len(words) > 1:
        named = listed(words, most=MOST_EQUAL)
        return f"{about}{named} are the most frequent answers, each with {share} of {total:,}"
    return f"{about}{words[0]} is the most frequent answer, with {share} of {total:,}"


def _preferred(by_system: Sequence[AnswerCount], total: int) -> str:
    most = max(each.count for each in by_system)
    often = [each.answer for each in by_system if each.count == most]
    share = percent(most / total)
    if len(often) > 1:
        named = listed([*map(isolated, often)], most=MOST_EQUAL)
        return (
            f"{named} are chosen equally often, each in {share} of {counted(total, 'comparison')}"
        )
    most_often = isolated(often[0])
    return (
        f"“{most_often}” is the most frequent choice, in {share} of {counted(total, 'comparison')}"
    )


def _about(overview: QuestionOverview, found: FacetOverview) -> str:
    about = facet_words(overview.question, found.facet)
    return f"“{overview.name}: {about}”" if about else f"“{overview.name}”"
