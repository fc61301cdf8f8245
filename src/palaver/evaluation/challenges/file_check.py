"""A file checked before it is handed in, on a participant's own machine: no home, no server.

What a model is asked is enough to check it. With gold data at hand it is scored, too, by the functions
that score it on the server.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from palaver.core.errors import InputError
from palaver.core.evaluation.challenge_entries import CheckedFile
from palaver.core.tasks import Example, Task
from palaver.evaluation.models.uploads import PredictionsError, check_predictions
from palaver.evaluation.scoring.scores import ScoredColumns, score_choice
from palaver.evaluation.tasks.definition import task_from_data
from palaver.evaluation.tasks.entries import own_python
from palaver.formats.datasets.reader import DatasetReader, SourceFile
from palaver.formats.datasets.records import Record, read_rows
from palaver.formats.datasets.registry import DATASET_READERS, detect_reader

_decode = msgspec.json.Decoder(dict[str, Any]).decode


def told_task(data: Mapping[str, Any]) -> Task:
    """A task as a server tells it; InputError if Python of the server's own belongs to it."""
    return task_from_data(_without_python(data), folder="", source="the task of the server")


def read_questions(task: Task, file: Path) -> list[Example]:
    """What a file asks, with gold or without; InputError names the place of what is wrong."""
    found = []
    for line, record in read_rows(file, file.name):
        with _at(file.name, line):
            found.append(_question(task, _asked(task, record)))
    return _unique(found, file)


def read_gold(task: Task, file: Path) -> list[Example]:
    """The items of a file with their gold; InputError names the place of what is wrong."""
    fields = [each.name for each in task.asked] + list(task.gold.values())
    source = SourceFile(file, file.name)
    _, first = next(read_rows(file, file.name), (0, {}))
    reader = _recognised(task, first) or detect_reader([source], task=task.name, fields=fields)
    found = []
    for row in reader.read([source]):
        with _at(row.file, row.line):
            if row.problem:
                raise InputError(row.problem)
            if row.record is not None:
                found.append(task.read_example(row.record))
    if not found:
        raise InputError(f"{file.name} has no item with gold for '{task.name}'.")
    return _unique(found, file)


def check_here(
    task: Task,
    examples: Sequence[Example],
    content: Path,
    *,
    track: str,
    is_gold: bool = False,
) -> CheckedFile:
    """What a file is worth: every fault with its place, and with gold the scores."""
    problems: tuple[str, ...] = ()
    scores: dict[str, float | None] = {}
    try:
        lines = check_predictions(task, examples, content, name=content.name)
    except PredictionsError as error:
        problems = error.problems
    except InputError as error:
        problems = (str(error),)
    else:
        scores = _scores(task, examples, lines) if is_gold else {}
    return CheckedFile(
        file=content.name, track=track, items=len(examples), problems=problems, scores=scores
    )


def item_noun(task: Task) -> str:
    """What one item of a task is called: a dialogue where one is asked about."""
    return "dialogue" if any(each.kind == "turns" for each in task.asked) else "item"


def _scores(task: Task, examples: Sequence[Example], lines: bytes) -> dict[str, float | None]:
    answers = [_decode(line) for line in lines.splitlines()]
    columns = ScoredColumns(task, examples, answers)
    return {
        choice.key: score_choice(task, choice, examples, answers, columns=columns).value
        for choice in task.metrics
    }


def _asked(task: Task, record: Record) -> Record:
    """A record of another format, as our own has it."""
    reader = _recognised(task, record)
    return record if reader is None or reader.unlabelled is None else reader.unlabelled(record)


def _recognised(task: Task, record: Record) -> DatasetReader | None:
    """The format of data of a task that looks like this, with gold or without."""
    for reader in map(DATASET_READERS.get, DATASET_READERS.names()):
        if task.name in reader.tasks and reader.recognises and reader.recognises(record):
            return reader
    return None


def _question(task: Task, record: Record) -> Example:
    uid = next((record[key] for key in ("uid", "id") if record.get(key) not in (None, "")), None)
    if isinstance(uid, bool) or not isinstance(uid, str | int):
        raise InputError("The item has no 'uid' (or 'id').")
    missing = [each.name for each in task.asked if each.name not in record]
    if missing:
        raise InputError(f"Item {uid}: '{missing[0]}' is missing.")
    try:
        values = {each.name: each.check(record[each.name], record) for each in task.asked}
    except ValueError as error:
        raise InputError(f"Item {uid}: {error}.") from None
    return Example(uid=str(uid), values=values, tags=(), input_id=None)


@contextmanager
def _at(file: str, line: int) -> Iterator[None]:
    """Let what is wrong with a record name its place."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{file}:{line}: {error}") from error


def _unique(found: list[Example], file: Path) -> list[Example]:
    seen: set[str] = set()
    for example in found:
        if example.uid in seen:
            raise InputError(f"{file.name}: two items are called '{example.uid}'.")
        seen.add(example.uid)
    if not found:
        raise InputError(f"{file.name} has no items.")
    return found


def _without_python(data: Mapping[str, Any]) -> Mapping[str, Any]:
    own = next((target for _, target in own_python(data)), None)
    if own is not None:
        raise InputError(
            f"The task '{data.get('name')}' uses Python of the server's own ({own}), which is not "
            "here. Let the server check the file: --check-on-server."
        )
    return data
