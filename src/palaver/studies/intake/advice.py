"""Advice as sheets: what each model advised beside the best advice of people.

A sheet holds one situation twice, once with people's best advice at its end and once with a model's;
raters say which helps more. People's second advice may stand in a model's place, as a control. All
sheets of one situation are a group: nobody meets the same human advice twice. Which situations are
taken and which serve as hidden checks is drawn with the stage's seed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from palaver.core.characters import REFUSAL, has_null
from palaver.core.errors import InputError
from palaver.core.questions.comparative import Comparative
from palaver.core.questions.question import Question
from palaver.core.situations import CONTROL, PEOPLE, Advice, Situation
from palaver.core.words import counted, listed
from palaver.formats.advice.answers import read_answers
from palaver.formats.advice.situations import read_situations
from palaver.formats.cocoa.outputs import NOTHING_SAID
from palaver.formats.dialogue_texts import DialogueText, SheetRecord, TurnText, any_of
from palaver.formats.judged import JudgedLine
from palaver.formats.line_problems import LineProblems
from palaver.studies.intake.drawn_sheets import (
    OTHER,
    Drawn,
    draw_items,
    numbered,
    share_sheets,
    sheet_of,
)
from palaver.studies.stages import RateStage
from palaver.studies.stages.rate import ADVICE

# How many of what is left out are named.
NAMED = 10


@dataclass(frozen=True, slots=True)
class AdviceData:
    """Situations with people's advice by rank, and the answers of models by situation."""

    situations: Sequence["AskedSituation"]
    answers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AskedSituation:
    """A situation and what people advised in words, the best first; at least one piece."""

    situation: Situation
    advice: Sequence[Advice]

    @property
    def id(self) -> str:
        return self.situation.id


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceFiles:
    """The files of a stage: situations, answers by model; and how its sheets are made of them."""

    situations: Path
    paths: Mapping[str, Path]
    stage: RateStage
    questions: Mapping[str, Question]
    purpose: Literal["real", "gold"] = "real"

    @property
    def format(self) -> str:
        return ADVICE

    @property
    def files(self) -> list[Path]:
        """Everything that is read."""
        return [self.situations, *self.paths.values()]

    @property
    def settings(self) -> list[Any]:
        """What, beside the files, the sheets depend on."""
        stage = self.stage
        gold = None if stage.gold is None else stage.gold.references
        overlap = None if stage.overlap is None else stage.overlap.model_dump()
        drawn = [stage.control, stage.sample, overlap, gold, stage.seed]
        return [*drawn, stage.per_visit, stage.order, list(self.paths)]

    def serving(self, purpose: Literal["real", "gold"]) -> "AdviceFiles":
        """The same files as what is judged, or as hidden checks."""
        return replace(self, purpose=purpose)

    def lines(self, line_problems: LineProblems) -> Iterator[JudgedLine]:
        """The sheets, one after the other; what is wrong goes to `line_problems`."""
        self._check_questions(line_problems)
        data = self.read(line_problems)
        if line_problems.has_errors:
            return
        drawn = draw_items(
            data.situations,
            self.stage,
            line_problems,
            lot=ADVICE,
            called="situation",
            has_reference=lambda item: True,
        )
        if self.purpose == "gold":
            sheets = list(self._checks(drawn))
        else:
            sheets = list(self._sheets(drawn, data))
            share_sheets(sheets, self.stage, line_problems)
        yield from numbered(sheets)

    def read(self, line_problems: LineProblems) -> AdviceData:
        """What stands in the files; what is wrong, missing or empty goes to `line_problems`."""
        asked = self._situations(line_problems)
        known = {item.id for item in asked}
        answers: dict[str, dict[str, str]] = {}
        for model, path in self.paths.items():
            if model in (PEOPLE, CONTROL):
                line_problems.add(
                    f"{path.name}: '{model}' stands for the advice of people; a model needs another "
                    "name."
                )
                continue
            try:
                answers[model] = read_answers(path)
            except (InputError, OSError) as error:
                line_problems.add(str(error))
            if has_null(answers.get(model)):
                line_problems.add(f"{path.name}: {REFUSAL}")
        if self.purpose == "real":
            for model, given in answers.items():
                _tell_answers(model, given, known, line_problems)
        left = [item for item in asked if item.advice]
        if self.purpose == "real" and len(left) < len(asked):
            _tell_without_advice([item.id for item in asked if not item.advice], line_problems)
        if not left and not line_problems.has_errors:
            line_problems.add(
                "No situation has advice of people that models could be held against."
            )
        return AdviceData(left, answers)

    def _situations(self, line_problems: LineProblems) -> list[AskedSituation]:
        found: dict[str, AskedSituation] = {}
        try:
            for situation in read_situations(self.situations):
                if situation.id in found:
                    message = f"{self.situations.name}: the id '{situation.id}' is there twice."
                    line_problems.add(message)
                if has_null((situation.title, situation.text, *(a.body for a in situation.advice))):
                    line_problems.add(f"{self.situations.name}, '{situation.id}': {REFUSAL}")
                written = [each for each in situation.ranked if each.body.strip()]
                found[situation.id] = AskedSituation(situation, written)
        except (InputError, OSError) as error:
            line_problems.add(str(error))
        if not found and not line_problems.has_errors:
            line_problems.add(f"{self.situations.name} has no situation.")
        return list(found.values())

    def _check_questions(self, line_problems: LineProblems) -> None:
        if self.purpose == "gold":
            return
        for name, question in self.questions.items():
            if question.about != "pair":
                line_problems.add(
                    f"Question '{name}' is about one text; two pieces of advice are compared. Have "
                    "it asked beside the comparison: 'beside: advice_better'."
                )

    def _sheets(self, drawn: Drawn[AskedSituation], data: AdviceData) -> Iterator[SheetRecord]:
        ask = tuple(self.questions)
        for item in drawn.judged:
            best, *others = item.advice
            people = _text(item.situation, PEOPLE, best.body)
            said = {
                name: given[item.id] for name, given in data.answers.items() if item.id in given
            }
            if others and self.stage.control and data.answers:
                said[CONTROL] = others[0].body
            for name, advice in said.items():
                texts = [people, _text(item.situation, name, advice)]
                yield _sheet(item, name, texts, ask)

    def _checks(self, drawn: Drawn[AskedSituation]) -> Iterator[SheetRecord]:
        """People's best advice, which should be found better than advice on something else."""
        elsewhere = [*drawn.checks[1:], *drawn.checks[:1]]
        if len(elsewhere) == 1:
            elsewhere = list(drawn.judged[:1])
        right = {
            name: any_of(_for_people(question))
            for name, question in self.questions.items()
            if isinstance(question, Comparative)
        }
        for item, other in zip(drawn.checks, elsewhere, strict=True):
            texts = [
                _text(item.situation, PEOPLE, item.advice[0].body),
                _text(item.situation, OTHER, other.advice[0].body),
            ]
            ask = tuple(self.questions)
            yield _sheet(item, OTHER, texts, ask, right)


