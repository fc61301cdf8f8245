"""Records as plain data and back: what the API answers, `--json` prints and the client reads.

A record is a frozen dataclass and its fields are its keys, unless a field says otherwise:

    id: int = internal(0)               stays on the server
    name: str = key("task_code")        goes by another name
    reason: str = if_any("")            is left out while it is empty
    mean: Estimate = flat(value="mean") its keys stand beside the others, some by another name

`derived` names properties that are told beside the fields, `derived_if_any` those that are left out
while empty, `nullable` numbers that may be undefined. A record of another shape altogether has an
`as_json` of its own, which returns plain data or records.
"""

import dataclasses
import math
import types
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import MISSING, field
from functools import cache
from operator import attrgetter
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

T = TypeVar("T")

REFERENCE = "#/components/schemas/"
_INTERNAL, _KEY, _IF_ANY, _FLAT = "internal", "key", "if_any", "flat"
_WORDS = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}
_AS_IS = frozenset({str, int, bool, type(None)})


def internal(default: Any = MISSING, *, factory: Any = MISSING) -> Any:
    """A field that stays on the server; it has a default, because a client never gets it."""
    return field(default=default, default_factory=factory, metadata={_INTERNAL: True})


def key(name: str, default: Any = MISSING, *, factory: Any = MISSING) -> Any:
    """A field that goes by another name."""
    return field(default=default, default_factory=factory, metadata={_KEY: name})


def if_any(default: Any = MISSING, *, factory: Any = MISSING) -> Any:
    """A field that is left out while it is empty or None."""
    return field(default=default, default_factory=factory, metadata={_IF_ANY: True})


def flat(**names: str) -> Any:
    """A record whose keys stand beside those of the one it is in; `names` says what some become."""
    return field(metadata={_FLAT: names})


@dataclasses.dataclass(frozen=True, slots=True)
class RecordKey:
    """A key of a record: the attribute behind it, its type, and whether it may be left out.

    The attribute of a record that lies flat in this one is a path, such as `mean.value`.
    """

    key: str
    attribute: str
    type: Any
    if_any: bool = False
    is_derived: bool = False


def plain(value: Any) -> Any:
    """A record, or anything made of records, as JSON knows it.

    NaN and infinities are null, numpy's numbers are Python's, names of an object are texts.
    """
    kind = type(value)
    # The types that nearly everything is made of, before questions that take longer.
    if kind in _AS_IS:
        return value
    if kind is float:
        return value if math.isfinite(value) else None
    if kind is list or kind is tuple:
        return [plain(each) for each in value]
    if hasattr(kind, "as_json"):
        return plain(value.as_json())
    if hasattr(kind, "__dataclass_fields__"):
        return _by_key(value)
    if isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return plain(float(value))
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, Collection | Iterator) and not isinstance(value, bytes):
        return [plain(each) for each in value]
    return msgspec.to_builtins(value)


def encode(value: Any) -> bytes:
    """A record, or anything made of records, as JSON."""
    return msgspec.json.encode(plain(value))


def convert(data: Any, kind: type[T]) -> T:
    """The record that plain data was made of; keys that are not known are passed over."""
    return msgspec.convert(_by_attribute(data, kind), kind)


def extended(record: Any, kind: type[T], **more: Any) -> T:
    """The fuller record of a kind that inherits from this one's, with `more` of its fields."""
    held = {each.name: getattr(record, each.name) for each in dataclasses.fields(record)}
    return kind(**(held | more))


@cache
def entries(kind: Any) -> tuple[RecordKey, ...]:
    """The keys of a record in the order of its fields; derived ones stand last."""
    if issubclass(kind, msgspec.Struct):
        lines = msgspec.structs.fields(kind)
        return tuple(RecordKey(line.encode_name, line.name, line.type) for line in lines)
    hints = get_type_hints(kind)
    own = [
        entry
        for each in dataclasses.fields(kind)
        if _INTERNAL not in each.metadata
        for entry in _field_entries(each, hints[each.name])
    ]
    derived = [
        RecordKey(name, name, get_type_hints(getattr(kind, name).fget)["return"], if_any, True)
        for if_any, names in ((False, "derived"), (True, "derived_if_any"))
        for name in getattr(kind, names, ())
    ]
    return (*own, *derived)


def _field_entries(own: dataclasses.Field[Any], kind: Any) -> list[RecordKey]:
    """The key of a field, or those of a record that lies flat."""
    if _FLAT not in own.metadata:
        name = own.metadata.get(_KEY, own.name)
        return [RecordKey(name, own.name, kind, _IF_ANY in own.metadata)]
    names = own.metadata[_FLAT]
    return [
        dataclasses.replace(
            entry, key=names.get(entry.key, entry.key), attribute=f"{own.name}.{entry.attribute}"
        )
        for entry in entries(kind)
    ]


