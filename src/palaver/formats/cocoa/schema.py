"""The schema of CoCoA: which attributes things have, and which values each kind of them takes.

`{"values": {value type: [text, …]}, "attributes": [{"name", "value_type", "unique", "multivalued",
"entity"}, …]}`. Of an attribute only the first two keys must be there; all five are written.
"""

from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from palaver.core.errors import InputError
from palaver.formats.cocoa.shapes import checked
from palaver.formats.line_problems import LineProblems, decode_document


class SchemaAttribute(msgspec.Struct, frozen=True):
    """One attribute of the things that a scenario is about."""

    name: Annotated[str, Meta(min_length=1)]
    value_type: str
    unique: bool = False
    multivalued: bool = False
    entity: bool = True


class CocoaSchema(msgspec.Struct, frozen=True):
    """What scenarios are made of; a kind of value without a list takes any."""

    values: dict[str, list[str]]
    attributes: list[SchemaAttribute]

    @property
    def names(self) -> list[str]:
        """The names of its attributes, in order."""
        return [attribute.name for attribute in self.attributes]


def read_schema(content: bytes, *, name: str = "schema.json") -> CocoaSchema:
    """The schema of a file; InputError says what is wrong with it, and where."""
    problems = LineProblems(name)
    raw = decode_document(content, problems)
    problems.raise_errors()
    try:
        schema = checked(raw, CocoaSchema)
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
    twice = {each for each in schema.names if schema.names.count(each) > 1}
    if twice:
        raise InputError(f"{name}: the attribute '{sorted(twice)[0]}' is there twice.")
    return schema


def load_schema(path: Path) -> CocoaSchema:
    """The schema in a file."""
    return read_schema(path.read_bytes(), name=path.name)


def schema_json(schema: CocoaSchema) -> bytes:
    """The schema as a file has it."""
    return msgspec.json.format(msgspec.json.encode(schema)) + b"\n"
