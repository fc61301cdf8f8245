"""Training as one action: from a recipe and files to a checkpoint, whichever door asks for it.

The same call again goes on with a training that was stopped; a finished one is left as it is.
"""

import fcntl
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from typing import Any

import torch
from torch import Tensor

from palaver.core.errors import InputError
from palaver.models.checkpoints.folder import (
    SETTINGS,
    VOCABULARY,
    WEIGHTS,
    Checkpoint,
    as_json,
    open_checkpoint,
    write_checkpoint,
)
from palaver.models.learner import DataNote, Figure, Learner, Material
from palaver.models.recipe import Recipe, differences
from palaver.models.training.card import CardParts, environment_of, written_card
from palaver.models.training.curve_page import curve_page
from palaver.models.training.processes import Processes, joined_processes, leave_processes
from palaver.models.training.progress import Progress, Silence
from palaver.models.training.snapshot import FOLDER, FoundSnapshot, TrainingState, find_snapshot
from palaver.models.training.trainer import Trained, Trainer

CARD, CURVE, PAGE = "README.md", "curve.json", "curve.html"
_LOCK = "lock"
# The section of a recipe that a learner takes over from the checkpoint it starts from.
INHERITED = "inherited"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingPlan:
    """What is trained from which files, and where it is kept."""

    recipe: Recipe
    train: tuple[Path, ...]
    folder: Path
    device: torch.device
    test: tuple[Path, ...] = ()
    overwrite: bool = False
    # What a start checkpoint in the recipe is relative to.
    base: Path = Path()
    fold: int = 0
    # The seed that the training data are cut with; without, that of the recipe.
    cut: int | None = None

    @property
    def name(self) -> str:
        return self.folder.resolve().name

    def member(self, number: int) -> "TrainingPlan":
        """The plan of one member of an ensemble: another seed, another part held out, no test."""
        return replace(
            self,
            recipe=self.recipe.member(number),
            folder=self.folder / f"member-{number + 1}",
            test=(),
            fold=number,
            cut=self.recipe.seed,
            overwrite=False,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingResult:
    """What there is after a training: the checkpoint, its figures, and whether it was there before."""

    checkpoint: Checkpoint
    figures: tuple[Figure, ...] = ()
    state: TrainingState | None = None
    was_finished: bool = False
    # Files of --dev that a model which was finished before is not measured on again.
    unmeasured: tuple[str, ...] = ()


def train(plan: TrainingPlan, progress: Progress | None = None) -> TrainingResult:
    """Train what the plan says, or go on with it; InputError says what is in the way."""
    progress = progress or Silence()
    check_files((*plan.train, *plan.test))
    processes = joined_processes(plan.device)
    try:
        with _alone(plan.folder, processes):
            if plan.overwrite and processes.is_first:
                clear(plan.folder)
            done = finished_training(plan)
            if done is not None:
                return done
            if plan.recipe.members > 1:
                return _train_members(plan, progress, processes)
            return _train_one(plan, progress, processes)
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
        figures=tuple(Figure(**each) for each in told),
        was_finished=True,
        unmeasured=tuple(
            name for name, digest in digests(plan.test).items() if tested.get(name) != digest
        ),
    )


