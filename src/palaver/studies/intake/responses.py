"""Responses in their contexts as sheets: what each system said next, to be judged by itself or in pairs.

Each response with its context is a dialogue whose last message is judged. Questions about one
dialogue make a sheet for every response, comparisons one for every two responses to the same
context. Which contexts are taken, which serve as hidden checks and which are shared by all raters is
drawn with the stage's seed. Names of systems stay on the server, as those of sheets do.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

from palaver.core.errors import InputError, StudyError
from palaver.core.questions.question import Question
from palaver.formats.cocoa.outputs import RATED, REFERENCE, SILENT, ContextItem, ResponseData
from palaver.formats.dialogue_texts import DialogueText, SheetRecord, TurnText, any_of
from palaver.formats.judged import JudgedLine
from palaver.formats.line_problems import LineProblems, decode_document
from palaver.studies.intake.drawn_sheets import (
    OTHER,
    Drawn,
    draw_items,
    numbered,
    share_sheets,
    sheet_of,
)
from palaver.studies.stages import RateStage
from palaver.studies.stages.rate import RESPONSES


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseFiles:
    """The files of a stage by system, and how its sheets are made of them."""

    paths: Mapping[str, Path]
    stage: RateStage
    questions: Mapping[str, Question]
    purpose: Literal["real", "gold"] = "real"

    @property
    def format(self) -> str:
        return RESPONSES

    @property
    def files(self) -> list[Path]:
        """Everything that is read."""
        return list(self.paths.values())

    @property
    def settings(self) -> list[Any]:
        """What, beside the files, the sheets depend on."""
        stage = self.stage
        gold = None if stage.gold is None else stage.gold.references
        overlap = None if stage.overlap is None else stage.overlap.model_dump()
        drawn = [stage.context, stage.reference, stage.sample, overlap, gold, stage.seed]
        return [*drawn, stage.per_visit, stage.order, list(self.paths)]

    def serving(self, purpose: Literal["real", "gold"]) -> "ResponseFiles":
        """The same files as what is judged, or as hidden checks."""
        return replace(self, purpose=purpose)

    def lines(self, line_problems: LineProblems) -> Iterator[JudgedLine]:
        """The sheets, one after the other; what is wrong goes to `line_problems`."""
        data = self._read(line_problems)
        if line_problems.has_errors:
            return
        drawn = self._drawn(data, line_problems)
        if self.purpose == "gold":
            sheets = list(self._checks(drawn))
        else:
            sheets = list(self._sheets(drawn, data))
            share_sheets(sheets, self.stage, line_problems)
        yield from numbered(sheets)

    def _read(self, line_problems: LineProblems) -> ResponseData:
        data = ResponseData(turns=self.stage.context)
        for system, path in self.paths.items():
            own = LineProblems(str(path))
            try:
                document = decode_document(path.read_bytes(), own)
                own.raise_errors()
                data.add(document, system=system, file=path.name)
            except StudyError as error:
                problem = error.problems[0]
                line_problems.add(f"{path.name}, line {problem.line}: {problem.message}")
            except (InputError, OSError) as error:
                line_problems.add(str(error))
        for mistake in data.mistakes:
            line_problems.add(mistake)
        if not data.items and not line_problems.has_errors:
            line_problems.add(_none(data, self.stage.context))
        for reason, count in data.left_out.items():
            words = "" if reason in (SILENT, RATED) else "Left out: "
            line_problems.warn(f"{words}{count:,} {reason}.")
        return data

    def _drawn(self, data: ResponseData, line_problems: LineProblems) -> Drawn[ContextItem]:
        return draw_items(
            list(data.items.values()),
            self.stage,
            line_problems,
            lot="responses",
            called="context",
            has_reference=lambda item: REFERENCE in item.responses,
        )

    def _sheets(self, drawn: Drawn[ContextItem], data: ResponseData) -> Iterator[SheetRecord]:
        alone = tuple(name for name, q in self.questions.items() if q.about != "pair")
        paired = tuple(name for name, q in self.questions.items() if q.about == "pair")
        systems = [name for name in data.systems if self.stage.reference or name != REFERENCE]
        for item in drawn.judged:
            named = [name for name in systems if name in item.responses]
            for name in named if alone else ():
                yield sheet_of(f"{item.id}/{name}", [_text(item, name)], alone)
            for one, other in combinations(named, 2) if paired else ():
                texts = [_text(item, one), _text(item, other)]
                yield sheet_of(f"{item.id}/{one}|{other}", texts, paired)

    def _checks(self, drawn: Drawn[ContextItem]) -> Iterator[SheetRecord]:
        """References that should be found acceptable; in pairs, better than one from elsewhere."""
        alone = {name: q for name, q in self.questions.items() if q.about != "pair"}
        paired = {name: q for name, q in self.questions.items() if q.about == "pair"}
        elsewhere = [*drawn.checks[1:], *drawn.checks[:1]]
        if len(elsewhere) == 1:
            elsewhere = [item for item in drawn.judged if REFERENCE in item.responses][:1]
        for number, item in enumerate(drawn.checks):
            if alone:
                answers = {name: any_of(good) for name, q in alone.items() if (good := _good(q))}
                texts = [_text(item, REFERENCE)]
                yield sheet_of(f"{item.id}/{REFERENCE}", texts, tuple(alone), answers)
            if paired and elsewhere:
                foreign = elsewhere[number].responses[REFERENCE]
                texts = [_text(item, REFERENCE), _text(item, OTHER, foreign)]
                answers = dict.fromkeys(paired, any_of(["a"]))
                yield sheet_of(f"{item.id}/{REFERENCE}|{OTHER}", texts, tuple(paired), answers)


def _text(item: ContextItem, system: str, said: str | None = None) -> DialogueText:
    """A context with a response at its end: whoever responds sits where the system sits."""
    turns = [
        TurnText("system" if turn.speaker == item.speaker else "user", turn.text)
        for turn in item.context
    ]
    response = TurnText("system", item.responses[system] if said is None else said)
    return DialogueText(
        id=f"{item.id}/{system}",
        turns=(*turns, response),
        system=system,
        roles=item.roles or (),
    )


def _good(question: Question) -> list[Any]:
    """The upper half of a scale, its middle included; nothing where a question has no scale."""
    points = [coded.value for coded in question.codebook]
    is_scale = question.level == "ordinal" and all(isinstance(each, int) for each in points)
    return sorted(points)[len(points) // 2 :] if is_scale else []


def _none(data: ResponseData, turns: int) -> str:
    why = "; ".join(f"{count:,} {reason}" for reason, count in data.left_out.items())
    hint = f" Left out were {why}. 'context' is {turns}." if why else ""
    return f"The files have no context that can be judged.{hint}"
