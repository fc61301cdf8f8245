"""Which test fits the answers: the rule of `auto`, and what each named test asks for.

- two or more clusterings: the linear mixed model, with all of them as random factors;
- items, with one answer of 0 or 1 per item and system, and no clustering: McNemar's test (mid-p);
- items otherwise: the paired permutation test; a clustering flips whole clusters;
- one clustering whose clusters hold several systems: clusters are taken as items;
- one clustering whose clusters hold one system each: the permutation test that deals whole clusters;
- nothing of this, values of 0 and 1: the z test of two shares;
- nothing of this, other values: Welch's test.
"""

from dataclasses import dataclass, replace
from typing import Literal, get_args

from palaver.analysis.comparisons.answers import SystemAnswers
from palaver.core.errors import InputError

TestName = Literal[
    "auto",
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
    if len(answers.clusters) > 1:
        return _chosen(answers, "mixed", "there are several clusterings")
    if answers.items is not None:
        if answers.is_binary and not answers.is_repeated and not answers.clusters:
            return _chosen(answers, "mcnemar", "each item has one answer of 0 or 1 per system")
        return _chosen(answers, "permutation", "the systems were judged on the same items")
    if answers.clusters:
        return _named(answers, "permutation")
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
    if test != "permutation" or answers.items is not None or not answers.clusters:
        return _chosen(answers, test, "it was asked for")
    if len(answers.clusters) > 1:
        raise InputError("The permutation test takes one clustering; for several use 'mixed'.")
    return _clustered(answers)


def _clustered(answers: SystemAnswers) -> ChosenTest:
    """One clustering and no items: clusters are items if they hold several systems."""
    ((name, column),) = answers.clusters.items()
    of = [set(column[rows].tolist()) for rows in answers.rows.values()]
    if sum(map(len, of)) == len(set.union(*of)):
        return _chosen(answers, "permutation", f"each '{name}' has answers about one system")
    paired = replace(answers, items=column.tolist(), clusters={})
    return _chosen(paired, "permutation", f"each '{name}' judged several systems, and pairs them")


def _chosen(answers: SystemAnswers, name: str, why: str) -> ChosenTest:
    paired = name in PAIRED or (name == "permutation" and answers.items is not None)
    if paired and len(answers.clusters) > 1:
        raise InputError(f"The {name} test takes one clustering; for several use 'mixed'.")
    warnings = []
    if answers.clusters and name != "permutation" and name not in MODELS:
        warnings.append(
            f"The p-values of {name} assume independent answers, although clusters were named; "
            "the intervals do not."
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
