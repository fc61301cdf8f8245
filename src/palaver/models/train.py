"""Training as one action: from a recipe and files to a checkpoint, whichever door asks for it.

The same call again goes on with a training that was stopped; a finished one is left as it is.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

import torch

from palaver.core.errors import InputError
from palaver.models.checkpoints.folder import SETTINGS, UNFINISHED, Checkpoint, open_checkpoint
from palaver.models.learner import Learner, LearnerMaterial
from palaver.models.measured import MeasuredFigure
from palaver.models.recipe import differences
from palaver.models.training.checkpoint_writer import CheckpointWriter, write_ensemble
from palaver.models.training.failures import memory_watched
from palaver.models.training.places import (
    check_clearable,
    check_files,
    check_unclaimed,
    clear,
    digests,
    held,
)
from palaver.models.training.plan import TrainingPlan
from palaver.models.training.processes import Processes, joined_processes, leave_processes
from palaver.models.training.progress import Silence, TrainingProgress
from palaver.models.training.snapshot import FoundSnapshot, TrainingState, find_snapshot
from palaver.models.training.trainer import TrainedWeights, Trainer

# The section of a recipe that a learner takes over from the checkpoint it starts from.
INHERITED = "inherited"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingResult:
    """What there is after a training: the checkpoint, its figures, and whether it was there before."""

    checkpoint: Checkpoint
    figures: tuple[MeasuredFigure, ...] = ()
    state: TrainingState | None = None
    was_finished: bool = False
    # Files of --dev that a model which was finished before is not measured on again.
    unmeasured: tuple[str, ...] = ()


def train(plan: TrainingPlan, progress: TrainingProgress | None = None) -> TrainingResult:
    """Train what the plan says, or go on with it; InputError says what is in the way."""
    progress = progress or Silence()
    _check_recipe(plan)
    check_files((*plan.train, *plan.test))
    processes = joined_processes(plan.device)
    try:
        with held(plan.folder, is_writer=processes.is_first):
            if plan.overwrite:
                if processes.is_first:
                    check_clearable(plan.folder)
            else:
                check_unclaimed(plan.folder)
                done = finished_training(plan)
                if done is not None:
                    if processes.is_first:
                        rmtree(plan.folder / UNFINISHED, ignore_errors=True)
                    return done
            _check_test(plan)
            if plan.recipe.members > 1:
                return _train_members(plan, progress, processes)
            return _train_single(plan, progress, processes)
    finally:
        leave_processes()


def finished_training(plan: TrainingPlan) -> TrainingResult | None:
    """What is there already, if it was trained to the end by this recipe from these files."""
    if not (plan.folder / SETTINGS).is_file():
        return None
    there = open_checkpoint(plan.folder)
    if not there.measured.get("finished"):
        return None
    own = {name: value for name, value in there.recipe.items() if name != INHERITED}
    other = differences(plan.recipe, own)
    other += _other_files(digests(plan.train), there.data)
    if other:
        raise InputError(
            f"{plan.folder} holds a model of something else ({'; '.join(other[:3])}). Give "
            "--overwrite to replace it, or choose another -o."
        )
    told, tested = there.measured.get("figures", []), there.measured.get("tested", {})
    return TrainingResult(
        checkpoint=there,
        figures=tuple(MeasuredFigure(**each) for each in told),
        was_finished=True,
        unmeasured=tuple(
            name for name, digest in digests(plan.test).items() if tested.get(name) != digest
        ),
    )


def _check_recipe(plan: TrainingPlan) -> None:
    """InputError where the kind of model cannot be trained here as the recipe asks, before any file is
    read."""
    check = getattr(plan.recipe.kind, "check_recipe", None)
    if check is not None:
        check(plan.recipe)


def _check_test(plan: TrainingPlan) -> None:
    """InputError for a file of --dev that the kind of model cannot read: not after all is trained."""
    check = getattr(plan.recipe.kind, "check_test", None)
    if plan.test and check is not None:
        check(plan.recipe.settings, plan.test)


def _train_single(
    plan: TrainingPlan, progress: TrainingProgress, processes: Processes
) -> TrainingResult:
    if not plan.overwrite and (plan.folder / "member-1").exists():
        raise InputError(
            f"{plan.folder} holds members of an ensemble. Give --overwrite to begin anew, or choose "
            "another -o."
        )
    return _train_one(plan, progress, processes, replaced=plan.folder if plan.overwrite else None)


def _train_one(
    plan: TrainingPlan, progress: TrainingProgress, processes: Processes, *, replaced: Path | None
) -> TrainingResult:
    """Train one model; what is in `replaced` goes once its recipe and data were found good."""
    recipe = plan.recipe
    found = find_snapshot(plan.folder) if replaced is None else None
    data = digests(plan.train)
    if found is not None:
        _check_same(plan, found, data, processes)
    torch.manual_seed(recipe.seed)
    with memory_watched(
        f"A model of kind '{recipe.model}' of these sizes, or its data, do not fit into memory. "
        "Choose smaller sizes in the recipe."
    ):
        learner = recipe.kind().learner(recipe.settings, _material(plan))
        learner.network.to(plan.device)
        writer = CheckpointWriter(plan, learner, data, processes)
        trainer = Trainer(
            recipe,
            learner,
            device=plan.device,
            folder=plan.folder,
            data=data,
            processes=processes,
            progress=progress,
            saved=writer.write,
        )
    if replaced is not None and processes.is_first:
        clear(replaced)
    if found is not None:
        trainer.go_on(found)
        if processes.is_first:
            progress.note(f"Going on after epoch {trainer.state.epoch}, from {plan.folder}.")
    trained = trainer.run()
    figures = _tested(plan, learner, trained, processes)
    if processes.is_first:
        writer.write(trained.state, trained.weights, figures=figures, done=True)
        rmtree(plan.folder / UNFINISHED, ignore_errors=True)
    processes.hear(None)
    return TrainingResult(
        checkpoint=open_checkpoint(plan.folder), figures=figures, state=trained.state
    )


def _train_members(
    plan: TrainingPlan, progress: TrainingProgress, processes: Processes
) -> TrainingResult:
    """Train each member that is not there yet, and write what binds them together."""
    kind = plan.recipe.kind()
    if not plan.overwrite and (found := find_snapshot(plan.folder)) is not None:
        _check_same(plan, found, digests(plan.train), processes)
    members = []
    for number in range(plan.recipe.members):
        own = plan.member(number)
        if processes.is_first:
            progress.note(f"Member {number + 1} of {plan.recipe.members}")
        replaced = plan.folder if plan.overwrite and number == 0 else None
        done = finished_training(own) if replaced is None else None
        members.append(done or _train_one(own, progress, processes, replaced=replaced))
    figures: tuple[MeasuredFigure, ...] = ()
    test = getattr(kind, "ensemble_test", None)
    if plan.test and test is not None and processes.is_first:
        with _measuring(plan):
            figures = tuple(test([m.checkpoint for m in members], plan.test, plan.device))
    if processes.is_first:
        write_ensemble(
            plan, [each.checkpoint for each in members], figures, processes=processes.count
        )
    processes.hear(None)
    return TrainingResult(
        checkpoint=open_checkpoint(plan.folder),
        figures=figures,
        unmeasured=() if test is not None else tuple(path.name for path in plan.test),
    )


def _material(plan: TrainingPlan) -> LearnerMaterial:
    start = None
    if plan.recipe.start:
        start = open_checkpoint((plan.base / plan.recipe.start).resolve())
    return LearnerMaterial(
        train=plan.train,
        seed=plan.recipe.seed,
        device=plan.device,
        batch=plan.recipe.training.batch,
        fold=plan.fold,
        cut=plan.recipe.seed if plan.cut is None else plan.cut,
        start=start,
    )


def _tested(
    plan: TrainingPlan, learner: Learner, trained: TrainedWeights, processes: Processes
) -> tuple[MeasuredFigure, ...]:
    learner.network.load_state_dict(trained.weights)
    if not plan.test or not processes.is_first:
        return ()
    learner.network.eval()
    with _measuring(plan), torch.no_grad():
        return tuple(learner.test(plan.test))


@contextmanager
def _measuring(plan: TrainingPlan) -> Iterator[None]:
    """What is wrong with a file of --dev is told once all is trained: nothing of that is lost."""
    try:
        with memory_watched("What is measured does not fit into memory."):
            yield
    except InputError as error:
        raise InputError(
            f"{error} What was trained is kept in {plan.folder}: the same command with another --dev "
            "measures it."
        ) from error


def _check_same(
    plan: TrainingPlan, found: FoundSnapshot, data: Mapping[str, str], processes: Processes
) -> None:
    """InputError unless the unfinished training is this one, shared by as many processes."""
    other = differences(plan.recipe, found.meta["recipe"])
    other += _other_files(data, found.meta["data"])
    before = found.meta.get("processes", 1)
    if not other and before != processes.count:
        raise InputError(
            f"{plan.folder} holds an unfinished training that {before} processes shared; now there "
            f"are {processes.count}, which would learn something else. Start as many as before, or "
            "give --overwrite to begin anew."
        )
    if other:
        raise InputError(
            f"{plan.folder} holds an unfinished training of something else "
            f"({'; '.join(other[:3])}). Give --overwrite to begin anew, or choose another -o."
        )


def _other_files(now: Mapping[str, str], then: Mapping[str, str]) -> list[str]:
    """How the files that are trained on differ from those of before."""
    told = {True: "another content", False: "not trained on"}
    found = [f"{name}: {told[name in then]}" for name in now if then.get(name) != now[name]]
    return found + [f"{name}: left out now" for name in then if name not in now]
