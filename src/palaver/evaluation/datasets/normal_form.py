"""Rows become checked examples, written one per line in one fixed shape, and hashed on the way.

The hash of these lines is the version of the data set: white space, the order of keys and the format
of the file that was given do not count, what a model is asked and what is gold does.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Set
from dataclasses import dataclass
from pathlib import Path

import msgspec

from palaver.core.errors import InputError, Problem
from palaver.core.tasks import Example, Task
from palaver.formats.datasets.reader import ReadRow

MOST = 20


class DatasetError(InputError):
    """A data set that was not stored; `problems` holds the first ones, `count` is all of them."""

    def __init__(self, problems: list[Problem], count: int) -> None:
        more = [f"… and {count - len(problems):,} more."] if count > len(problems) else []
        lines = [f"{each.file}:{each.line}: {each.message}" for each in problems]
        super().__init__("\n".join([*lines, *more, "Nothing was stored."]))
        self.problems = problems
        self.count = count


class Problems:
    """The problems found so far."""

    def __init__(self) -> None:
        self.first: list[Problem] = []
        self.count = 0

    def add(self, file: str, line: int, message: str) -> None:
        """Something is wrong with the record that begins in this line."""
        self.count += 1
        if len(self.first) < MOST:
            self.first.append(Problem(file, line, 1, message))

    def raise_any(self) -> None:
        """DatasetError if anything is wrong."""
        if self.count:
            raise DatasetError(self.first, self.count)


BATCH = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Normalised:
    """What was written: how much, its hash, and what was noticed."""

    digest: str
    items: int
    size: int
    left_out: dict[str, int]
    linked: int


def normalise(
    rows: Iterable[ReadRow], task: Task, target: Path, *, parents: Set[str] | None, salt: str = ""
) -> Normalised:
    """Check every row and write the examples to `target`; DatasetError if anything is wrong.

    `parents` are the uids that the `input_id` of a variant may name. `salt` begins the hash.
    """
    problems, left_out = Problems(), Counter[str]()
    seen: dict[str, tuple[str, int]] = {}
    digest = hashlib.sha256(salt.encode())
    encoder = msgspec.json.Encoder()
    batch: list[Example] = []
    size = linked = 0

    def write() -> None:
        nonlocal size
        lines = encoder.encode_lines(batch)
        digest.update(lines)
        size += file.write(lines)
        batch.clear()

    with target.open("wb") as file:
        try:
            for row in rows:
                if row.record is None:
                    if row.problem:
                        problems.add(row.file, row.line, row.problem)
                    else:
                        left_out[row.left_out] += 1
                    continue
                try:
                    example = task.read_example(row.record)
                    _check_ids(example, row, seen, parents)
                except InputError as error:
                    problems.add(row.file, row.line, str(error))
                    continue
                linked += example.input_id is not None
                batch.append(example)
                if len(batch) == BATCH:
                    write()
        except InputError as error:
            # Broken JSON: it names its own place, and nothing can be read behind it.
            if not problems.count:
                raise
            last = problems.first[-1]
            problems.add(last.file, last.line, f"Then reading stopped: {error}")
        write()
    problems.raise_any()
    return Normalised(
        digest=digest.hexdigest(),
        items=len(seen),
        size=size,
        left_out=dict(left_out),
        linked=linked,
    )


def _check_ids(
    example: Example, row: ReadRow, seen: dict[str, tuple[str, int]], parents: Set[str] | None
) -> None:
    if example.uid in seen:
        file, line = seen[example.uid]
        raise InputError(f"Item {example.uid}: this uid is already used in {file}:{line}.")
    seen[example.uid] = row.file, row.line
    if parents is None:
        return
    if example.input_id is None:
        raise InputError(
            f"Item {example.uid}: a variant needs 'input_id', the uid of its original."
        )
    if example.input_id not in parents:
        raise InputError(
            f"Item {example.uid}: its input_id '{example.input_id}' is not the uid of an item of "
            "the parent."
        )
