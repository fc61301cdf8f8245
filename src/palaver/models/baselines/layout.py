"""What a baseline knows of a task: what is asked, what is to be answered, and how that is written.

It travels as lists of words: as the first line of a file of examples, and as the vocabulary of a
checkpoint. So training needs no more of a task than this, and an answer needs no task at all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from palaver.core.errors import InputError

# One label; any number of labels; a distribution over labels; a single probability; a distribution
# for each turn; words of a text that is asked; any text.
GoalKind = Literal["one", "several", "shares", "share", "turns", "span", "text"]
LayoutWords = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedPart:
    """A field of the question, with the kind of field it is."""

    name: str
    kind: str
    is_context: bool = False

    @property
    def is_text(self) -> bool:
        return self.kind in ("string", "context_string_selection")

    @property
    def is_dialogue(self) -> bool:
        return self.kind == "turns"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskGoal:
    """An output that has gold. `path` is where an answer holds it, dotted."""

    name: str
    kind: GoalKind
    path: str
    labels: tuple[str, ...] = ()
    # Of each speaker, where each turn has a distribution.
    by_speaker: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # The field that a span stands in, or whose turns are judged.
    reference: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Companion:
    """An output without gold that says how sure the answer to a goal is."""

    name: str
    goal: str
    path: str
    # Whether it is one number, not one per label.
    is_single: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskLayout:
    """What is asked by a task and what it wants for an answer."""

    task: str
    asked: tuple[AskedPart, ...]
    goals: tuple[TaskGoal, ...]
    companions: tuple[Companion, ...] = ()

    @property
    def texts(self) -> tuple[AskedPart, ...]:
        return tuple(each for each in self.asked if each.is_text)

    @property
    def dialogues(self) -> tuple[AskedPart, ...]:
        return tuple(each for each in self.asked if each.is_dialogue)

    @property
    def paths(self) -> dict[str, str]:
        """Where an answer holds each output."""
        found = {each.name: each.path for each in self.goals}
        return found | {each.name: each.path for each in self.companions}

    def as_words(self) -> dict[str, list[str]]:
        """The layout as lists of words by what they are for."""
        words: dict[str, list[str]] = {
            "task": [self.task],
            "asked": [each.name for each in self.asked],
            "asked: kinds": [each.kind for each in self.asked],
            "asked: context": [each.name for each in self.asked if each.is_context],
            "goals": [each.name for each in self.goals],
            "goals: kinds": [each.kind for each in self.goals],
            "goals: paths": [each.path for each in self.goals],
            "goals: references": [each.reference for each in self.goals],
            "companions": [each.name for each in self.companions],
            "companions: goals": [each.goal for each in self.companions],
            "companions: paths": [each.path for each in self.companions],
            "companions: single": [each.name for each in self.companions if each.is_single],
        }
        for goal in self.goals:
            if goal.labels:
                words[labels_key(goal.name)] = list(goal.labels)
            if goal.by_speaker:
                words[f"speakers: {goal.name}"] = list(goal.by_speaker)
            for speaker, labels in goal.by_speaker.items():
                words[labels_key(goal.name, speaker)] = list(labels)
        return words

    @classmethod
    def from_words(cls, words: LayoutWords, *, where: str) -> "TaskLayout":
        """The layout that words say; InputError, beginning with `where`, if they say none."""
        try:
            (task,) = words["task"]
            context = words["asked: context"]
            single = words["companions: single"]
            asked = zip(words["asked"], words["asked: kinds"], strict=True)
            beside = zip(
                words["companions"],
                words["companions: goals"],
                words["companions: paths"],
                strict=True,
            )
            layout = cls(
                task=task,
                asked=tuple(AskedPart(name=n, kind=k, is_context=n in context) for n, k in asked),
                goals=_goals(words),
                companions=tuple(
                    Companion(name=name, goal=goal, path=path, is_single=name in single)
                    for name, goal, path in beside
                ),
            )
            _check(layout)
            return layout
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"{where}: it does not say what its task asks ({error}). Have it written by "
                "'palaver model baseline'."
            ) from error


def labels_key(goal: str, speaker: str = "") -> str:
    """Under which key the labels of a goal stand."""
    return f"labels: {goal}: {speaker}" if speaker else f"labels: {goal}"


def _goals(words: LayoutWords) -> tuple[TaskGoal, ...]:
    rows = zip(
        words["goals"],
        words["goals: kinds"],
        words["goals: paths"],
        words["goals: references"],
        strict=True,
    )
    return tuple(
        TaskGoal(
            name=name,
            kind=_goal_kind(kind),
            path=path,
            reference=reference,
            labels=tuple(words.get(labels_key(name), ())),
            by_speaker={
                speaker: tuple(words[labels_key(name, speaker)])
                for speaker in words.get(f"speakers: {name}", ())
            },
        )
        for name, kind, path, reference in rows
    )


def _check(layout: TaskLayout) -> None:
    """ValueError where a goal names what is not asked, or has nothing to choose from."""
    texts, dialogues = ({part.name for part in own} for own in (layout.texts, layout.dialogues))
    for goal in layout.goals:
        if goal.kind in ("one", "several", "shares") and not goal.labels:
            raise ValueError(f"'{goal.name}' has no labels")
        if goal.kind == "turns" and not (goal.by_speaker and goal.reference in dialogues):
            raise ValueError(f"'{goal.name}' judges no turns")
        if goal.kind == "span" and goal.reference not in texts:
            raise ValueError(f"'{goal.name}' stands in no text")


def _goal_kind(text: str) -> GoalKind:
    for kind in get_args(GoalKind):
        if kind == text:
            known: GoalKind = kind
            return known
    raise ValueError(f"'{text}' is not a kind of goal")
