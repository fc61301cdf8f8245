"""From a file of Dynabench to its configurations: Python, YAML, JSON, and rows that hold one."""

import ast
import json
import re
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError, Problem, StudyError
from palaver.formats.dynabench.python_config import is_python_config, read_python_config
from palaver.formats.json_places import place_at
from palaver.formats.marked_yaml import parse_marked

# Keys of a row that hold a configuration as text: YAML, and the JSON it was before.
INSIDE = ("config_yaml", "annotation_config_json", "config")
FIRST_KEYS = frozenset({"eval_metrics", "perf_metric", "input_keys", "delta_metrics"})
CONFIG_KEYS = frozenset({"context", "input", "output", "perf_metric", "goal", "user_input"})
FALLBACK = "default"


@dataclass(frozen=True, slots=True)
class DynabenchSource:
    """One configuration: what it is called, what it says, and the row it stood in."""

    name: str
    config: dict[str, Any]
    row: dict[str, Any] = field(default_factory=dict)
    first: bool = False


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
    if is_python_config(text):
        return _first(read_python_config(text, file=str(file)), str(file))
    data = _json(text, file) if text.lstrip()[:1] in ("{", "[") else _yaml(content, str(file))
    rows = data if isinstance(data, list) else [data]
    found = [source for row in rows for source in _sources(row, stem, str(file))]
    if not found:
        raise InputError(f"{file} contains no task.")
    return found


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
    """Whether this is a dictionary of tasks of the first generation."""
    entries = list(row.values())
    return bool(entries) and all(
        isinstance(entry, dict)
        and FIRST_KEYS & entry.keys()
        and not {"output", "type"} & entry.keys()
        for entry in entries
    )


def _first(table: dict[str, Any], file: str) -> list[DynabenchSource]:
    wrong = [name for name, config in table.items() if not isinstance(config, dict)]
    if wrong:
        raise InputError(f"{file}: the task '{wrong[0]}' is not a dictionary.")
    names = [name for name in table if name != FALLBACK] or list(table)
    return [DynabenchSource(slug(name), table[name], first=True) for name in names]
