"""Adding uploaded predictions as a model: every file is checked against its data set, then kept.

A file is JSONL (or pretty-printed objects, or an array) with `uid` or `id` and the outputs of the
task, one record per item. It is stored in the order of the data set, so that runs read it as it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection

from palaver.core.errors import AnswerError, InputError
from palaver.core.evaluation.dataset_names import known_name
from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.models import UPLOADED, AddedModel
from palaver.core.evaluation.runs import Run
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.registry import near
from palaver.core.tasks import Example, Task
from palaver.core.words import counted, listed
from palaver.evaluation.datasets import read_examples
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.models.decisions import check_name
from palaver.evaluation.models.files import version_digest
from palaver.evaluation.models.outlook import check_takes_predictions, with_outlook
from palaver.evaluation.models.registration import Plan, register, told_values
from palaver.evaluation.runs.outcomes import end_at_once
from palaver.evaluation.runs.plans import plan_for_model
from palaver.evaluation.runs.predictions import upload_path
from palaver.evaluation.scoring.result import Scored
from palaver.evaluation.scoring.uploads import score_upload
from palaver.formats.datasets.records import Record, read_records
from palaver.storage.evaluation.datasets import list_datasets
from palaver.storage.evaluation.models import model_named

# How many problems of a file are named.
SHOWN = 20

_encode = msgspec.json.Encoder().encode


class PredictionsError(InputError):
    """A file of predictions that does not fit its data set; `problems` names every place."""

    def __init__(self, name: str, problems: Sequence[str]) -> None:
        super().__init__(_told(name, problems))
        self.problems = tuple(problems)


class CheckedAnswers(bytes):
    """What `check_predictions` gave back for a data set; it is not checked again."""


def add_predictions(
    home: EvaluationHome,
    task_row: StoredTask,
    task: Task,
    *,
    name: str,
    files: Mapping[str, Path | bytes],
    partial: bool = False,
    about: str = "",
    link: str = "",
    tags: Sequence[str] = (),
    published: bool | None = None,
    anonymous: bool | None = None,
    now: float,
) -> AddedModel:
    """Register a model by its answers, as `keep_predictions` does, and say what will be ranked.

    InputError where the task takes models alone.
    """
    check_takes_predictions(task)
    added = keep_predictions(
        home,
        task_row,
        task,
        name=name,
        files=files,
        partial=partial,
        about=about,
        link=link,
        tags=tags,
        published=published,
        anonymous=anonymous,
        now=now,
    )
    return with_outlook(home, task_row, task, added)


def keep_predictions(
    home: EvaluationHome,
    task_row: StoredTask,
    task: Task,
    *,
    name: str,
    files: Mapping[str, Path | bytes],
    partial: bool = False,
    about: str = "",
    link: str = "",
    tags: Sequence[str] = (),
    published: bool | None = None,
    anonymous: bool | None = None,
    now: float,
    plan: Plan = plan_for_model,
) -> AddedModel:
    """Register a model by its answers: a file per data set, one for every scoring data set.

    Its runs are done when this returns, unless scoring takes longer than somebody should wait.
    Files that an earlier version of the model has for the same data are kept, so a data set that
    is new needs only its own file. With `partial` scoring data sets may be left out.
    """
    check_name(name)
    told = told_values(about=about, link=link, tags=tags, published=published, anonymous=anonymous)
    if not files:
        raise InputError("No predictions were given. Give DATASET=FILE for each data set.")
    known = {dataset.name: dataset for dataset in _datasets(home, task_row)}
    files = _by_dataset(files, known)
    chosen = {dataset: known[dataset] for dataset in files}
    checked = {
        dataset: _checked_file(home, task, chosen[dataset], content)
        for dataset, content in files.items()
    }
    options = _earlier_files(home, task_row, name, known)
    for dataset, content in checked.items():
        options[chosen[dataset].digest] = upload_path(task.name, name, dataset, content)
    _check_complete(known, options, partial=partial)
    scores: dict[int, tuple[Scored, ...]] = {}
    for dataset, content in checked.items():
        home.objects.put(options[chosen[dataset].digest], content)
        found = score_upload(home, task, chosen[dataset], content)
        if found is not None:
            scores[chosen[dataset].version_id] = found

    def plan_and_score(connection: Connection, *given: Any, now: float) -> list[Run]:
        due = plan(connection, *given, now=now)
        return [_scored_at_once(connection, run, scores, now=now) for run in due]

    added = home.store.write_now(
        lambda connection: register(
            connection,
            task_row,
            name=name,
            kind=UPLOADED,
            options=dict(sorted(options.items())),
            digest=version_digest(UPLOADED, options, []),
            told=told,
            now=now,
            plan=plan_and_score,
        )
    )
    return replace(added, notes=(*added.notes, *_uncounted(chosen, task_row, name)))


def check_predictions(
    task: Task, examples: Sequence[Example], content: Path | bytes, *, name: str
) -> bytes:
    """The answers as lines in the order of the data set; InputError names file, line and id."""
    wanted = {example.uid: example for example in examples}
    answers: dict[str, bytes] = {}
    places: dict[str, int] = {}
    problems: list[str] = []
    for line, record in read_records(content, name, odd_numbers=True):
        uid = _uid(record)
        problem = _problem_of_id(uid, wanted, places)
        if problem:
            problems.append(f"{name}:{line}: {problem}")
            continue
        places[uid] = line
        try:
            answer = task.read_answer(record, wanted[uid], uploaded=True)
            answers[uid] = _encode({"id": uid, **answer.values})
        except AnswerError as error:
            problems.append(f"{name}:{line}: {error}")
    problems += [f"{name}: no answer to '{uid}'." for uid in wanted if uid not in places]
    if problems:
        raise PredictionsError(name, problems)
    return b"\n".join(answers[example.uid] for example in examples) + b"\n"


def _checked_file(
    home: EvaluationHome, task: Task, dataset: Dataset, content: Path | bytes
) -> bytes:
    if isinstance(content, CheckedAnswers):
        return content
    name = str(content) if isinstance(content, Path) else f"predictions for {dataset.name}"
    return check_predictions(task, read_examples(home, task, dataset), content, name=name)


def _scored_at_once(
    connection: Connection, run: Run, scores: Mapping[int, Sequence[Scored]], *, now: float
) -> Run:
    """A run that is due, done where its scores are known already."""
    found = scores.get(run.dataset_version_id)
    if found is None:
        return run
    return end_at_once(connection, run, [each.stored(run.id) for each in found], now=now)


def _datasets(home: EvaluationHome, task_row: StoredTask) -> list[Dataset]:
    return home.store.read_now(lambda connection: list_datasets(connection, task_row.id))


def _by_dataset(
    files: Mapping[str, Path | bytes], known: Mapping[str, Dataset]
) -> dict[str, Path | bytes]:
    """The files by the data sets that their names mean; InputError where one is none, or has two."""
    found: dict[str, Path | bytes] = {}
    for given, content in files.items():
        name = known_name(given, known)
        if name is None:
            raise InputError(
                f"No data set '{given}' is stored here.{near(given, known)} See: palaver dataset list."
            )
        if name in found:
            raise InputError(
                f"Two files are for the data set '{name}', one as '{given}'; give one."
            )
        found[name] = content
    return found


def _earlier_files(
    home: EvaluationHome, task_row: StoredTask, name: str, known: Mapping[str, Dataset]
) -> dict[str, Any]:
    """The files that the model has already, for the data sets as they are now."""
    model = home.store.read_now(lambda connection: model_named(connection, task_row.id, name))
    if model is None or model.kind != UPLOADED:
        return {}
    current = {each.digest for each in known.values()}
    return {digest: path for digest, path in model.options.items() if digest in current}


def _check_complete(
    known: Mapping[str, Dataset], options: Mapping[str, Any], *, partial: bool
) -> None:
    """Raise InputError if a scoring data set has no predictions, unless that is accepted."""
    missing = [
        each.name
        for each in known.values()
        if each.digest not in options and each.access == "scoring" and each.parent_id is None
    ]
    if missing and not partial:
        raise InputError(
            f"Predictions are missing for {listed(missing)}: every scoring data set needs a file. "
            "Give DATASET=FILE for each, or add --partial: the model is then not ranked."
        )


def _uncounted(chosen: Mapping[str, Dataset], task_row: StoredTask, name: str) -> list[str]:
    """Notes on data sets that a new model is not evaluated on by itself."""
    return [
        f"{each.name} is not a scoring data set; its predictions are kept. To evaluate them: "
        f"palaver evaluate {task_row.name} --model {name} --dataset {each.name}"
        for each in chosen.values()
        if each.access != "scoring" and each.parent_id is None
    ]


def _uid(record: Record) -> str:
    return next((str(record[key]) for key in ("id", "uid") if record.get(key) is not None), "")


def _problem_of_id(uid: str, wanted: Mapping[str, Example], places: Mapping[str, int]) -> str:
    if not uid:
        return "the record has no 'uid' (or 'id')."
    if uid not in wanted:
        return f"the data set has no item '{uid}'."
    return f"'{uid}' was already answered in line {places[uid]}." if uid in places else ""


def _told(name: str, problems: Sequence[str]) -> str:
    more = len(problems) - SHOWN
    lines = [f"{name}: {counted(len(problems), 'problem')}; nothing was stored."]
    lines += [f"  {problem}" for problem in problems[:SHOWN]]
    return "\n".join([*lines, f"  … and {more:,} more."] if more > 0 else lines)
