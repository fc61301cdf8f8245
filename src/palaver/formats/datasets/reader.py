"""The seam: how a data set of others becomes records in the fields of a task.

Most formats are one function that converts a record as it stands in the file; `by_record` makes a
reader of it. A record may be left out (no gold label was agreed on), become several (all questions of
a paragraph), or be wrong; each is said of the line it stands in.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from palaver.core.errors import InputError
from palaver.formats.datasets.records import Record, read_rows


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file, or a folder of files, and how to call it in messages."""

    path: Path
    name: str

    @property
    def stem(self) -> str:
        """The name without its endings: "negation" of "negation.jsonl.gz"."""
        return self.name.removesuffix(".gz").rsplit(".", 1)[0]


class ReadRow(NamedTuple):
    """What one line holds: a record; or why it was left out; or what is wrong with it."""

    file: str
    line: int
    record: Record | None
    left_out: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A converter's answer for a record that is not an item, and why."""

    why: str


class RecordPlace(NamedTuple):
    file: SourceFile
    line: int


Converter = Callable[[Record, RecordPlace], "Record | LeftOut | Iterable[Record]"]
Read = Callable[[Sequence[SourceFile]], Iterator[ReadRow]]


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetReader:
    """A format: what it is called, which tasks it is for, and how it is recognised and read.

    `keys` are sets of keys of which one must stand in the first record. An empty `tasks` fits any.
    `recognises` looks into a record, where its keys are those of our own form. `unlabelled` makes of
    a record without gold what a model is asked.
    """

    name: str
    title: str
    tasks: tuple[str, ...]
    about: str
    read: Read
    keys: tuple[frozenset[str], ...] = ()
    # How the names of its files end, where it is no file of records.
    suffixes: tuple[str, ...] = ()
    recognises: Callable[[Record], bool] | None = None
    unlabelled: Callable[[Record], Record] | None = None

    def likeness(self, found: frozenset[str]) -> int:
        """How many keys speak for this format; 0 if it is none of it."""
        return max((len(keys) for keys in self.keys if keys <= found), default=0)


def by_record(convert: Converter, title: str) -> Read:
    """A reader that converts record after record of file after file."""

    def read(files: Sequence[SourceFile]) -> Iterator[ReadRow]:
        for file in files:
            name = file.name
            for line, record in read_rows(file.path, name):
                try:
                    made = convert(record, RecordPlace(file, line))
                    if isinstance(made, dict):
                        yield ReadRow(name, line, made)
                    elif isinstance(made, LeftOut):
                        yield ReadRow(name, line, None, left_out=made.why)
                    else:
                        for each in made:
                            yield ReadRow(name, line, each)
                except (LookupError, TypeError, ValueError, AttributeError, InputError) as error:
                    yield ReadRow(name, line, None, problem=_problem(error, record, title))

    return read


def _problem(error: Exception, record: Record, title: str) -> str:
    """What is wrong with a record that its converter could not convert."""
    if isinstance(error, InputError):
        return str(error)
    if isinstance(error, KeyError):
        found = ", ".join(map(str, record)) or "nothing"
        return f"A {title} record has {error}; this one has: {found}."
    return f"This is not shaped as a {title} record: {error}."


def needed(record: Record, *names: str) -> str:
    """The value of the first of these keys that the record has, as text."""
    for name in names:
        if record.get(name) not in (None, ""):
            return str(record[name])
    raise KeyError(" or ".join(names))


def with_rest(made: Record, record: Record, *read: str) -> Record:
    """A converted record that keeps, under `metadata`, the columns of its file that were not read."""
    rest = {key: said for key, said in record.items() if key not in read and said not in (None, "")}
    return {**made, "metadata": rest} if rest else made


OWN = DatasetReader(
    name="palaver",
    title="Palaver",
    tasks=(),
    about="uid (or id), the fields of the task, tags, input_id; JSON lines, JSON, CSV or TSV",
    read=by_record(lambda record, place: record, "Palaver"),
)
