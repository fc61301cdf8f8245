"""Setting single values in a YAML text: everything else stays as it was written, comments too.

The text is composed into nodes that know where they stand; only the characters of the value change.
What an alias or a merge shares with another place is not touched: the caller compares what comes out.
"""

import io
import json
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from palaver.core.errors import InputError
from palaver.formats.json_places import Steps
from palaver.formats.marked_yaml import parse_marked

Scalar = str | int | float | bool | None


def with_value(text: str, steps: Steps, value: Scalar) -> str:
    """The text with a value set; its key is added where it is missing.

    InputError where the place cannot be found, or is written in a way that shares it with another.
    """
    wanted = _set(parse_marked(text.encode(), file="").data, steps, value)
    try:
        edited = _edited(text, steps, value)
        reached = parse_marked(edited.encode(), file="").data
    except (InputError, LookupError):
        reached = None
        edited = ""
    if reached != wanted:
        where = ".".join(str(step) for step in steps)
        raise InputError(
            f"'{where}' is written in a way that cannot be set by itself. Change the file instead."
        )
    return edited


def _edited(text: str, steps: Steps, value: Scalar) -> str:
    node: Node = YAML(typ="rt", pure=True).compose(io.StringIO(text))
    key: Node | None = None
    for depth, step in enumerate(steps):
        following = _child(node, step)
        if following is None:
            if depth < len(steps) - 1 or not isinstance(step, str):
                return _with_mapping(text, node, steps[depth:], value)
            return _with_key(text, node, step, _written(value))
        key, node = _key(node, step), following
    if not isinstance(node, ScalarNode):
        raise LookupError(steps)
    if key is not None and not node.value and not node.style:
        # Nothing stands there: it follows the colon.
        colon = text.index(":", key.end_mark.index) + 1
        return f"{text[:colon]} {_written(value)}{text[colon:]}"
    start, end = node.start_mark.index, node.end_mark.index
    return text[:start] + _written(value) + text[end:]


def _with_mapping(text: str, node: Node, steps: Steps, value: Scalar) -> str:
    """A new mapping with one entry, where nothing is yet."""
    if len(steps) != 2 or not isinstance(steps[0], str) or not isinstance(steps[1], str):
        raise LookupError(steps)
    return _with_key(text, node, steps[0], f"{{{steps[1]}: {_written(value)}}}", last=True)


def _with_key(text: str, node: Node, key: str, written: str, *, last: bool = False) -> str:
    if not isinstance(node, MappingNode):
        raise LookupError(key)
    start, end = node.start_mark.index, node.end_mark.index
    if node.flow_style:
        before = "" if not node.value else ", "
        return f"{text[: end - 1].rstrip()}{before}{key}: {written}{text[end - 1 :]}"
    column = node.start_mark.column
    if last and column == 0:
        kept = text if text.endswith("\n") else f"{text}\n"
        return f"{kept}{key}: {written}\n"
    return f"{text[:start]}{key}: {written}\n{' ' * column}{text[start:]}"


def _child(node: Node, step: str | int) -> Node | None:
    if isinstance(node, MappingNode):
        return next((value for key, value in node.value if key.value == step), None)
    if isinstance(node, SequenceNode) and isinstance(step, int):
        found: Node = node.value[step]
        return found
    raise LookupError(step)


def _key(node: Node, step: str | int) -> Node | None:
    pairs = node.value if isinstance(node, MappingNode) else ()
    return next((key for key, _ in pairs if key.value == step), None)


def _written(value: Scalar) -> str:
    # JSON is YAML, and quotes what could be taken for anything else.
    if isinstance(value, str) and value.isascii() and value.replace("-", "").isdigit():
        return json.dumps(value)
    plain = isinstance(value, str) and value and all(c.isalnum() or c in " -:/_+." for c in value)
    if isinstance(value, str) and plain and value[0].isalnum() and ": " not in value:
        read = parse_marked(f"value: {value}".encode(), file="").data["value"]
        if read == value:
            return value
    return json.dumps(value, ensure_ascii=False)


def _set(data: Any, steps: Steps, value: Scalar) -> Any:
    """A copy of plain data with a value set."""
    if not steps:
        return value
    first, rest = steps[0], steps[1:]
    if isinstance(data, list) and isinstance(first, int):
        return [_set(each, rest, value) if n == first else each for n, each in enumerate(data)]
    if isinstance(data, dict) or data is None:
        held = dict(data or {})
        return {**held, first: _set(held.get(first), rest, value)}
    raise InputError(f"There is no '{first}' here.")
