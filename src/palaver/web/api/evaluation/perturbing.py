"""Perturbations: variants of records that are sent, or of a stored data set, registered beside it."""

import tempfile
from pathlib import Path
from typing import Annotated, Any

from fastapi import Body
from pydantic import Field

from palaver.core.errors import InputError
from palaver.core.tasks import Example
from palaver.evaluation.datasets import AddedDataset, add_dataset, read_examples
from palaver.evaluation.perturbations import (
    Kind,
    Perturbation,
    chosen_perturbations,
    known_perturbations,
    layout_of,
    make_variants,
)
from palaver.evaluation.perturbations.perturbing import Perturbed, perturb_records
from palaver.storage.evaluation.datasets import find_dataset
from palaver.web.api.access import Editor, Viewer
from palaver.web.api.errors import ANSWERS, FORBIDDEN, MISSING, UNREADABLE
from palaver.web.api.evaluation.asking import (
    Asked,
    DatasetName,
    ViewedTask,
    in_thread,
    refuse_python,
)
from palaver.web.api.evaluation.datasets import StoredDatasetState
from palaver.web.api.models import Given, Model
from palaver.web.api.records import RecordRouter

router = RecordRouter(responses=ANSWERS, tags=["perturbations"])

MOST_RECORDS = 10_000
SAMPLES = 5
Names = Annotated[list[Annotated[str, Field(min_length=1, max_length=100)]], Field(max_length=50)]
Seed = Annotated[int, Field(ge=0, le=2**31 - 1)]


class PerturbationState(Model):
    """A perturbation: what it changes, shown on an example."""

    name: str
    kind: Kind
    level: str
    about: str
    example: Any


class PerturbationList(Model):
    """Every perturbation there is."""

    perturbations: list[PerturbationState]


class Perturbing(Given):
    """How to perturb; without `only` by every perturbation of the kind."""

    kind: Kind
    seed: Seed = 1
    only: Names = Field(default_factory=list)
    fields: Names = Field(default_factory=list)


class RecordsToPerturb(Perturbing):
    """Records of the task, gold included, to make variants of."""

    records: Annotated[list[dict[str, Any]], Field(min_length=1, max_length=MOST_RECORDS)]


class TallyState(Model):
    """How many variants a perturbation made, and how many it did not and why."""

    variants: int
    unchanged: int
    gold_lost: int


class VariantList(Model):
    """The variants, each linked to its original by `input_id`."""

    variants: list[dict[str, Any]]
    perturbations: dict[str, TallyState]


class PerturbedState(Model):
    """What was made of a data set, some of it to look at, and what was registered."""

    kind: Kind
    seed: int
    originals: int
    variants: int
    perturbations: dict[str, TallyState]
    samples: list[dict[str, Any]]
    registered: StoredDatasetState | None


@router.get("/perturbations")
async def list_perturbations(person: Viewer, kind: Kind | None = None) -> PerturbationList:
    """Every perturbation, or those of a kind."""
    found = await in_thread(lambda: known_perturbations(kind))
    return PerturbationList(
        perturbations=[PerturbationState.model_validate(each.as_json()) for each in found]
    )


@router.post("/tasks/{task}/perturb", responses={**MISSING, **UNREADABLE})
async def perturb_sent(
    asked: ViewedTask, person: Viewer, wanted: Annotated[RecordsToPerturb, Body()]
) -> VariantList:
    """Variants of the records that are sent, at most 10,000; nothing is stored."""
    layout = layout_of(asked.task, wanted.fields)
    chosen = _chosen(wanted)

    def make() -> VariantList:
        found = make_variants(_checked(asked, wanted.records), layout, chosen, seed=wanted.seed)
        return VariantList(
            variants=found.records,
            perturbations={
                name: TallyState(
                    variants=tally.made, unchanged=tally.unchanged, gold_lost=tally.gold_lost
                )
                for name, tally in found.tallies.items()
            },
        )

    return await in_thread(make)


@router.post(
    "/tasks/{task}/datasets/{dataset}/perturb", responses={**MISSING, **FORBIDDEN, **UNREADABLE}
)
async def perturb_stored(
    asked: ViewedTask,
    person: Editor,
    dataset: DatasetName,
    wanted: Annotated[Perturbing, Body()],
) -> PerturbedState:
    """Perturb a stored data set, register the variants as `KIND-NAME` beside it and plan their runs."""
    layout = layout_of(asked.task, wanted.fields)
    names = [each.name for each in _chosen(wanted)]
    parent = await asked.read(lambda c: find_dataset(c, asked.row.id, dataset))
    if parent.parent_id is not None:
        raise InputError(f"'{dataset}' is itself a perturbed set; name the one it was made from.")

    def make() -> PerturbedState:
        examples = read_examples(asked.home, asked.task, parent.version)
        with tempfile.TemporaryDirectory(prefix="palaver-perturb-") as folder:
            done = perturb_records(
                [_record(each) for each in examples],
                layout,
                names,
                Path(folder) / f"{wanted.kind}-{dataset}.jsonl",
                kind=wanted.kind,
                seed=wanted.seed,
                samples=SAMPLES,
            )
            added = _register(asked, dataset, done) if done.variants else None
        told = done.as_json()
        registered = None if added is None else StoredDatasetState.model_validate(added.as_json())
        return PerturbedState.model_validate({**told, "registered": registered})

    return await in_thread(make)


def _chosen(wanted: Perturbing) -> list[Perturbation]:
    for name in wanted.only:
        refuse_python(name, "The perturbation")
    return [each for _, each in chosen_perturbations(wanted.kind, wanted.only)]


def _checked(asked: Asked, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The records as items of the task, each with a uid of its own."""
    found: dict[str, dict[str, Any]] = {}
    for n, record in enumerate(records, start=1):
        try:
            example = asked.task.read_example(record)
        except InputError as error:
            raise InputError(f"Record {n}: {error}") from error
        if example.uid in found:
            raise InputError(f"Record {n}: the uid '{example.uid}' stands there twice.")
        found[example.uid] = _record(example)
    return list(found.values())


def _record(example: Example) -> dict[str, Any]:
    return {"uid": example.uid, **example.values, "tags": list(example.tags)}


def _register(asked: Asked, parent: str, done: Perturbed) -> AddedDataset:
    return add_dataset(
        asked.home,
        asked.row,
        asked.task,
        name=f"{done.kind}-{parent}",
        source=str(done.output),
        reader="palaver",
        parent=parent,
        kind=done.kind,
        now=asked.now,
    )
