"""Baselines of a task: learnt from a data set or a file, measured as a run would measure them.

What is measured on is never learnt from: another file or data set, or else a tenth that is taken out
first. The tenth that stops a training is taken from the rest.
"""

import asyncio
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from palaver.core.errors import AnswerError, InputError, UnknownNameError
from palaver.core.evaluation.datasets import Dataset
from palaver.core.serial import plain
from palaver.core.tasks import Example, Task
from palaver.core.words import counted
from palaver.evaluation.datasets import list_datasets, read_examples
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.scoring.functions import find_function, score_function
from palaver.evaluation.scoring.result import Scored
from palaver.evaluation.scoring.scores import score_choice
from palaver.evaluation.tasks import find_task
from palaver.formats.datasets.reader import DatasetReader, SourceFile
from palaver.formats.datasets.registry import detect_reader
from palaver.models.baselines.examples import NothingToLearnError, part_numbers, write_examples
from palaver.models.baselines.fitting import (
    BaselinePlan,
    check_place,
    chosen_kinds,
    gold_example,
    layout_of,
    make_baseline,
)
from palaver.models.baselines.layout import TaskLayout
from palaver.models.training.progress import Silence, TrainingProgress
from palaver.storage.evaluation.models import model_named, submitter_of
from palaver.systems.build import build_predictor

CHECKPOINT = "checkpoint"
# The part of ten that is measured on where no other data are given.
_MEASURED_PART = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskExamples:
    """Examples of a task and where they are from; `counts` says whether they count on its board."""

    name: str
    examples: Sequence[Example]
    counts: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskBaseline:
    """A baseline and its score; `reason` says why there is none, or no interval.

    One that found nothing to learn has no checkpoint.
    """

    kind: str
    checkpoint: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskBaselines:
    """Which baselines of a task are made, from what, and why others are not."""

    task: Task
    learnt: TaskExamples
    measured: TaskExamples
    kinds: Sequence[str]
    unfit: Mapping[str, str]
    notes: tuple[str, ...] = ()
    layout: TaskLayout = field(repr=False)


def plan_baselines(
    task: Task,
    data: TaskExamples,
    *,
    test: TaskExamples | None = None,
    only: Sequence[str] = (),
) -> TaskBaselines:
    """What will be made; InputError where no baseline fits, or there is too little to learn from."""
    layout = layout_of(task)
    kinds, unfit = chosen_kinds(layout, only)
    if test is None:
        learnt, measured = _divided(task, layout, data)
    else:
        learnt, measured = data, test
    if not learnt.examples or not measured.examples:
        empty = learnt if not learnt.examples else measured
        raise InputError(f"{empty.name} has no items.")
    notes = [_known_note(task, learnt, measured)] if test is not None else []
    if data.counts:
        notes.append(
            f"{data.name} counts on the board of {task.name}, and its items are learnt from: scores "
            "there will flatter. Learn from other data with --data FILE."
        )
    return TaskBaselines(
        task=task,
        learnt=learnt,
        measured=measured,
        kinds=kinds,
        unfit=unfit,
        notes=tuple(filter(None, notes)),
        layout=layout,
    )


def make_baselines(
    plan: TaskBaselines,
    folder: Path,
    *,
    seed: int = 1,
    device: str = "auto",
    overwrite: bool = False,
    progress: TrainingProgress | None = None,
) -> Iterator[TaskBaseline]:
    """Make one after another, each a checkpoint in `folder`, and measure it.

    One that finds nothing to learn says so and does not keep others from being made.
    """
    progress = progress or Silence()
    for kind in plan.kinds:
        check_place(folder / kind, overwrite=overwrite)
    with tempfile.TemporaryDirectory(prefix="palaver-baselines-") as inside:
        train, test = _files(Path(inside), plan)
        for path, side in ((train, plan.learnt), (test, plan.measured)):
            write_examples(path, plan.layout, [gold_example(plan.task, e) for e in side.examples])
        for kind in plan.kinds:
            progress.note(f"{kind}: learning from {counted(len(plan.learnt.examples), 'item')}")
            made = BaselinePlan(
                kind=kind,
                train=train,
                test=test,
                folder=folder / kind,
                seed=seed,
                device=device,
                overwrite=overwrite,
            )
            try:
                make_baseline(made, progress)
            except NothingToLearnError as error:
                yield _unmeasured(kind, "", str(error))
            else:
                yield _measured(plan, kind, folder / kind)


