"""Schemas of CoCoA: two keys of an attribute must be there, five are written."""

import json

import pytest

from palaver.core.errors import InputError
from palaver.formats.cocoa.schema import read_schema, schema_json
from support.shared import COCOA

OLD = b'{"values": {"hobby": ["Go"]}, "attributes": [{"name": "Hobby", "value_type": "hobby"}]}'


def test_all_five_keys_are_written() -> None:
    written = json.loads(schema_json(read_schema(OLD)))
    assert written == {
        "values": {"hobby": ["Go"]},
        "attributes": [
            {
                "name": "Hobby",
                "value_type": "hobby",
                "unique": False,
                "multivalued": False,
                "entity": True,
            }
        ],
    }
    assert read_schema(schema_json(read_schema(OLD))) == read_schema(OLD)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (OLD[:30], "s.json:1:31: Not JSON"),
        (b'{"attributes": []}', "s.json: 'values' is missing."),
        (OLD.replace(b', "value_type": "hobby"', b""), "s.json: .*'value_type' is missing"),
        (OLD.replace(b'["Go"]', b'"Go"'), "s.json: 'values' takes a list; got text."),
        (
            OLD.replace(b"[{", b'[{"name": "Hobby", "value_type": "x"}, {'),
            "the attribute 'Hobby' is there twice",
        ),
    ],
)
def test_what_is_wrong_is_named(content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_schema(content, name="s.json")


@pytest.mark.skipif(not COCOA.exists(), reason="the shared data is not here")
@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("mutualfriends_schema.json", 7),
        ("craigslist-schema.json", 8),
        ("bookhatball-schema.json", 3),
    ],
)
def test_the_schemas_of_the_three_games(name: str, attributes: int) -> None:
    content = (COCOA / name).read_bytes()
    schema = read_schema(content, name=name)
    assert len(schema.attributes) == attributes
    assert json.loads(schema_json(schema))["values"] == json.loads(content)["values"]
