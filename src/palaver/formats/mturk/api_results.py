"""What a script has kept of `list_assignments_for_hit`: one answer of the API, several, or their lists.

A file holds a JSON object with `Assignments`, a list of such objects or of assignments, an object of
these by HIT, or one of them per line.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError, Problem
from palaver.formats.mturk.answer_xml import read_answer_xml
from palaver.formats.mturk.assignments import (
    BadAssignment,
    TurkAssignment,
    TurkBatch,
    read_status,
)
from palaver.formats.mturk.times import turk_moment
from palaver.formats.pseudonyms import origin_pseudonym

_DEEPEST = 8


def read_turk_results(path: Path, *, salt: str) -> TurkBatch:
    """The assignments in a file, workers under pseudonyms; InputError if it is not such a file."""
    batch = TurkBatch()
    seen: set[str] = set()
    for line, raw in _assignments(path):
        batch.rows += 1
        try:
            read = _assignment(line, raw, salt=salt)
            if read.assignment in seen:
                # Pages of the API overlap where assignments came in between.
                continue
            seen.add(read.assignment)
            batch.assignments.append(read)
        except BadAssignment as bad:
            words = f"Assignment {batch.rows}: {bad} It is left out."
            batch.problems.append(Problem(path.name, line, 1, words))
    if not batch.rows:
        raise InputError(
            f"{path.name} holds no assignments of Mechanical Turk: an object with 'Assignments' is "
            "expected, or a list of them."
        )
    return batch


def _assignments(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path.name} is not UTF-8: {error}.") from error
    try:
        yield from ((1, each) for each in _found(json.loads(text)))
        return
    except RecursionError:
        raise InputError(f"{path.name} is nested too deeply.") from None
    except ValueError as error:
        first = error
    lines = [(number, each) for number, each in enumerate(text.splitlines(), 1) if each.strip()]
    for number, each in lines:
        try:
            document = json.loads(each)
        except (ValueError, RecursionError) as error:
            told = first if number == 1 else error
            raise InputError(f"{path.name}:{number}: This is not JSON: {told}.") from None
        yield from ((number, one) for one in _found(document))


def _found(document: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """The assignments in a document, wherever a script has put them."""
    if depth > _DEEPEST:
        return
    if isinstance(document, Mapping):
        if "AssignmentId" in document:
            yield document
        else:
            for inner in document.values():
                yield from _found(inner, depth + 1)
    elif isinstance(document, list):
        for inner in document:
            yield from _found(inner, depth + 1)


def _assignment(line: int, raw: Mapping[str, Any], *, salt: str) -> TurkAssignment:
    accepted, submitted = _time(raw, "AcceptTime"), _time(raw, "SubmitTime")
    took = None if accepted is None or submitted is None else submitted - accepted
    answer = raw.get("Answer")
    return TurkAssignment(
        line=line,
        hit=_text(raw, "HITId"),
        assignment=_text(raw, "AssignmentId"),
        worker=origin_pseudonym(salt, _text(raw, "WorkerId")),
        status=read_status(_text(raw, "AssignmentStatus")),
        accepted=accepted,
        submitted=submitted,
        approved=_time(raw, "ApprovalTime"),
        rejected=_time(raw, "RejectionTime"),
        feedback=str(raw.get("RequesterFeedback") or ""),
        seconds=took if took is not None and took >= 0 else None,
        answers=read_answer_xml(answer) if isinstance(answer, str) and answer.strip() else {},
    )


def _text(raw: Mapping[str, Any], name: str) -> str:
    value = raw.get(name)
    if not isinstance(value, str) or not value.strip():
        raise BadAssignment(f"'{name}' is missing.")
    return value.strip()


def _time(raw: Mapping[str, Any], name: str) -> float | None:
    value = raw.get(name)
    if value is None or isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return turk_moment(str(value))
