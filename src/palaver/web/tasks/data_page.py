"""The data sets of a task for readers: what is in them and which counts, without gold."""

from collections import Counter
from dataclasses import dataclass

from sqlalchemy import Connection

from palaver.core.words import counted
from palaver.evaluation.datasets import read_examples
from palaver.storage.evaluation.datasets import (
    DatasetVersion,
    StoredDataset,
    list_datasets,
    list_versions,
)
from palaver.web.formatting import moment
from palaver.web.tasks.access import Visit, task_shell
from palaver.web.tasks.model_page import safe_link
from palaver.web.tasks.pages.datasets import DataPage, DataSet
from palaver.web.tasks.pages.parts import Version

MOST_TAGS = 40
ACCESS_NOTES = {
    "scoring": "It counts on the board.",
    "standard": "Models are evaluated on it, and their pages show it. It does not count.",
}


@dataclass(frozen=True, slots=True)
class Listed:
    """A data set that is not hidden, its versions, and those made from it by perturbation."""

    dataset: StoredDataset
    versions: tuple[DatasetVersion, ...]
    variants: tuple[StoredDataset, ...]


def read_listed(connection: Connection, task_id: int) -> tuple[Listed, ...]:
    """The data sets of a task that readers may know of, oldest first."""
    known = list_datasets(connection, task_id)
    open_ones = [each for each in known if each.access != "hidden" and each.parent_id is None]
    return tuple(
        Listed(
            each,
            tuple(list_versions(connection, each.id)),
            tuple(
                other for other in known if other.parent_id == each.id and other.access != "hidden"
            ),
        )
        for each in open_ones
    )


def data_page(found: Visit, listed: tuple[Listed, ...]) -> DataPage:
    """The page; counts of tags are read once per content."""
    return DataPage(
        shell=task_shell(found, f"Data sets · {found.row.title}", "Data"),
        sets=tuple(_shown(found, each) for each in listed),
    )


def _shown(found: Visit, listed: Listed) -> DataSet:
    dataset = listed.dataset
    tags = _tags(found, dataset.version)
    return DataSet(
        name=dataset.name,
        access=dataset.access,
        access_note=ACCESS_NOTES[dataset.access],
        about=dataset.about,
        source="" if "/" in dataset.source and not safe_link(dataset.source) else dataset.source,
        source_url=safe_link(dataset.source),
        items=counted(dataset.version.items, "item"),
        tags=tuple((tag, f"{count:,}") for tag, count in tags[:MOST_TAGS]),
        more_tags=max(0, len(tags) - MOST_TAGS),
        versions=tuple(
            Version(
                number=each.number,
                made=moment(each.created),
                note=f"{counted(each.items, 'item')}, {each.digest[:12]}",
            )
            for each in reversed(listed.versions)
        ),
        variants=tuple(
            f"{each.name}: {each.kind}, {counted(each.version.items, 'variant')}"
            for each in listed.variants
        ),
    )


def _tags(found: Visit, version: DatasetVersion) -> list[tuple[str, int]]:
    """Tags with how many items have them, most frequent first."""
    kept = found.home.store.kept
    name = ("tags of a data set", version.digest, version.path)
    known: list[tuple[str, int]] | None = kept.get(name)
    if known is not None:
        return known
    examples = read_examples(found.home, found.task, version)
    counts = Counter(tag for each in examples for tag in each.tags)
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    kept.keep(name, ordered)
    return ordered
