"""An open home of the evaluation server: its store, its files, its settings."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from palaver.evaluation.settings import EvaluationSettings, load_settings
from palaver.storage import Store
from palaver.storage.objects import Objects, open_objects


@dataclass(frozen=True, slots=True)
class EvaluationHome:
    """What every part of the evaluation server works on."""

    folder: Path
    store: Store
    objects: Objects
    settings: EvaluationSettings


def evaluation_home(folder: Path, store: Store) -> EvaluationHome:
    """The home at `folder` with a store that is open already."""
    settings = load_settings(folder)
    return EvaluationHome(folder, store, open_objects(settings.objects, folder=folder), settings)


@contextmanager
def open_evaluation(folder: Path, database_url: str) -> Iterator[EvaluationHome]:
    """The home at `folder`, opened for a command and closed after it."""
    folder.mkdir(parents=True, exist_ok=True)
    store = Store(database_url)
    try:
        yield evaluation_home(folder, store)
    finally:
        store.close()
