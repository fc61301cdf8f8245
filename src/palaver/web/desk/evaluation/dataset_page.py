"""The page of one data set: its versions, what is in it, and what came of its runs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from palaver.core.errors import InputError
from palaver.core.evaluation.runs import Run
from palaver.core.words import counted
from palaver.evaluation.datasets.describing import DatasetSheet, describe_dataset
from palaver.evaluation.home import EvaluationHome
from palaver.storage.evaluation.datasets import (
    DatasetVersion,
    StoredDataset,
    list_datasets,
    list_versions,
)
from palaver.storage.evaluation.models import list_models
from palaver.storage.evaluation.runs import list_runs
from palaver.web.desk.evaluation.asking import AskedTask
from palaver.web.desk.evaluation.items import example_item
from palaver.web.desk.evaluation.matrix import dataset_url
from palaver.web.desk.evaluation.pages import DatasetPage, LabelCounts
from palaver.web.desk.evaluation.parts import Bar, VersionRow
from palaver.web.desk.evaluation.run_tables import read_run_table
from palaver.web.desk.pages import DeskShell, Fact
from palaver.web.formatting import moment
from palaver.web.pages import Choice

SHORT_DIGEST = 12
MOST_TAGS = 60
ACCESS = {
    "scoring": "scoring: it counts on the board",
    "standard": "standard: shown, not counted",
    "hidden": "hidden from the public pages",
}


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
    dataset: StoredDataset,
    content: Content,
    *,
    shell: DeskShell,
) -> DatasetPage:
    """Everything about a data set."""
    every = list_datasets(connection, asked.row.id)
    runs = [
        each
        for each in list_runs(connection, task_id=asked.row.id)
        if each.dataset_id == dataset.id
    ]
    models = {each.id: each for each in list_models(connection, asked.row.id)}
    current = {each.version.id for each in models.values() if each.retired is None}
    sheet = content.sheet

    def is_newest(run: Run) -> bool:
        return run.dataset_version_id == dataset.version.id and run.model_version_id in current

    def named(each: Run) -> tuple[str, str, str]:
        model = models[each.model_id]
        note = "retired" if model.retired is not None else model.version.kind
        return model.name, f"{asked.address}/models/{model.key}", note

    return DatasetPage(
        shell=shell,
        task_title=asked.title,
        task_url=asked.address,
        name=dataset.name,
        access=dataset.access,
        about=dataset.about,
        facts=_facts(dataset, every, asked.address),
        children=tuple(
            Choice(
                label=f"{each.name} ({each.kind or 'made from it'})",
                url=dataset_url(asked.address, each.name),
            )
            for each in every
            if each.parent_id == dataset.id
        ),
        versions=_versions(list_versions(connection, dataset.id), runs),
        labels=_labels(sheet.labels if sheet else {}),
        tags=_bars(sheet.tags if sheet else {})[:MOST_TAGS],
        tag_total=len(sheet.tags) if sheet else 0,
        sample=tuple(
            example_item(asked.task, each, number=n)
            for n, each in enumerate(sheet.sample if sheet else (), start=1)
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
    )


def _facts(
    dataset: StoredDataset, every: Sequence[StoredDataset], address: str
) -> tuple[Fact, ...]:
    version = dataset.version
    parent = next((each.name for each in every if each.id == dataset.parent_id), "")
    told = (
        Fact(name="Items", value=f"{version.items:,}"),
        Fact(name="Version", value=f"{version.number}, {version.digest[:SHORT_DIGEST]}"),
        Fact(name="Access", value=ACCESS[dataset.access]),
        Fact(name="Made from", value=parent, url=dataset_url(address, parent) if parent else ""),
        Fact(name="Kind of variants", value=dataset.kind or ""),
        Fact(name="Source", value=dataset.source),
        Fact(name="An evaluation of its own", value=dataset.function),
    )
    return tuple(fact for fact in told if fact.value)


def _versions(versions: Sequence[DatasetVersion], runs: Sequence[Run]) -> tuple[VersionRow, ...]:
    used = Counter(each.dataset_version_id for each in runs)
    return tuple(
        VersionRow(
            number=each.number,
            words=counted(each.items, "item"),
            digest=each.digest[:SHORT_DIGEST],
            created=moment(each.created),
            runs=used[each.id],
        )
        for each in reversed(versions)
    )


def _labels(labels: Mapping[str, Mapping[str, int]]) -> tuple[LabelCounts, ...]:
    return tuple(LabelCounts(field=field, bars=_bars(counts)) for field, counts in labels.items())


def _bars(counts: Mapping[str, int]) -> tuple[Bar, ...]:
    most = max(counts.values(), default=1)
    return tuple(Bar(name=name, count=count, of=most) for name, count in counts.items())
