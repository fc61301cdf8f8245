"""Assignments as a table: a row for each, with columns that statistics and spreadsheets read.

What belonged to a HIT keeps its name with `Input.` before it, what a worker answered with `Answer.`, so
that no answer can pass for the id of a worker.
"""

import csv
import json
from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from palaver.formats.mturk.assignments import TurkAssignment, TurkStatus
from palaver.formats.mturk.batch_csv import ANSWER, INPUT
from palaver.formats.spreadsheets import escaped_row

COLUMNS = ("hit", "assignment", "worker", "status", "batch", "submitted", "seconds")
# What stands between several things that were chosen.
BETWEEN = "; "


def write_answers(
    assignments: Iterable[TurkAssignment], target: Path, *, statuses: Collection[TurkStatus] = ()
) -> int:
    """Write the assignments that stand so, or all, as a table; how many rows it has."""
    kept = [each for each in assignments if not statuses or each.status in statuses]
    inputs = list(dict.fromkeys(name for each in kept for name in each.inputs))
    answers = list(dict.fromkeys(name for each in kept for name in each.answers))
    with target.open("w", encoding="utf-8", newline="") as stream:
        out = csv.writer(stream)
        out.writerow(
            escaped_row(
                [*COLUMNS, *(INPUT + name for name in inputs), *(ANSWER + name for name in answers)]
            )
        )
        for each in kept:
            out.writerow(
                escaped_row(
                    [
                        *_fixed(each),
                        *(each.inputs.get(name, "") for name in inputs),
                        *(as_cell(each.answers.get(name)) for name in answers),
                    ]
                )
            )
    return len(kept)


def as_cell(answer: Any) -> Any:
    """An answer in one cell: chosen things one after the other, whatever else is nested as JSON.

    >>> as_cell({"yes": True, "no": False}), as_cell(["a", "b"]), as_cell(None)
    ('yes', 'a; b', '')
    """
    if answer is None:
        return ""
    if isinstance(answer, bool):
        return str(answer).lower()
    if isinstance(answer, str | int | float):
        return answer
    if isinstance(answer, dict) and answer and all(isinstance(on, bool) for on in answer.values()):
        # A form of the site says of each choice whether it was taken.
        return BETWEEN.join(str(name) for name, on in answer.items() if on)
    if isinstance(answer, list) and all(isinstance(each, str | int | float) for each in answer):
        return BETWEEN.join(str(each) for each in answer)
    return json.dumps(answer, ensure_ascii=False, sort_keys=True)


def _fixed(each: TurkAssignment) -> list[object]:
    submitted = "" if each.submitted is None else _moment(each.submitted)
    seconds = "" if each.seconds is None else each.seconds
    return [each.hit, each.assignment, each.worker, each.status, each.batch, submitted, seconds]


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
