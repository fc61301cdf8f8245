"""Registering a data set: read, convert, check, hash, keep, and plan what must be computed now.

What was decided about it, its access and what it is about, can be changed later.
"""

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy import Connection

from palaver.core.errors import InputError
from palaver.core.evaluation.datasets import Access, AddedDataset, Dataset
from palaver.core.evaluation.runs import Run
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.evaluation.variant_counts import few_variants
from palaver.core.serial import extended
from palaver.core.tasks import Task
from palaver.core.words import counted, listed
from palaver.evaluation.datasets.contents import read_uids
from palaver.evaluation.datasets.names import settle_name
from palaver.evaluation.datasets.normal_form import (
    Convert,
    Normalised,
    RecordRounds,
    converted,
    load_function,
    normalise,
)
from palaver.evaluation.datasets.replacement import Replacement, carry_over, read_replacement
from palaver.evaluation.datasets.sources import fetched, folder_of, is_address
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.runs.plans import plan_for_dataset
from palaver.formats.datasets.mapping import FieldMap
from palaver.formats.datasets.reader import OWN, DatasetReader, SourceFile
from palaver.formats.datasets.registry import DATASET_READERS, detect_reader
from palaver.storage.evaluation.datasets import (
    add_version,
    find_dataset,
    list_datasets,
    register_dataset,
)
from palaver.systems.web.destinations import Inside

KIND = re.compile(r"[a-z][a-z0-9_]{0,31}")
MOST_ABOUT = 10_000
MOST_SOURCE = 200
MOST_ROUND = 9_999


class RunPlanner(Protocol):
    """What plans the runs of a data set that was registered."""

    def __call__(
        self, connection: Connection, task_row: StoredTask, dataset: Dataset, *, now: float
    ) -> list[Run]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedDataset:
    """A data set whose content is checked and kept, and of which no row is stored yet."""

    name: str
    values: Mapping[str, Any]
    kept: "_Kept"
    # The rounds that its records name.
    said: tuple[int, ...]
    origin: "_Origin | None"
    replacement: Replacement | None
    # What its name became, and why.
    notes: tuple[str, ...]


def add_dataset(
    home: EvaluationHome,
    task_row: StoredTask,
    task: Task,
    *,
    name: str,
    source: str | Sequence[str],
    reader: str | None = None,
    mapping: FieldMap | None = None,
    convert: Convert | None = None,
    access: Access | None = None,
    about: str | None = None,
    parent: str | None = None,
    kind: str | None = None,
    function: str | None = None,
    sent_as: str | None = None,
    inside: Inside = True,
    round: int | None = None,
    now: float,
    plan: RunPlanner = plan_for_dataset,
) -> AddedDataset:
    """Check and keep a data set, and plan its runs in the transaction that registers it.

    The name becomes one of letters, digits and "-", see `datasets.names`; the warnings say so. The same
    content again makes no new version. What is None stays as it was; a new data set is a scoring one,
    of the round that its records name, if they do. `sent_as` names a file that somebody sent, of which
    the source is a copy that will not last; `inside` says whether an address may lie inside this
    network. DatasetError holds what is wrong with the records, and nothing is stored then.
    """
    prepared = prepare_dataset(
        home,
        task_row,
        task,
        name=name,
        source=source,
        reader=reader,
        mapping=mapping,
        convert=convert,
        access=access,
        about=about,
        parent=parent,
        kind=kind,
        function=function,
        sent_as=sent_as,
        inside=inside,
        round=round,
    )
    return home.store.write_now(
        lambda c: store_prepared(c, home, task_row, prepared, now=now, plan=plan)
    )


def prepare_dataset(
    home: EvaluationHome,
    task_row: StoredTask,
    task: Task,
    *,
    name: str,
    source: str | Sequence[str],
    reader: str | None = None,
    mapping: FieldMap | None = None,
    convert: Convert | None = None,
    access: Access | None = None,
    about: str | None = None,
    parent: str | None = None,
    kind: str | None = None,
    function: str | None = None,
    sent_as: str | None = None,
    inside: Inside = True,
    round: int | None = None,
) -> PreparedDataset:
    """Check the items and put them into the object store, where nothing points at them yet."""
    sources = [source] if isinstance(source, str) else list(source)
    stored = _stored(home, task_row)
    settled = settle_name(
        name,
        stored,
        task,
        sources=[] if sent_as is not None else sources,
        parent=parent,
        kind=kind,
    )
    name, known = settled.name, stored.get(settled.name)
    origin = _origin(home, task_row, known, parent=settled.parent, kind=settled.kind)
    if function:
        load_function(function, folder=folder_of(sources[0]))
    told = _told(about=about, round=round, is_variant=origin is not None)
    values = _described(known, sources, function=function, sent_as=sent_as) | {
        **told,
        "access": access or (known.access if known else "scoring"),
        "parent_id": origin.dataset.id if origin else None,
        "kind": origin.kind if origin else None,
    }
    kept = _keep(home, task, name, sources, origin, reader, mapping, convert, inside)
    said = kept.rounds if known is None and origin is None and round is None else []
    if len(said) == 1:
        values["round"] = said[0]
    replacement = read_replacement(
        home, task_row, task, known, digest=kept.found.digest, path=kept.path
    )
    return PreparedDataset(
        name=name,
        values=values,
        kept=kept,
        said=tuple(said),
        origin=origin,
        replacement=replacement,
        notes=settled.notes,
    )


