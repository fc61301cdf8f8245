"""The page of one data set: its versions, what is in it, and what came of its runs."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sqlalchemy import Connection

from palaver.core.errors import InputError
from palaver.core.evaluation.datasets import Dataset, DatasetSheet, DatasetVersion
from palaver.core.evaluation.runs import Run
from palaver.evaluation.datasets import describe_dataset, list_datasets, list_versions
from palaver.evaluation.datasets.registration import MOST_ABOUT, MOST_ROUND
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.models.views import task_models
from palaver.evaluation.runs.results import read_runs
from palaver.evaluation.scoring.answers import AnsweredItem
from palaver.web.desk.frame import DeskShell
from palaver.web.desk.tasks.request import AskedTask
from palaver.web.desk.tasks.runs import RunTable, read_run_table


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetPage:
    """One data set and those made from it; `problem` says why there is no `sheet` of its items.

    `form` holds what the fields show: what is stored, or what was typed and refused with an `error`.
    """

    template: ClassVar[str] = "desk/tasks/dataset.html"
    most_tags: ClassVar[int] = 60
    longest_about: ClassVar[int] = MOST_ABOUT
    most_round: ClassVar[int] = MOST_ROUND
    shell: DeskShell
    asked: AskedTask
    dataset: Dataset
    children: tuple[Dataset, ...]
    versions: tuple[DatasetVersion, ...]
    # How often each version was run, by its id.
    used: Mapping[int, int]
    sheet: DatasetSheet | None
    sample: tuple[AnsweredItem, ...]
    problem: str
    runs: RunTable
    form: Mapping[str, str]
    may_change: bool
    done: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Content:
    """What a data set holds, or why it cannot be read."""

    sheet: DatasetSheet | None
    problem: str = ""


def read_content(home: EvaluationHome, asked: AskedTask, name: str) -> Content:
    """The content of a data set, read from the object store: call it on a thread."""
    try:
        return Content(describe_dataset(home, asked.row, asked.task, name))
    except InputError as error:
        return Content(None, str(error))


def read_dataset_page(
    connection: Connection,
    asked: AskedTask,
    dataset: Dataset,
    content: Content,
    *,
    shell: DeskShell,
    may_change: bool,
    typed: Mapping[str, str],
) -> DatasetPage:
    every = list_datasets(connection, asked.row.id)
    runs = read_runs(connection, task=asked.row.name, dataset=dataset.name).runs
    models = {model.id: model for model in task_models(connection, asked.row)}
    current = {each.version_id for each in models.values() if each.retired is None}
    sheet = content.sheet

    def is_newest(run: Run) -> bool:
        return run.dataset_version_id == dataset.version_id and run.model_version_id in current

    def named(each: Run) -> tuple[str, str, str]:
        model = models[each.model_id]
        note = "retired" if model.retired is not None else model.kind
        return model.name, f"{asked.address}/models/{model.key}", note

    return DatasetPage(
        shell=shell,
        asked=asked,
        dataset=dataset,
        children=tuple(each for each in every if each.parent_id == dataset.id),
        versions=tuple(list_versions(connection, dataset.id)),
        used=Counter(each.dataset_version_id for each in runs),
        sheet=sheet,
        sample=tuple(
            AnsweredItem(task=asked.task, number=n, example=each)
            for n, each in enumerate(sheet.examples if sheet else (), start=1)
        ),
        problem=content.problem,
        runs=read_run_table(
            connection,
            runs,
            asked.measures,
            noun="Model",
            naming=named,
            newest=is_newest,
            address=asked.address,
        ),
        form={**_form(dataset), **typed},
        may_change=may_change,
    )


def _form(dataset: Dataset) -> dict[str, str]:
    """What the fields show before anybody types."""
    return {
        "access": dataset.access,
        "about": dataset.about,
        "round": str(dataset.round or ""),
    }
