"""Examples to learn from: a file whose first line is the layout of the task, then one example a line."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError
from palaver.models.baselines.layout import TaskLayout

# Into how many parts examples are divided where one of them is held out.
PARTS = 10


class NothingToLearnError(InputError):
    """Examples that are sound, and hold nothing that one kind of baseline could learn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldExample:
    """A question as a model is sent it, and the gold of each goal."""

    question: Mapping[str, Any]
    gold: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldExamples:
    """Examples of one task."""

    layout: TaskLayout
    examples: tuple[GoldExample, ...]


def write_examples(path: Path, layout: TaskLayout, examples: Iterable[GoldExample]) -> None:
    """Write a file that a baseline learns from; the same examples give the same bytes."""
    with path.open("w", encoding="utf-8") as out:
        out.write(_line({"layout": layout.as_words()}))
        for each in examples:
            out.write(_line({"question": each.question, "gold": each.gold}))


def read_examples_of(paths: Sequence[Path]) -> GoldExamples:
    """The examples of files of one task; InputError names the line that is none."""
    found: list[GoldExample] = []
    layout: TaskLayout | None = None
    for path in paths:
        own, examples = _read(path)
        if layout is not None and own != layout:
            raise InputError(f"{path}: its task is '{own.task}', not '{layout.task}' as before.")
        layout = own
        found += examples
    if layout is None or not found:
        raise InputError(f"{', '.join(map(str, paths))}: no examples to learn from.")
    return GoldExamples(layout=layout, examples=tuple(found))


def part_numbers(layout: TaskLayout, questions: Sequence[Mapping[str, Any]]) -> list[int]:
    """Which of the ten parts each example belongs to.

    What shares its context, or is asked twice, is in one part: else what is held out would be known.
    InputError where there are fewer than ten different questions.
    """
    keys = _keys(layout, questions)
    sizes = Counter(keys)
    if len(sizes) < PARTS:
        raise InputError(
            f"{len(sizes)} different examples are too few: a tenth is held out, so give "
            f"{PARTS} or more."
        )
    before, part_of = 0, {}
    for key in sorted(sizes):
        part_of[key] = PARTS * before // len(keys)
        before += sizes[key]
    # A large group may leave a part empty: then the parts are made of equal numbers of groups.
    if len(set(part_of.values())) < PARTS:
        part_of = {key: PARTS * n // len(sizes) for n, key in enumerate(sorted(sizes))}
    return [part_of[key] for key in keys]


def _keys(layout: TaskLayout, questions: Sequence[Mapping[str, Any]]) -> list[str]:
    """What may not be torn apart: examples of one context, where no context has more than a tenth."""
    context = [each.name for each in layout.asked if each.is_context]
    if context:
        keys = [_digest(question, context) for question in questions]
        sizes = Counter(keys)
        if len(sizes) >= PARTS and max(sizes.values()) * PARTS <= len(keys):
            return keys
    asked = [each.name for each in layout.asked]
    return [_digest(question, asked) for question in questions]


def _digest(question: Mapping[str, Any], names: Sequence[str]) -> str:
    text = json.dumps([question.get(name) for name in names], ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _read(path: Path) -> tuple[TaskLayout, list[GoldExample]]:
    with path.open(encoding="utf-8") as lines:
        head = _record(next(lines, ""), path, 1)
        if not isinstance(head.get("layout"), dict):
            raise InputError(
                f"{path}:1: the first line says what the task asks; this is no such file. Give the "
                "data to 'palaver model baseline TASK --data FILE'."
            )
        layout = TaskLayout.from_words(head["layout"], where=f"{path}:1")
        rest = ((n, line) for n, line in enumerate(lines, 2) if line.strip())
        return layout, [_example(_record(line, path, n), path, n) for n, line in rest]


def _record(line: str, path: Path, number: int) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError as error:
        raise InputError(f"{path}:{number}: {error}.") from error
    if not isinstance(found, dict):
        raise InputError(f"{path}:{number}: expected a JSON object; got {found!r:.60}.")
    return found


def _example(record: Mapping[str, Any], path: Path, number: int) -> GoldExample:
    question, gold = record.get("question"), record.get("gold")
    if not isinstance(question, dict) or not isinstance(gold, dict):
        raise InputError(f"{path}:{number}: expected an object with 'question' and 'gold'.")
    return GoldExample(question=question, gold=gold)


def _line(record: Mapping[str, Any]) -> str:
    return json.dumps(record, sort_keys=True) + "\n"
