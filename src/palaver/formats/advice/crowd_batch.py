"""The batch that a crowd service sends back: one row per assignment, with `Input.*` and `Answer.*`.

A row whose comparison cannot be read (who is preferred, between whom, by whom) is left out; one whose
other answers cannot be read is taken without them. Both are reported with the line they stand on.
Rejected assignments are left out and counted.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from palaver.core.errors import InputError, Problem
from palaver.core.situations import REASONS, AdviceJudgement, Helpfulness, Reason
from palaver.core.words import listed
from palaver.formats.mturk.batch_csv import rows_of

CODES = ("2a", "1a", "1b", "2b")
REJECTED = "Rejected"
_ALL = "taskAnswers"
_NEEDED = ("WorkerId", "Input.permalink", "Input.machine", "Input.human_label")
_ANSWERS = ("q0", "q1", "q2", "te", "commentbox")


@dataclass(frozen=True, slots=True, kw_only=True)
class CrowdAnswer:
    """What one worker said of one comparison, and in which order it was shown.

    `link` is what the file calls the situation; `worker` is personal data and is not to be stored.
    `code` is the answer by the sides of the screen.
    """

    line: int
    assignment: str
    worker: str
    link: str
    model: str
    topic: str
    people_first: bool
    code: str
    worse: Helpfulness | None
    reason: Reason | None
    seconds: float | None
    comment: str

    @property
    def judgement(self) -> AdviceJudgement:
        """The judgement, whatever the screen looked like."""
        return AdviceJudgement(
            situation=self.link,
            model=self.model,
            rater=self.worker,
            prefers_model=(self.code[1] == "b") == self.people_first,
            degree=int(self.code[0]),
            worse=self.worse,
            reason=self.reason,
            topic=self.topic,
            seconds=self.seconds,
            comment=self.comment,
        )


@dataclass(slots=True)
class CrowdBatch:
    """The answers of a batch, and what was wrong with it: a warning took no comparison away."""

    answers: list[CrowdAnswer] = field(default_factory=list)
    rejected: int = 0
    rows: int = 0
    problems: list[Problem] = field(default_factory=list)

    @property
    def left_out(self) -> int:
        """How many rows were neither taken nor rejected."""
        return self.rows - self.rejected - len(self.answers)


class _BadRow(Exception):
    """A row whose comparison cannot be read, and why."""


def read_batch(path: Path) -> CrowdBatch:
    """The answers in a file; InputError if it is not such a file."""
    batch = CrowdBatch()
    for line, row in rows_of(path, _check_head):
        batch.rows += 1
        if row.get("AssignmentStatus") == REJECTED or row.get("Reject", "").strip():
            batch.rejected += 1
            continue
        told: list[str] = []
        try:
            batch.answers.append(_answer(line, row, told))
        except _BadRow as bad:
            batch.problems.append(Problem(path.name, line, 1, f"{bad} The row is left out."))
        batch.problems += [Problem(path.name, line, 1, words, warning=True) for words in told]
    return batch


def _check_head(path: Path, head: list[str]) -> None:
    missing = [name for name in _NEEDED if name not in head]
    if "Answer.q0" not in head and f"Answer.{_ALL}" not in head:
        missing.append("Answer.q0")
    if missing:
        raise InputError(
            f"{path.name} is not a batch of comparisons of advice: it lacks the "
            f"{'column' if len(missing) == 1 else 'columns'} {listed(missing)}. Download the results "
            "of the batch as they are."
        )


def _answer(line: int, row: Mapping[str, str], told: list[str]) -> CrowdAnswer:
    said = _said(row, told)
    for name in _NEEDED:
        if not row.get(name, "").strip():
            raise _BadRow(f"'{name}' is empty.")
    human = row["Input.human_label"].strip().lower()
    if human not in ("a", "b"):
        raise _BadRow(f"'Input.human_label' takes a or b; got '{human}'.")
    code = said["q0"].lower()
    if code not in CODES:
        given = f"got '{code}'" if code else "it is missing"
        raise _BadRow(f"'q0' takes {listed(CODES, 'or')}; {given}.")
    worse, reason = _why(said["q1"].lower(), said["q2"].lower(), told)
    return CrowdAnswer(
        line=line,
        assignment=row.get("AssignmentId", "").strip(),
        worker=row["WorkerId"].strip(),
        link=row["Input.permalink"].strip(),
        model=row["Input.machine"].strip(),
        topic=row.get("Input.qtype", "").strip(),
        people_first=human == "a",
        code=code,
        worse=worse,
        reason=reason,
        seconds=_seconds(said["te"], told),
        comment=said["commentbox"],
    )


def _said(row: Mapping[str, str], told: list[str]) -> dict[str, str]:
    """The answers, from their columns or from the one that holds them all."""
    given = row.get(f"Answer.{_ALL}", "").strip()
    together: Any = {}
    if given:
        try:
            together = json.loads(given)
        except json.JSONDecodeError:
            told.append(f"'Answer.{_ALL}' is not JSON; it is passed over.")
    while isinstance(together, list):
        together = together[0] if together else {}
    inside = together if isinstance(together, dict) else {}
    return {
        name: row.get(f"Answer.{name}", "").strip() or _chosen(inside.get(name))
        for name in _ANSWERS
    }


def _chosen(value: Any) -> str:
    """An answer inside JSON: a text, a number, or what is true among named choices."""
    if isinstance(value, dict):
        return next((str(name) for name, chosen in value.items() if chosen is True), "")
    return "" if value is None else str(value).strip()


def _why(still: str, why: str, told: list[str]) -> tuple[Helpfulness | None, Reason | None]:
    if still not in REASONS:
        given = f"got '{still}'" if still else "it is missing"
        told.append(
            f"'q1' takes {listed(list(REASONS), 'or')}; {given}. Taken without it and 'q2'."
        )
        return None, None
    worse: Helpfulness = next(each for each in get_args(Helpfulness) if each == still)
    known = REASONS[worse]
    if why not in known:
        given = f"got '{why}'" if why else "it is missing"
        told.append(f"'q2' takes {listed(known, 'or')} after '{still}'; {given}. Taken without it.")
        return worse, None
    return worse, next(each for each in known if each == why)


def _seconds(given: str, told: list[str]) -> float | None:
    """The active seconds; none where the page never measured them."""
    if not given:
        return None
    try:
        seconds = float(given)
    except ValueError:
        seconds = float("nan")
    if not 0 <= seconds < float("inf"):
        why = "the page measured no time" if given == "-1" else "that is no time"
        told.append(f"'te' is {given}: {why}. Taken without it.")
        return None
    return seconds
