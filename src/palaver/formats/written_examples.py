"""Examples of a round as JSON lines of our own: a first line about the round, then one per example.

People are named by what stands for them outside of the round. An example that was imported is written as
it stood in its file, whatever its place here is called.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from palaver.core.evaluation.rounds import Round, RoundModel, RoundTerms, WrittenExample
from palaver.core.serial import encode, entries, plain
from palaver.formats.located_json import LocatedRecord

ROUND = "round"
# The shape that an imported example came in.
OWN, DYNABENCH = "palaver", "dynabench"
# Where in its file it stood.
POSITION = "position"
# What an imported example is called in its file.
PLACE = ("dialogue", "seq", "round", "number")
_KNOWN = frozenset(entry.key for entry in entries(WrittenExample)) | {"uid"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleFile:
    """What a file of examples holds; `unknown` columns are kept with the examples that have them."""

    examples: tuple[WrittenExample, ...]
    # By context: what its file says beside.
    contexts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()
    terms: RoundTerms | None = None
    models: tuple[RoundModel, ...] = ()


def in_file_order(examples: Iterable[WrittenExample]) -> list[WrittenExample]:
    """Examples as they stood in the file that they came from; others as they are."""
    return sorted(examples, key=lambda each: int(each.source.get(POSITION, 0)))


def is_own(record: Mapping[str, Any]) -> bool:
    """Whether the first record of a file is that of our own lines."""
    return record.get("palaver") == ROUND or {"dialogue", "seq", "values"} <= record.keys()


def write_own(round_: Round, examples: Iterable[WrittenExample]) -> Iterator[bytes]:
    """The lines of a round; the people in `examples` must have their pseudonyms already."""
    head = {
        "palaver": ROUND,
        "task": round_.task,
        "round": round_.number,
        "terms": round_.terms,
        "models": round_.models,
    }
    yield encode(head) + b"\n"
    for example in examples:
        yield encode(own_record(example)) + b"\n"


def own_record(example: WrittenExample) -> dict[str, Any]:
    """The line of an example, with its uid first."""
    source = example.source
    if source.get("shape") == OWN:
        place = {name: source[name] for name in PLACE}
        inner = source.get("source") or {}
        example = replace(example, **place, source=inner)
    told: dict[str, Any] = {"uid": example.uid, **plain(example)}
    if source.get("shape") == OWN:
        told |= source.get("line") or {}
    return told


def read_own(records: Iterable[LocatedRecord]) -> ExampleFile:
    """The examples of our own lines; InputError names line and column of what is wrong."""
    examples: list[WrittenExample] = []
    unknown: set[str] = set()
    head = _Head()
    for number, record in enumerate(records):
        if record.value.get("palaver") == ROUND:
            head = record.read(_Head)
            continue
        beside = {key: said for key, said in record.value.items() if key not in _KNOWN}
        unknown |= beside.keys()
        examples.append(_example(record, number, beside))
    return ExampleFile(
        examples=tuple(examples),
        unknown=tuple(sorted(unknown)),
        terms=head.terms,
        models=head.models,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Head:
    """What the first line says of the round."""

    terms: RoundTerms | None = None
    models: tuple[RoundModel, ...] = ()


def _example(record: LocatedRecord, number: int, beside: Mapping[str, Any]) -> WrittenExample:
    example = record.read(WrittenExample)
    source: dict[str, Any] = {
        "shape": OWN,
        POSITION: number,
        **{name: getattr(example, name) for name in PLACE},
    }
    if beside:
        source["line"] = dict(beside)
    if example.source:
        source["source"] = dict(example.source)
    return replace(example, source=source)