def store_prepared(
    connection: Connection,
    home: EvaluationHome,
    task_row: StoredTask,
    prepared: PreparedDataset,
    *,
    now: float,
    plan: RunPlanner = plan_for_dataset,
) -> AddedDataset:
    """Register a data set that was prepared, and plan its runs."""
    found, origin = prepared.kept.found, prepared.origin
    dataset_id = register_dataset(
        connection, task_id=task_row.id, name=prepared.name, now=now, **prepared.values
    )
    _, is_new = add_version(
        connection,
        dataset_id=dataset_id,
        digest=found.digest,
        path=prepared.kept.path,
        items=found.items,
        size=found.size,
        parent_version_id=origin.dataset.version_id if origin else None,
        now=now,
    )
    dataset = find_dataset(connection, task_row.id, prepared.name)
    if prepared.replacement is not None:
        carry_over(connection, home, task_row, dataset, prepared.replacement, now=now)
    runs = plan(connection, task_row, dataset, now=now)
    return extended(
        dataset,
        AddedDataset,
        is_new=is_new,
        runs=tuple(run.key for run in runs),
        due=tuple(runs),
        reader=prepared.kept.reader,
        warnings=(*prepared.notes, *_warnings(found, origin), *_round_notes(prepared.said)),
    )


def change_dataset(
    connection: Connection,
    task_row: StoredTask,
    name: str,
    *,
    access: Access | None = None,
    about: str | None = None,
    round: int | None = None,
    now: float,
) -> Dataset:
    """Change what is given, leave the rest as it is; the data set as it is then.

    One that begins to count is evaluated by every model.
    """
    known = find_dataset(connection, task_row.id, name)
    changed = _told(about=about, round=round, is_variant=known.parent_id is not None)
    if access is not None:
        changed["access"] = access
    register_dataset(connection, task_id=task_row.id, name=known.name, now=now, **changed)
    dataset = find_dataset(connection, task_row.id, name)
    if dataset.access == "scoring" and known.access != "scoring":
        plan_for_dataset(connection, task_row, dataset, now=now)
    return dataset


def _told(*, about: str | None, round: int | None, is_variant: bool) -> dict[str, Any]:
    """What is told of a data set, checked; what is None is left out."""
    found: dict[str, Any] = {}
    if about is not None:
        found["about"] = _checked_about(about)
    if round is not None:
        found["round"] = _checked_round(round, is_variant=is_variant)
    return found


def round_error(given: object) -> InputError:
    """What to say of a round that is none."""
    return InputError(
        f"A round is a whole number from 1 to {MOST_ROUND:,}, or 0 for none; got '{given!s:.40}'."
    )


def _checked_round(given: int, *, is_variant: bool) -> int:
    if is_variant:
        raise InputError(
            "A perturbed data set is of the round of the set that it was made from; give that one "
            "the round."
        )
    if not 0 <= given <= MOST_ROUND:
        raise round_error(given)
    return given


def _checked_about(given: str) -> str:
    about = given.strip()
    if len(about) > MOST_ABOUT:
        raise InputError(
            f"A data set's 'about' has at most {MOST_ABOUT:,} characters; got {len(about):,}."
        )
    return about


@dataclass(frozen=True, slots=True)
class _Origin:
    """What a perturbed set was made from, and how."""

    dataset: Dataset
    kind: str


def _stored(home: EvaluationHome, task_row: StoredTask) -> dict[str, Dataset]:
    found = home.store.read_now(lambda c: list_datasets(c, task_row.id))
    return {each.name: each for each in found}


