"""Originals and variants side by side, with what changed marked."""

import difflib
import re
from collections.abc import Iterator
from typing import Any

import click

from palaver.core.evaluation.datasets import Sample
from palaver.evaluation.perturbations.dialogue_records import PERSONA, PERSONAS

# How much of a text stands around a change.
AROUND = 60
_PARTS = re.compile(r"\s+|\w+|[^\w\s]+")
# What cannot be seen, made visible.
_HIDDEN = {0x200B: "⟨zwsp⟩", 0x2060: "⟨wj⟩", 0xFEFF: "⟨zwnbsp⟩"}


def sample_lines(sample: Sample, *, colour: bool) -> Iterator[str]:
    """The lines that show one variant beside its original."""
    yield sample.variant["uid"]
    for name, value in sample.variant.items():
        before = sample.original.get(name)
        if name in ("uid", "input_id") or value == before:
            continue
        if name in (PERSONA, PERSONAS) or isinstance(value, list):
            yield from _changed_lines(name, _lines(before), _lines(value), colour=colour)
        else:
            old, new = marked(str(before), str(value), colour=colour)
            yield f"  {name} − {old}"
            yield f"  {' ' * len(name)} + {new}"


def marked(before: str, after: str, *, colour: bool) -> tuple[str, str]:
    """Two texts with what differs in brackets, or coloured, and cut to the first difference.

    >>> marked("The king slept.", "The queen slept.", colour=False)
    ('The [king] slept.', 'The [queen] slept.')
    """
    olds, news = _PARTS.findall(before), _PARTS.findall(after)
    matcher = difflib.SequenceMatcher(None, olds, news, autojunk=False)
    left: list[tuple[str, bool]] = []
    right: list[tuple[str, bool]] = []
    for code, a, b, c, d in matcher.get_opcodes():
        left.append(("".join(olds[a:b]), code != "equal"))
        right.append(("".join(news[c:d]), code != "equal"))
    return _joined(left, "red", colour), _joined(right, "green", colour)


def _joined(parts: list[tuple[str, bool]], tint: str, colour: bool) -> str:
    shown: list[str] = []
    room = 4 * AROUND
    for n, (text, differs) in enumerate(parts):
        if room <= 0:
            shown.append("…")
            break
        if not differs and len(text) > 2 * AROUND:
            text = _shortened(text, is_first=n == 0, is_last=n == len(parts) - 1)
        room -= len(text)
        text = text.translate(_HIDDEN).replace("\n", "⏎")
        if differs and text:
            text = click.style(text, fg=tint, bold=True) if colour else f"[{text}]"
        shown.append(text)
    return "".join(shown)


def _shortened(text: str, *, is_first: bool, is_last: bool) -> str:
    head = "" if is_first else text[:AROUND]
    tail = "" if is_last else text[-AROUND:]
    return f"{head}…{tail}"


def _lines(value: Any) -> list[str]:
    """Turns, or the lines of personas, one by one."""
    if not isinstance(value, list):
        return [] if value is None else [str(value)]
    return [
        f"{each['speaker']}: {each['text']}" if isinstance(each, dict) else str(each)
        for each in value
    ]


def _changed_lines(
    name: str, before: list[str], after: list[str], *, colour: bool
) -> Iterator[str]:
    yield f"  {name}"
    for line in difflib.ndiff(before, after):
        if line.startswith("?"):
            continue
        text = line[2:].translate(_HIDDEN)
        text = text if len(text) <= 4 * AROUND else f"{text[: 4 * AROUND]}…"
        sign = {"-": "−", "+": "+"}.get(line[0], " ")
        tint = {"-": "red", "+": "green"}.get(line[0])
        yield f"    {sign} {click.style(text, fg=tint) if colour and tint else text}"
