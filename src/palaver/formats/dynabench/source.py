"""From a file of Dynabench to its configurations: Python, YAML, JSON, and rows that hold one."""

import ast
import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError, Problem, StudyError
from palaver.core.words import listed
from palaver.formats.dynabench.draft import Notes
from palaver.formats.dynabench.first import MEASURES, with_metric
from palaver.formats.dynabench.python_config import is_python_config, read_python_config
from palaver.formats.dynabench.task_io import read_task_io, task_io_class
from palaver.formats.json_places import place_at
from palaver.formats.marked_yaml import parse_marked

# Keys of a row that hold a configuration as text: YAML, and the JSON it was before.
INSIDE = ("config_yaml", "annotation_config_json", "annotation_config", "config")
FIRST_KEYS = frozenset({"eval_metrics", "perf_metric", "input_keys", "delta_metrics"})
CONFIG_KEYS = frozenset({"context", "input", "output", "perf_metric", "goal", "user_input"})
FALLBACK = "default"


@dataclass(frozen=True, slots=True)
class DynabenchSource:
    """One configuration: what it is called, what it says, and the row it stood in.

    `notes` were made while it was read. A module of Python has `probes`, and may have a check of
    answers of its own.
    """

    name: str
    config: dict[str, Any]
    row: dict[str, Any] = field(default_factory=dict)
    first: bool = False
    notes: Notes = field(default_factory=Notes)
    probes: tuple[dict[str, Any], ...] = ()
    has_check: bool = False


def read_sources(file: Path) -> list[DynabenchSource]:
    """The configurations in a file; InputError if it holds none."""
    try:
        content = file.read_bytes()
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not UTF-8 text.") from error
    stem = slug(file.stem)
    tree = _python(text)
    if tree is not None:
        try:
            return _from_python(tree, stem, str(file))
        except RecursionError as error:
            raise InputError(f"{file} is nested too deeply.") from error
    is_json = text.lstrip()[:1] in ("{", "[")
    if file.suffix == ".py" and not is_json:
        raise InputError(
            f"{file} has neither a table 'tasks_config' nor a class 'TaskIO' with a method "
            "'verify_response'."
        )
    data = _json(text, file) if is_json else _yaml(content, str(file))
    rows = data if isinstance(data, list) else [data]
    found = [source for row in rows for source in _sources(row, stem, str(file))]
    if not found:
        raise InputError(f"{file} contains no task.")
    return found


def _python(text: str) -> ast.Module | None:
    """The syntax of a Python file that holds tasks; None of anything else."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return tree if is_python_config(tree) or task_io_class(tree) is not None else None


def _from_python(tree: ast.Module, stem: str, file: str) -> list[DynabenchSource]:
    if not is_python_config(tree):
        found = read_task_io(tree, file=file)
        return [
            DynabenchSource(
                stem, found.config, notes=found.notes, probes=found.probes, has_check=True
            )
        ]
    config = read_python_config(tree, file=file)
    return _first(config.tasks, file, changed=config.taken_for, look_at=config.unread)


def slug(name: str) -> str:
    """A name as a task may have it."""
    plain = re.sub(r"[^a-z0-9_-]+", "-", name.lower()).strip("-_")
    return f"task-{plain}".strip("-") if plain.isdecimal() or not plain else plain[:63]


def _json(text: str, file: Path) -> Any:
    """The content of a JSON text, or of one dictionary as Python writes it."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
            return ast.literal_eval(text.strip())
        line, column = place_at(text, error.pos)
        raise StudyError([Problem(str(file), line, column, f"Not JSON: {error.msg}.")]) from error
    except RecursionError as error:
        raise InputError(f"{file} is nested too deeply.") from error


def _yaml(content: bytes, file: str) -> dict[str, Any]:
    return parse_marked(content, file=file).data


def _sources(row: Any, stem: str, file: str) -> list[DynabenchSource]:
    if not isinstance(row, dict):
        raise InputError(f"{file}: a configuration is a mapping; got {type(row).__name__}.")
    inside = next((key for key in INSIDE if isinstance(row.get(key), str | dict)), None)
    if inside is not None:
        name = next(
            (row[k] for k in ("task_code", "task", "shortname", "name") if row.get(k)), stem
        )
        rest = {key: value for key, value in row.items() if key != inside}
        return [DynabenchSource(slug(str(name)), _config(row[inside], f"{file} ({inside})"), rest)]
    if _is_first(row):
        return _first(row, file)
    if {"input_keys", "eval_metrics"} & row.keys() and "output" not in row:
        return [DynabenchSource(stem, row, first=True)]
    if not CONFIG_KEYS & row.keys():
        raise InputError(
            f"{file} is not a task configuration of Dynabench: expected a dictionary of tasks, "
            "or 'perf_metric' and 'input', or 'goal' and 'user_input', or a row with 'config_yaml'."
        )
    return [DynabenchSource(stem, row)]


def _config(inside: Any, file: str) -> dict[str, Any]:
    found = inside if isinstance(inside, dict) else _yaml(inside.encode(), file)
    if not CONFIG_KEYS & found.keys():
        raise InputError(f"{file} is not a task configuration: it has none of {_known()}.")
    return found


def _known() -> str:
    return ", ".join(sorted(CONFIG_KEYS))


def _is_first(row: dict[str, Any]) -> bool:
    """Whether this is a dictionary of tasks of the first generation.

    A task may leave everything to the default one.
    """
    entries = list(row.values())
    if not entries or any(
        not isinstance(entry, dict) or {"output", "type"} & entry.keys() for entry in entries
    ):
        return False
    told = [bool(FIRST_KEYS & entry.keys()) for entry in entries]
    return all(told) or (FALLBACK in row and bool(FIRST_KEYS & row[FALLBACK].keys()))


def _first(
    table: dict[str, Any],
    file: str,
    *,
    changed: Sequence[str] = (),
    look_at: Sequence[str] = (),
) -> list[DynabenchSource]:
    wrong = [name for name, config in table.items() if not isinstance(config, dict)]
    if wrong:
        raise InputError(f"{file}: the task '{wrong[0]}' is not a dictionary.")
    names = [name for name in table if name != FALLBACK] or list(table)
    fallback = table.get(FALLBACK, {})
    return [
        _inheriting(name, table[name], fallback, Notes([*changed], look_at=[*look_at]))
        for name in names
    ]


def _inheriting(
    name: str, config: dict[str, Any], fallback: dict[str, Any], notes: Notes
) -> DynabenchSource:
    """A task with what it lacks taken from the default one; how it is measured is taken whole."""
    own = with_metric(config)
    lacking = {key: value for key, value in fallback.items() if key not in config}
    measured = [key for key in MEASURES if key in own]
    passed_over = [key for key in lacking if measured and key in MEASURES]
    taken = {key: value for key, value in lacking.items() if key not in passed_over}
    if taken:
        notes.changed.insert(0, f"From '{FALLBACK}': {listed(list(taken))}.")
    if passed_over:
        notes.left_out.append(
            f"{listed(passed_over)} of '{FALLBACK}': the task has {listed(measured)} of its own."
        )
    return DynabenchSource(slug(name), {**taken, **config}, first=True, notes=notes)
