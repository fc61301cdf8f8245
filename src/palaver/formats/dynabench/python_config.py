"""The tasks of a `task_config.py`, read from its syntax and never executed.

Dictionaries may be changed after they were made, by an entry or by `update`. A statement that does
something else with them is named, because the table may be another one after it.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from palaver.core.errors import InputError
from palaver.formats.dynabench.plain_values import (
    Laying,
    assigned_by,
    assignments,
    mapping_of,
    names_of,
    value_of,
)

TABLES = ("tasks_config", "task_config")
SHOWN = 60


@dataclass(frozen=True, slots=True)
class PythonConfig:
    """A table of tasks by their codes; `taken_for` and `unread` say what was not executed, by line."""

    tasks: dict[str, Any]
    taken_for: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


def is_python_config(tree: ast.Module) -> bool:
    """Whether there is a table of tasks in a Python file."""
    return any(name in TABLES for name, _ in assignments(tree))


def read_python_config(tree: ast.Module, *, file: str) -> PythonConfig:
    """The table of tasks; InputError names the line that cannot be read."""
    names, unread = names_of(tree), []
    for statement in tree.body:
        try:
            done = _do(statement, names)
        except ValueError as error:
            if any(name in TABLES for name, _ in assigned_by(statement)):
                raise InputError(
                    f"{file}:{statement.lineno}: {error}. Only dictionaries, lists, texts and "
                    "numbers are read; nothing is executed."
                ) from None
            done = bool(assigned_by(statement))
        if not done and _touches_a_table(statement, names):
            unread.append(
                f"Line {statement.lineno}, '{_first_line(statement)}': it is not executed. If it "
                "changes the configuration, change the task file."
            )
    found = next((names[name] for name in TABLES if name in names), None)
    if not isinstance(found, dict):
        raise InputError(f"{file}: '{TABLES[0]}' is not a dictionary of tasks.")
    return PythonConfig(found, tuple(_taken_for(tree, names)), tuple(unread))


def _do(statement: ast.stmt, names: dict[str, Any]) -> bool:
    """Take in what a statement says of dictionaries; whether it was understood."""
    found = assigned_by(statement)
    for name, value in found:
        names[name] = value_of(value, names)
    if found or isinstance(
        statement, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef | ast.Pass
    ):
        return True
    if isinstance(statement, ast.Assign):
        return all(_put(target, statement.value, names) for target in statement.targets)
    if isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.BitOr):
        mapping_of(statement.target, names).update(mapping_of(statement.value, names))
        return True
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return _update(statement.value, names)
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _put(target: ast.expr, value: ast.expr, names: dict[str, Any]) -> bool:
    """`table["nli"]["perf_metric"] = "accuracy"`."""
    if not isinstance(target, ast.Subscript):
        return False
    mapping_of(target.value, names)[str(value_of(target.slice, names))] = value_of(value, names)
    return True


def _update(call: ast.Call, names: dict[str, Any]) -> bool:
    """`table["nli"].update({"perf_metric": "accuracy"})`."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "update":
        return False
    table = mapping_of(call.func.value, names)
    for each in call.args:
        table.update(mapping_of(each, names))
    for keyword in call.keywords:
        value = value_of(keyword.value, names)
        table.update(value if keyword.arg is None else {keyword.arg: value})
    return True


def _touches_a_table(statement: ast.stmt, names: dict[str, Any]) -> bool:
    used = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
    return any(isinstance(names.get(name), dict | list) for name in used)


def _taken_for(tree: ast.Module, names: dict[str, Any]) -> Iterator[str]:
    """What functions are taken to return: their calls are read, the functions are not."""
    called = {ast.unparse(each.func) for each in ast.walk(tree) if isinstance(each, ast.Call)}
    for name, each in names.items():
        if (
            isinstance(each, Laying)
            and name in called
            and isinstance(names.get(each.default), dict)
        ):
            yield f"'{name}' is not run: it is taken to lay what it is given over '{each.default}'."
        elif isinstance(each, Laying) and name in called:
            yield f"'{name}' is not run: it is taken to return what it is given."


def _first_line(statement: ast.stmt) -> str:
    return ast.unparse(statement).splitlines()[0][:SHOWN]
