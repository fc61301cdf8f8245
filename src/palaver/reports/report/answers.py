"""The part on one question's ratings: how they are distributed, and what each system got."""

import itertools
import math
from dataclasses import dataclass

from palaver.analysis.figures import Figure, ForestRow, distribution, forest
from palaver.core.errors import InputError
from palaver.core.numeric import np
from palaver.core.words import counted
from palaver.reports.report.comparisons import ComparedSystems, compared
from palaver.reports.report.evidence import Places
from palaver.reports.report.parts import EVIDENCE, ReportColumn, ReportPart, ResultTable
from palaver.reports.report.subject import QuestionRatings, ReportSettings, answers_by_system

# More different numbers than this are counted in classes.
MOST_VALUES = 11
CLASSES = 8
# What stands beside the answers for those who passed a question over.
LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True)
class RatedQuestion:
    """What was answered to one question and how its systems compare; `problem` says why not."""

    ratings: QuestionRatings
    found: ComparedSystems | None
    problem: tuple[str, ...] = ()


def answers_part(rated: RatedQuestion) -> ReportPart:
    """What was answered to one question, and how the systems differ in it."""
    ratings, found = rated.ratings, rated.found
    frame = ratings.frame
    figures = [] if ratings.is_presence and found is not None else [_distribution(ratings)]
    if found is not None:
        figures.append(_means(ratings, found))
    lead = (
        f"{counted(len(frame), 'answer')} by {counted(len(set(frame.texts('rater'))), 'rater')} "
        f"about {counted(len(set(frame.texts('unit'))), 'unit')}."
    )
    return ReportPart(
        anchor=f"question-{ratings.slug}",
        title=ratings.name,
        question=ratings.text,
        answer=found.answer if found is not None else "",
        told=found.told if found is not None else None,
        lead=lead,
        figures=tuple(figures),
        tables=(_counts(ratings), *(found.tables if found is not None else ())),
        warnings=found.warnings if found is not None else rated.problem,
        methods=found.methods if found is not None else "",
    )


def rate_systems(ratings: QuestionRatings, settings: ReportSettings) -> RatedQuestion:
    """The comparison of systems; without one, why there is none where that needs saying."""
    if not ratings.has_means:
        return RatedQuestion(ratings, None)
    try:
        return RatedQuestion(ratings, compared(ratings, settings))
    except InputError as error:
        return RatedQuestion(ratings, None, (f"The systems were not compared: {error}",))


def _distribution(ratings: QuestionRatings) -> Figure:
    counts, answers = shown_counts(ratings)
    return distribution(
        counts,
        name=f"distribution-{ratings.slug}",
        title=f"Answers to “{ratings.name}”",
        answers=answers,
    )


def shown_counts(ratings: QuestionRatings) -> tuple[dict[str, dict[str, int]], tuple[str, ...]]:
    """Counts of answers by system, with how often the question was left out where one may."""
    counts, answers = _answered(ratings)
    if not any(ratings.left_out.values()):
        return counts, answers
    # What is about no system is counted where all are counted together.
    passed = {system or "all": times for system, times in ratings.left_out.items()}
    return (
        {system: {**given, LEFT_OUT: passed.get(system, 0)} for system, given in counts.items()},
        (*answers, LEFT_OUT),
    )


def _answered(ratings: QuestionRatings) -> tuple[dict[str, dict[str, int]], tuple[str, ...]]:
    """Counts of answers by system; numbers that differ too often are counted in classes."""
    counts = answers_by_system(ratings)
    if ratings.level in ("nominal", "ordinal"):
        return counts, ratings.answers
    if len(set(_all(counts))) <= MOST_VALUES:
        return counts, tuple(sorted(set(_all(counts)), key=float))
    edges = _edges(sorted(float(each) for each in set(_all(counts))))
    names = tuple(f"{low:g}–{high:g}" for low, high in itertools.pairwise(edges))
    classed: dict[str, dict[str, int]] = {}
    for system, given in counts.items():
        of = dict.fromkeys(names, 0)
        for answer, count in given.items():
            place = min(
                max(int(np.searchsorted(edges, float(answer), "right")) - 1, 0), len(names) - 1
            )
            of[names[place]] += count
        classed[system] = of
    return classed, names


def _all(counts: dict[str, dict[str, int]]) -> list[str]:
    return [answer for given in counts.values() for answer in given]


def _edges(values: list[float]) -> list[float]:
    """Ends of classes at round numbers that hold all values."""
    low, high = values[0], values[-1]
    rough = (high - low) / CLASSES
    magnitude = 10 ** math.floor(math.log10(rough))
    step = next(each * magnitude for each in (1, 2, 2.5, 5, 10) if each * magnitude >= rough)
    first = math.floor(low / step)
    count = max(1, math.ceil(high / step) - first)
    return [round((first + n) * step, 10) for n in range(count + 1)]


def _counts(ratings: QuestionRatings) -> ResultTable:
    counts, answers = shown_counts(ratings)
    names = list(dict.fromkeys([*answers, *_all(counts)]))
    places = Places(ratings)
    return ResultTable(
        slug=f"answers-{ratings.slug}",
        title="How often each answer was given",
        columns=(
            ReportColumn("system", "System"),
            ReportColumn("n", "n", "whole"),
            *(ReportColumn(f"answer {name}", name, "whole") for name in names),
        ),
        rows=[
            {
                "system": system,
                "n": sum(given.values()),
                **{f"answer {name}": given.get(name, 0) for name in names},
                EVIDENCE: places.of(system),
            }
            for system, given in counts.items()
        ],
    )


def _means(ratings: QuestionRatings, found: ComparedSystems) -> Figure:
    rows = [
        ForestRow(system, each.value, each.interval, note=f"n = {each.n:,}")
        for system, each in found.systems.items()
    ]
    axis = "Share with the label" if ratings.is_presence else "Mean"
    return forest(
        rows,
        name=f"means-{ratings.slug}",
        title=found.answer.rstrip(".") or f"{axis} of the one system",
        axis=f"{axis}, 95 % interval",
        percent=ratings.is_presence,
        ends=(0.0, 1.0) if ratings.is_presence else None,
    )
