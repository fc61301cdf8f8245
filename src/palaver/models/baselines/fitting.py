"""Which baselines fit a task, by what its fields hold, and who makes each of them.

Nothing heavy is imported here: a baseline's maker is found by name and loads PyTorch on use.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError, MissingExtraError
from palaver.core.registry import Registry
from palaver.core.tasks import (
    ContextStringSelection,
    Example,
    Field,
    Multiclass,
    Multilabel,
    Prob,
    String,
    Task,
    TurnProbs,
)
from palaver.core.words import listed
from palaver.models.baselines.examples import GoldExample
from palaver.models.baselines.layout import AskedPart, Companion, TaskGoal, TaskLayout
from palaver.models.checkpoints.folder import SETTINGS, UNFINISHED, Checkpoint, open_checkpoint
from palaver.models.training.progress import TrainingProgress

LABELLED = frozenset({"one", "several", "shares", "share", "turns"})


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselinePlan:
    """A baseline to make: of which kind, from which files of examples, into which folder."""

    kind: str
    train: Path
    folder: Path
    test: Path | None = None
    seed: int = 1
    device: str = "cpu"
    overwrite: bool = False
    # Options of the recipe that are not as usual, by section.
    options: Mapping[str, Any] = field(default_factory=dict)


MakeBaseline = Callable[[BaselinePlan, TrainingProgress], Checkpoint]

_HERE = "palaver.models.baselines"
BASELINES: Registry[MakeBaseline] = Registry(
    "baseline",
    "palaver.baselines",
    {
        "majority": f"{_HERE}.makers:make_majority",
        "return-context": f"{_HERE}.makers:make_return_context",
        "ngrams": f"{_HERE}.makers:make_ngrams",
        "averages": f"{_HERE}.makers:make_averages",
    },
)
# In the order in which they are made and shown.
USUAL = ("majority", "return-context", "ngrams", "averages")


def make_baseline(plan: BaselinePlan, progress: TrainingProgress) -> Checkpoint:
    """Make a baseline and write its checkpoint; MissingExtraError without PyTorch."""
    check_place(plan.folder, overwrite=plan.overwrite)
    try:
        make = BASELINES.get(plan.kind)
    except ModuleNotFoundError as error:
        if error.name in ("torch", "safetensors"):
            raise MissingExtraError("A baseline", "torch") from None
        raise
    return make(plan, progress)


def check_place(folder: Path, *, overwrite: bool) -> None:
    """InputError where a baseline would replace what is there; an unfinished training goes on."""
    there = (
        [path for path in folder.iterdir() if path.name != UNFINISHED] if folder.is_dir() else []
    )
    if overwrite or not there:
        return
    if (folder / SETTINGS).is_file() and not open_checkpoint(folder).measured.get("finished"):
        return
    raise InputError(f"{folder} is there already. Give --overwrite, or choose another -o.")


def layout_of(task: Task) -> TaskLayout:
    """What a baseline knows of a task; InputError where an output is of a kind that none can give."""
    asked = {each.name: each for each in task.asked}
    context = {each.name for each in task.context}
    goals = tuple(_goal(task, target, asked) for target in task.targets)
    if not goals:
        raise InputError(
            f"No baseline fits the task '{task.name}': no output has gold, so there is nothing to "
            "learn or to measure."
        )
    return TaskLayout(
        task=task.name,
        asked=tuple(
            AskedPart(name=each.name, kind=each.kind, is_context=each.name in context)
            for each in task.asked
        ),
        goals=goals,
        companions=tuple(_companions(task, goals)),
    )


def gold_example(task: Task, example: Example) -> GoldExample:
    """An example of a data set as baselines learn from it."""
    gold = {target.name: example.values[task.gold[target.name]] for target in task.targets}
    return GoldExample(question=task.question(example), gold=gold)


def why_unfit(layout: TaskLayout, kind: str) -> str:
    """Why a baseline does not fit a task, as the end of a sentence; empty where it does."""
    kinds = {goal.kind for goal in layout.goals}
    if kind == "return-context":
        return _why_nothing_to_return(layout)
    if "text" in kinds:
        named = _named(goal.name for goal in layout.goals if goal.kind == "text")
        return f"{named} takes free text, so there are no labels or places to choose from"
    if kind != "majority" and not (layout.texts or layout.dialogues):
        return "the task asks nothing in words"
    return ""


def chosen_kinds(layout: TaskLayout, only: Sequence[str] = ()) -> tuple[list[str], dict[str, str]]:
    """The baselines that fit, of those that are wanted, and why each other one does not.

    InputError where none is left.
    """
    wanted = [*USUAL, *(name for name in BASELINES.names() if name not in USUAL)]
    for name in only:
        if name not in wanted:
            BASELINES.get(name)  # says what is near
    wanted = [name for name in wanted if not only or name in only]
    reasons = {name: why_unfit(layout, name) for name in wanted}
    fitting = [name for name in wanted if not reasons[name]]
    unfit = {name: why for name, why in reasons.items() if why}
    if not fitting:
        raise InputError(_none_fits(layout, unfit))
    return fitting, unfit


def told_unfit(reasons: Mapping[str, str], *, start: str = "") -> str:
    """Which baselines do not fit and why, those with one reason together."""
    by_reason: dict[str, list[str]] = {}
    for name, why in reasons.items():
        by_reason.setdefault(why, []).append(name)
    parts = [
        f"{start}{listed(names, joint='or')}, because {why}" for why, names in by_reason.items()
    ]
    return "; ".join(parts)


def _none_fits(layout: TaskLayout, unfit: Mapping[str, str]) -> str:
    if len(unfit) == 1:
        ((name, why),) = unfit.items()
        return f"The baseline {name} does not fit the task '{layout.task}': {why}."
    return f"No baseline fits the task '{layout.task}': {told_unfit(unfit, start='not ')}."


def _why_nothing_to_return(layout: TaskLayout) -> str:
    labelled = [goal.name for goal in layout.goals if goal.kind in LABELLED]
    if labelled:
        return f"a text is not an answer to {_named(labelled)}"
    images = [each.name for each in layout.asked if each.kind == "image"]
    if images:
        return f"an image, {_named(images)}, cannot be given back as words"
    if any(goal.kind == "text" for goal in layout.goals) and not (layout.texts or layout.dialogues):
        return "the task asks nothing in words"
    return ""


def _goal(task: Task, target: Field, asked: Mapping[str, Field]) -> TaskGoal:
    path = task.answers.name(target.name)
    match target:
        case Multiclass():
            return TaskGoal(name=target.name, kind="one", path=path, labels=target.labels)
        case Multilabel():
            return TaskGoal(name=target.name, kind="several", path=path, labels=target.labels)
        case Prob(single=True):
            return TaskGoal(name=target.name, kind="share", path=path)
        case Prob():
            return TaskGoal(name=target.name, kind="shares", path=path, labels=target.labels)
        case TurnProbs() if target.reference in asked:
            return TaskGoal(
                name=target.name,
                kind="turns",
                path=path,
                by_speaker={name: tuple(labels) for name, labels in target.labels.items()},
                reference=target.reference,
            )
        case ContextStringSelection() if isinstance(asked.get(target.reference), String):
            return TaskGoal(name=target.name, kind="span", path=path, reference=target.reference)
        case String() | ContextStringSelection():
            return TaskGoal(name=target.name, kind="text", path=path)
    raise InputError(
        f"No baseline fits the task '{task.name}': nothing here learns to answer '{target.name}', "
        f"which is of the kind '{target.kind}'."
    )


def _companions(task: Task, goals: Sequence[TaskGoal]) -> list[Companion]:
    """The outputs that say how probable an answer is: by label, or as one number of the first goal."""
    found = []
    for output in task.outputs:
        if not isinstance(output, Prob) or output.name in task.gold:
            continue
        same = (g.name for g in goals if g.kind == "one" and set(g.labels) == set(output.labels))
        sure = (g.name for g in goals if g.kind in ("one", "span"))
        goal = next(sure if output.single else same, "")
        if goal:
            path = task.answers.name(output.name)
            found.append(Companion(name=output.name, goal=goal, path=path, is_single=output.single))
    return found


def _named(names: Iterable[str]) -> str:
    return listed([f"'{name}'" for name in names])
