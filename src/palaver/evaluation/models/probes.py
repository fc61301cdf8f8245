"""Probes: made-up questions that find what breaks a model, written from the fields of a task.

Every field has words of its own, so that a model that mixes two fields up is seen to do so.
"""

import base64
import struct
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from palaver.core.tasks import Example, Field, Image, Multiclass, String, Task, Turns

# Many models read 512 tokens; a word is a token or more.
LONG_WORDS = 600
IMAGE_PIXELS = 8

SHORT = (
    "It is raining in Lisbon.",
    "The street is wet.",
    "Who forgot the umbrella?",
    "My sister sold her bicycle.",
    "Two trains were late today.",
)
FOREIGN = (
    "Żółw zjadł łódkę — naïve façade, Ελλάδα, 東京の雨 ☔.",
    "שלום, מה שלומך? مرحبا بالعالم. 👩🏽\u200d🚀",
    "Ünïcödé e\u0301 ﬁ ½ “curly” — Москва 🇵🇹.",
    "नमस्ते दुनिया। สวัสดีชาวโลก.",
    "안녕하세요 \u00a0 세계, ß und İ.",
)
ODD = (
    'She said "no"\nand left;\t<b>100 %</b> \\ {x} & more.',
    "Line one\n\nline three: [1, 2]",
    "'Quoted' — `code` — $VARIABLE — {{name}}",
    "  spaces around  ",
    "a\\nb is not a\nb",
)
# Texts of these names are codes: other text there would be no question at all.
CODES = {
    "language": "eng",
    "sourcelanguage": "eng",
    "targetlanguage": "fra",
    "subreddit": "Advice",
}


@dataclass(frozen=True, slots=True)
class Probe:
    name: str
    example: Example


# What a probe does to the field at a place; None: the field has no such form.
Form = Callable[[Field, int], Any]


def make_probes(task: Task) -> list[Probe]:
    """The task's own, then made-up ones: short, non-ASCII, odd, each field long, each label."""
    named: list[tuple[str, dict[str, Any]]] = [
        *((f"own-{n}", _own_values(task, probe)) for n, probe in enumerate(task.probes, 1)),
        ("short", _values(task, {})),
        ("non-ascii", _values(task, _everywhere(task, foreign))),
        ("odd-characters", _values(task, _everywhere(task, odd))),
    ]
    for place, each in enumerate(task.asked):
        value = very_long(each, place)
        if value is not None:
            named.append((f"long-{each.name}", _values(task, {each.name: value})))
        for n, other in enumerate(others(each), 1):
            named.append((f"{each.name}-{n}", _values(task, {each.name: other})))
    return [
        Probe(name, Example(uid=f"probe-{n}", values=values))
        for n, (name, values) in enumerate(_distinct(named), 1)
    ]


@singledispatch
def short(field: Field, place: int) -> Any:
    """An ordinary value; None: one that depends on other fields."""
    return None if field.refers_to else field.sample({})


@singledispatch
def foreign(field: Field, place: int) -> Any:
    """A value in other scripts."""
    return None


@singledispatch
def odd(field: Field, place: int) -> Any:
    """A value with quotes, line breaks and markup."""
    return None


@singledispatch
def very_long(field: Field, place: int) -> Any:
    """A value of more than 512 tokens."""
    return None


@singledispatch
def others(field: Field) -> list[Any]:
    """The further values that a model must be able to read."""
    return []


@short.register
def _(field: String, place: int) -> str:
    return CODES.get(_plain(field), SHORT[place % len(SHORT)])


@foreign.register
def _(field: String, place: int) -> str | None:
    return None if _plain(field) in CODES else FOREIGN[place % len(FOREIGN)]


@odd.register
def _(field: String, place: int) -> str | None:
    return None if _plain(field) in CODES else ODD[place % len(ODD)]


@very_long.register
def _(field: String, place: int) -> str | None:
    return None if _plain(field) in CODES else _words(place)


@short.register
def _(field: Turns, place: int) -> list[dict[str, str]]:
    return field.said(*SHORT[:2])


@foreign.register
def _(field: Turns, place: int) -> list[dict[str, str]]:
    return field.said(*FOREIGN[:3])


@odd.register
def _(field: Turns, place: int) -> list[dict[str, str]]:
    return field.said(*ODD[:2])


@very_long.register
def _(field: Turns, place: int) -> list[dict[str, str]]:
    return field.said(*SHORT * (LONG_WORDS // 20))


@others.register
def _(field: Turns) -> list[Any]:
    return [field.said(*SHORT[:1])]


@others.register
def _(field: Multiclass) -> list[Any]:
    return list(field.labels[1:])


@short.register
def _(field: Image, place: int) -> str:
    return _grey_image()


def _own_values(task: Task, probe: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that are asked, as a probe of the task has them."""
    return {
        each.name: probe[each.name] if each.name in probe else each.absent() for each in task.asked
    }


def _values(task: Task, changed: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that are asked; those that refer to others last, fitted to them."""
    values: dict[str, Any] = {}
    for place, each in enumerate(task.asked):
        value = changed.get(each.name)
        values[each.name] = short(each, place) if value is None else value
    for each in task.asked:
        if each.refers_to and values[each.name] is None:
            values[each.name] = each.sample(values)
    return values


def _everywhere(task: Task, form: Form) -> dict[str, Any]:
    return {each.name: form(each, place) for place, each in enumerate(task.asked)}


def _distinct(named: list[tuple[str, dict[str, Any]]]) -> list[tuple[str, dict[str, Any]]]:
    """Without probes that ask the same as an earlier one."""
    kept: list[tuple[str, dict[str, Any]]] = []
    for name, values in named:
        if all(values != earlier for _, earlier in kept):
            kept.append((name, values))
    return kept


def _plain(field: Field) -> str:
    return field.name.lower().replace("_", "").replace("-", "")


def _words(place: int) -> str:
    sentence = SHORT[place % len(SHORT)]
    words = len(sentence.split())
    return " ".join([sentence] * (LONG_WORDS // words + 1))


def _grey_image() -> str:
    """A small grey PNG as a data: address."""
    header = struct.pack(">IIBBBBB", IMAGE_PIXELS, IMAGE_PIXELS, 8, 0, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\x80" * IMAGE_PIXELS) * IMAGE_PIXELS)
    chunks = ((b"IHDR", header), (b"IDAT", rows), (b"IEND", b""))
    png = b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, content) for kind, content in chunks)
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"


def _chunk(kind: bytes, content: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(kind + content))
    return struct.pack(">I", len(content)) + kind + content + check
