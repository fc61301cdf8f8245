"""Perturbing a data set, and scoring old answers again, at the desk."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import InputError
from palaver.core.evaluation.datasets import Dataset, Kind, Perturbed
from palaver.core.numbers import whole_number
from palaver.core.tasks import String, Turns
from palaver.evaluation.datasets import find_dataset, list_datasets
from palaver.evaluation.perturbations import (
    KINDS,
    Perturbation,
    chosen_perturbations,
    known_perturbations,
    layout_of,
)
from palaver.evaluation.perturbations.perturbed_datasets import check_original
from palaver.evaluation.scoring.rescore import Rescoring, check_rescoring, finished_runs
from palaver.metrics import Metric, known_metrics
from palaver.web.desk.accounts import Person, deployment_of, for_role
from palaver.web.desk.frame import DeskShell, shell
from palaver.web.desk.tasks.adding.making import (
    PerturbTask,
    RescoreTask,
    ScoredMetrics,
    making_of,
    perturbed_of,
    scored_of,
    start_making,
)
from palaver.web.desk.tasks.adding.request import Adding, adding, chosen, typed
from palaver.web.desk.tasks.request import TASKS, AskedTask
from palaver.web.desk.works import BackgroundWork
from palaver.web.own_python import refuse_python
from palaver.web.rendering import show

MOST_SEED = 2**31 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class MakingPage:
    """A page on which something takes a while: `work` is what was begun last."""

    shell: DeskShell
    asked: AskedTask
    work: BackgroundWork | None
    error: str = ""

    @property
    def is_under_way(self) -> bool:
        return self.work is not None and self.work.is_under_way

    @property
    def problem(self) -> str:
        """What is wrong with the form, else why the last work failed."""
        return self.error or (self.work.failure if self.work is not None else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class PerturbPage(MakingPage):
    """The form of a perturbation; `made` are the variants that were made last."""

    template: ClassVar[str] = "desk/tasks/adding/perturb.html"
    about: ClassVar[Mapping[Kind, str]] = {
        "fairness": "Names and gendered words are swapped: the answer should stay the same.",
        "robustness": "Typing errors, other spellings, odd characters: the answer should survive.",
        "dialogue": "Turns are left out, repeated or moved off topic.",
    }
    datasets: tuple[Dataset, ...]
    perturbations: Mapping[Kind, tuple[Perturbation, ...]]
    # The fields that may be changed, and those that are where nothing is chosen.
    fields: tuple[str, ...]
    usual: tuple[str, ...]
    form: Mapping[str, str]
    only: tuple[str, ...]
    chosen_fields: tuple[str, ...]
    made: Perturbed | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RescorePage(MakingPage):
    """The form of metrics for old runs; `scored` is what became of the last ones."""

    template: ClassVar[str] = "desk/tasks/adding/rescore.html"
    titles: ClassVar[Mapping[str, str]] = {"qa": "Question answering"}
    own: tuple[Metric, ...]
    families: Mapping[str, tuple[Metric, ...]]
    models: tuple[str, ...]
    datasets: tuple[str, ...]
    runs: int
    outputs: tuple[str, ...]
    picked: Mapping[str, tuple[str, ...]]
    force: bool
    scored: ScoredMetrics | None


@for_role("reviewer")
async def show_perturb(request: Request, person: Person) -> Response:
    return await _show_perturb(await adding(request, person))


@for_role("reviewer", changes=True)
async def perturb(request: Request, person: Person) -> Response:
    """Begin to perturb a data set."""
    found, sent = await adding(request, person), await request.form()
    form = typed(sent, ("dataset", "kind", "seed"))
    only, fields = chosen(sent, "only"), chosen(sent, "field")
    try:
        task = await asyncio.to_thread(_perturb_task, found, form, only, fields)
    except InputError as error:
        return await _show_perturb(found, form=form, only=only, fields=fields, error=str(error))
    start_making(found, task)
    return RedirectResponse(f"{found.asked.address}/perturb", status_code=303)


@for_role("reviewer")
async def show_rescore(request: Request, person: Person) -> Response:
    return await _show_rescore(await adding(request, person))


@for_role("reviewer", changes=True)
async def rescore(request: Request, person: Person) -> Response:
    """Begin to compute metrics on the answers of finished runs."""
    found, sent = await adding(request, person), await request.form()
    picked = {name: chosen(sent, name) for name in PICKED}
    force = sent.get("force") == "yes"
    try:
        task = await asyncio.to_thread(_rescore_task, found, picked, force)
    except InputError as error:
        return await _show_rescore(found, picked=picked, force=force, error=str(error))
    start_making(found, task)
    return RedirectResponse(f"{found.asked.address}/rescore", status_code=303)


PICKED = ("metric", "model", "dataset", "field")


def _perturb_task(
    found: Adding, form: Mapping[str, str], only: Sequence[str], fields: Sequence[str]
) -> PerturbTask:
    """What is to be done, checked as far as that takes no time."""
    seed = whole_number(form["seed"], most=MOST_SEED)
    if seed is None:
        raise InputError(f"The seed is a whole number from 0 to {MOST_SEED:,}.")
    kind = next((each for each in KINDS if each == form["kind"]), None)
    if kind is None:
        raise InputError(f"Choose what the variants test: {', '.join(KINDS)}.")
    for name in only:
        refuse_python(name, "The perturbation")
    # Those of other kinds may be ticked, too: a form without scripts shows them all.
    of_kind = {each.name for each in known_perturbations(kind)}
    wanted = [name for name in only if name in of_kind]
    chosen_perturbations(kind, wanted)
    layout_of(found.asked.task, fields)
    home, row = found.home, found.asked.row
    home.store.read_now(lambda c: check_original(find_dataset(c, row.id, form["dataset"])))
    return PerturbTask(
        database=home.store.url,
        home=str(home.folder),
        task=row.name,
        dataset=form["dataset"],
        kind=kind,
        seed=seed,
        only=wanted,
        fields=fields,
        now=found.now,
    )


def _rescore_task(found: Adding, picked: Mapping[str, Sequence[str]], force: bool) -> RescoreTask:
    if not picked["metric"]:
        raise InputError("Choose at least one metric.")
    home, row = found.home, found.asked.row
    for metric in picked["metric"]:
        refuse_python(metric, "The metric")
        wanted = Rescoring(
            metric=metric,
            models=picked["model"],
            datasets=picked["dataset"],
            fields=picked["field"],
        )
        if not check_rescoring(home, row, wanted):
            raise InputError("No finished run has what was chosen.")
    return RescoreTask(
        database=home.store.url,
        home=str(home.folder),
        task=row.name,
        metrics=picked["metric"],
        models=picked["model"],
        datasets=picked["dataset"],
        fields=picked["field"],
        force=force,
        now=found.now,
    )


async def _show_perturb(
    found: Adding,
    *,
    form: Mapping[str, str] | None = None,
    only: Sequence[str] = (),
    fields: Sequence[str] = (),
    error: str = "",
) -> Response:
    request, asked = found.request, found.asked
    known = await deployment_of(request).store.read(lambda c: list_datasets(c, asked.row.id))
    every = await asyncio.to_thread(known_perturbations)
    work = making_of(found, PerturbTask)
    page = PerturbPage(
        shell=shell(request, found.person, f"Perturb a data set · {asked.title}", "tasks"),
        asked=asked,
        work=work,
        error=error,
        datasets=tuple(each for each in known if each.parent_id is None),
        perturbations={kind: tuple(e for e in every if e.kind == kind) for kind in KINDS},
        fields=tuple(each.name for each in asked.task.asked if isinstance(each, String | Turns)),
        usual=tuple(asked.task.perturbed),
        form=form or {"dataset": "", "kind": KINDS[0], "seed": "1"},
        only=tuple(only),
        chosen_fields=tuple(fields),
        made=None if error else perturbed_of(work),
    )
    return show(request, page, status=422 if error else 200)


async def _show_rescore(
    found: Adding,
    *,
    picked: Mapping[str, tuple[str, ...]] | None = None,
    force: bool = False,
    error: str = "",
) -> Response:
    request, asked = found.request, found.asked

    runs = await deployment_of(request).store.read(lambda c: finished_runs(c, asked.row))
    every = await asyncio.to_thread(lambda: list(known_metrics()))
    named = [choice.metric for choice in asked.task.metrics]
    families: dict[str, tuple[Metric, ...]] = {}
    for each in every:
        families[each.family] = (*families.get(each.family, ()), each)
    work = making_of(found, RescoreTask)
    page = RescorePage(
        shell=shell(request, found.person, f"Score again · {asked.title}", "tasks"),
        asked=asked,
        work=work,
        error=error,
        own=tuple(each for each in every if each.name in named),
        families=families,
        models=tuple(dict.fromkeys(run.model for run in runs)),
        datasets=tuple(dict.fromkeys(run.dataset for run in runs)),
        runs=len(runs),
        outputs=tuple(output.name for output in asked.task.outputs),
        picked=picked or dict.fromkeys(PICKED, ()),
        force=force,
        scored=None if error else scored_of(work),
    )
    return show(request, page, status=422 if error else 200)


routes: list[BaseRoute] = [
    Route(TASKS + "/{task}/perturb", show_perturb, methods=["GET"]),
    Route(TASKS + "/{task}/perturb", perturb, methods=["POST"]),
    Route(TASKS + "/{task}/rescore", show_rescore, methods=["GET"]),
    Route(TASKS + "/{task}/rescore", rescore, methods=["POST"]),
]