def check_names(home: EvaluationHome, task: Task, kinds: Sequence[str]) -> None:
    """InputError where a baseline would become a version of another model of the task."""
    taken = home.store.read_now(lambda c: [each for each in kinds if _is_taken(c, task.name, each)])
    if taken:
        raise InputError(
            f"{task.name} has another model called '{taken[0]}', which the baseline would replace. "
            "Leave --add out, and add it under a name of its own with 'palaver model add'."
        )


def file_examples(task: Task, path: Path) -> TaskExamples:
    """The items of a file, in any format that a data set of the task may have."""
    source = SourceFile(path, path.name)
    fields = {each.name for each in task.asked} | set(task.gold.values())
    found: dict[str, Example] = {}
    for row in _reader(source, task, fields).read([source]):
        where = f"{path}:{row.line}"
        if row.problem:
            raise InputError(f"{where}: {row.problem}")
        if row.record is None:
            continue
        try:
            example = task.read_example(row.record)
        except InputError as error:
            raise InputError(f"{where}: {error}") from error
        if example.uid in found:
            raise InputError(f"{where}: the uid '{example.uid}' is used twice.")
        found[example.uid] = example
    return TaskExamples(name=path.name, examples=tuple(found.values()))


def stored_examples(home: EvaluationHome, task: Task, name: str | None) -> TaskExamples:
    """The items of a stored data set: of that name, or else the one that is best to learn from.

    That is one that is no variant of another: first one that does not count on the board, then any
    that is not hidden.
    """
    sets = home.store.read_now(lambda c: _stored_sets(c, task.name))
    if name is not None:
        chosen = next((each for each in sets if each.name == name), None)
        if chosen is None:
            known = ", ".join(each.name for each in sets) or "none yet"
            raise UnknownNameError(
                f"No file and no data set of '{task.name}' is called '{name}'. Data sets: {known}."
            )
    else:
        chosen = _best_to_learn_from(sets)
        if chosen is None:
            raise _no_data(task)
    examples = read_examples(home, task, chosen)
    return TaskExamples(name=chosen.name, examples=examples, counts=chosen.access == "scoring")


def chosen_examples(home: EvaluationHome | None, task: Task, named: str | None) -> TaskExamples:
    """The items of what somebody names: a file, or a data set of the home, by default its best."""
    if named is not None and Path(named).is_file():
        return file_examples(task, Path(named))
    if home is None:
        if named is None:
            raise _no_data(task)
        raise InputError(f"There is no file {named}, and no home with data sets of '{task.name}'.")
    return stored_examples(home, task, named)


def described(kind: str) -> str:
    """What is told of a baseline that is added as a model."""
    told = {
        "majority": "Baseline: the commonest answer.",
        "return-context": "Baseline: what was asked, given back.",
        "ngrams": "Baseline: a linear classifier over counted words.",
        "averages": "Baseline: averaged vectors of words.",
    }
    return told.get(kind, f"Baseline: {kind}.")


def _divided(
    task: Task, layout: TaskLayout, data: TaskExamples
) -> tuple[TaskExamples, TaskExamples]:
    """The examples without a tenth, and that tenth."""
    parts = part_numbers(layout, [task.question(each) for each in data.examples])
    pairs = list(zip(data.examples, parts, strict=True))
    learnt = tuple(each for each, part in pairs if part != _MEASURED_PART)
    measured = tuple(each for each, part in pairs if part == _MEASURED_PART)
    return (
        TaskExamples(name=data.name, examples=learnt),
        TaskExamples(name=f"a tenth of {data.name}", examples=measured),
    )


