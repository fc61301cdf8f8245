"""The flow question: steps of which some are asked only after a certain answer.

It says what the button flows of the ChatEvaluationPlatform say. The value maps the id of each step
to the id of its answer (radio) or a list of them (checkbox); a step without an answer is absent.
"""

from collections.abc import Mapping
from typing import Any, Literal

from palaver.core.errors import AnswerError
from palaver.core.questions.flow_tree import (
    Step,
    StepAnswer,
    check_tree,
    named_in,
    walk,
    walk_open,
)
from palaver.core.questions.options import NONE
from palaver.core.questions.question import CodedValue, Fields, Level, Shown, Stem
from palaver.core.questions.refusals import listed, refuse, shortened


class Flow(Stem, frozen=True, kw_only=True, omit_defaults=True, tag="flow"):
    """Some steps in order; `display` says whether they stand in a block that folds."""

    ask: tuple[Step, ...]
    display: Literal["folded", "open", "plain"] = "plain"

    def in_words(self, value: Any) -> str:
        """The answers that were chosen, in the order of the flow."""
        chosen = [
            answer.text
            for step in self.visible(value)
            for answer in step.answers
            if answer.id in named_in(value.get(step.id))
        ]
        return "; ".join(chosen) or NONE

    def __post_init__(self) -> None:
        super().__post_init__()
        check_tree(self.ask)

    @property
    def kind(self) -> str:
        return "flow"

    @property
    def level(self) -> Level:
        """Names."""
        return "nominal"

    @property
    def label_names(self) -> tuple[str, ...]:
        """The labels of all answers, in the order of the flow."""
        answers = (answer for place in walk(self.ask) for answer in place.step.answers)
        return tuple(dict.fromkeys(answer.label for answer in answers if answer.label))

    @property
    def stored_as(self) -> str:
        return "for the id of each step that was answered, the id of its answer, or a list of them"

    @property
    def codebook(self) -> tuple[CodedValue, ...]:
        return tuple(
            CodedValue(value=answer.id, text=answer.text, label=answer.label, of=place.step.id)
            for place in walk(self.ask)
            for answer in place.step.answers
        )

    def visible(self, answer: Mapping[str, Any]) -> tuple[Step, ...]:
        """The steps that are asked, given the answers so far, in the order of the flow."""
        return tuple(walk_open(self.ask, answer))

    def depth(self, step_id: str) -> int:
        """How many answers stand above a step; 0 at the top."""
        return next(place.depth for place in walk(self.ask) if place.step.id == step_id)

    def parse(self, fields: Fields) -> dict[str, Any] | None:
        """The answers by step, an empty list where "none of these" was ticked; None without any."""
        checkboxes = {place.step.id for place in walk(self.ask) if place.step.type == "checkbox"}
        answer: dict[str, Any] = {}
        for step, values in fields.items():
            named = [value for value in values if value != ""]
            if step in checkboxes:
                answer[step] = list(values) if named else []
            elif named:
                answer[step] = named[0] if len(named) == 1 else named
        return answer or None

    def on_form(self, value: Any) -> Any:
        """A stored value with an empty list for each step that nothing was ticked in."""
        if value is None:
            return None
        return {**{step.id: [] for step in self.visible(value) if step.may_be_none}, **value}

    def left_open(self, answer: Any) -> bool:
        """Whether there is a step in which nothing was ticked, or "none of these" beside another."""
        if not isinstance(answer, dict):
            return False
        open_steps = [step for step in self.visible(answer) if step.may_be_none]
        both = any("" in answer.get(step.id, ()) for step in open_steps)
        return both or (self.required and any(step.id not in answer for step in open_steps))

    def read(self, answer: Any, shown: Shown) -> dict[str, Any]:
        """The answer to each step that was answered, in the order of the flow."""
        if not isinstance(answer, dict):
            raise refuse(self.name, "an answer for each step", answer)
        given = {step: named for step, named in answer.items() if named_in(named)}
        self._check_steps(given)
        value: dict[str, Any] = {}
        for step in self.visible(given):
            key = step.id if step.id in given else step.text
            if key in given:
                value[step.id] = self._read_step(step, given.pop(key))
        if given:
            raise self._unasked(next(iter(given)), value)
        for step in self.visible(value):
            if step.is_required and step.id not in value:
                raise AnswerError(f"Question '{self.name}' needs an answer to '{step.id}'.")
        return value

    def labels(self, value: Any) -> tuple[str, ...]:
        """The labels of the answers that were chosen, in the order of the flow."""
        return tuple(
            dict.fromkeys(
                answer.label
                for step in self.visible(value)
                for answer in step.answers
                if answer.label and answer.id in named_in(value.get(step.id))
            )
        )

    def _check_steps(self, given: Mapping[Any, Any]) -> None:
        steps = [place.step for place in walk(self.ask)]
        known = {step.id for step in steps} | {step.text for step in steps}
        for name in given:
            if name not in known:
                ids = listed(step.id for step in steps)
                raise refuse(self.name, f"answers to {ids}", name)

    def _read_step(self, step: Step, given: Any) -> str | list[str]:
        named = named_in(given)
        chosen = {self._find(step, name).id for name in named}
        if step.type == "checkbox":
            return [answer.id for answer in step.answers if answer.id in chosen]
        if len(chosen) > 1:
            raise AnswerError(
                f"Question '{self.name}': '{step.id}' takes one answer; got {len(chosen)}."
            )
        return chosen.pop()

    def _find(self, step: Step, name: Any) -> StepAnswer:
        found = step.find(name)
        if found is None:
            options = listed(answer.id for answer in step.answers)
            raise AnswerError(
                f"Question '{self.name}': '{step.id}' takes {options}; got {shortened(name)}."
            )
        return found

    def _unasked(self, name: str, value: Mapping[str, Any]) -> AnswerError:
        """What to say of an answer to a step that the other answers do not open."""
        place = next(p for p in walk(self.ask) if name in (p.step.id, p.step.text))
        if place.parent is None or place.after is None or place.step.id in value:
            return AnswerError(f"Question '{self.name}': '{place.step.id}' was answered twice.")
        return AnswerError(
            f"Question '{self.name}': '{place.step.id}' was answered, but it is only asked after "
            f"'{place.after.id}' is chosen for '{place.parent.id}'."
        )
