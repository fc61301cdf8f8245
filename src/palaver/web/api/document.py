"""The API's own OpenAPI document as what its page shows: groups of operations, and shapes."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

JSON = "application/json"
FORM = "multipart/form-data"
REFERENCE = "#/components/schemas/"
METHODS = ("get", "post", "put", "patch", "delete")
# What groups are called that the document names by a word.
TITLES = {
    "studies": "Studies",
    "tasks": "Tasks",
    "boards": "Boards",
    "as Dynabench": "As Dynabench answered",
    "data sets": "Data sets",
    "perturbations": "Perturbations",
    "models": "Models",
    "runs": "Runs",
    "scores": "Scores",
    "metrics": "Metrics",
    "submissions": "Submissions",
    "teams": "Teams",
    "rounds": "Rounds of writing",
    "challenges": "Challenges",
}
# What FastAPI says where nothing was said.
UNSAID = "Successful Response"
TOKENS = {"AccountToken": "the token of an account", "TeamToken": "the token of a team"}


@dataclass(frozen=True, slots=True)
class Kind:
    """What a value is, in words; `shape` names the shape that it is or is made of."""

    words: str
    shape: str = ""


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A parameter, or a field of a shape."""

    name: str
    kind: Kind
    needed: bool
    note: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class Sent:
    """A body that an operation takes: its media type, and its fields where it has any."""

    media: str
    kind: Kind
    parts: tuple[NamedValue, ...]


