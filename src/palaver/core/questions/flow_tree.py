"""The tree of a flow: steps, their answers, and the steps that an answer opens."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from palaver.core.questions.options import check_ids


class StepAnswer(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One answer to a step; `ask` holds what is asked once it is chosen."""

    id: str
    text: str
    label: str = ""
    ask: "tuple[Step, ...]" = ()


class Step(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One question of a flow: one of its answers (radio), or any of them (checkbox)."""

    id: str
    text: str
    answers: tuple[StepAnswer, ...]
    type: Literal["radio", "checkbox"] = "radio"
    required: bool | None = None
    help: str = ""

    @property
    def is_required(self) -> bool:
        """Whether it must be answered where it is asked; by default a radio must."""
        return self.type == "radio" if self.required is None else self.required

    @property
    def may_be_none(self) -> bool:
        """Whether ticking nothing is an answer to it, which one gives by saying so."""
        return self.type == "checkbox" and not self.is_required

    def find(self, named: Any) -> StepAnswer | None:
        """The answer with this id, or else with exactly this text."""
        by_id = (answer for answer in self.answers if answer.id == named)
        by_text = (answer for answer in self.answers if answer.text == named)
        return next(by_id, None) or next(by_text, None)


@dataclass(frozen=True, slots=True)
class StepPlace:
    """Where a step stands in the tree: under which answer to which step, if under any."""

    step: Step
    depth: int
    parent: Step | None
    after: StepAnswer | None


def walk(
    steps: Sequence[Step],
    depth: int = 0,
    parent: Step | None = None,
    after: StepAnswer | None = None,
) -> Iterator[StepPlace]:
    """Every step of the tree, each before what its answers open."""
    for step in steps:
        yield StepPlace(step, depth, parent, after)
        for answer in step.answers:
            yield from walk(answer.ask, depth + 1, step, answer)


def walk_open(steps: Sequence[Step], given: Mapping[Any, Any]) -> Iterator[Step]:
    """The steps that are asked, given some answers: those at the top, and what is opened."""
    for step in steps:
        yield step
        named = named_in(given.get(step.id, given.get(step.text)))
        chosen = {found.id for name in named if (found := step.find(name)) is not None}
        for answer in step.answers:
            if answer.id in chosen:
                yield from walk_open(answer.ask, given)


def named_in(given: Any) -> list[Any]:
    """What was named as an answer to one step; nothing and empty texts name nothing."""
    named = given if isinstance(given, list | tuple) else [given]
    return [name for name in named if name is not None and name != ""]


def check_tree(steps: Sequence[Step]) -> None:
    """ValueError unless every step can be told apart and has answers that can be."""
    places = list(walk(steps))
    if not places:
        raise ValueError("'ask' is empty.")
    check_ids([place.step.id for place in places], what="ask")
    for step in (place.step for place in places):
        least = 2 if step.type == "radio" else 1
        if len(step.answers) < least:
            raise ValueError(
                f"'answers' of '{step.id}' needs {least} or more entries; got {len(step.answers)}."
            )
        check_ids([answer.id for answer in step.answers], what=f"answers of {step.id}")
