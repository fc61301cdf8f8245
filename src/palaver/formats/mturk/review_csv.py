"""The batch with decisions in its columns `Approve` and `Reject`, as the site took it back.

The rows stay as they were, worker ids included: this file is for whoever had the batch, and for nobody
else. No cell of a worker's words is taken for a formula.
"""

import csv
from collections.abc import Mapping
from pathlib import Path

from palaver.core.errors import InputError
from palaver.core.words import listed
from palaver.formats.mturk.batch_csv import check_head, rows_of
from palaver.formats.spreadsheets import escaped_row

APPROVE, REJECT = "Approve", "Reject"
MARK = "x"
# An empty reason approves.
APPROVED = ""


def write_review(batch: Path, decisions: Mapping[str, str], target: Path) -> int:
    """Write a batch with decisions by assignment: a reason rejects, `APPROVED` approves; how many.

    InputError, and no file, where a decision is about an assignment that is not there, or that was
    decided before.
    """
    rows = [row for _, row in rows_of(batch, check_head)]
    known = {row["AssignmentId"].strip(): row for row in rows}
    if unknown := sorted(set(decisions) - set(known)):
        raise InputError(f"{batch.name} has no assignment {listed(unknown, most=6)}.")
    done = [each for each in decisions if known[each]["AssignmentStatus"].strip() != "Submitted"]
    if done:
        raise InputError(
            f"Decided before, and left as it is: {listed(sorted(done), most=6)}. "
            "Only what is Submitted can be decided."
        )
    head = _head(batch)
    with target.open("w", encoding="utf-8", newline="") as stream:
        out = csv.writer(stream, quoting=csv.QUOTE_ALL)
        out.writerow(head)
        for row in rows:
            decided = _decided(row, decisions.get(row["AssignmentId"].strip()))
            out.writerow(escaped_row(decided.get(name, "") for name in head))
    return len(decisions)


def _decided(row: Mapping[str, str], reason: str | None) -> dict[str, str]:
    if reason is None:
        return dict(row)
    approves = not reason.strip()
    return {**row, APPROVE: MARK if approves else "", REJECT: "" if approves else reason.strip()}


def _head(batch: Path) -> list[str]:
    with batch.open(encoding="utf-8-sig", newline="") as stream:
        head = next(csv.reader(stream), [])
    check_head(batch, head)
    return [*head, *(name for name in (APPROVE, REJECT) if name not in head)]
