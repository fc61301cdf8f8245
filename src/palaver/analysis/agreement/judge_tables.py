"""Two raters who say yes or no, as tables of two by two: a judge and each person, and two people.

What a unit adds to every table is one row of a sparse matrix, so that a thousand bootstrap samples of
units are one product.
"""

from dataclasses import dataclass
from typing import Any

from palaver.analysis.agreement.ratings import ABSENT, Ratings
from palaver.core.numeric import Numbers, np, sparse

# Two raters on one unit are one of four: both no, only the second or only the first yes, both yes.
OUTCOMES = 4


@dataclass(frozen=True, slots=True)
class JudgeTables:
    """What each unit adds to the two-by-two tables of the judge and each person, and of people.

    `units` were judged by the judge and somebody; `pattern` is which of the rows of `counts` a unit
    adds. The first `pairs` of its columns (of four outcomes each) are the judge with one person, the
    others two people.
    """

    units: Numbers
    pattern: Numbers
    counts: Any
    pairs: int
    columns: int
    people: list[str]
    strangers: tuple[str, ...]
    gaps: int
    unshared: int
    positives: float
    judge_positives: int
    ceiling_units: int

    def of(self, weights: Numbers) -> Numbers:
        """Samples × columns × outcomes, of samples × patterns."""
        found: Numbers = (self.counts.T @ weights.T).T
        shaped: Numbers = found.reshape(len(weights), self.columns, OUTCOMES)
        return shaped

    def totals(self) -> Numbers:
        """Columns × outcomes of all units."""
        found: Numbers = self.of(np.bincount(self.pattern).astype(float)[None, :])[0]
        return found


def judge_tables(ratings: Ratings, judge: str) -> JudgeTables:
    """The tables of a judge and everybody else, on the units that the judge judged."""
    place = ratings.raters.index(judge) if judge in ratings.raters else ABSENT
    said = np.full(len(ratings.units), ABSENT, dtype=np.intp)
    mine = ratings.rater == place
    said[ratings.unit[mine]] = ratings.code[mine]
    unit, rater, code = ratings.unit[~mine], ratings.rater[~mine], ratings.code[~mine]
    judged = said[unit] >= 0
    everybody, met = np.unique(rater), np.unique(rater[judged])
    gaps = len(np.unique(unit[~judged]))
    unit, rater, code = unit[judged], rater[judged], code[judged]
    units, row = np.unique(unit, return_inverse=True)
    person = np.searchsorted(met, rater)
    with_judge = OUTCOMES * person + 2 * said[unit] + code
    rows, keys, outcomes = _two_people(row, person, code, len(met))
    pairs, pair = np.unique(keys, return_inverse=True)
    columns = len(met) + len(pairs)
    counts = sparse.csr_matrix(
        (
            np.ones(len(row) + len(rows)),
            (
                np.concatenate([row, rows]),
                np.concatenate([with_judge, OUTCOMES * (len(met) + pair) + outcomes]),
            ),
        ),
        shape=(len(units), OUTCOMES * columns),
    )
    pattern, kept = _patterns(counts)
    share = np.bincount(row, code) / np.maximum(np.bincount(row), 1)
    return JudgeTables(
        units,
        pattern,
        counts[kept],
        len(met),
        columns,
        [str(ratings.raters[each]) for each in met],
        tuple(str(ratings.raters[each]) for each in np.setdiff1d(everybody, met)),
        gaps,
        int(mine.sum()) - len(units),
        float(share.sum()),
        int(said[units].sum()),
        len(np.unique(rows)),
    )


def _two_people(
    row: Numbers, person: Numbers, code: Numbers, people: int
) -> tuple[Numbers, Numbers, Numbers]:
    """Every pair of people on every unit: the unit, the pair as one number, and the outcome.

    Rows are sorted by unit, so that the people of a unit stand next to each other.
    """
    found: list[tuple[Numbers, Numbers, Numbers]] = []
    most = int(np.bincount(row).max(initial=0))
    for apart in range(1, most):
        here = np.flatnonzero(row[:-apart] == row[apart:])
        there = here + apart
        swapped = person[here] > person[there]
        one, other = np.where(swapped, there, here), np.where(swapped, here, there)
        found.append((row[one], person[one] * people + person[other], 2 * code[one] + code[other]))
    if not found:
        none = np.zeros(0, dtype=np.intp)
        return none, none, none
    rows, keys, outcomes = (np.concatenate(each) for each in zip(*found, strict=True))
    return rows, keys, outcomes


def _patterns(counts: Any) -> tuple[Numbers, list[int]]:
    """Which units add the same: the pattern of each, and one unit of each pattern."""
    known: dict[bytes, int] = {}
    kept: list[int] = []
    pattern = np.empty(counts.shape[0], dtype=np.intp)
    for unit in range(counts.shape[0]):
        held = np.sort(counts.indices[counts.indptr[unit] : counts.indptr[unit + 1]]).tobytes()
        if held not in known:
            known[held] = len(kept)
            kept.append(unit)
        pattern[unit] = known[held]
    return pattern, kept


def measures(tables: Numbers) -> dict[str, Numbers]:
    """The measures of two-by-two tables in the last axis: (no, no), (no, yes), (yes, no), (yes, yes).

    What is undefined is NaN. `bias` is the share of yes of the first less that of the second.
    """
    tn, fn, fp, tp = np.moveaxis(tables.astype(float), -1, 0)
    n = tn + fn + fp + tp
    with np.errstate(divide="ignore", invalid="ignore"):
        return {
            "f1_pos": 2 * tp / (2 * tp + fp + fn),
            "f1_neg": 2 * tn / (2 * tn + fp + fn),
            "precision": tp / (tp + fp),
            "recall": tp / (tp + fn),
            "accuracy": (tp + tn) / n,
            "bias": (fp - fn) / n,
        }


def mean_defined(values: Numbers) -> Numbers:
    """Samples × pairs, averaged over the pairs for which there is a value."""
    known = np.isfinite(values)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Numbers = np.where(known, values, 0).sum(axis=1) / known.sum(axis=1)
    return found
