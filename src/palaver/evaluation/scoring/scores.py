"""Examples and answers become scores: every metric of a task, with n, interval and reasons.

Nothing is read or stored here, so an engine can compute a metric elsewhere. A metric that refuses what
it is given (a list of right labels where it takes one, say) leaves its score undefined with that
reason and does not stop the others.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError, MissingExtraError
from palaver.core.estimates import Interval
from palaver.core.numeric import Numbers, np
from palaver.core.protocols import Engine
from palaver.core.serial import plain
from palaver.core.tasks import Example, MetricChoice, Task
from palaver.evaluation.scoring.intervals import (
    Additive,
    additive,
    mean_of_fields,
    recomputed_interval,
)
from palaver.evaluation.scoring.material import Answers, predicted, right
from palaver.evaluation.scoring.result import Scored, choice_version, legacy_row
from palaver.evaluation.scoring.tags import (
    TwoClasses,
    mean_of_tags,
    one_class,
    recomputed_by_tag,
    scores_by_tag,
)
from palaver.metrics.metric import Metric, Score
from palaver.metrics.registry import find_metric
from palaver.metrics.shapes import Shape
from palaver.metrics.sums import FORMS, Form, form_for, mean_rows

# A confusion matrix of more classes than these is not kept beside a score.
MOST_CLASSES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class _Measured:
    """One field under one metric."""

    metric: Metric
    options: dict[str, Any]
    predictions: list[Any]
    references: list[Any] | None
    score: Score
    form: Form | None = None
    rows: Numbers | None = None
    classes: TwoClasses | None = None

    def compute(self, places: Sequence[int]) -> Score:
        given = [self.predictions[n] for n in places]
        against = None if self.references is None else [self.references[n] for n in places]
        return self.metric.compute(given, against, **self.options)


def find_choice(task: Task, choice: MetricChoice, *, folder: Path | None = None) -> Metric:
    """The metric of a choice; one of the researcher's own lies in `folder`, else in the task's."""
    mine = Path(task.folder) if task.folder else None
    return find_metric(choice.metric, folder=folder or mine)


def score_choice(
    task: Task,
    choice: MetricChoice,
    examples: Sequence[Example],
    answers: Answers,
    *,
    by_tag: bool = False,
    strict: bool = False,
    folder: Path | None = None,
    columns: "ScoredColumns | None" = None,
) -> Scored:
    """The score of one metric: the mean over its fields; with `by_tag` also that of every tag.

    `columns` are those of the same examples and answers, where several metrics are computed.
    With `strict` what the metric refuses is an InputError instead of an undefined score.
    """
    metric = find_choice(task, choice, folder=folder)
    version = choice_version(metric, choice)
    try:
        known = columns or ScoredColumns(task, examples, answers)
        fields = [known.measured(metric, choice, output) for output in choice.fields]
    except InputError as error:
        if strict or isinstance(error, MissingExtraError):
            raise
        reason = str(error).rstrip(".")
        return Scored.undefined(choice.key, version, reason, n=len(examples))
    undefined = [
        (output, each.score.reason)
        for output, each in zip(choice.fields, fields, strict=True)
        if not each.score.is_defined
    ]
    parts = _parts(choice, fields) | _measure(metric)
    if by_tag:
        parts |= _by_tag(examples, fields)
    if undefined:
        output, why = undefined[0]
        reason = why if len(fields) == 1 else f"{output}: {why}"
        return Scored.undefined(choice.key, version, reason, n=len(examples), parts=parts)
    value = sum(field.score.value for field in fields) / len(fields)
    parts["legacy"] = legacy_row(metric, value)
    sums = _sums(fields)
    interval, note = _interval(fields, sums)
    form, rows = _kept(fields)
    return Scored(
        metric=choice.key,
        version=version,
        value=value,
        interval=interval,
        n=min(field.score.n for field in fields),
        reason=note,
        parts=parts,
        form=form,
        rows=rows,
        exact=metric.family == "distribution",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorePiece:
    """All it takes to compute one metric: no store, no home."""

    task: Task
    choice: MetricChoice
    examples: Sequence[Example]
    answers: Answers
    by_tag: bool
    strict: bool = False
    folder: Path | None = None


# Computes pieces, in their order.
Compute = Callable[[Sequence[ScorePiece]], Sequence[Scored]]


def score_piece(piece: ScorePiece, *, columns: "ScoredColumns | None" = None) -> Scored:
    return score_choice(
        piece.task,
        piece.choice,
        piece.examples,
        piece.answers,
        by_tag=piece.by_tag,
        strict=piece.strict,
        folder=piece.folder,
        columns=columns,
    )


def score_pieces(pieces: Sequence[ScorePiece]) -> Sequence[Scored]:
    """The scores of one run, computed here one after another."""
    if not pieces:
        return []
    columns = ScoredColumns(pieces[0].task, pieces[0].examples, pieces[0].answers)
    return [
        score_piece(piece, columns=columns if piece.answers is columns.answers else None)
        for piece in pieces
    ]


def computed_on(engine: Engine, loop: asyncio.AbstractEventLoop) -> Compute:
    """A way to compute pieces on an engine, from a thread beside the loop that drives it."""

    async def gather(pieces: Sequence[ScorePiece]) -> Sequence[Scored]:
        found = {number: scored async for number, scored in engine.map(score_piece, pieces)}
        return [found[number] for number in range(len(pieces))]

    def compute(pieces: Sequence[ScorePiece]) -> Sequence[Scored]:
        return asyncio.run_coroutine_threadsafe(gather(pieces), loop).result()

    return compute


# ScoredColumns by output as they are (None), and as metrics of one shape take them.
GoldColumns = dict[tuple[str, Shape | None], list[Any]]


class ScoredColumns:
    """What was answered and what is right, by output: read and measured once for all metrics."""

    def __init__(
        self,
        task: Task,
        examples: Sequence[Example],
        answers: Answers,
        *,
        gold: GoldColumns | None = None,
    ) -> None:
        self.answers = answers
        self._task = task
        self._examples = examples
        self._given: GoldColumns = {}
        self._gold: GoldColumns = {} if gold is None else gold
        self._measured: dict[tuple[str, str, str], _Measured] = {}

    def measured(self, metric: Metric, choice: MetricChoice, output: str) -> _Measured:
        """An output under a metric; InputError where the metric refuses what it is given."""
        options = _resolved(choice, self._task)
        key = (f"{metric.name}:{metric.version}", repr(options), output)
        if key not in self._measured:
            self._measured[key] = self._measure(metric, options, output)
        return self._measured[key]

    def _measure(self, metric: Metric, options: dict[str, Any], output: str) -> _Measured:
        metric.check_options(options)
        if (output, None) not in self._given:
            self._given[output, None] = predicted(self._task, self._examples, self.answers, output)
        sides = [_checked(self._given, output, metric, metric.predictions, "prediction")]
        references = None
        if metric.references is not None:
            if (output, None) not in self._gold:
                self._gold[output, None] = right(self._task, self._examples, output)
            references = self._gold[output, None]
            sides.append(_checked(self._gold, output, metric, metric.references, "reference"))
        score = metric.measure(tuple(sides), **options)
        return _measured(metric, options, self._given[output, None], references, score)


def _checked(
    columns: GoldColumns, output: str, metric: Metric, shape: Shape, side: str
) -> list[Any]:
    """A column as a metric takes it; checked once for all that take the same."""
    if (output, shape) not in columns:
        columns[output, shape] = metric.items(columns[output, None], shape, side)
    return columns[output, shape]


def _measured(
    metric: Metric,
    options: dict[str, Any],
    predictions: list[Any],
    references: list[Any] | None,
    score: Score,
) -> _Measured:
    classes = None
    if metric.needs_classes and references:
        classes = TwoClasses(metric, _codes(references))
    form = form_for(metric, options) or (FORMS["mean"] if score.per_item else None)
    rows = None
    if score.per_item:
        rows = mean_rows(score.per_item)
    elif form is not None:
        rows = form.rows(metric, predictions, references, **options)
    if classes is not None and classes.lacking():
        score = Score.undefined(one_class(metric), n=score.n, parts=score.parts)
    return _Measured(
        metric=metric,
        options=options,
        predictions=predictions,
        references=references,
        score=score,
        form=form,
        rows=rows,
        classes=classes,
    )


def _resolved(choice: MetricChoice, task: Task) -> dict[str, Any]:
    """The options; a model file of the task lies in its folder."""
    options = dict(choice.options)
    if isinstance(options.get("model"), str) and task.folder:
        options["model"] = str(Path(task.folder) / options["model"])
    return options


def _codes(references: Sequence[Any]) -> Numbers:
    place: dict[Any, int] = {}
    return np.array([place.setdefault(reference, len(place)) for reference in references])


def _sums(fields: Sequence[_Measured]) -> Additive | None:
    pairs = [(f.form, f.rows) for f in fields if f.form is not None and f.rows is not None]
    if len(pairs) < len(fields):
        return None
    metric = fields[0].metric
    if (rows := _mean_over_fields(fields)) is not None:
        return additive(FORMS["mean"], rows, (metric.low, metric.high))
    return additive(*pairs[0]) if len(pairs) == 1 else mean_of_fields(pairs)


def _interval(fields: Sequence[_Measured], sums: Additive | None) -> tuple[Interval | None, str]:
    if sums is not None:
        found = sums.estimate()
        return found.interval, found.reason
    if len(fields) > 1:
        return None, "the mean over fields of such a metric has no interval"
    only = fields[0]
    return recomputed_interval(only.metric, only.predictions, only.references, **only.options)


def _kept(fields: Sequence[_Measured]) -> tuple[str, Numbers | None]:
    """The form and rows that are stored: those of one field, or the mean of means."""
    if (rows := _mean_over_fields(fields)) is not None:
        return "mean", rows
    if len(fields) == 1:
        only = fields[0]
        return (only.form.name if only.form else ""), only.rows
    return "", None


def _mean_over_fields(fields: Sequence[_Measured]) -> Numbers | None:
    """What each item adds to a mean over items, of several fields their mean; None for other metrics.

    An item that lacks one of several fields would count for some of them only: there it is no mean
    over items either.
    """
    tables = [field.rows for field in fields if field.form is FORMS["mean"]]
    if len(tables) < len(fields) or any(rows is None for rows in tables):
        return None
    if len(fields) == 1:
        return fields[0].rows
    values = [rows[:, 0] for rows in tables if rows is not None and rows[:, 1].all()]
    return mean_rows(np.mean(values, axis=0)) if len(values) == len(fields) else None


def _by_tag(examples: Sequence[Example], fields: Sequence[_Measured]) -> dict[str, Any]:
    if not any(example.tags for example in examples):
        return {}
    sums = _sums(fields)
    if sums is not None:
        listed = scores_by_tag(examples, sums, fields[0].classes)
    elif len(fields) == 1:
        listed = recomputed_by_tag(examples, fields[0].compute)
    else:
        return {}
    return {"perf_by_tag": listed, "mean_of_tags": mean_of_tags(listed)}


def _measure(metric: Metric) -> dict[str, Any]:
    """What a metric of the researcher's own says of itself: who reads its scores runs no Python."""
    if metric.family != "own":
        return {}
    facts = {"title": metric.title, "unit": metric.unit, "direction": metric.direction}
    return {"measure": facts}


def _parts(choice: MetricChoice, fields: Sequence[_Measured]) -> dict[str, Any]:
    if len(fields) > 1:
        values = {o: plain(f.score.value) for o, f in zip(choice.fields, fields, strict=True)}
        return {"fields": values}
    told = plain(fields[0].score)
    parts: dict[str, Any] = dict(told.get("parts", {}))
    if len(parts.get("confusion", {}).get("labels", ())) > MOST_CLASSES:
        del parts["confusion"]
    for name in ("signature", "warnings"):
        if name in told:
            parts[name] = told[name]
    return parts
