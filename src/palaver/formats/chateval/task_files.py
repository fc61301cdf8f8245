"""Task data, training and gold files: what they ask, whom they name, and the same without names.

They keep their shape, which Palaver reads as it is. Two things are rewritten: the ids of people become
pseudonyms, and tasks carry the names that their questions have here. One is added to what is judged:
the `system` of each dialogue, as far as its id says it.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from palaver.core.errors import Problem, StudyError
from palaver.formats.chateval.located import MarkedFile, read_json, read_text
from palaver.formats.chateval.names import SHIPPED_ID, system_in
from palaver.formats.chateval_lines import BETWEEN
from palaver.formats.excel import ALLOWED, Purpose, is_excel, read_excel, task_of
from palaver.formats.line_problems import LineProblems

PERSON = "origin_worker_id"
TASKS = "annotation_tasks"
SYSTEM = "system"


@dataclass(slots=True)
class TaskFile:
    """A file as it will be written, and what stands in it."""

    content: str | bytes
    # The tasks that it asks for, by their names there, in the order met.
    tasks: list[str] = field(default_factory=list)
    people: set[str] = field(default_factory=set)
    groups: set[str] = field(default_factory=set)
    dialogues: int = 0
    lines: int = 0
    # How many dialogues each system has, and the ids that name none.
    systems: Counter[str] = field(default_factory=Counter)
    nameless: list[str] = field(default_factory=list)
    # Of a training file: the mistakes that each round allows.
    allowed: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Renaming:
    """How tasks and people are called from now on, and where the names of systems are found."""

    tasks: Mapping[str, str]
    person: Callable[[str], str]
    system_from: re.Pattern[str] = SHIPPED_ID


def read_lines_file(file: Path, renaming: Renaming) -> TaskFile:
    """Task data or gold: one assignment per line; StudyError names the line that is wrong."""
    if is_excel(file):
        return _read_excel(file, "gold", renaming)
    made = TaskFile("")
    written: list[str] = []
    for number, line in enumerate(read_text(file).split("\n"), start=1):
        if not line.strip():
            continue
        items = _items(_line(file, number, line), file, number)
        for item in items:
            _take(item, made, renaming, file, number)
            _name_systems(item, made, renaming.system_from)
        made.groups.add(str(items[0].get("group_id", items[0].get("dialogue_id", number))))
        made.lines += 1
        written.append(json.dumps({"data": items}, ensure_ascii=False))
    if not written:
        raise StudyError([Problem(str(file), 0, 0, "The file is empty.")])
    made.content = "\n".join(written) + "\n"
    return made


def read_training_file(file: Path, renaming: Renaming) -> TaskFile:
    """Training: a mapping of dialogues, whose order is the order of the rounds."""
    if is_excel(file):
        return _read_excel(file, "onboarding", renaming)
    marked = read_json(file)
    if not isinstance(marked.data, dict) or not marked.data:
        raise marked.error((), "A training file is a mapping: dialogue id to dialogue.")
    made = TaskFile("")
    for id, item in marked.data.items():
        line, _ = marked.locate((id,))
        if not isinstance(item, dict):
            raise marked.error((id,), f"The dialogue '{id}' must be a mapping.")
        _take(item, made, renaming, file, line)
        made.allowed.append(_allowed(marked, id, item))
    made.content = json.dumps(marked.data, ensure_ascii=False, indent=2) + "\n"
    return made


def _read_excel(file: Path, purpose: Purpose, renaming: Renaming) -> TaskFile:
    """Training or gold in Excel, which goes along as it is; its rounds allow what is usual."""
    line_problems = LineProblems(str(file))
    book = read_excel(file, purpose, line_problems)
    task = task_of(file)
    if renaming.tasks and task not in renaming.tasks:
        line_problems.add(
            f"A workbook is called after its task; annotation_buckets.json has no task '{task}'."
        )
    line_problems.raise_errors()
    assert book is not None
    count = len(book.dialogues)
    return TaskFile(
        file.read_bytes(),
        tasks=[task],
        dialogues=count,
        lines=count,
        allowed=[ALLOWED.get(task, 0)] * count,
    )


def read_units_file(file: Path) -> dict[str, int]:
    """How many raters each group needs; StudyError where one is not a whole number."""
    marked = read_json(file)
    if not isinstance(marked.data, dict):
        raise marked.error((), "A units file is a mapping: group id to a number of raters.")
    for group, count in marked.data.items():
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            message = f"Group '{group}' takes a whole number of raters, 0 or more; got {count!r}."
            raise marked.error((group,), message)
    return dict(marked.data)


def read_blocklist(file: Path) -> list[str]:
    """The people of a blocklist, one per line."""
    return [line.strip() for line in read_text(file).splitlines() if line.strip()]


def _line(file: Path, number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        column = getattr(error, "colno", 1)
        reason = getattr(error, "msg", "nested too deeply")
        raise StudyError([Problem(str(file), number, column, f"Not JSON: {reason}.")]) from error


def _items(document: Any, file: Path, number: int) -> list[dict[str, Any]]:
    """The dialogues of a line, with the wrapper that the platform demands or, as its README, without."""
    items = document.get("data", [document]) if isinstance(document, dict) else None
    if not isinstance(items, list) or not items or not all(isinstance(i, dict) for i in items):
        raise _wrong(file, number, 'A line is {"data": [dialogue, …]}, with one dialogue or more.')
    return items


def _take(
    item: dict[str, Any], made: TaskFile, renaming: Renaming, file: Path, number: int
) -> None:
    """Note what a dialogue says, and rename in place."""
    tasks = item.get(TASKS)
    if not isinstance(tasks, list) or not all(isinstance(task, str) for task in tasks):
        raise _wrong(file, number, f"'{TASKS}' takes a list of names; got {tasks!r}.")
    for task in tasks:
        if renaming.tasks and task not in renaming.tasks:
            known = "annotation_buckets.json"
            raise _wrong(
                file, number, f"'{TASKS}' names the task '{task}', which is not in {known}."
            )
    if not isinstance(item.get("turns"), list):
        raise _wrong(file, number, "'turns' is missing; it takes a list of [speaker, text].")
    made.tasks += [task for task in dict.fromkeys(tasks) if task not in made.tasks]
    item[TASKS] = [renaming.tasks.get(task, task) for task in tasks]
    people = list(_people(item.get(PERSON)))
    made.people.update(people)
    if people:
        renamed = [renaming.person(person) for person in people]
        item[PERSON] = renamed if isinstance(item[PERSON], list) else renamed[0]
    made.dialogues += 1 + ("turns2" in item)


def _name_systems(item: dict[str, Any], made: TaskFile, pattern: re.Pattern[str]) -> None:
    """Write the system of a dialogue, or of the two of a pair, into its line."""
    id, is_pair = str(item.get("dialogue_id", "")), "turns2" in item
    if SYSTEM in item:
        said = item[SYSTEM] if isinstance(item[SYSTEM], list) else [item[SYSTEM]]
        made.systems.update(str(name) for name in said)
        return
    ids = id.split(BETWEEN) if is_pair else [id]
    names = [system_in(each, pattern) for each in ids]
    if all(names) and len(names) == 1 + is_pair:
        item[SYSTEM] = names if is_pair else names[0]
        made.systems.update(names)
    else:
        made.nameless.append(id)


def _people(given: Any) -> Iterator[str]:
    for person in given if isinstance(given, list) else [given]:
        if person not in (None, ""):
            yield str(person)


def _allowed(marked: MarkedFile, id: str, item: dict[str, Any]) -> int:
    allowed = item.get("pass_criteria", 0)
    if isinstance(allowed, bool) or not isinstance(allowed, int) or allowed < 0:
        raise marked.error(
            (id, "pass_criteria"), f"'pass_criteria' takes a whole number; got {allowed!r}."
        )
    return allowed


def _wrong(file: Path, number: int, message: str) -> StudyError:
    return StudyError([Problem(str(file), number, 1, message)])
