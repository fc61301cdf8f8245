"""An evaluation function of a task's or a data set's own.

    def evaluate(examples, answers):
        right = [a["label"] == e.values["label"] for e, a in zip(examples, answers)]
        return {"accuracy": right, "caution": sum(a["label"] == "unsure" for a in answers) / 9}

It is given the examples (`uid`, `values`, `tags`) and, in the same order, what was answered to each: a
mapping from output to value. It returns a number, which counts as the task's performance, or a mapping
from names to numbers, or to lists with one number per example, whose mean is the score. A name that
the task measures by itself is measured by the function instead; other names stand beside them.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from palaver.analysis.item_means import OPEN, SHARE
from palaver.core.errors import InputError, PalaverError
from palaver.core.loading import own_function
from palaver.core.tasks import Example
from palaver.evaluation.scoring.intervals import additive
from palaver.evaluation.scoring.material import Answers
from palaver.evaluation.scoring.result import Scored
from palaver.evaluation.scoring.tags import scores_by_tag
from palaver.metrics.own import source_digest
from palaver.metrics.shapes import fit_number
from palaver.metrics.sums import FORMS, mean_rows

NO_INTERVAL = "the function returns one number for all items"


@dataclass(frozen=True, slots=True)
class EvaluationFunction:
    """A function with the name it was given by, and a version that changes with its source."""

    target: str
    call: Callable[[Sequence[Example], Answers], Any]
    version: str


def find_function(target: str, folder: Path) -> EvaluationFunction:
    """The function that "module:function" names; a file in `folder` comes first."""
    found = own_function(target, folder=folder, what="An evaluation function is")
    return EvaluationFunction(target, found, f"own-{source_digest(found)}")


def score_function(
    function: EvaluationFunction, examples: Sequence[Example], answers: Answers, *, performance: str
) -> list[Scored]:
    """What the function says of the answers; InputError if it fails or returns something else."""
    try:
        result = function.call(examples, answers)
    except PalaverError:
        raise
    except Exception as error:
        # A researcher's function may raise anything.
        raise InputError(
            f"Evaluation function '{function.target}' failed: {type(error).__name__}: {error}"
        ) from error
    named = result if isinstance(result, Mapping) else {performance: result}
    if not named:
        raise InputError(f"Evaluation function '{function.target}' returned an empty mapping.")
    return [
        _scored(function, str(name), value, examples, by_tag=name == performance)
        for name, value in named.items()
    ]


def _scored(
    function: EvaluationFunction,
    name: str,
    value: Any,
    examples: Sequence[Example],
    *,
    by_tag: bool,
) -> Scored:
    value = value.tolist() if hasattr(value, "tolist") else value
    if not isinstance(value, list | tuple):
        return _single(function, name, value, len(examples))
    if len(value) != len(examples):
        raise InputError(
            f"Evaluation function '{function.target}' returned {len(value)} numbers for '{name}'; "
            f"there are {len(examples)} examples."
        )
    # Whoever says true and false means a share; numbers may be points or seconds.
    within = SHARE if all(isinstance(each, bool) for each in value) else OPEN
    numbers = [float(each) if isinstance(each, bool) else each for each in value]
    rows = mean_rows([_number(function, name, number) for number in numbers])
    found = additive(FORMS["mean"], rows, within)
    sure = found.estimate()
    parts: dict[str, Any] = {"function": function.target}
    if by_tag and any(example.tags for example in examples):
        parts["perf_by_tag"] = scores_by_tag(examples, found)
    return Scored(
        metric=name,
        version=function.version,
        value=sure.value,
        interval=sure.interval,
        reason=sure.reason,
        n=len(examples),
        parts=parts,
        form="mean",
        rows=rows,
    )


def _single(function: EvaluationFunction, name: str, value: Any, items: int) -> Scored:
    parts = {"function": function.target}
    if isinstance(value, float) and math.isnan(value):
        reason = "the evaluation function returned nan"
        return Scored.undefined(name, function.version, reason, n=items, parts=parts)
    return Scored(
        metric=name,
        version=function.version,
        value=_number(function, name, value),
        n=items,
        reason=NO_INTERVAL,
        parts=parts,
    )


def _number(function: EvaluationFunction, name: str, value: Any) -> float:
    try:
        return fit_number(value)
    except ValueError as error:
        raise InputError(
            f"Evaluation function '{function.target}' returned {value!r:.60} for '{name}'; "
            "expected a number, or a list with one per example."
        ) from error
