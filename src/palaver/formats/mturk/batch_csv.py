"""The CSV of a batch, as the requester's site gave it: `Input.*` of the HIT, `Answer.*` of the worker.

A row that cannot be read is left out and reported with its line, as is one that stands there twice.
"""

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError, Problem
from palaver.core.words import listed
from palaver.formats.mturk.assignments import (
    BadAssignment,
    TurkAssignment,
    TurkBatch,
    read_reward,
    read_status,
)
from palaver.formats.mturk.times import turk_moment
from palaver.formats.pseudonyms import origin_pseudonym
from palaver.formats.spreadsheets import unescaped

INPUT, ANSWER = "Input.", "Answer."
# Forms of the site put all answers into one column, as a list of one object.
TOGETHER = "taskAnswers"
NEEDED = ("HITId", "AssignmentId", "WorkerId", "AssignmentStatus")
TIMES = ("AcceptTime", "SubmitTime", "ApprovalTime", "RejectionTime")
LONGEST_CELL = 1 << 24
_BATCH = re.compile(r"BatchId:([^;]*);")


def read_turk_csv(path: Path, *, salt: str) -> TurkBatch:
    """The assignments in a file, workers under pseudonyms; InputError if it is not such a file."""
    batch = TurkBatch()
    seen: set[str] = set()
    for line, row in rows_of(path, check_head):
        batch.rows += 1
        told: list[str] = []
        try:
            read = _assignment(line, row, told, salt=salt)
            if read.assignment in seen:
                raise BadAssignment(f"Assignment '{read.assignment}' stands here twice.")
            seen.add(read.assignment)
            batch.assignments.append(read)
        except BadAssignment as bad:
            batch.problems.append(Problem(path.name, line, 1, f"{bad} The row is left out."))
        batch.problems += [Problem(path.name, line, 1, words, warning=True) for words in told]
    return batch


def rows_of(
    path: Path, check: Callable[[Path, list[str]], None]
) -> Iterator[tuple[int, dict[str, str]]]:
    """Each row under the names of its columns, with the line on which it begins.

    `check` raises InputError where the columns are not those that are needed.
    """
    csv.field_size_limit(LONGEST_CELL)
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream)
            head = next(reader, [])
            check(path, head)
            line = reader.line_num + 1
            for cells in reader:
                if any(cells):
                    named = zip(head, cells, strict=False)
                    yield line, {name: unescaped(cell) for name, cell in named}
                line = reader.line_num + 1
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path.name} is not CSV in UTF-8: {error}.") from error


def check_head(path: Path, head: list[str]) -> None:
    """InputError where the columns are not those of a batch."""
    missing = [name for name in NEEDED if name not in head]
    if missing:
        raise InputError(
            f"{path.name} is not a batch of Mechanical Turk: it lacks the "
            f"{'column' if len(missing) == 1 else 'columns'} {listed(missing)}. Take the results of "
            "the batch as they were downloaded."
        )


def _assignment(line: int, row: Mapping[str, str], told: list[str], *, salt: str) -> TurkAssignment:
    for name in NEEDED[:3]:
        if not row.get(name, "").strip():
            raise BadAssignment(f"'{name}' is empty.")
    times = {name: _time(row, name, told) for name in TIMES}
    annotated = _BATCH.search(row.get("RequesterAnnotation", ""))
    return TurkAssignment(
        line=line,
        hit=row["HITId"].strip(),
        assignment=row["AssignmentId"].strip(),
        worker=origin_pseudonym(salt, row["WorkerId"].strip()),
        status=read_status(row["AssignmentStatus"]),
        hit_type=row.get("HITTypeId", "").strip(),
        title=row.get("Title", ""),
        batch=annotated[1].strip() if annotated else "",
        reward=read_reward(row.get("Reward", "")),
        accepted=times["AcceptTime"],
        submitted=times["SubmitTime"],
        approved=times["ApprovalTime"],
        rejected=times["RejectionTime"],
        feedback=row.get("RequesterFeedback", ""),
        seconds=_seconds(row.get("WorkTimeInSeconds", ""), told),
        inputs=_under(row, INPUT),
        answers=_answers(_under(row, ANSWER), told),
    )


def _under(row: Mapping[str, str], prefix: str) -> dict[str, str]:
    return {name[len(prefix) :]: cell for name, cell in row.items() if name.startswith(prefix)}


def _answers(columns: dict[str, str], told: list[str]) -> dict[str, Any]:
    """The answers of all columns; what stands in the one for all is spread over its names."""
    together = columns.pop(TOGETHER, "").strip()
    if not together:
        return dict(columns)
    try:
        inside = json.loads(together)
    except (ValueError, RecursionError):
        told.append(f"'{ANSWER}{TOGETHER}' is not JSON; it is kept as a text.")
        return {**columns, TOGETHER: together}
    while isinstance(inside, list) and len(inside) == 1:
        inside = inside[0]
    return {**columns, **(inside if isinstance(inside, dict) else {TOGETHER: inside})}


def _time(row: Mapping[str, str], name: str, told: list[str]) -> float | None:
    cell = row.get(name, "").strip()
    found = turk_moment(cell) if cell else None
    if cell and found is None:
        told.append(f"'{name}' is '{cell[:40]}', which is not a time. Taken without it.")
    return found


def _seconds(cell: str, told: list[str]) -> float | None:
    if not cell.strip():
        return None
    if not cell.strip().isascii() or not cell.strip().isdecimal():
        told.append(f"'WorkTimeInSeconds' is '{cell[:40]}'. Taken without it.")
        return None
    return float(cell)