def _measured(plan: TaskBaselines, kind: str, folder: Path) -> TaskBaseline:
    task, examples = plan.task, plan.measured.examples
    place = str(folder)
    questions = [task.question(each) for each in examples]
    try:
        records = asyncio.run(_asked(folder, questions))
        answers = [
            task.read_answer(record, example).values
            for record, example in zip(records, examples, strict=True)
        ]
    except AnswerError as error:
        return _unmeasured(kind, place, str(error))
    scored = _score(task, examples, answers)
    return TaskBaseline(
        kind=kind,
        checkpoint=place,
        value=plain(scored.value),
        low=scored.interval.low if scored.interval else None,
        high=scored.interval.high if scored.interval else None,
        n=scored.n,
        reason=scored.reason,
    )


def _unmeasured(kind: str, checkpoint: str, reason: str) -> TaskBaseline:
    return TaskBaseline(
        kind=kind, checkpoint=checkpoint, value=None, low=None, high=None, n=0, reason=reason
    )


async def _asked(folder: Path, questions: Sequence[Mapping[str, Any]]) -> list[Any]:
    """What the checkpoint answers, asked as a run asks it."""
    predictor = build_predictor(CHECKPOINT, {"checkpoint": str(folder.resolve())}, folder=folder)
    try:
        await predictor.start()
        found: list[Any] = []
        for start in range(0, len(questions), predictor.batch):
            replies = await predictor.predict(questions[start : start + predictor.batch])
            found += [reply.record for reply in replies]
        return found
    finally:
        await predictor.close()


def _score(task: Task, examples: Sequence[Example], answers: Sequence[Mapping[str, Any]]) -> Scored:
    """The performance: by the task's own function where that computes it, else by its metric."""
    if task.function:
        function = find_function(task.function, Path(task.folder or "."))
        own = score_function(function, examples, answers, performance=task.performance.key)
        for each in own:
            if each.metric == task.performance.key:
                return each
    return score_choice(task, task.performance, examples, answers)


def _files(folder: Path, plan: TaskBaselines) -> tuple[Path, Path]:
    """Where examples are written, under names that a card can tell."""
    learnt, measured = plan.learnt.name, plan.measured.name
    other = "other items" if learnt == measured else "items"
    return folder / f"items of {learnt}", folder / f"{other} of {measured}"


def _known_note(task: Task, learnt: TaskExamples, measured: TaskExamples) -> str:
    """How many of the items that are measured on were learnt from, asked the very same; empty: none."""
    known = {repr(_bare(task, each)) for each in learnt.examples}
    same = sum(repr(_bare(task, each)) in known for each in measured.examples)
    if not same:
        return ""
    return (
        f"{same:,} of the {len(measured.examples):,} items of {measured.name} are asked in "
        f"{learnt.name} as well, so they were learnt from."
    )


def _bare(task: Task, example: Example) -> list[Any]:
    return [example.values[each.name] for each in task.asked]


def _reader(source: SourceFile, task: Task, fields: set[str]) -> DatasetReader:
    try:
        return detect_reader([source], task=task.name, fields=fields)
    except InputError as error:
        more = (
            f" So add it as a data set first: palaver dataset add {task.name} NAME {source.path} …"
        )
        raise InputError(f"{error}{more if '--map' in str(error) else ''}") from error


def _is_taken(connection: Connection, task: str, name: str) -> bool:
    """Whether a model of that name is no checkpoint, or is that of a team."""
    try:
        known = model_named(connection, find_task(connection, task).id, name)
    except UnknownNameError:
        return False
    if known is None:
        return False
    return known.kind != CHECKPOINT or submitter_of(connection, known.id) is not None


def _stored_sets(connection: Connection, task: str) -> list[Dataset]:
    """The data sets of a task; a built-in task that nobody used has none."""
    try:
        return list_datasets(connection, find_task(connection, task).id)
    except UnknownNameError:
        return []


def _best_to_learn_from(sets: Sequence[Dataset]) -> Dataset | None:
    usable = [each for each in sets if each.parent_id is None and each.access != "hidden"]
    return min(usable, key=lambda each: each.access == "scoring", default=None)


def _no_data(task: Task) -> InputError:
    return InputError(
        f"There is nothing to learn '{task.name}' from. Give --data FILE, or add a data set: "
        f"palaver dataset add {task.name} NAME FILE --access standard"
    )
