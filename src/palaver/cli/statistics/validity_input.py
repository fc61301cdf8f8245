"""What `palaver validity` reads: a table of judgements."""

from collections import Counter
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import Any

from palaver.analysis.agreement.positives import NO, YES, answer_word
from palaver.analysis.validity import DialogueComparison, Timed
from palaver.cli.statistics.validity_choices import (
    Judged,
    JudgedComparison,
    JudgedValue,
    known_label,
    label_kinds,
)
from palaver.cli.statistics.validity_study import from_export
from palaver.core.errors import InputError
from palaver.formats.frames import Frame, read_frame
from palaver.studies.review.label_files import is_label_export

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
    own: str | None = None


def from_table(path: Path, quality: str, columns: Columns) -> Judged:
    """The judgements of a table, in which each row is one value of one label."""
    frame = read_frame(path)
    if columns == Columns() and is_label_export(frame):
        return from_export(path, frame, quality)
    dialogues, labels = frame.texts(columns.dialogue), frame.texts(columns.label)
    values = _values(frame, columns.value)
    systems = _optional(frame, columns.system, "system")
    raters = _optional(frame, columns.rater, "rater")
    units = _optional(frame, columns.unit, "unit")
    own = _own_column(frame, columns.own)
    against = frame.texts(columns.against) if columns.against else [None] * len(frame)
    if not len(frame):
        raise InputError(f"{frame.name} has no rows; each should be one judgement.")
    judged = Judged(frame.name)
    seen: Counter[Any] = Counter()
    times: Counter[tuple[str, str, str | None]] = Counter()
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
                compared = DialogueComparison(dialogue, other, values[n])
                judged.comparisons.append(JudgedComparison(compared, own[n]))
        else:
            judged.rows.append(
                JudgedValue(dialogue, label, values[n], systems[n], raters[n], label, own[n])
            )
            times[dialogue, label, raters[n]] += 1
    parts = {label: False for _, label, _ in times}
    parts |= {label: True for (_, label, _), count in times.items() if count > 1}
    judged.kinds = label_kinds(judged.rows, parts)
    judged.timed = _timed(frame, columns, dialogues, labels, raters)
    known_label(quality, [label for label in labels if label is not None], frame.name)
    return judged


def _own_column(frame: Frame, name: str | None) -> list[bool | None]:
    if name is None:
        return [None] * len(frame)
    found: list[bool | None] = []
    for n, cell in enumerate(frame.texts(name)):
        word = None if cell is None else answer_word(cell)
        if word is not None and word not in YES | NO:
            raise InputError(
                f"{frame.row(n)}: the column '{name}' says whether the rater held the dialogue, with "
                f"yes or no; got '{cell}'."
            )
        found.append(None if word is None else word in YES)
    return found


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
