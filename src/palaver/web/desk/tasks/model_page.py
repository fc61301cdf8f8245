"""The page of one model: its versions, how it is reached, and what came of its runs."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sqlalchemy import Connection

from palaver.core.evaluation.models import ModelSheet
from palaver.core.evaluation.runs import Run
from palaver.evaluation.datasets import list_datasets
from palaver.evaluation.models.views import model_runs
from palaver.web.desk.frame import DeskShell
from palaver.web.desk.tasks.matrix import dataset_url
from palaver.web.desk.tasks.request import AskedTask
from palaver.web.desk.tasks.runs import RunTable, read_run_table


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPage:
    """One model; its forms post to its own address and a word."""

    template: ClassVar[str] = "desk/tasks/model.html"
    shell: DeskShell
    asked: AskedTask
    model: ModelSheet
    # How often each version was run, by its id.
    used: Mapping[int, int]
    runs: RunTable
    may_change: bool
    done: str = ""


def read_model_page(
    connection: Connection,
    asked: AskedTask,
    model: ModelSheet,
    *,
    shell: DeskShell,
    may_change: bool,
    done: str,
) -> ModelPage:
    """Everything about a model; how it is reached is shown to those who may change it."""
    runs = model_runs(connection, model)
    current = {dataset.version_id for dataset in list_datasets(connection, asked.row.id)}

    def is_newest(run: Run) -> bool:
        return run.model_version_id == model.version_id and run.dataset_version_id in current

    return ModelPage(
        shell=shell,
        asked=asked,
        model=model,
        used=Counter(each.model_version_id for each in runs),
        runs=read_run_table(
            connection,
            runs,
            asked.measures,
            noun="Data set",
            naming=lambda each: (each.dataset, dataset_url(asked.address, each.dataset), ""),
            newest=is_newest,
            address=asked.address,
        ),
        may_change=may_change,
        done=done,
    )