def schema(kind: Any) -> dict[str, Any]:
    """What JSON Schema says of a type; records are referred to by their names."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind in _WORDS:
        return {"type": _WORDS[kind]}
    if origin is Literal:
        return {"type": _WORDS[type(arguments[0])], "enum": list(arguments)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema(argument) for argument in arguments]}
    if _is_record(kind):
        return _own_schema(kind) or {"$ref": f"{REFERENCE}{kind.__name__}"}
    if origin is tuple and arguments[-1] is not Ellipsis:
        size = len(arguments)
        inner = [schema(argument) for argument in arguments]
        return {"type": "array", "prefixItems": inner, "minItems": size, "maxItems": size}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        inner_type = arguments[1]
        return {"type": "object", "additionalProperties": schema(inner_type) or True}
    if isinstance(origin, type) and issubclass(origin, Collection):
        return {"type": "array", "items": schema(arguments[0])}
    return {}


def record_schema(kind: type) -> dict[str, Any]:
    """What JSON Schema says of a record: its keys, and those that are always there."""
    known = entries(kind)
    return {
        "type": "object",
        "title": kind.__name__,
        "description": kind.__doc__ or "",
        "properties": {each.key: _key_schema(kind, each) for each in known},
        "required": [each.key for each in known if not each.if_any],
    }


def _key_schema(kind: type, entry: RecordKey) -> dict[str, Any]:
    found = schema(entry.type)
    return {"anyOf": [found, {"type": "null"}]} if entry.key in _nullable(kind) else found


def _nullable(kind: type) -> tuple[str, ...]:
    """The numbers of a record that may be NaN."""
    found: tuple[str, ...] = getattr(kind, "nullable", ())
    return found


def records_in(kind: Any) -> Iterator[type]:
    """The records that a type is made of, each once."""
    seen: set[type] = set()
    waiting = [kind]
    while waiting:
        each = waiting.pop()
        waiting.extend(get_args(each))
        if not _is_record(each) or each in seen or hasattr(each, "as_json"):
            continue
        seen.add(each)
        waiting.extend(entry.type for entry in entries(each))
        yield each


def _by_key(record: Any) -> dict[str, Any]:
    kind: Any = type(record)
    found = {}
    for name, read, if_any in _readers(kind):
        told = read(record)
        if not (if_any and _is_empty(told)):
            found[name] = plain(told)
    return found


@cache
def _readers(kind: Any) -> tuple[tuple[str, Callable[[Any], Any], bool], ...]:
    """The keys of a record, what reads each, and whether it is left out while empty."""
    return tuple((entry.key, attrgetter(entry.attribute), entry.if_any) for entry in entries(kind))


def _is_record(kind: Any) -> bool:
    """Whether a type is a dataclass, or a line of JSON (a struct that leaves nothing out)."""
    if not isinstance(kind, type):
        return False
    is_line = issubclass(kind, msgspec.Struct) and not kind.__struct_config__.omit_defaults
    return is_line or dataclasses.is_dataclass(kind)


def _own_schema(kind: type) -> dict[str, Any] | None:
    """The schema of a record that has an `as_json` of its own; None for all others."""
    if not hasattr(kind, "as_json"):
        return None
    return schema(get_type_hints(kind.as_json)["return"])


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, Collection) and not len(value))


@cache
def _is_told_otherwise(kind: Any) -> bool:
    """Whether some record that a type is made of is told in another way than by its attributes.

    A key has another name, a number that is NaN is null, or a record is a list of its fields.
    """
    return any(map(_is_told_as_list, (kind, *get_args(kind)))) or any(
        each.key != each.attribute
        or (each.type is float and each.key in _nullable(record))
        or any(_is_told_as_list(part) for part in (each.type, *get_args(each.type)))
        for record in records_in(kind)
        for each in entries(record)
    )


@cache
def _is_told_as_list(kind: Any) -> bool:
    """Whether a record is told as the list of its fields, such as the two ends of an interval."""
    if not _is_record(kind) or not hasattr(kind, "as_json"):
        return False
    return get_origin(get_type_hints(kind.as_json)["return"]) is list


def _by_attribute(data: Any, kind: Any) -> Any:
    """Plain data with the names of attributes where keys are others, and NaN where it was null."""
    if _is_told_as_list(kind) and isinstance(data, list):
        named = zip(dataclasses.fields(kind), data, strict=True)
        return {field.name: math.nan if told is None else told for field, told in named}
    if not _is_told_otherwise(kind):
        return data
    if _is_record(kind) and issubclass(kind, msgspec.Struct):
        # msgspec reads the lines of JSON by their keys.
        inner = {entry.key: entry.type for entry in entries(kind)}
        return {key: _by_attribute(told, inner.get(key)) for key, told in data.items()}
    if _is_record(kind) and isinstance(data, Mapping):
        found: dict[str, Any] = {}
        for entry in entries(kind):
            if entry.key in data and not entry.is_derived:
                *outer, name = entry.attribute.split(".")
                place = found
                for step in outer:
                    place = place.setdefault(step, {})
                told = data[entry.key]
                is_nan = told is None and entry.type is float and entry.key in _nullable(kind)
                place[name] = math.nan if is_nan else _by_attribute(told, entry.type)
        return found
    arguments = get_args(kind)
    if get_origin(kind) in (Union, types.UnionType):
        wanted = next(
            (each for each in arguments if _is_record(each) or any(True for _ in records_in(each))),
            None,
        )
        return data if data is None else _by_attribute(data, wanted)
    if isinstance(data, list):
        return [_by_attribute(each, arguments[0]) for each in data]
    if isinstance(data, Mapping):
        return {name: _by_attribute(each, arguments[1]) for name, each in data.items()}
    return data
