"""What a round is in the home: its situations as a data set, its models, and one run for each.

The data set is hidden and the models are off the board of the task: they are asked what this round
asks, and nothing else. Answers of a model outlive a change of the way it is asked (more time, smaller
batches) and of other situations of the round: what was asked before is not asked again.
"""

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection

from palaver.core.errors import InputError
from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.models import Model, ModelVersion
from palaver.core.evaluation.runs import Prediction, Run
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.situations import Situation
from palaver.core.tasks import Task
from palaver.core.words import listed
from palaver.evaluation.datasets import read_examples
from palaver.evaluation.datasets.registration import RunPlanner, add_dataset
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.models.files import LIST
from palaver.evaluation.models.registration import add_model
from palaver.evaluation.runs.outcomes import cancel_run, retry_run
from palaver.evaluation.runs.plans import plan_pairs
from palaver.evaluation.tasks import add_task, builtin_task, ensure_task, stored_task
from palaver.storage.evaluation.datasets import find_version
from palaver.storage.evaluation.models import find_model_version, model_named, set_model
from palaver.storage.evaluation.predictions import append_predictions, read_predictions
from palaver.storage.evaluation.runs import count_answers, find_run_by_id, list_runs
from palaver.studies.advice.models_file import ModelEntry
from palaver.systems.options import PredictorOptions, WebOptions

TASK = "advice"
SUBREDDIT = "Advice"
# What says how a model is asked, and nothing about what it answers.
MANNER = frozenset({*PredictorOptions.model_fields, *WebOptions.model_fields}) - {"headers"}
_ODD = re.compile(r"[^a-zA-Z0-9]+")


def set_name(file: Path) -> str:
    """What the situations of a file are called in the home: after its folder and itself."""
    whole = file.resolve()
    stem = whole.name.partition(".")[0]
    return _ODD.sub("-", f"{whole.parent.name}-{stem}").strip("-")[-62:].strip("-") or "situations"


def advice_task(connection: Connection, *, now: float) -> StoredTask:
    """The task of the home, brought up to date where it is an earlier one of ours.

    InputError where somebody's own task has its name and other fields.
    """
    row = ensure_task(connection, TASK, now=now)
    task, ours = stored_task(row), builtin_task(TASK)
    known = {each.name for each in task.asked}
    if {"title", "situation"} - known or "advice" not in {each.name for each in task.outputs}:
        raise InputError(
            f"The task '{TASK}' of this home asks for {listed(sorted(known))}; models are asked for "
            "advice with title, situation and subreddit. Use another home (--home)."
        )
    earlier = tuple(each for each in ours.inputs if each.name != "subreddit")
    if task == replace(ours, inputs=earlier):
        add_task(connection, ours, now=now)
        row = ensure_task(connection, TASK, now=now)
    return row


def take_situations(
    home: EvaluationHome,
    row: StoredTask,
    situations: Sequence[Situation],
    *,
    name: str,
    now: float,
    plan: RunPlanner = lambda connection, task_row, dataset, *, now: [],
) -> Dataset:
    """The situations as a data set of the home; the same ones again change nothing."""
    _check(situations)
    with tempfile.TemporaryDirectory(prefix="palaver-") as folder:
        file = Path(folder) / "situations.jsonl"
        file.write_bytes(
            b"".join(msgspec.json.encode(_record(each)) + b"\n" for each in situations)
        )
        return add_dataset(
            home,
            row,
            stored_task(row),
            name=name,
            source=str(file),
            reader="palaver",
            access="hidden",
            about="Situations of a round: models are asked for advice, and people compare it.",
            sent_as="situations.jsonl",
            now=now,
            plan=plan,
        )


def holds_situations(
    home: EvaluationHome, task: Task, dataset: Dataset, situations: Sequence[Situation]
) -> bool:
    """Whether a data set asks about these situations and no others."""
    version = home.store.read_now(lambda c: find_version(c, dataset.version_id))
    known = sorted(_key(task.question(each)) for each in read_examples(home, task, version))
    asked = (task.question(task.read_example(_record(each))) for each in situations)
    return known == sorted(map(_key, asked))