def digests(files: Sequence[Path]) -> dict[str, str]:
    """The files by name, with what their content adds up to."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def check_files(files: Sequence[Path]) -> None:
    """InputError for a data file that is missing, empty, or named twice."""
    for path in files:
        if not path.is_file():
            raise InputError(f"There is no data file {path}.")
        if not path.stat().st_size:
            raise InputError(f"{path} is empty.")
    names = [path.name for path in files]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise InputError(
            f"Two data files are called '{twice}'. What is trained on must not be tested on; rename "
            "one if they differ."
        )


def clear(folder: Path) -> None:
    """Remove a checkpoint and what its training left; a folder of anything else is refused."""
    if not folder.is_dir():
        return
    own = [path for path in folder.iterdir() if _is_own(path)]
    others = sorted(path.name for path in folder.iterdir() if path not in own)
    if others:
        raise InputError(
            f"{folder} holds '{others[0]}', which no training wrote, so it is not overwritten. "
            "Choose another -o."
        )
    for path in own:
        if path.is_dir():
            rmtree(path)
        else:
            path.unlink()


def _is_own(path: Path) -> bool:
    """Whether a training wrote it: one of the files of a checkpoint, its snapshot, a member."""
    if path.is_dir():
        return path.name in (FOLDER, *(f"member-{n}" for n in range(1, 1000)))
    return path.name in (SETTINGS, VOCABULARY, WEIGHTS, CARD, CURVE, PAGE)


def _train_one(plan: TrainingPlan, progress: Progress, processes: Processes) -> TrainingResult:
    recipe = plan.recipe
    found = find_snapshot(plan.folder)
    data = digests(plan.train)
    if found is not None:
        _check_same(plan, found, data)
    torch.manual_seed(recipe.seed)
    learner = recipe.kind().learner(recipe.settings, _material(plan))
    learner.network.to(plan.device)
    writer = _Writer(plan, learner, data, processes)
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
    if found is not None:
        trainer.go_on(found)
        if processes.is_first:
            progress.note(f"Going on after epoch {trainer.state.epoch}, from {plan.folder}.")
    trained = trainer.run()
    figures = _tested(plan, learner, trained, processes)
    if processes.is_first:
        writer.write(trained.state, trained.weights, figures=figures, done=True)
        rmtree(plan.folder / FOLDER, ignore_errors=True)
    processes.hear(None)
    return TrainingResult(
        checkpoint=open_checkpoint(plan.folder), figures=figures, state=trained.state
    )


def _train_members(plan: TrainingPlan, progress: Progress, processes: Processes) -> TrainingResult:
    """Train each member that is not there yet, and write what binds them together."""
    kind = plan.recipe.kind()
    members = []
    for number in range(plan.recipe.members):
        own = plan.member(number)
        if processes.is_first:
            progress.note(f"Member {number + 1} of {plan.recipe.members}")
        done = finished_training(own)
        members.append(done or _train_one(own, progress, processes))
    figures: tuple[Figure, ...] = ()
    test = getattr(kind, "ensemble_test", None)
    if plan.test and test is not None and processes.is_first:
        with _measuring(plan):
            figures = tuple(test([m.checkpoint for m in members], plan.test, plan.device))
    if processes.is_first:
        _write_ensemble(plan, members, figures, processes)
    processes.hear(None)
    return TrainingResult(checkpoint=open_checkpoint(plan.folder), figures=figures)


def _write_ensemble(
    plan: TrainingPlan,
    members: Sequence[TrainingResult],
    figures: Sequence[Figure],
    processes: Processes,
) -> None:
    first = members[0].checkpoint.measured
    parts = CardParts(
        name=plan.name,
        about=f"{plan.recipe.about} {len(members)} members, each with another part held out; their "
        "probabilities are averaged.",
        recipe=plan.recipe.as_json(),
        note=note_of(first),
        data=digests(plan.train),
        tested=digests(plan.test),
        rows=(),
        watched="",
        best_epoch=0,
        seconds=sum(float(m.checkpoint.measured.get("seconds", 0)) for m in members),
        figures=figures,
        parameters=sum(int(m.checkpoint.measured.get("parameters", 0)) for m in members),
        environment=environment_of(plan.device, processes=processes.count),
    )
    settings = {
        **settings_of(plan.recipe, parts, finished=True),
        "members": [m.checkpoint.folder.name for m in members],
    }
    write_checkpoint(plan.folder, settings=settings, texts={CARD: written_card(parts)})


def settings_of(recipe: Recipe, parts: CardParts, *, finished: bool) -> dict[str, Any]:
    """What `settings.json` says of a model."""
    return {
        "palaver": parts.environment["palaver"],
        "model": recipe.model,
        "recipe": dict(parts.recipe),
        "data": dict(parts.data),
        "measured": {
            "finished": finished,
            "watched": parts.watched,
            "best": min((row.measured[parts.watched] for row in parts.rows), default=None),
            "best_epoch": parts.best_epoch,
            "epochs": len(parts.rows),
            "seconds": round(parts.seconds, 3),
            "parameters": parts.parameters,
            "note": {
                "about": parts.note.about,
                "counts": dict(parts.note.counts),
                "licence": parts.note.licence,
            },
            "tested": dict(parts.tested),
            "figures": [
                {name: getattr(each, name) for name in Figure.__dataclass_fields__}
                for each in parts.figures
            ],
        },
    }


def note_of(measured: Mapping[str, Any]) -> DataNote:
    """The note on its data that a checkpoint keeps."""
    return DataNote(**measured.get("note", {"about": ""}))


def _material(plan: TrainingPlan) -> Material:
    start = None
    if plan.recipe.start:
        start = open_checkpoint((plan.base / plan.recipe.start).resolve())
    return Material(
        train=plan.train,
        seed=plan.recipe.seed,
        device=plan.device,
        batch=plan.recipe.training.batch,
        fold=plan.fold,
        cut=plan.recipe.seed if plan.cut is None else plan.cut,
        start=start,
    )


def _tested(
    plan: TrainingPlan, learner: Learner, trained: Trained, processes: Processes
) -> tuple[Figure, ...]:
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
        yield
    except InputError as error:
        raise InputError(
            f"{error} What was trained is kept in {plan.folder}: the same command with another --dev "
            "measures it."
        ) from error


def _check_same(plan: TrainingPlan, found: FoundSnapshot, data: Mapping[str, str]) -> None:
    """InputError unless the unfinished training is this one."""
    other = differences(plan.recipe, found.meta["recipe"])
    other += _other_files(data, found.meta["data"])
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


@contextmanager
def _alone(folder: Path, processes: Processes) -> Iterator[None]:
    """Hold the folder, so that no second training writes into it."""
    if not processes.is_first:
        yield
        return
    try:
        (folder / FOLDER).mkdir(parents=True, exist_ok=True)
        lock = (folder / FOLDER / _LOCK).open("w")
    except OSError as error:
        raise InputError(f"{folder} cannot be written: {error.strerror}.") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(
                f"Another process is training into {folder}. Wait for it, or choose another -o."
            ) from None
        try:
            yield
        finally:
            _tidy(folder)


def _tidy(folder: Path) -> None:
    """Leave no folder behind that holds the lock alone."""
    inside = folder / FOLDER
    if inside.is_dir() and [path.name for path in inside.iterdir()] == [_LOCK]:
        rmtree(inside, ignore_errors=True)
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


class _Writer:
    """Writes the checkpoint of one training, again and again while it runs."""

    def __init__(
        self, plan: TrainingPlan, learner: Learner, data: Mapping[str, str], processes: Processes
    ) -> None:
        self.plan = plan
        self.learner = learner
        self.data = data
        sections = getattr(learner, "recipe_sections", dict)
        self.recipe = {**plan.recipe.as_json(), **sections()}
        self.note = learner.note()
        self.parameters = sum(each.numel() for each in learner.network.parameters())
        self.environment = environment_of(plan.device, processes=processes.count)

    def write(
        self,
        state: TrainingState,
        weights: Mapping[str, Tensor],
        *,
        figures: Sequence[Figure] = (),
        done: bool = False,
    ) -> None:
        """The weights of the best epoch so far, and all that is told of them."""
        recipe, watched = self.plan.recipe, self.learner.watched
        parts = CardParts(
            name=self.plan.name,
            about=recipe.about,
            recipe=self.recipe,
            note=self.note,
            data=self.data,
            tested=digests(self.plan.test) if done else {},
            rows=state.rows,
            watched=watched,
            best_epoch=state.best_epoch,
            seconds=state.seconds,
            figures=figures,
            parameters=self.parameters,
            environment=self.environment,
        )
        page = curve_page(
            state,
            name=self.plan.name,
            watched=watched,
            epochs=recipe.training.epochs,
            done=done,
        )
        curve = {"watched": watched, "rows": [row.as_json() for row in state.rows]}
        write_checkpoint(
            self.plan.folder,
            settings=settings_of(recipe, parts, finished=done),
            words=self.learner.words(),
            weights=weights,
            texts={CARD: written_card(parts), CURVE: as_json(curve).decode(), PAGE: page},
        )
