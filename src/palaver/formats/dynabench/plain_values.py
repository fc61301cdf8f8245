"""What expressions of a Python file stand for, read from their syntax and never executed.

Dictionaries and lists are built from others in the file: by name, by `{**a, "k": 1}`, by `a | b`, by a
function that lays one dictionary over the default one. Texts are added up, repeated and joined. What
comes from another module is kept as text: of a table of it the key, of a function its name.
"""

import ast
from collections import ChainMap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

DEFAULTS = ("_default_config", "default_config")
# No text of such a file is longer, and no list of words is made of more.
MOST_TEXT = 100_000
MOST_WORDS = 10_000


@dataclass(frozen=True, slots=True)
class ImportedName:
    """What the file takes from another module: nothing is known of it but its name."""

    text: str


@dataclass(frozen=True, slots=True)
class Laying:
    """A function of the file, and the name of the dictionary that it lays what it is given over."""

    name: str
    default: str


Names = Mapping[str, Any]


def names_of(tree: ast.Module) -> dict[str, Any]:
    """What is imported and which functions there are, before anything is assigned."""
    names: dict[str, Any] = {
        alias.asname or alias.name: ImportedName(alias.name)
        for each in tree.body
        if isinstance(each, ast.ImportFrom | ast.Import)
        for alias in each.names
    }
    assigned = {name for name, _ in assignments(tree)}
    for each in tree.body:
        if isinstance(each, ast.FunctionDef):
            used = [node.id for node in ast.walk(each) if isinstance(node, ast.Name)]
            own = {node.arg for node in ast.walk(each) if isinstance(node, ast.arg)}
            known = [name for name in (*DEFAULTS, *used) if name in assigned and name not in own]
            names[each.name] = Laying(each.name, next(iter(known), ""))
    return names


def assignments(tree: ast.Module) -> list[tuple[str, ast.expr]]:
    """The names that are assigned at the top of a file, and what to."""
    return [pair for statement in tree.body for pair in assigned_by(statement)]


def assigned_by(statement: ast.stmt) -> list[tuple[str, ast.expr]]:
    """The names that a statement assigns, and what to."""
    if isinstance(statement, ast.Assign):
        targets, value = statement.targets, statement.value
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        targets, value = [statement.target], statement.value
    else:
        return []
    return [(target.id, value) for target in targets if isinstance(target, ast.Name)]


def value_of(node: ast.expr, names: Names) -> Any:
    """What an expression stands for; ValueError if it would have to be executed."""
    if isinstance(node, ast.Dict):
        return _mapping(node, names)
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return [value_of(elt, names) for elt in node.elts]
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        return list(_counted(node, names))
    if isinstance(node, ast.Name):
        return _named(node.id, names)
    if isinstance(node, ast.Subscript):
        return _entry(node, names)
    if isinstance(node, ast.BinOp):
        return _combined(node, names)
    if isinstance(node, ast.Call):
        return _call(node, names)
    if isinstance(node, ast.JoinedStr):
        return "".join(str(value_of(each, names)) for each in node.values)
    if isinstance(node, ast.FormattedValue) and node.format_spec is None and node.conversion < 0:
        return value_of(node.value, names)
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise _not_plain(node) from None


def mapping_of(node: ast.expr, names: Names) -> dict[str, Any]:
    """The dictionary that an expression stands for; ValueError if it stands for something else."""
    found = value_of(node, names)
    if not isinstance(found, dict):
        raise ValueError(f"'{ast.unparse(node)[:60]}' is not a dictionary")
    return found


def _not_plain(node: ast.expr) -> ValueError:
    return ValueError(f"'{ast.unparse(node)[:60]}' is not a plain value")


def _named(name: str, names: Names) -> Any:
    if name not in names:
        raise ValueError(f"the name '{name}' is not defined above")
    found = names[name]
    return found.text if isinstance(found, ImportedName) else found


def _mapping(node: ast.Dict, names: Names) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            found |= mapping_of(value, names)
        else:
            found[str(value_of(key, names))] = value_of(value, names)
    return found


def _entry(node: ast.Subscript, names: Names) -> Any:
    """An entry of a dictionary above; of a table of another module, the text of the key."""
    key = value_of(node.slice, names)
    if isinstance(node.value, ast.Name) and isinstance(
        names.get(node.value.id), ImportedName | None
    ):
        return key
    table = mapping_of(node.value, names)
    if str(key) not in table:
        raise ValueError(f"'{ast.unparse(node)[:60]}' is not defined above")
    return table[str(key)]


def _combined(node: ast.BinOp, names: Names) -> Any:
    """Dictionaries laid over each other, texts and lists added up, texts repeated."""
    if isinstance(node.op, ast.BitOr):
        return {**mapping_of(node.left, names), **mapping_of(node.right, names)}
    left, right = value_of(node.left, names), value_of(node.right, names)
    alike = isinstance(left, str | list) and type(left) is type(right)
    if isinstance(node.op, ast.Add) and alike:
        return _short(left + right, node)
    if isinstance(node.op, ast.Mult) and isinstance(left, str) and type(right) is int:
        if len(left) * right > MOST_TEXT:
            raise _not_plain(node)
        return left * right
    raise _not_plain(node)


def _counted(node: ast.ListComp | ast.GeneratorExp, names: Names) -> Iterator[Any]:
    """What `… for n in range(9)` makes."""
    loop, *others = node.generators
    numbers = loop.iter
    plain = not others and not loop.ifs and isinstance(loop.target, ast.Name)
    if not plain or not isinstance(numbers, ast.Call) or ast.unparse(numbers.func) != "range":
        raise _not_plain(node)
    ends = [value_of(each, names) for each in numbers.args]
    if not 1 <= len(ends) <= 3 or any(type(end) is not int for end in ends) or 0 in ends[2:]:
        raise _not_plain(node)
    steps = range(*ends)
    if len(steps) > MOST_WORDS:
        raise _not_plain(node)
    assert isinstance(loop.target, ast.Name)
    for n in steps:
        yield value_of(node.elt, ChainMap({loop.target.id: n}, dict(names)))


def _call(node: ast.Call, names: Names) -> Any:
    """A copy, a text, joined texts, or what a function of the file lays over its default."""
    called = node.func
    if isinstance(called, ast.Attribute):
        return _method(called, node, names)
    name = called.id if isinstance(called, ast.Name) else ""
    laying = names.get(name)
    if name == "str" and len(node.args) == 1 and not node.keywords:
        return str(value_of(node.args[0], names))
    if name != "dict" and not isinstance(laying, Laying):
        raise _not_plain(node)
    found: dict[str, Any] = {}
    if isinstance(laying, Laying) and isinstance(names.get(laying.default), dict):
        found |= names[laying.default]
    for each in node.args:
        if not (isinstance(each, ast.Constant) and each.value is None):
            found |= mapping_of(each, names)
    for keyword in node.keywords:
        value = value_of(keyword.value, names)
        found |= value if keyword.arg is None else {keyword.arg: value}
    return found


def _method(called: ast.Attribute, node: ast.Call, names: Names) -> Any:
    if called.attr == "copy" and not node.args:
        return dict(mapping_of(called.value, names))
    if called.attr == "join" and len(node.args) == 1:
        between, texts = value_of(called.value, names), value_of(node.args[0], names)
        if isinstance(between, str) and isinstance(texts, list):
            return _short(between.join(map(str, texts)), node)
    raise _not_plain(node)


def _short(value: Any, node: ast.expr) -> Any:
    if len(value) > MOST_TEXT:
        raise _not_plain(node)
    return value
