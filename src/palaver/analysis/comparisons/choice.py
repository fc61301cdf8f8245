"""Which test fits the answers: the rule of `auto`, and what each named test asks for.

- raters or clusters are known that several answers share: the cluster-robust t test, which counts
  items among the clusters where they are known, too;
- items, with one answer of 0 or 1 per item and system: McNemar's test (mid-p);
- items otherwise: the paired permutation test;
- nothing of this, values of 0 and 1: the z test of two shares;
- nothing of this, other values: Welch's test.

A permutation test that is named rearranges whole clusters (raters, where no clusters are named): they
are taken as items where they hold several systems, and dealt whole where they hold one each.
"""

from dataclasses import dataclass, replace
from typing import Literal, get_args

from palaver.analysis.comparisons.answers import ITEM, RATER, SystemAnswers
from palaver.core.errors import InputError
from palaver.core.words import listed

TestName = Literal[
    "auto",
    "robust",
    "permutation",
    "welch",
    "mann-whitney",
    "wilcoxon",
    "sign",
    "mcnemar",
    "z",
    "paired-t",
    "mixed",
    "ordinal-mixed",
]
TESTS: tuple[str, ...] = get_args(TestName)
PAIRED = ("wilcoxon", "sign", "mcnemar", "paired-t")
UNPAIRED = ("welch", "mann-whitney", "z")
MODELS = ("mixed", "ordinal-mixed")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenTest:
    """The test, whether it pairs, why it was taken, and the answers as it reads them."""

    name: str
    paired: bool
    rule: str
    answers: SystemAnswers
    warnings: tuple[str, ...] = ()


def choose(answers: SystemAnswers, test: str) -> ChosenTest:
    """The test to use; InputError where a named one asks for what is not there."""
    if test not in TESTS:
        raise InputError(f"A test is one of {', '.join(TESTS)}; got '{test}'.")
    return _automatic(answers) if test == "auto" else _named(answers, test)


def _automatic(answers: SystemAnswers) -> ChosenTest:
    if answers.is_clustered:
        shared = listed(list(answers.factors), "or")
        return _chosen(answers, "robust", f"answers with the same {shared} belong together")
    if answers.items is not None:
        if answers.is_binary and not answers.is_repeated:
            return _chosen(answers, "mcnemar", "each item has one answer of 0 or 1 per system")
        return _chosen(answers, "permutation", "the systems were judged on the same items")
    if answers.is_binary:
        return _chosen(answers, "z", "answers are 0 or 1 and not paired")
    return _chosen(answers, "welch", "values are not paired")


def _named(answers: SystemAnswers, test: str) -> ChosenTest:
    if test in PAIRED and answers.items is None:
        raise InputError(f"The {test} test compares pairs; name the column that pairs: --item.")
    if test in ("mcnemar", "z") and not answers.is_binary:
        raise InputError(f"The {test} test takes answers of 0 or 1; some values are neither.")
    if test == "mcnemar" and answers.is_repeated:
        raise InputError("McNemar's test takes one answer per item and system; some have several.")
    if test in MODELS and answers.items is None and answers.raters is None and not answers.clusters:
        raise InputError(f"The {test} model needs a random factor: --item, --rater or --cluster.")
    if test == "permutation" and not answers.clusters and RATER in answers.factors:
        answers = replace(answers, clusters={RATER: answers.factors[RATER]})
    if test != "permutation" or answers.items is not None or not answers.clusters:
        return _chosen(answers, test, "it was asked for")
    if len(answers.clusters) > 1:
        raise InputError("The permutation test takes one clustering; for several use 'robust'.")
    return _clustered(answers)


def _clustered(answers: SystemAnswers) -> ChosenTest:
    """One clustering and no items: clusters are items if they hold several systems."""
    ((name, column),) = answers.clusters.items()
    of = [set(column[rows].tolist()) for rows in answers.rows.values()]
    if sum(map(len, of)) == len(set.union(*of)):
        return _chosen(answers, "permutation", f"each '{name}' has answers about one system")
    paired = replace(answers, items=column.tolist(), clusters={})
    why = f"each '{name}' judged several systems, and pairs them"
    return _chosen(paired, "permutation", why, paired_by=name)


def _unheeded(answers: SystemAnswers, name: str, paired_by: str) -> list[str]:
    """What makes answers alike, as far as a test does not see it."""
    if name == "robust" or name in MODELS:
        return []
    seen = {ITEM, paired_by}
    if name == "permutation":
        seen |= answers.clusters.keys()
    return [each for each in answers.factors if each not in seen]


def _chosen(answers: SystemAnswers, name: str, why: str, *, paired_by: str = ITEM) -> ChosenTest:
    paired = name in PAIRED or (name == "permutation" and answers.items is not None)
    if paired and len(answers.clusters) > 1:
        raise InputError(f"The {name} test takes one clustering; for several use 'robust'.")
    warnings = []
    left = _unheeded(answers, name, paired_by)
    if left:
        warnings.append(
            f"The p-values of {name} take answers with the same {listed(left, 'or')} for independent; "
            "the intervals of differences, and the robust test, do not."
        )
    if name in UNPAIRED and answers.items is not None:
        warnings.append(f"The {name} test does not use that answers are paired by item.")
    kind = "" if name != "permutation" else " (paired)" if paired else " (unpaired)"
    return ChosenTest(
        name=name,
        paired=paired,
        rule=f"{name}{kind}, because {why}",
        answers=answers,
        warnings=tuple(warnings),
    )
