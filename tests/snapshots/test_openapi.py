"""The API's OpenAPI document: what can be asked, with what, and how it is answered."""

import json

from support.openapi import normalise
from support.served_home import ServedHome
from support.snapshots import assert_as_stored


def test_the_document_says_what_it_said(served_home: ServedHome) -> None:
    document = served_home.api("GET", "/openapi.json", token="").value
    assert_as_stored("openapi", normalise(document))


def test_the_form_does_not_tell_who_generated_the_document() -> None:
    def document(body: object, schemas: object) -> dict[str, object]:
        answers = {"422": {"content": {"application/json": {"schema": {"type": "string"}}}}}
        content = {"content": {"application/json": {"schema": body}}}
        return {
            "paths": {"/x": {"post": {"requestBody": content, "responses": answers}}},
            "components": {"schemas": schemas},
        }

    pair = {"type": "array", "prefixItems": [{"type": "number"}] * 2, "minItems": 2}
    tree = {
        "type": "object",
        "title": "Tree",
        "properties": {
            "kind": {"const": "tree", "type": "string"},
            "span": {"anyOf": [{"type": "null"}, pair]},
            "below": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}},
        },
        "required": ["kind"],
    }
    other = json.loads(json.dumps(tree).replace("Tree", "Node"))
    other["properties"]["kind"] = {"enum": ["tree"]}
    other["properties"]["span"] = {
        "oneOf": [{"type": "array", "items": {"type": "number"}, "minItems": 2}, {"type": "null"}],
        "description": "From, to",
    }
    one = normalise(document({"$ref": "#/components/schemas/Tree"}, {"Tree": tree}))
    assert one == normalise(document({"$ref": "#/components/schemas/Node"}, {"Node": other}))
    properties = one["operations"]["POST /x"]["bodies"]["application/json"]["properties"]
    assert properties["below"] == {
        "type": "array", "items": {"type": "as 1 above"}, "required": False,
    }  # fmt: skip
