"""Button flows: `{question: {answer: {further question: …}}}`, as the steps of a flow.

The authors' own map leads from answers to the sixteen behaviour labels of ABC-Eval. It knows the eight
tasks by name and their answers by what they say, so that a file whose wording was touched up is still
understood; an answer that no pattern fits gives no label.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from palaver.formats.chateval.names import slug
from palaver.formats.json_places import Steps

TYPE, DEPENDS = "_type_", "_dep_"
TYPES = ("radio", "checkbox")
# A question whose key is a name and no sentence was shown without words.
NAME = re.compile(r"\w+")
TICK = "Tick what applies."


@dataclass(frozen=True, slots=True)
class _Rule:
    label: str
    answer: str = ""
    step: str = ""

    def fits(self, step: str, answer: str) -> bool:
        return bool(re.search(self.step, step) and re.search(self.answer, answer))


_RULES: dict[str, tuple[_Rule, ...]] = {
    "grammar": (_Rule("uninterpretable"),),
    "sociality": (_Rule("antisocial"),),
    "commonsense": (_Rule("commonsense contradiction"),),
    "empathy": (_Rule("empathetic", r"^Yes\b"), _Rule("lack of empathy", r"^No\b")),
    "personal_information": (
        _Rule("preference info", step="^value_q$"),
        _Rule("life info", step="^experience_q$"),
        _Rule("preference info", "preference|value"),
        _Rule("life info", r"\blife\b|experience"),
    ),
    "transitions": (
        _Rule("ignore", r"^No\b.*ignore", "acknowledge"),
        _Rule("topic switch", r"^Yes\b.*chang", "new topic"),
        _Rule("follow up", r"^No\b.*ONLY respond", "new topic"),
        _Rule("irrelevant", r"^No\b", "relevant"),
    ),
    "knowledge": (
        _Rule("correct fact", r"^Yes\b", "Do you know"),
        _Rule("incorrect fact", r"^No\b|misleading", "Do you know"),
        _Rule("correct fact", r"^ALL facts are accurate", "search"),
        # The authors take the last of these for an equal of "misleading"; sources that disagree
        # give no label.
        _Rule("incorrect fact", r"^One of the facts|couldn.t find enough", "search"),
    ),
}
_OPTIONS = {
    "cont_s_ctxt": "self contradiction",
    "cont_p_ctxt": "partner contradiction",
    "redundant": "redundant",
}
_CONSISTENCY = ("consistency_label", "consistency_label_withprofile")


@dataclass(slots=True)
class MadeSteps:
    """The steps of a flow, what could not be kept, and what is wrong (with the place)."""

    steps: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    problems: list[tuple[Steps, str]] = field(default_factory=list)


def flow_steps(task: str, options: Any, *, is_required: bool) -> MadeSteps:
    """The options of a task as steps; where nothing is required, no radio is either."""
    made = MadeSteps()
    walk = _Walk(task, made, is_required)
    if not isinstance(options, dict) or not options:
        made.problems.append(
            ((), "'options' must be a mapping {question: {answer: {}}}, with one question or more.")
        )
        return made
    made.steps = walk.steps(options, ())
    return made


def option_label(task: str, value: str) -> str:
    """The behaviour label that an option gives; empty where it gives none."""
    return _OPTIONS.get(value, "") if task in _CONSISTENCY else ""


@dataclass(slots=True)
class _Walk:
    task: str
    made: MadeSteps
    is_required: bool
    ids: list[str] = field(default_factory=list)

    def steps(self, questions: dict[str, Any], here: Steps) -> list[dict[str, Any]]:
        made = [self._step(text, given, (*here, text)) for text, given in questions.items()]
        return [step for step in made if step is not None]

    def _step(self, text: str, given: Any, here: Steps) -> dict[str, Any] | None:
        if not isinstance(given, dict):
            self._report(here, f"The question '{_short(text)}' takes a mapping of its answers.")
            return None
        answers = {key: value for key, value in given.items() if key not in (TYPE, DEPENDS)}
        if not answers:
            self._report(here, f"The question '{_short(text)}' has no answers.")
            return None
        if DEPENDS in given:
            asked_when = ", ".join(given[DEPENDS]) if isinstance(given[DEPENDS], dict) else "…"
            self.made.notes.append(
                f"asked '{_short(text)}' only under '{DEPENDS}: {asked_when}'; here it is "
                "always asked"
            )
        is_name = NAME.fullmatch(text) is not None
        id = text if is_name and text not in self.ids else slug(text, self.ids, otherwise="step")
        self.ids.append(id)
        return {
            "id": id,
            "text": TICK if is_name else text,
            **self._type(text, given.get(TYPE), len(answers), here),
            "answers": self._answers(text, answers, here),
        }

    def _type(self, text: str, given: Any, count: int, here: Steps) -> dict[str, Any]:
        type = next(iter(given), None) if isinstance(given, dict) else given
        if type is not None and type not in TYPES:
            self._report((*here, TYPE), f"'{TYPE}' takes 'checkbox' or 'radio'; got {type!r}.")
        if type == "checkbox" and count > 1:
            self.made.notes.append(
                f"has several boxes under '{_short(text)}', of which only one could be ticked; "
                "here they are a choice that may be left open"
            )
            return {"type": "radio", "required": False}
        if type == "checkbox":
            return {"type": "checkbox"}
        if count == 1:
            self.made.notes.append(f"offers one answer to '{_short(text)}'; here it is a box")
            return {"type": "checkbox", "required": self.is_required}
        return {"type": "radio"} | ({} if self.is_required else {"required": False})

    def _answers(self, step: str, answers: dict[str, Any], here: Steps) -> list[dict[str, Any]]:
        made: list[dict[str, Any]] = []
        for text, further in answers.items():
            answer: dict[str, Any] = {
                "id": slug(text, [other["id"] for other in made], otherwise="answer"),
                "text": text,
            }
            label = _flow_label(self.task, step, text)
            if label:
                answer["label"] = label
            if further and isinstance(further, dict):
                answer["ask"] = self.steps(further, (*here, text))
            elif further or not isinstance(further, dict):
                message = (
                    f"The answer '{_short(text)}' takes a mapping of further questions, or {{}}."
                )
                self._report((*here, text), message)
            made.append(answer)
        return made

    def _report(self, steps: Steps, message: str) -> None:
        self.made.problems.append((steps, message))


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:59]}…"


def _flow_label(task: str, step: str, answer: str) -> str:
    """The behaviour label that an answer gives; empty where it gives none."""
    return next((r.label for r in _RULES.get(task, ()) if r.fits(step, answer)), "")