@dataclass(frozen=True, slots=True)
class Answered:
    """One way in which an operation may answer."""

    status: str
    words: str
    kind: Kind | None


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that can be asked."""

    anchor: str
    method: str
    path: str
    title: str
    about: str
    token: str
    parameters: tuple[NamedValue, ...]
    bodies: tuple[Sent, ...]
    answers: tuple[Answered, ...]
    curl: str


@dataclass(frozen=True, slots=True)
class Group:
    """Operations about one noun."""

    anchor: str
    title: str
    operations: tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class ObjectShape:
    """A named kind of object, with its fields."""

    name: str
    about: str
    parts: tuple[NamedValue, ...]


def read_groups(document: Mapping[str, Any], *, address: str) -> tuple[Group, ...]:
    """The operations by their first tag, in the order of the document; `address` is for curl."""
    groups: dict[str, list[Operation]] = {}
    for path, methods in document["paths"].items():
        for method in METHODS:
            if method in methods:
                tag = methods[method].get("tags", ["studies"])[-1]
                found = _operation(path, method, methods[method], document, address)
                groups.setdefault(tag, []).append(found)
    return tuple(
        Group(_anchor(tag), TITLES.get(tag, tag.capitalize()), tuple(operations))
        for tag, operations in groups.items()
    )


def read_shapes(document: Mapping[str, Any]) -> tuple[ObjectShape, ...]:
    """The shapes of bodies and answers, by name."""
    schemas = document.get("components", {}).get("schemas", {})
    return tuple(
        ObjectShape(name, _told(schema.get("description", "")), _parts(schema))
        for name, schema in sorted(schemas.items())
        if "properties" in schema
    )


def _operation(
    path: str, method: str, given: Mapping[str, Any], document: Mapping[str, Any], address: str
) -> Operation:
    title, _, about = given.get("description", given.get("summary", "")).partition("\n\n")
    bodies = tuple(_bodies(given, document))
    token = _token(given)
    known = sorted(given.get("parameters", ()), key=lambda each: _place(path, each))
    parameters = tuple(_parameter(each) for each in known)
    return Operation(
        anchor=_anchor(f"{method}-{path}"),
        method=method.upper(),
        path=path,
        title=_told(title),
        about=_told(about),
        token=token,
        parameters=parameters,
        bodies=bodies,
        answers=tuple(
            Answered(status, _answer_words(answer), _answer_kind(answer))
            for status, answer in sorted(given["responses"].items())
        ),
        curl=_curl(path, method, bodies, parameters, token=token, address=address),
    )


def _told(text: str) -> str:
    """A docstring on one line, with names in quotes."""
    return re.sub(r"`([^`]+)`", r"“\1”", " ".join(text.split()))


def _place(path: str, given: Mapping[str, Any]) -> int:
    """Where a parameter stands in the address; those of the query come after it."""
    return path.find(f"{{{given['name']}}}") if given["in"] == "path" else len(path)


def _answer_words(answer: Mapping[str, Any]) -> str:
    words = str(answer.get("description", ""))
    return "" if words == UNSAID else words


def _token(given: Mapping[str, Any]) -> str:
    security = given.get("security", [])
    names = dict.fromkeys(name for each in security for name in each)
    told = " or ".join(TOKENS.get(name, name) for name in names)
    return f"{told}; without one, only what is public is returned" if {} in security else told


def _parameter(given: Mapping[str, Any]) -> NamedValue:
    schema = given.get("schema", {})
    note = given.get("description", "") or schema.get("description", "")
    kind = _kind(schema)
    return NamedValue(
        name=given["name"],
        # Leaving it out is how nothing is said in an address.
        kind=Kind(kind.words.removesuffix(" or null"), kind.shape),
        needed=given.get("required", False),
        note=_with_default(note, schema),
        place=given["in"],
    )


def _bodies(given: Mapping[str, Any], document: Mapping[str, Any]) -> Iterator[Sent]:
    for media, content in given.get("requestBody", {}).get("content", {}).items():
        schema = content.get("schema", {})
        kind = _kind(schema)
        known = document["components"]["schemas"].get(kind.shape, schema)
        several = schema.get("type") == "array"
        yield Sent(media, kind, () if several else _parts(known))


def _parts(schema: Mapping[str, Any]) -> tuple[NamedValue, ...]:
    needed = schema.get("required", ())
    found = [
        NamedValue(
            name, _kind(each), name in needed, _with_default(each.get("description", ""), each)
        )
        for name, each in schema.get("properties", {}).items()
    ]
    further = schema.get("additionalProperties")
    if isinstance(further, Mapping) and further.get("format") == "binary":
        found.append(NamedValue("DATASET", Kind("file"), needed=True, note="one per data set"))
    return tuple(found)


def _kind(schema: Mapping[str, Any]) -> Kind:
    if "$ref" in schema:
        name = str(schema["$ref"]).removeprefix(REFERENCE)
        return Kind(name, name)
    several = schema.get("anyOf") or schema.get("oneOf")
    if several:
        kinds = [_kind(each) for each in several]
        shape = next((each.shape for each in kinds if each.shape), "")
        return Kind(" or ".join(dict.fromkeys(each.words for each in kinds)), shape)
    if "enum" in schema or "const" in schema:
        values = schema.get("enum") or [schema["const"]]
        return Kind(", ".join(map(str, values)))
    if schema.get("type") == "array":
        inner = _kind(schema.get("items", {}))
        return Kind(f"list of {inner.words}", inner.shape)
    if schema.get("type") == "object":
        inner = _kind(further) if isinstance(further := _further(schema), Mapping) else Kind("")
        return Kind(f"object of {inner.words}" if inner.words else "object", inner.shape)
    if schema.get("format") == "binary":
        return Kind("file")
    words = {"string": "text", "boolean": "true or false", "integer": "whole number"}
    kind = str(schema.get("type", "anything"))
    return Kind(words.get(kind, kind) + _bounds(schema))


def _further(schema: Mapping[str, Any]) -> Any:
    found = schema.get("additionalProperties")
    return found if isinstance(found, Mapping) and found else None


def _bounds(schema: Mapping[str, Any]) -> str:
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    if low is not None and high is not None:
        return f", {low:,} to {high:,}"
    if low is not None:
        return f", from {low:,}"
    if "maxLength" in schema:
        return f", at most {schema['maxLength']:,} characters"
    return ""


def _with_default(note: str, schema: Mapping[str, Any]) -> str:
    note = _told(note)
    default = schema.get("default")
    if default in (None, "", [], {}):
        return note
    told = str(default).lower() if isinstance(default, bool) else str(default)
    return f"{note} Default: {told}.".strip()


def _answer_kind(answer: Mapping[str, Any]) -> Kind | None:
    content = answer.get("content", {})
    if JSON in content and content[JSON].get("schema"):
        return _kind(content[JSON]["schema"])
    media = [name for name in content if name != JSON]
    return Kind(", ".join(media)) if media else None


def _curl(
    path: str,
    method: str,
    bodies: tuple[Sent, ...],
    parameters: tuple[NamedValue, ...],
    *,
    token: str,
    address: str,
) -> str:
    words = ["curl"]
    if method != "get" and (method != "post" or not bodies):
        words.append(f"-X {method.upper()}")
    if token:
        words.append('-H "Authorization: Bearer $TOKEN"')
    media = [body.media for body in bodies]
    if JSON in media:
        words += ["-H 'Content-Type: application/json'", "-d @body.json"]
    elif FORM in media and len(media) == 1:
        named = [part for part in bodies[0].parts if part.needed]
        words += [f"-F {part.name}={'@file.jsonl' if _is_file(part) else 'NAME'}" for part in named]
    elif media:
        words.append("--data-binary @FILE")
    needed = [
        f"{parameter.name}=…"
        for parameter in parameters
        if parameter.needed and parameter.place == "query"
    ]
    query = f"?{'&'.join(needed)}" if needed else ""
    return " ".join([*words, f"'{address}{_shown(path)}{query}'"])


def _shown(path: str) -> str:
    """An address with what is to be filled in written large."""
    parts = [part[1:-1].upper() if part.startswith("{") else part for part in path.split("/")]
    return "/".join(parts)


def _is_file(part: NamedValue) -> bool:
    return part.kind.words == "file"


def _anchor(text: str) -> str:
    kept = "".join(sign if sign.isalnum() else "-" for sign in text.lower())
    return "-".join(part for part in kept.split("-") if part)
