"""The study that a command changes: its file, and its row in the store."""

from dataclasses import dataclass
from pathlib import Path

from palaver.core.errors import InputError
from palaver.core.registry import near
from palaver.storage import Store
from palaver.storage.studies.studies import list_studies
from palaver.studies.file.definition import Study
from palaver.studies.file.reader import load_studies


@dataclass(frozen=True, slots=True)
class ServedStudy:
    """A study with its id in the store."""

    id: int
    definition: Study


def stored_studies(store: Store, path: Path) -> list[ServedStudy]:
    """The studies at a path that the store knows; InputError if it knows none of them."""
    ids = {study.name: study.id for study in store.read_now(list_studies)}
    found = load_studies(path)
    known = [ServedStudy(ids[study.name], study) for study in found if study.name in ids]
    if not known:
        names = ", ".join(f"'{study.name}'" for study in found)
        raise InputError(f"Nothing is stored of {names} here. Name the home with --home.")
    return known


def chosen_study(store: Store, path: Path, name: str | None) -> ServedStudy:
    """The one study that is meant; InputError if there are several and none is named."""
    known = {study.definition.name: study for study in stored_studies(store, path)}
    if name is None and len(known) == 1:
        return next(iter(known.values()))
    if name is None:
        raise InputError(f"There are several studies at {path}: name one with --study.")
    if name not in known:
        raise InputError(f"There is no study '{name}' here.{near(name, list(known))}")
    return known[name]
