"""Perturbations: variants of records that are sent, or of a stored data set, registered beside it."""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Body
from pydantic import Field

from palaver.core.errors import InputError
from palaver.core.evaluation.datasets import Kind, Perturbed
from palaver.evaluation.datasets import find_dataset
from palaver.evaluation.perturbations import (
    Perturbation,
    Variants,
    chosen_perturbations,
    known_perturbations,
    layout_of,
    make_variants,
)
from palaver.evaluation.perturbations.perturbed_datasets import perturb_dataset
from palaver.web.api.access import Editor, Viewer
from palaver.web.api.errors import ANSWERS, FORBIDDEN, MISSING, UNREADABLE
from palaver.web.api.evaluation.request import (
    DatasetName,
    TaskRequest,
    ViewedTask,
    in_thread,
)
from palaver.web.api.models import Given
from palaver.web.api.records import RecordRouter
from palaver.web.own_python import refuse_python

router = RecordRouter(responses=ANSWERS, tags=["perturbations"])

MOST_RECORDS = 10_000
SAMPLES = 5
Names = Annotated[list[Annotated[str, Field(min_length=1, max_length=100)]], Field(max_length=50)]
Seed = Annotated[int, Field(ge=0, le=2**31 - 1)]


@dataclass(frozen=True, slots=True)
class PerturbationList:
    """Every perturbation."""

    perturbations: list[Perturbation]


class Perturbing(Given):
    """How to perturb; without `only`, by every perturbation of the kind."""

    kind: Kind
    seed: Seed = 1
    only: Names = Field(default_factory=list)
    fields: Names = Field(default_factory=list)


class RecordsToPerturb(Perturbing):
    """Records of the task, gold included, to make variants of."""

    records: Annotated[list[dict[str, Any]], Field(min_length=1, max_length=MOST_RECORDS)]


@router.get("/perturbations")
async def list_perturbations(person: Viewer, kind: Kind | None = None) -> PerturbationList:
    """Every perturbation, or those of one kind."""
    found = await in_thread(lambda: known_perturbations(kind))
    return PerturbationList(found)


@router.post("/tasks/{task}/perturb", responses={**MISSING, **UNREADABLE})
async def perturb_sent(
    asked: ViewedTask, person: Viewer, wanted: Annotated[RecordsToPerturb, Body()]
) -> Variants:
    """Variants of the records that are sent, at most 10,000; nothing is stored."""
    _refuse_own(wanted)
    layout = layout_of(asked.task, wanted.fields)
    chosen = [each for _, each in chosen_perturbations(wanted.kind, wanted.only)]

    def make() -> Variants:
        return make_variants(_checked(asked, wanted.records), layout, chosen, seed=wanted.seed)

    return await in_thread(make)


@router.post(
    "/tasks/{task}/datasets/{dataset}/perturb", responses={**MISSING, **FORBIDDEN, **UNREADABLE}
)
async def perturb_stored(
    asked: ViewedTask,
    person: Editor,
    dataset: DatasetName,
    wanted: Annotated[Perturbing, Body()],
) -> Perturbed:
    """Perturb a stored data set, register the variants as `KIND-NAME` beside it and plan their runs."""
    _refuse_own(wanted)
    options = wanted.model_dump()
    await asked.read(lambda c: find_dataset(c, asked.row.id, dataset))

    def make() -> Perturbed:
        return perturb_dataset(
            asked.home, asked.row, asked.task, dataset, samples=SAMPLES, now=asked.now, **options
        )

    return await in_thread(make)


def _refuse_own(wanted: Perturbing) -> None:
    for name in wanted.only:
        refuse_python(name, "The perturbation")


def _checked(asked: TaskRequest, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The records as items of the task, each with a uid of its own."""
    found: dict[str, dict[str, Any]] = {}
    for n, record in enumerate(records, start=1):
        try:
            example = asked.task.read_example(record)
        except InputError as error:
            raise InputError(f"Record {n}: {error}") from error
        if example.uid in found:
            raise InputError(f"Record {n}: the uid '{example.uid}' is used twice.")
        found[example.uid] = example.record
    return list(found.values())
