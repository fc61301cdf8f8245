"""Setting values in a YAML text, or taking them out: everything else stays as written, comments too.

The text is composed into nodes that know where they stand; only the characters of the value change.
What an alias or a merge shares with another place is not touched: the caller compares what comes out.
"""

import io
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from palaver.core.errors import InputError
from palaver.formats.json_places import Steps
from palaver.formats.marked_yaml import parse_marked

Scalar = str | int | float | bool | None
Value = Scalar | Sequence[Scalar] | Mapping[str, Scalar]
Edit = Callable[[str, Steps, Value], str]


def with_value(text: str, steps: Steps, value: Value) -> str:
    """The text with a value set; its key is added where it is missing.

    InputError where the place cannot be found, or is written in a way that shares it with another.
    """
    data = parse_marked(text.encode(), file="").data
    return _checked(text, steps, _edited, value, wanted=_set(data, steps, _plain(value)))


def without_key(text: str, steps: Steps) -> str:
    """The text without a key of a mapping, and without the mapping where that leaves it empty.

    InputError where the key cannot be found, or is written in a way that shares it with another.
    """
    data = parse_marked(text.encode(), file="").data
    while len(steps) > 1 and len(_at(data, steps[:-1])) == 1 and steps[-1] in _at(data, steps[:-1]):
        steps = steps[:-1]
    holder = {key: each for key, each in _at(data, steps[:-1]).items() if key != steps[-1]}
    return _checked(text, steps, _cut, None, wanted=_set(data, steps[:-1], holder))


def _checked(text: str, steps: Steps, edit: Edit, value: Value, *, wanted: Any) -> str:
    """The text after an edit, if it says what was wanted and nothing else."""
    try:
        edited = edit(text, steps, value)
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


def _edited(text: str, steps: Steps, value: Value) -> str:
    node = _composed(text)
    key: Node | None = None
    for depth, step in enumerate(steps):
        if key is not None and _is_nothing(node):
            return _after_colon(text, key, _nested(steps[depth:], value))
        following = _child(node, step)
        if following is None and depth < len(steps) - 1:
            return _with_key(text, node, step, _nested(steps[depth + 1 :], value), last=True)
        if following is None:
            return _with_key(text, node, step, _written(value), last=not _is_scalar(value))
        key, node = _key(node, step), following
    if key is not None and _is_nothing(node):
        return _after_colon(text, key, _written(value))
    if _is_block(node):
        if key is None:
            raise LookupError(steps)
        colon = text.index(":", key.end_mark.index) + 1
        return f"{text[:colon]} {_written(value)}{text[_last(node) :]}"
    start, end = node.start_mark.index, node.end_mark.index
    return text[:start] + _written(value) + text[end:]


def _composed(text: str) -> Node:
    node: Node = YAML(typ="rt", pure=True).compose(io.StringIO(text))
    return node


def _is_nothing(node: Node) -> bool:
    """Whether a key is written with nothing behind it."""
    return isinstance(node, ScalarNode) and not node.value and not node.style


def _after_colon(text: str, key: Node, written: str) -> str:
    colon = text.index(":", key.end_mark.index) + 1
    return f"{text[:colon]} {written}{text[colon:]}"


def _nested(steps: Steps, value: Value) -> str:
    """A value in new mappings of one entry each."""
    written = _written(value)
    for step in reversed(steps):
        if not isinstance(step, str):
            raise LookupError(step)
        written = f"{{{_written(step)}: {written}}}"
    return written


def _is_block(node: Node) -> bool:
    return isinstance(node, MappingNode | SequenceNode) and not node.flow_style


def _last(node: Node) -> int:
    """Where what a node says ends; comments and empty lines behind it are not of it."""
    if not _is_block(node) or not node.value:
        return int(node.end_mark.index)
    child = node.value[-1]
    return _last(child[1] if isinstance(node, MappingNode) else child)


def _cut(text: str, steps: Steps, value: Value) -> str:
    """The text without a key and what it says; the comment in its line goes with it."""
    node = _composed(text)
    for step in steps[:-1]:
        following = _child(node, step)
        if following is None:
            raise LookupError(step)
        node = following
    if not isinstance(node, MappingNode):
        raise LookupError(steps)
    pairs = list(node.value)
    place = next((n for n, (key, _) in enumerate(pairs) if key.value == steps[-1]), None)
    if place is None:
        raise LookupError(steps)
    key, held = pairs[place]
    start, end = key.start_mark.index, _last(held)
    if node.flow_style:
        if place + 1 < len(pairs):
            return text[:start] + text[pairs[place + 1][0].start_mark.index :]
        before = _last(pairs[place - 1][1]) if place else start
        return text[:before] + text[end:]
    begin = text.rindex("\n", 0, start) + 1 if "\n" in text[:start] else 0
    if text[begin:start].strip():
        raise LookupError(steps)
    return text[:begin] + text[_line_end(text, end) :]


def _line_end(text: str, at: int) -> int:
    """Where the line that something ends in is over, with its comment."""
    if at and text[at - 1] == "\n":
        return at
    found = text.find("\n", at)
    return len(text) if found < 0 else found + 1


def _with_key(text: str, node: Node, key: str | int, written: str, *, last: bool = False) -> str:
    if not isinstance(node, MappingNode) or not isinstance(key, str):
        raise LookupError(key)
    start, end, key = node.start_mark.index, node.end_mark.index, _written(key)
    if node.flow_style:
        before = "" if not node.value else ", "
        return f"{text[: end - 1].rstrip()}{before}{key}: {written}{text[end - 1 :]}"
    column = node.start_mark.column
    if last:
        # Behind the last key, so that a comment above the first one stays with it.
        at = len(text) if column == 0 else _line_end(text, _last(node))
        kept = text[:at] if text[:at].endswith("\n") else f"{text[:at]}\n"
        return f"{kept}{' ' * column}{key}: {written}\n{text[at:]}"
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


def _is_scalar(value: Value) -> bool:
    return isinstance(value, str) or not isinstance(value, Sequence | Mapping)


def _plain(value: Value) -> Any:
    """A value as it is read back."""
    if _is_scalar(value):
        return value
    return dict(value) if isinstance(value, Mapping) else list(value)  # type: ignore[arg-type]


def _written(value: Value) -> str:
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_written(k)}: {_written(v)}' for k, v in value.items())}}}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(_written(each) for each in value)}]"
    # JSON is YAML, and quotes what could be taken for anything else.
    if isinstance(value, str) and value.isascii() and value.replace("-", "").isdigit():
        return json.dumps(value)
    plain = isinstance(value, str) and value and all(c.isalnum() or c in " -:/_+." for c in value)
    if isinstance(value, str) and plain and value[0].isalnum() and ": " not in value:
        read = parse_marked(f"value: {value}".encode(), file="").data["value"]
        if read == value:
            return value
    return json.dumps(value, ensure_ascii=False)


def _at(data: Any, steps: Steps) -> Any:
    """What plain data hold at a place; InputError where that is no mapping."""
    for step in steps:
        data = data.get(step) if isinstance(data, dict) else None
    if not isinstance(data, dict):
        raise InputError(f"There is no '{'.'.join(str(step) for step in steps)}' here.")
    return data


def _set(data: Any, steps: Steps, value: Any) -> Any:
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
