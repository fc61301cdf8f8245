"""How good answers are, in figures of their own that need no task: for the card of a baseline."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from palaver.models.baselines.examples import GoldExample
from palaver.models.baselines.layout import TaskGoal, TaskLayout
from palaver.models.baselines.parts import label_shares, normalised_shares
from palaver.models.baselines.tokens import lower_words
from palaver.models.measured import MeasuredFigure, mean_figure

_MEASURES = {
    "one": ("accuracy", "answers that are right"),
    "several": ("exact_match", "answers with exactly the right labels"),
    "shares": ("divergence", "Jensen–Shannon divergence in bits; lower is better"),
    "turns": (
        "divergence",
        "Jensen–Shannon divergence in bits, the mean of turns; lower is better",
    ),
    "share": ("absolute_error", "distance from the gold; lower is better"),
    "span": ("word_overlap", "F1 of the words, by the best of the right answers"),
    "text": ("word_overlap", "F1 of the words, by the best of the right answers"),
}

# Measures that lie between none and all of the answers.
_SHARES = ("accuracy", "exact_match", "word_overlap")


def figures_of(
    layout: TaskLayout, examples: Sequence[GoldExample], answers: Sequence[Mapping[str, Any]]
) -> list[MeasuredFigure]:
    """A figure per goal, with a bootstrap interval over examples."""
    return [
        mean_figure(
            figure_name(layout, goal),
            np.array(values_of(goal, examples, answers), np.float64),
            unit="examples",
            about=_MEASURES[goal.kind][1],
            is_share=_MEASURES[goal.kind][0] in _SHARES,
        )
        for goal in layout.goals
    ]


def figure_name(layout: TaskLayout, goal: TaskGoal) -> str:
    """How the figure of a goal is called: with the goal's name where there are several."""
    measure = _MEASURES[goal.kind][0]
    return measure if len(layout.goals) == 1 else f"{measure} of {goal.name}"


def values_of(
    goal: TaskGoal, examples: Sequence[GoldExample], answers: Sequence[Mapping[str, Any]]
) -> list[float]:
    """How good each answer to a goal is."""
    return [
        _value(goal, answer[goal.name], example.gold[goal.name])
        for example, answer in zip(examples, answers, strict=True)
    ]


def _value(goal: TaskGoal, given: Any, gold: Any) -> float:
    match goal.kind:
        case "one":
            return float(given in gold if isinstance(gold, list) else given == gold)
        case "several":
            return float(set(given) == set(gold))
        case "shares":
            right = label_shares(goal, gold)
            return _divergence(normalised_shares(goal.labels, given), right)
        case "turns":
            each = [
                _divergence(list(one.values()), normalised_shares(tuple(one), other))
                for one, other in zip(given, gold, strict=True)
            ]
            return sum(each) / len(each) if each else 0.0
        case "share":
            return abs(float(given) - float(gold))
        case _:
            return max(
                _overlap(given, each) for each in (gold if isinstance(gold, list) else [gold])
            )


def _divergence(p: Sequence[float], q: Sequence[float]) -> float:
    """Jensen–Shannon divergence in bits."""
    one, other = np.array(p), np.array(q)
    mean = (one + other) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = [
            np.where(each > 0, each * np.log2(each / mean), 0.0).sum() for each in (one, other)
        ]
    return max(0.0, float(sum(terms)) / 2)


def _overlap(given: str, right: str) -> float:
    words, wanted = lower_words(given), lower_words(right)
    if not words or not wanted:
        return float(words == wanted)
    return 2 * (Counter(words) & Counter(wanted)).total() / (len(words) + len(wanted))
