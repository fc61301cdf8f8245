"""What a record says of its own fields: the columns of tables and the lines of a data dictionary.

A field is described where it is declared, as `Annotated[type, msgspec.Meta(description=...)]`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

ColumnType = Literal["text", "integer", "number", "boolean", "list", "object", "any"]

_PLAIN: dict[Any, ColumnType] = {str: "text", int: "integer", float: "number", bool: "boolean"}


@dataclass(frozen=True, slots=True)
class Column:
    """One field of a record: `optional` where it may be null or absent."""

    name: str
    type: ColumnType
    meaning: str
    optional: bool = False


@dataclass(frozen=True, slots=True)
class DescribedFile:
    """A file of an export, or a table in it: what one row of it is, and its columns."""

    name: str
    row: str
    columns: tuple[Column, ...]


def described_records(name: str, row: str, record: type[msgspec.Struct]) -> DescribedFile:
    """A file whose rows are records, with what is inside of them."""
    return DescribedFile(name, row, tuple(nested_columns(record)))


def columns_of(record: type[msgspec.Struct]) -> list[Column]:
    """The fields of a record, in order, without what is inside of them."""
    return [_column(field.name, field.type) for field in msgspec.structs.fields(record)]


def as_field(record: type[msgspec.Struct], name: str) -> msgspec.Meta:
    """The description of a field, for another record that says the same."""
    found = next(column for column in columns_of(record) if column.name == name)
    return msgspec.Meta(description=found.meaning)


def nested_columns(record: type[msgspec.Struct], inside: str = "") -> Iterator[Column]:
    """The fields of a record and, behind each, those of the records in it: `seats[].index`."""
    for field in msgspec.structs.fields(record):
        name = inside + (field.encode_name or field.name)
        yield _column(name, field.type)
        inner, many = _records_in(field.type)
        if inner is not None:
            yield from nested_columns(inner, f"{name}[]." if many else f"{name}.")


def _column(name: str, declared: Any) -> Column:
    meaning = ""
    if get_origin(declared) is Annotated:
        declared, *notes = get_args(declared)
        meaning = next((n.description or "" for n in notes if isinstance(n, msgspec.Meta)), "")
    kinds = _alternatives(declared)
    plain = [kind for kind in kinds if kind is not NoneType]
    return Column(name, _type_of(plain), meaning, optional=NoneType in kinds)


def _alternatives(declared: Any) -> tuple[Any, ...]:
    return get_args(declared) if get_origin(declared) in (Union, UnionType) else (declared,)


def _type_of(kinds: list[Any]) -> ColumnType:
    found = {_one_type(kind) for kind in kinds}
    return found.pop() if len(found) == 1 else "any"


def _one_type(kind: Any) -> ColumnType:
    origin = get_origin(kind) or kind
    if origin is Literal:
        return _type_of(list({type(value) for value in get_args(kind)}))
    if origin in _PLAIN:
        return _PLAIN[origin]
    if origin in (list, tuple):
        return "list"
    is_record = isinstance(origin, type) and issubclass(origin, msgspec.Struct | dict)
    return "object" if is_record else "any"


def _records_in(declared: Any) -> tuple[type[msgspec.Struct] | None, bool]:
    """The record that a field holds, and whether it holds many of them."""
    if get_origin(declared) is Annotated:
        declared = get_args(declared)[0]
    for kind in _alternatives(declared):
        many = get_origin(kind) in (list, tuple)
        inner = get_args(kind)[0] if many and get_args(kind) else kind
        if get_origin(inner) is Annotated:
            inner = get_args(inner)[0]
        if isinstance(inner, type) and issubclass(inner, msgspec.Struct):
            return inner, many
    return None, False
