"""The tasks of a `task_config.py`, read from its syntax and never executed.

The dictionary is built from others in the file: by name, by `{**a, "k": 1}`, by `a | b`, by a call
that lays one dictionary over the default one. What comes from another module is kept as text: of the
table of machines the key, of a function its name.
"""

import ast
from dataclasses import dataclass
from typing import Any

from palaver.core.errors import InputError

TABLES = ("tasks_config", "task_config")
DEFAULTS = ("_default_config", "default_config")


@dataclass(frozen=True, slots=True)
class _Imported:
    """What the file takes from another module: nothing is known of it but its name."""

    text: str


def is_python_config(text: str) -> bool:
    """Whether the text is Python with a table of tasks in it."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(name in TABLES for name, _ in _assignments(tree))


def read_python_config(text: str, *, file: str) -> dict[str, Any]:
    """The table of tasks by their codes; InputError names the line that cannot be read."""
    tree = ast.parse(text)
    names: dict[str, Any] = {
        alias.asname or alias.name: _Imported(alias.name)
        for each in tree.body
        if isinstance(each, ast.ImportFrom | ast.Import)
        for alias in each.names
    }
    # A function stands for what its calls begin with; see _call.
    names |= {each.name: each for each in tree.body if isinstance(each, ast.FunctionDef)}
    for name, value in _assignments(tree):
        try:
            names[name] = _value(value, names)
        except ValueError as error:
            if name in TABLES:
                raise InputError(
                    f"{file}:{value.lineno}: {error}. Only dictionaries, lists, texts and numbers "
                    "are read; nothing is executed."
                ) from None
    found = next((names[name] for name in TABLES if name in names), None)
    if not isinstance(found, dict):
        raise InputError(f"{file}: '{TABLES[0]}' is not a dictionary of tasks.")
    return found


def _assignments(tree: ast.Module) -> list[tuple[str, ast.expr]]:
    found: list[tuple[str, ast.expr]] = []
    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            targets, value = statement.targets, statement.value
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            targets, value = [statement.target], statement.value
        else:
            continue
        found += [(target.id, value) for target in targets if isinstance(target, ast.Name)]
    return found


def _value(node: ast.expr, names: dict[str, Any]) -> Any:
    """What an expression stands for; ValueError if it would have to be executed."""
    if isinstance(node, ast.Dict):
        return _mapping(node, names)
    if isinstance(node, ast.List | ast.Tuple):
        return [_value(elt, names) for elt in node.elts]
    if isinstance(node, ast.Name):
        return _named(node.id, names)
    if isinstance(node, ast.Subscript):
        return _entry(node, names)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return {**_dict(node.left, names), **_dict(node.right, names)}
    if isinstance(node, ast.Call):
        return _call(node, names)
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise ValueError(f"'{ast.unparse(node)[:60]}' is not a plain value") from None


def _named(name: str, names: dict[str, Any]) -> Any:
    if name not in names:
        raise ValueError(f"the name '{name}' is not defined above")
    found = names[name]
    return found.text if isinstance(found, _Imported) else found


def _mapping(node: ast.Dict, names: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            found |= _dict(value, names)
        else:
            found[str(_value(key, names))] = _value(value, names)
    return found


def _dict(node: ast.expr, names: dict[str, Any]) -> dict[str, Any]:
    found = _value(node, names)
    if not isinstance(found, dict):
        raise ValueError(f"'{ast.unparse(node)[:60]}' is not a dictionary")
    return found


def _entry(node: ast.Subscript, names: dict[str, Any]) -> Any:
    """An entry of a dictionary above; of a table of another module, the text of the key."""
    key = _value(node.slice, names)
    if isinstance(node.value, ast.Name) and isinstance(names.get(node.value.id), _Imported | None):
        return key
    table = _dict(node.value, names)
    if str(key) not in table:
        raise ValueError(f"'{ast.unparse(node)[:60]}' is not defined above")
    return table[str(key)]


def _call(node: ast.Call, names: dict[str, Any]) -> dict[str, Any]:
    """A function of these files lays what it is given over the default configuration."""
    called = node.func
    if isinstance(called, ast.Attribute) and called.attr == "copy" and not node.args:
        return dict(_dict(called.value, names))
    name = called.id if isinstance(called, ast.Name) else ""
    if name != "dict" and not isinstance(names.get(name), ast.FunctionDef):
        raise ValueError(f"'{ast.unparse(node)[:60]}' is not a plain value")
    found: dict[str, Any] = {}
    if name != "dict":
        found |= next((names[each] for each in DEFAULTS if each in names), {})
    for each in node.args:
        found |= _dict(each, names)
    for keyword in node.keywords:
        value = _value(keyword.value, names)
        found |= value if keyword.arg is None else {keyword.arg: value}
    return found