def _sheet(
    item: AskedSituation,
    beside: str,
    texts: Sequence[DialogueText],
    ask: tuple[str, ...],
    right: Mapping[str, Any] | None = None,
) -> SheetRecord:
    """A sheet under the name of what stands beside people's advice."""
    notice = item.situation.notice
    return sheet_of(f"{item.id}/{beside}", texts, ask, right, group=item.id, notice=notice)


def _text(situation: Situation, system: str, advice: str) -> DialogueText:
    """A situation with a piece of advice at its end."""
    return DialogueText(
        id=f"{situation.id}/{system}",
        turns=(
            TurnText("user", situation.title),
            TurnText("user", situation.text),
            TurnText("system", advice if advice.strip() else NOTHING_SAID),
        ),
        system=system,
    )


def _for_people(question: Comparative) -> list[str]:
    """Every answer of a form that prefers the first, which is people's."""
    return [answer for answer, _, _ in question.offered if answer.endswith("a")]


def _tell_answers(
    model: str, given: Mapping[str, str], known: set[str], line_problems: LineProblems
) -> None:
    """Say what a model left out, left empty, or answered without being asked."""
    strange = [id for id in given if id not in known]
    if strange:
        line_problems.warn(
            f"Left out: {counted(len(strange), 'answer')} of '{model}' to situations that are not in "
            f"the file: {listed(strange, most=NAMED)}."
        )
    missing = [id for id in known if id not in given]
    if missing:
        line_problems.warn(
            f"'{model}' answered {len(known) - len(missing):,} of {len(known):,} situations; it is "
            "judged on these."
        )
    silent = [id for id, text in given.items() if id in known and not text.strip()]
    if silent:
        line_problems.warn(
            f"{counted(len(silent), 'answer')} of '{model}' without words, shown as such: "
            f"{listed(silent, most=NAMED)}."
        )


def _tell_without_advice(ids: Sequence[str], line_problems: LineProblems) -> None:
    named = listed(ids, most=NAMED)
    line_problems.warn(
        f"Left out: {counted(len(ids), 'situation')} without any advice of people: {named}."
    )
