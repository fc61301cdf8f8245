"""The figures of agreement: each question's α, who agrees with whom, which answers are confused."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any

from palaver.analysis.agreement import Pairwise
from palaver.analysis.figures import Figure, ForestRow, HeatCell, forest, heat_map
from palaver.core.estimates import Estimate
from palaver.core.words import counted, decimals
from palaver.reports.report.parts import known
from palaver.reports.report.subject import QuestionRatings

# More raters than these cannot be told apart in a heat map; the table has them all.
MOST_RATERS = 24
# More answers than these are no confusion that can be looked at.
MOST_ANSWERS = 12


def alpha_forest(alphas: Sequence[tuple[str, Estimate]]) -> Figure:
    """α of each question, on one axis from 0 (or below) to 1."""
    rows = [
        ForestRow(
            name, each.value, each.interval, note=decimals(each.value, 2) if each.is_defined else ""
        )
        for name, each in alphas
    ]
    ends = [row.interval.low for row in rows if row.interval] + [row.value for row in rows]
    low = min([0.0, *(end for end in ends if known(end))])
    return forest(
        rows,
        name="agreement",
        title="How well raters agree on each question",
        axis="Krippendorff's α (0: chance, 1: full agreement)",
        reference=0.0,
        ends=(max(-1.0, low - 0.05), 1.0),
    )


def rater_maps(ratings: QuestionRatings, pairs: Pairwise) -> Iterator[Figure]:
    """α of each pair of raters, where there are three or more and not too many."""
    raters = [ratings.rater_names.get(str(rater), str(rater)) for rater in pairs.raters]
    if not 3 <= len(raters) <= MOST_RATERS or not any(known(pair.alpha) for pair in pairs.pairs):
        return
    matrix = pairs.matrix("alpha")
    cells = [
        HeatCell(row, column, float("nan") if row == column else matrix[i][j])
        for i, row in enumerate(raters)
        for j, column in enumerate(raters)
    ]
    yield heat_map(
        cells,
        name=f"raters-{ratings.slug}",
        title=f"Which raters agree on “{ratings.name}”: α of each pair",
        ends=(0.0, 1.0),
    )


def confusion_maps(ratings: QuestionRatings) -> Iterator[Figure]:
    """Which answers stand for each other: every pair of raters of a unit, in both orders."""
    shown = dict(zip(ratings.frame.texts("value"), ratings.frame.texts("answer"), strict=True))
    answers = list(dict.fromkeys([*ratings.answers, *(each or "" for each in shown.values())]))
    if ratings.is_presence or ratings.level not in ("nominal", "ordinal"):
        return
    if not 2 <= len(answers) <= MOST_ANSWERS:
        return
    by_unit: dict[Any, list[str]] = {}
    for unit, answer in zip(
        ratings.frame.texts("unit"), ratings.frame.texts("answer"), strict=True
    ):
        by_unit.setdefault(unit, []).append(answer or "")
    counts = Counter(pair for said in by_unit.values() for pair in permutations(said, 2))
    if not counts:
        return
    totals = Counter(dict.fromkeys(answers, 0))
    for (one, _), count in counts.items():
        totals[one] += count
    cells = [
        HeatCell(
            one,
            other,
            counts[one, other] / totals[one] if totals[one] else float("nan"),
            note=counted(counts[one, other], "pair"),
        )
        for one in answers
        for other in answers
    ]
    yield heat_map(
        cells,
        name=f"confusion-{ratings.slug}",
        title=f"Where one rater answers the row, how often another answers the column ({ratings.name})",
        rows="One rater",
        columns="Another rater",
        ends=(0.0, 1.0),
    )
