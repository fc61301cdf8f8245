"""Responses in their contexts as sheets: what each system said next, to be judged by itself or in pairs.

Each response with its context is a dialogue whose last message is judged. Questions about one
dialogue make a sheet for every response, comparisons one for every two responses to the same
context. Which contexts are taken, which serve as hidden checks and which are shared by all raters is
drawn with the stage's seed. Names of systems stay on the server, as those of sheets do.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil
from pathlib import Path
from typing import Any, Literal

from palaver.core.errors import InputError, StudyError
from palaver.core.questions.question import Question
from palaver.core.words import counted
from palaver.formats.cocoa.outputs import RATED, REFERENCE, SILENT, ContextItem, ResponseData
from palaver.formats.dialogue_texts import DialogueText, PartRecord, SheetRecord, TurnText, any_of
from palaver.formats.json_places import Steps
from palaver.formats.judged import JudgedLine
from palaver.formats.line_problems import LineProblems, decode_document
from palaver.studies.stages import RateStage

# A file of outputs is often called so; then its folder says whose they are.
PLAIN_NAMES = ("outputs", "output", "responses")
OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseFiles:
    """The files of a stage by system, and how its sheets are made of them."""

    paths: Mapping[str, Path]
    stage: RateStage
    questions: Mapping[str, Question]
    purpose: Literal["real", "gold"]

    @property
    def settings(self) -> list[Any]:
        """What, beside the files, the sheets depend on."""
        stage = self.stage
        gold = None if stage.gold is None else stage.gold.references
        overlap = None if stage.overlap is None else stage.overlap.model_dump()
        drawn = [stage.context, stage.reference, stage.sample, overlap, gold, stage.seed]
        return [*drawn, stage.per_visit, stage.order, list(self.paths)]

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
            self._share(sheets, line_problems)
        for number, sheet in enumerate(sheets, start=1):
            yield JudgedLine(number, b"", sheet, _nowhere)

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

    def _drawn(self, data: ResponseData, line_problems: LineProblems) -> "_Drawn":
        """The contexts that are judged and those that serve as checks."""
        items = list(data.items.values())
        dice = random.Random(f"responses\n{self.stage.seed}")
        checks: list[ContextItem] = []
        gold = self.stage.gold
        if gold is not None and gold.references is not None:
            able = [item for item in items if REFERENCE in item.responses]
            if len(able) <= gold.references:
                line_problems.add(
                    f"'gold' wants {counted(gold.references, 'reference')} that serve for nothing "
                    f"else; the files have {counted(len(able), 'context')} with one."
                )
                return _Drawn([], [])
            checks = dice.sample(able, gold.references)
        held = {item.id for item in checks}
        left = [item for item in items if item.id not in held]
        if self.stage.sample is not None and self.stage.sample < len(left):
            taken = {item.id for item in dice.sample(left, self.stage.sample)}
            left = [item for item in left if item.id in taken]
        return _Drawn(left, checks)

    def _sheets(self, drawn: "_Drawn", data: ResponseData) -> Iterator[SheetRecord]:
        alone = tuple(name for name, q in self.questions.items() if q.about != "pair")
        paired = tuple(name for name, q in self.questions.items() if q.about == "pair")
        systems = [name for name in data.systems if self.stage.reference or name != REFERENCE]
        for item in drawn.judged:
            named = [name for name in systems if name in item.responses]
            for name in named if alone else ():
                yield _sheet(f"{item.id}/{name}", [_text(item, name)], alone)
            for one, other in combinations(named, 2) if paired else ():
                texts = [_text(item, one), _text(item, other)]
                yield _sheet(f"{item.id}/{one}|{other}", texts, paired)

    def _checks(self, drawn: "_Drawn") -> Iterator[SheetRecord]:
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
                yield _sheet(f"{item.id}/{REFERENCE}", texts, tuple(alone), answers)
            if paired and elsewhere:
                foreign = elsewhere[number].responses[REFERENCE]
                texts = [_text(item, REFERENCE), _text(item, OTHER, foreign)]
                answers = dict.fromkeys(paired, any_of(["a"]))
                yield _sheet(f"{item.id}/{REFERENCE}|{OTHER}", texts, tuple(paired), answers)

    def _share(self, sheets: list[SheetRecord], line_problems: LineProblems) -> None:
        """Mark the sheets that everybody judges, in place."""
        overlap = self.stage.overlap
        if overlap is None:
            return
        if overlap.items >= len(sheets):
            line_problems.add(
                f"'overlap' wants {counted(overlap.items, 'shared item')}; there are "
                f"{counted(len(sheets), 'item')} in all."
            )
            return
        chosen: Sequence[int] = range(overlap.items)
        if self.stage.order != "file":
            dice = random.Random(f"overlap\n{self.stage.seed}")
            chosen = dice.sample(range(len(sheets)), overlap.items)
        own = (self.stage.per_visit or 0) - overlap.items
        rest = (len(sheets) - overlap.items) * self.stage.raters
        raters = overlap.raters or max(self.stage.raters, ceil(rest / max(1, own)))
        for n in chosen:
            sheets[n] = _shared(sheets[n], raters)


@dataclass(frozen=True, slots=True)
class _Drawn:
    """The contexts that are judged, and those whose references are hidden checks."""

    judged: list[ContextItem]
    checks: list[ContextItem]


def system_of_file(path: Path) -> str:
    """Whose outputs a file holds, by its name or, where that says nothing, its folder's.

    >>> system_of_file(Path("outputs/rule.json")), system_of_file(Path("neural/outputs.json"))
    ('rule', 'neural')
    """
    return path.parent.name if path.stem.lower() in PLAIN_NAMES and path.parent.name else path.stem


def _sheet(
    name: str,
    texts: Sequence[DialogueText],
    ask: tuple[str, ...],
    answers: Mapping[str, Any] | None = None,
) -> SheetRecord:
    part = PartRecord(
        dialogues=tuple(texts), ask=ask, answers=dict(answers or {}), partial=answers is not None
    )
    return SheetRecord(id=name, group=name, parts=(part,))


def _shared(sheet: SheetRecord, raters: int) -> SheetRecord:
    return SheetRecord(
        id=sheet.id, group=sheet.group, raters=raters, shared=True, parts=sheet.parts
    )


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


def _nowhere(steps: Steps) -> tuple[int, int]:
    return 1, 1