def _origin(
    home: EvaluationHome,
    task_row: StoredTask,
    known: Dataset | None,
    *,
    parent: str | None,
    kind: str | None,
) -> _Origin | None:
    """What the set is a variant of: as given, else as it was."""
    kind = kind or (known.kind if known else None)
    parent = parent or (known.parent if known else None)
    if parent is None and kind is None:
        return None
    if parent is None or kind is None:
        raise InputError(
            "A perturbed data set needs both the set it was made from and how it was perturbed: "
            "--parent NAME --kind fairness."
        )
    if not KIND.fullmatch(kind):
        raise InputError(f"A kind of perturbation is one lower-case word; got '{kind[:40]}'.")
    origin = home.store.read_now(lambda c: find_dataset(c, task_row.id, parent))
    if known is not None and origin.id == known.id:
        raise InputError(f"'{parent}' cannot be its own parent.")
    if origin.parent_id is not None:
        raise InputError(f"'{parent}' is itself a perturbed set; name the one it was made from.")
    return _Origin(origin, kind)


def _described(
    known: Dataset | None,
    sources: Sequence[str],
    *,
    function: str | None,
    sent_as: str | None,
) -> dict[str, Any]:
    """Where a data set and its functions lie; what stays as it was is left out."""
    values: dict[str, Any] = {"source": ", ".join(sources)}
    if function is not None:
        values["function"] = function
    if function or not is_address(sources[0]):
        # Functions and images that items name lie beside the file.
        values["folder"] = str(folder_of(sources[0]))
    if sent_as is not None:
        # An evaluation of its own lies where it was added; beside what is sent lies nothing.
        values["source"] = sent_as[:MOST_SOURCE]
        values["folder"] = known.folder if known and known.function else ""
    return values


@dataclass(frozen=True, slots=True)
class _Kept:
    """A content in the object store, and the reader that made sense of it."""

    found: Normalised
    path: str
    reader: str
    # The rounds that its records name.
    rounds: list[int]


def _keep(
    home: EvaluationHome,
    task: Task,
    name: str,
    sources: Sequence[str],
    origin: _Origin | None,
    reader: str | None,
    mapping: FieldMap | None,
    convert: Convert | None,
    inside: Inside,
) -> _Kept:
    """Read, convert, check and hash the items, and put them into the object store."""
    with (
        fetched(sources, inside=inside) as files,
        tempfile.TemporaryDirectory(prefix="palaver-") as folder,
    ):
        chosen = _reader(files, task, reader, is_mapped=bool(mapping or convert))
        target = Path(folder) / "normalised.jsonl"
        rounds = RecordRounds(task)
        found = normalise(
            converted(rounds.watch(chosen.read(files)), mapping, convert),
            task,
            target,
            parents=None if origin is None else read_uids(home, origin.dataset),
            salt="" if origin is None else f"{origin.dataset.digest}\n",
        )
        if not found.items:
            raise InputError(f"{', '.join(file.name for file in files)}: no items found.")
        path = f"datasets/{task.name}/{name}/{found.digest[:16]}.jsonl"
        home.objects.put(path, target)
    named = sorted(each for each in rounds.found if each <= MOST_ROUND)
    return _Kept(found, path, chosen.name, named)


def _reader(
    files: Sequence[SourceFile], task: Task, name: str | None, *, is_mapped: bool
) -> DatasetReader:
    """The reader that was named; with a mapping, records as they stand; else the one that fits."""
    if name is not None:
        return DATASET_READERS.get(name)
    if is_mapped:
        return OWN
    golds = {task.gold[output.name] for output in task.outputs if output.name in task.gold}
    fields = {each.name for each in task.asked} | golds
    return detect_reader(files, task=task.name, fields=fields)


def _warnings(found: Normalised, origin: _Origin | None) -> list[str]:
    said = [f"Left out {counted(n, 'record')}: {why}." for why, n in found.left_out.items()]
    if origin is not None:
        few = few_variants(found.originals, origin.dataset.items)
        return [*said, f"{few.capitalize()}."] if few else said
    if found.linked:
        said.append(
            f"An input_id was found in {counted(found.linked, 'item')}, but no parent is named, so "
            "each counts as an item of its own. Add a perturbed set with --parent and --kind."
        )
    return said


def _round_notes(rounds: Sequence[int]) -> list[str]:
    """What was made of the rounds that the records of a new data set name."""
    if len(rounds) == 1:
        return [f"It is of round {rounds[0]}, as its records say."]
    if rounds:
        named = listed([str(each) for each in rounds], most=6)
        return [f"Its records are of rounds {named}, so it has none. Add each round by itself."]
    return []
