"""What `palaver validity` reads: a table of judgements, or the answers of a study."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isnan, nan
from pathlib import Path
from typing import Any

from palaver.analysis.validity import DialogueComparison, DialogueScores, Timed, dialogue_scores
from palaver.core.errors import InputError
from palaver.core.questions.comparative import FIRST, SECOND, TIE
from palaver.core.registry import near
from palaver.formats.frames import Frame, read_frame
from palaver.reports.target import OpenStudy, opened_study
from palaver.storage.judging.evidence import read_evidence
from palaver.studies.review.evidence import Measured
from palaver.studies.review.raters import kind_of

SCORE = {FIRST: 1.0, TIE: 0.0, SECOND: -1.0}
WORDS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}


@dataclass(frozen=True, slots=True)
class Columns:
    """The names of a table's columns; one that was not asked for is used if it is there."""

    dialogue: str = "dialogue"
    label: str = "label"
    value: str = "value"
    system: str | None = None
    rater: str | None = None
    unit: str | None = None
    seconds: str | None = None
    against: str | None = None


@dataclass(frozen=True, slots=True)
class ValidityInput:
    """Judgements per dialogue, comparisons if quality is comparative, and times if there are any."""

    scores: DialogueScores
    comparisons: list[DialogueComparison]
    timed: Timed | None


@dataclass(slots=True)
class _Rows:
    """Judgements, one per row, as they are gathered."""

    dialogues: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    systems: list[str | None] = field(default_factory=list)

    def add(self, dialogue: str, label: str, value: float, system: str | None) -> None:
        self.dialogues.append(dialogue)
        self.labels.append(label)
        self.values.append(value)
        self.systems.append(system)

    def scores(self) -> DialogueScores:
        return dialogue_scores(self.dialogues, self.labels, self.values, systems=self.systems)


def from_table(path: Path, quality: str, columns: Columns) -> ValidityInput:
    """The judgements of a table, in which each row is one value of one label."""
    frame = read_frame(path)
    dialogues, labels = frame.texts(columns.dialogue), frame.texts(columns.label)
    values = _values(frame, columns.value)
    systems = _optional(frame, columns.system, "system")
    raters = _optional(frame, columns.rater, "rater")
    units = _optional(frame, columns.unit, "unit")
    against = frame.texts(columns.against) if columns.against else [None] * len(frame)
    if not len(frame):
        raise InputError(f"{frame.name} has no rows; each should be one judgement.")
    rows, comparisons = _Rows(), []
    seen: Counter[Any] = Counter()
    for n in range(len(frame)):
        dialogue, label = dialogues[n], labels[n]
        if dialogue is None or label is None:
            raise InputError(f"{frame.row(n)}: a judgement needs a dialogue and a label.")
        if units[n] is not None and raters[n] is not None:
            _once(seen, (units[n], raters[n], label, against[n]), frame.row(n))
        if columns.against and label == quality:
            other = against[n]
            if other is None:
                raise InputError(
                    f"{frame.row(n)}: '{quality}' does not say what it was compared with."
                )
            if not isnan(values[n]):
                comparisons.append(DialogueComparison(dialogue, other, values[n]))
        else:
            rows.add(dialogue, label, values[n], systems[n])
    _known(quality, [label for label in labels if label is not None], frame.name)
    return ValidityInput(
        rows.scores(), comparisons, _timed(frame, columns, dialogues, labels, raters)
    )


def from_study(
    path: Path, quality: str, *, study: str | None, home: Path | None, raters: str
) -> ValidityInput:
    """The answers of a study: each facet of a question is a label; times are those of questions."""
    with opened_study(path, study=study, home=home) as opened:
        evidence = opened.evidence(raters=raters)
        votes = _votes(opened, quality, raters) if quality in evidence.votes else []
    rows = _Rows()
    labels, dialogues, people, seconds = [], [], [], []
    timed: set[str] = set()
    for measured in evidence.measured:
        if measured.question in evidence.votes:
            continue
        for dialogue, label, value, system in _answers(measured):
            rows.add(dialogue, label, value, system)
        if measured.question not in timed:
            timed.add(measured.question)
            ratings = measured.ratings
            labels += [measured.question] * len(ratings)
            dialogues += [str(each) for each in ratings.column("dialogue")]
            people += [str(each) for each in ratings.column("rater")]
            seconds += [nan if each is None else each for each in ratings.column("seconds")]
    if not rows.values:
        raise InputError(f"The study '{evidence.study}' has no answers that are points or labels.")
    _known(quality, [*rows.labels, *evidence.votes], f"The study '{evidence.study}'")
    known = any(not isnan(second) for second in seconds)
    return ValidityInput(
        rows.scores(), votes, Timed(labels, dialogues, people, seconds) if known else None
    )


def _values(frame: Frame, name: str) -> list[float]:
    """A column as numbers; yes and true are 1, no and false are 0."""
    read = [
        WORDS.get(cell.strip().lower(), cell) if isinstance(cell, str) else cell
        for cell in frame.column(name)
    ]
    return Frame(frame.name, {name: read}, frame.first_row).numbers(name)


def _optional(frame: Frame, asked: str | None, usual: str) -> list[str | None]:
    """The column that was asked for, or the one of the usual name if there is one."""
    if asked is None and usual not in frame.columns:
        return [None] * len(frame)
    return frame.texts(asked or usual)


def _once(seen: Counter[Any], key: Any, where: str) -> None:
    seen[key] += 1
    if seen[key] > 1:
        unit, rater, label, _ = key
        raise InputError(
            f"{where}: rater '{rater}' judged '{label}' of unit '{unit}' twice; keep one answer."
        )


def _known(quality: str, labels: list[str], where: str) -> None:
    if quality not in labels:
        known = list(dict.fromkeys(labels))
        hint = near(quality, known) or f" It has: {', '.join(known)}."
        raise InputError(f"{where} has no label '{quality}'.{hint}")


def _timed(
    frame: Frame,
    columns: Columns,
    dialogues: list[str | None],
    labels: list[str | None],
    raters: list[str | None],
) -> Timed | None:
    name = columns.seconds or "seconds"
    if columns.seconds is None and name not in frame.columns:
        return None
    return Timed(
        [str(label) for label in labels],
        [str(dialogue) for dialogue in dialogues],
        raters,
        frame.numbers(name),
    )


def _answers(measured: Measured) -> Iterator[tuple[str, str, float, str | None]]:
    """A facet's answers as numbers; where they are names, each name is a label: given or not."""
    ratings, facet = measured.ratings, measured.facet
    names = facet.level == "nominal" and not facet.is_presence
    # Of two names the second says the same as the first.
    shown = facet.scale[:1] if len(facet.scale) == 2 else facet.scale
    for dialogue, value, system in zip(
        ratings.column("dialogue"), ratings.column("value"), ratings.column("system"), strict=True
    ):
        if names:
            for name in shown:
                yield str(dialogue), f"{measured.name} = {name}", float(value == name), system
        else:
            yield str(dialogue), measured.name, float(value), system


def _votes(opened: OpenStudy, quality: str, raters: str) -> list[DialogueComparison]:
    evidence = opened.store.read_now(
        lambda connection: read_evidence(
            connection, opened.stored.id, kind=kind_of(raters), question=quality
        )
    )
    return [
        DialogueComparison(*each.dialogues, SCORE[each.rating.value])
        for each in evidence
        if each.dialogues is not None and each.rating.value in SCORE
    ]
