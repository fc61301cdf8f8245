"""Rows become checked examples, written one per line in one fixed shape, and hashed on the way.

A converter of the researcher's own may come first: one function, record → record, several records, or
None to skip. The hash of the lines is the version of the data set: white space, the order of keys and
the format of the file that was given do not count, what a model is asked and what is gold does.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from palaver.core.errors import InputError, Problem
from palaver.core.loading import own_function
from palaver.core.tasks import Example, Task
from palaver.formats.datasets.mapping import FieldMap
from palaver.formats.datasets.reader import LeftOut, ReadRow
from palaver.formats.datasets.records import Record

# How many problems of a data set are named, and how many examples are written at once.
MOST_NAMED = 20
BATCH = 1000

# The keys under which records of Dynabench say in which round they were collected.
ROUND_KEYS = ("round_id", "rid")

Convert = Callable[[Record], Any]
SKIPPED = "the converter left it out"


class DatasetError(InputError):
    """A data set that was not stored; `problems` holds the first ones, `count` is all of them."""

    def __init__(self, problems: list[Problem], count: int) -> None:
        more = [f"… and {count - len(problems):,} more."] if count > len(problems) else []
        lines = [f"{problem.file}:{problem.line}: {problem.message}" for problem in problems]
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
        if len(self.first) < MOST_NAMED:
            self.first.append(Problem(file, line, 1, message))

    def raise_any(self) -> None:
        """DatasetError if anything is wrong."""
        if self.count:
            raise DatasetError(self.first, self.count)


def load_function(target: str, *, folder: Path) -> Callable[..., Any]:
    """The function that "module:function" names; a file in `folder` comes before what is installed."""
    return own_function(target, folder=folder, what="Your own function is")


def converted(
    rows: Iterator[ReadRow], mapping: FieldMap | None, convert: Convert | None
) -> Iterator[ReadRow]:
    """The rows after the mapping and then the function, where there are any."""
    if mapping:
        rows = (mapped for row in rows for mapped in _mapped(row, mapping))
    if convert is not None:
        rows = (made for row in rows for made in _made(row, convert))
    return rows


class RecordRounds:
    """The rounds that records say they were collected in."""

    def __init__(self, task: Task) -> None:
        fields = {each.name for each in (*task.context, *task.inputs)}
        self._keys = [key for key in ROUND_KEYS if key not in fields]
        self.found: set[int] = set()

    def watch(self, rows: Iterable[ReadRow]) -> Iterator[ReadRow]:
        """The rows, unchanged."""
        for row in rows:
            for key in self._keys if row.record else ():
                given = str((row.record or {}).get(key, ""))
                if given.isdecimal() and int(given[:9]):
                    self.found.add(int(given[:9]))
            yield row


@dataclass(frozen=True, slots=True, kw_only=True)
class Normalised:
    """What was written: how much, its hash, and what was noticed."""

    digest: str
    items: int
    size: int
    left_out: dict[str, int]
    linked: int
    # How many items of the parent are named.
    originals: int


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
    originals: set[str] = set()

    def write() -> None:
        nonlocal size
        lines = encoder.encode_lines(batch)
        digest.update(_counted_lines(batch, lines, encoder))
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
                if example.input_id is not None:
                    linked += 1
                    originals.add(example.input_id)
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
        originals=len(originals),
    )


def _counted_lines(batch: list[Example], lines: bytes, encoder: msgspec.json.Encoder) -> bytes:
    """The lines without metadata: what nobody is asked or measured by makes no new version."""
    if all(each.metadata is msgspec.UNSET for each in batch):
        return lines
    bare = [msgspec.structs.replace(each, metadata=msgspec.UNSET) for each in batch]
    return encoder.encode_lines(bare)


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


def _mapped(row: ReadRow, mapping: FieldMap) -> Iterator[ReadRow]:
    if row.record is None:
        yield row
        return
    try:
        made = mapping.apply(row.record)
    except InputError as error:
        yield row._replace(record=None, problem=str(error))
        return
    if isinstance(made, LeftOut):
        yield row._replace(record=None, left_out=made.why)
    else:
        yield row._replace(record=made)


def _made(row: ReadRow, convert: Convert) -> Iterator[ReadRow]:
    if row.record is None:
        yield row
        return
    try:
        several = _called(convert, row.record)
    except InputError as error:
        yield row._replace(record=None, problem=str(error))
        return
    for each in several:
        if each is None:
            yield row._replace(record=None, left_out=SKIPPED)
        elif isinstance(each, dict):
            yield row._replace(record=each)
        else:
            problem = f"The converter takes a record and returns one; got {each!r:.60}."
            yield row._replace(record=None, problem=problem)


def _called(convert: Convert, record: Record) -> list[Any]:
    try:
        made = convert(record)
        return [made] if made is None or isinstance(made, dict) else list(made)
    except Exception as error:
        # A researcher's function may raise anything.
        raise InputError(f"The converter failed: {type(error).__name__}: {error}.") from error
