"""An OpenAPI document in a form that does not tell who generated it.

Schemas stand where they are used, without their names, titles and descriptions; two ways to say the
same (a constant and a choice of one, a tuple and an array, a union in another order) become one.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

METHODS = ("get", "post", "put", "patch", "delete")
# What is taken over as it stands.
KEPT = (
    *("format", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    *("multipleOf", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems"),
    *("minProperties", "maxProperties"),
)
Document = Mapping[str, Any]


def normalise(document: Document) -> dict[str, Any]:
    """What can be asked, with what, and how it is answered; the usual error stands there once."""
    operations = {
        f"{method.upper()} {path}": _operation(given, document)
        for path, methods in document["paths"].items()
        for method, given in methods.items()
        if method in METHODS
    }
    error = _usual_error(operations)
    for operation in operations.values():
        answers = operation["answers"]
        for status, answer in answers.items():
            if answer == error:
                answers[status] = "the error"
    schemes = document.get("components", {}).get("securitySchemes", {})
    return {
        "operations": operations,
        "error": error,
        "servers": [each["url"] for each in document.get("servers", ())],
        "security": {
            name: {key: value for key, value in scheme.items() if key in ("type", "scheme", "in")}
            for name, scheme in schemes.items()
        },
    }


def _usual_error(operations: Mapping[str, Any]) -> Any:
    found = Counter(
        json.dumps(answer, sort_keys=True)
        for operation in operations.values()
        for status, answer in operation["answers"].items()
        if not status.startswith("2")
    )
    return json.loads(found.most_common(1)[0][0])


def _operation(given: Document, document: Document) -> dict[str, Any]:
    read = Schemas(document)
    body = given.get("requestBody", {})
    return {
        "parameters": {
            f"{each['in']} {each['name']}": {
                "required": each.get("required", False),
                # Nothing is said in an address by leaving it out.
                **_without(read.schema(each.get("schema", {})), "nullable"),
            }
            for each in given.get("parameters", ())
        },
        "bodies": _contents(body, read),
        "body required": body.get("required", False),
        "answers": {
            status: _contents(answer, read) for status, answer in given["responses"].items()
        },
        "security": sorted(" and ".join(sorted(each)) for each in given.get("security", ())),
    }


def _contents(given: Document, read: "Schemas") -> dict[str, Any]:
    content = given.get("content", {})
    return {media: read.schema(each.get("schema", {})) for media, each in content.items()}


def _without(given: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name != key}


class Schemas:
    """The schemas of a document, resolved."""

    def __init__(self, document: Document) -> None:
        self._document = document

    def schema(self, given: Any, above: tuple[str, ...] = ()) -> dict[str, Any]:
        """A schema in its one form; where it leads back to itself it says so and ends."""
        kinds, nullable = [], False
        for each, path in self._alternatives(given, above):
            if each is None:
                kinds.append({"type": f"as {len(above) - above.index(path[-1])} above"})
            elif each.get("type") == "null":
                nullable = True
            else:
                kinds.append(self._kind(each, path))
        unlike = {json.dumps(kind, sort_keys=True): kind for kind in kinds}
        kinds = [unlike[key] for key in sorted(unlike)]
        found = dict(kinds[0]) if len(kinds) == 1 else {"any of": kinds}
        if nullable:
            found["nullable"] = True
        default = given.get("default") if isinstance(given, Mapping) else None
        if default is not None:
            found["default"] = default
        return found

    def _alternatives(
        self, given: Any, above: tuple[str, ...]
    ) -> Iterator[tuple[dict[str, Any] | None, tuple[str, ...]]]:
        """The plain schemas that a schema is one of, each with the references that led to it."""
        if not isinstance(given, Mapping):  # true: anything
            given = {}
        if "$ref" in given:
            name = given["$ref"]
            if name in above:
                yield None, (name,)
                return
            yield from self._alternatives(self._resolve(name), (*above, name))
            return
        several = given.get("anyOf") or given.get("oneOf")
        if several or len(given.get("allOf", ())) == 1:
            for each in several or given["allOf"]:
                yield from self._alternatives(each, above)
        elif isinstance(given.get("type"), list):
            for each in given["type"]:
                yield {**given, "type": each}, above
        elif "const" in given and given["const"] is None:
            yield {"type": "null"}, above
        else:
            yield dict(given), above

    def _resolve(self, reference: str) -> Any:
        found: Any = self._document
        for part in reference.removeprefix("#/").split("/"):
            found = found[part]
        return found

    def _kind(self, given: dict[str, Any], above: tuple[str, ...]) -> dict[str, Any]:
        if "enum" in given or "const" in given:
            values = given.get("enum", [given.get("const")])
            return {"enum": sorted(values, key=lambda value: (str(type(value)), value))}
        found = {key: given[key] for key in KEPT if key in given}
        if "contentMediaType" in given:
            found["format"] = "binary"
        found["type"] = given.get("type", "anything")
        members = [*given.get("prefixItems", ())]
        if isinstance(given.get("items"), Mapping):
            members.append(given["items"])
        if members:
            found["items"] = self.schema({"anyOf": members}, above)
        if "properties" in given:
            required = given.get("required", ())
            found["properties"] = {
                name: {**self.schema(each, above), "required": name in required}
                for name, each in given["properties"].items()
            }
        further = given.get("additionalProperties")
        if further is False:
            found["further properties"] = False
        elif isinstance(further, Mapping) and further:
            found["further properties"] = self.schema(further, above)
        if "propertyNames" in given:
            found["keys"] = self.schema(given["propertyNames"], above)
        return found