def plan_model(
    home: EvaluationHome, row: StoredTask, dataset: Dataset, entry: ModelEntry, *, now: float
) -> Run:
    """Register a model and have it asked what it has not answered yet; its run.

    InputError says why it cannot be asked.
    """
    known = home.store.read_now(lambda c: model_named(c, row.id, entry.name))
    if known is not None and known.submitter_id is not None:
        raise InputError(
            f"A team has submitted a model called '{entry.name}' to this home. Call this one "
            "something else."
        )
    is_apart = known is None or known.retired is not None
    planned: list[Run] = []

    def plan(
        connection: Connection, task_row: StoredTask, model: Model, *, now: float
    ) -> list[Run]:
        if is_apart:
            set_model(connection, model.id, retired=now)
        planned.append(_planned(home, connection, task_row, dataset, model, now=now))
        return planned

    add_model(
        home,
        row,
        stored_task(row),
        name=entry.name,
        kind=entry.kind,
        options=entry.options,
        folder=entry.folder,
        link=entry.card.link,
        now=now,
        plan=plan,
    )
    return planned[0]


def _planned(
    home: EvaluationHome,
    connection: Connection,
    row: StoredTask,
    dataset: Dataset,
    model: Model,
    *,
    now: float,
) -> Run:
    (run,) = plan_pairs(connection, row, [model], [dataset], now=now)
    others = [
        each
        for each in list_runs(connection, task_id=row.id)
        if (each.model_id, each.dataset_id) == (model.id, dataset.id) and each.id != run.id
    ]
    if run.state == "waiting" and not run.asked:
        _carry_over(home, connection, stored_task(row), run, others)
    for each in others:
        if not each.is_over:
            cancel_run(connection, each, now=now)
    if run.state in ("failed", "cancelled"):
        retry_run(connection, run)
    return find_run_by_id(connection, run.id)


def _carry_over(
    home: EvaluationHome, connection: Connection, task: Task, run: Run, earlier: Sequence[Run]
) -> None:
    """Give a run the answers that the same model gave to the same questions before."""
    way = _way(home, find_model_version(connection, run.model_version_id))
    examples = read_examples(home, task, find_version(connection, run.dataset_version_id))
    asked = [task.question(each) for each in examples]
    found: dict[str, Prediction] = {}
    for each in earlier:
        if not each.asked:
            continue
        if _way(home, find_model_version(connection, each.model_version_id)) != way:
            continue
        before = read_examples(home, task, find_version(connection, each.dataset_version_id))
        questions = [task.question(example) for example in before]
        for answer in read_predictions(connection, each.id):
            if answer.answer is not None:
                found[_key(questions[answer.position])] = answer
    kept = [
        replace(found[key], position=position)
        for position, key in enumerate(map(_key, asked))
        if key in found
    ]
    if kept:
        append_predictions(connection, run.id, kept)
        seconds = sum(each.seconds for each in kept)
        count_answers(connection, run.id, answered=len(kept), refused=0, busy_seconds=seconds)


def _way(home: EvaluationHome, version: ModelVersion) -> tuple[str, str, bytes]:
    """What of a version decides what it answers: its kind, its options and its files."""
    options = {name: value for name, value in version.options.items() if name not in MANNER}
    files = home.objects.read(f"{version.folder}/{LIST}") if version.folder else b""
    return version.kind, _key(options), files


def _key(record: Mapping[str, Any]) -> str:
    return msgspec.json.encode(record, order="deterministic").decode()


def _record(situation: Situation) -> dict[str, Any]:
    best = situation.best
    return {
        "uid": situation.id,
        "title": situation.title,
        "situation": situation.text,
        "subreddit": situation.subreddit or SUBREDDIT,
        "advice": "" if best is None else best.body,
    }


def _check(situations: Sequence[Situation]) -> None:
    if not situations:
        raise InputError("There are no situations to ask about.")
    seen: set[str] = set()
    for each in situations:
        if not each.id or each.id in seen:
            told = f"'{each.id}' stands twice" if each.id else "one has no id"
            raise InputError(f"Situations need ids of their own; {told}.")
        seen.add(each.id)
