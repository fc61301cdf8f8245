"""Predictions and references in files: lines of text, JSON lines or JSON.

- Text (`.txt` or any other ending): one item per line, matched by position.
- JSON lines (`.jsonl`, `.ndjson`): one item per line. An object has an `id` (or `uid`) and its value
  under `prediction`, `reference`, `references`, `answers`, `label`, `text` or `value`; anything else
  is the value itself. An object without any of these is the value itself: an outcome.
- JSON (`.json`): a list, read like JSON lines, or an object from id to value.

Where both files have ids, items are matched by them, in the order of the predictions. An id that only
one file has, or has twice, is an error: an item without a partner is never scored as a failure.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from palaver.core.errors import InputError
from palaver.metrics.metric import Metric, Score
from palaver.metrics.registry import find_metric

_decode = msgspec.json.Decoder().decode
IDS = ("id", "uid")
VALUES = ("value", "text", "label")
PREDICTED = ("prediction", *VALUES)
REFERRED = ("reference", "references", "answers", *VALUES)
NAMED = 5  # as many ids are named in a message


@dataclass(frozen=True, slots=True)
class Items:
    """What a file holds: values, and their ids where it has any."""

    name: str
    values: list[Any]
    ids: list[str] | None = None


def score_files(
    metric: str | Metric,
    predictions: Path,
    references: Path | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    folder: Path | None = None,
) -> Score:
    """The score of one file against another, or of one alone for a metric without references."""
    known = find_metric(metric, folder=folder) if isinstance(metric, str) else metric
    given = read_items(predictions, PREDICTED)
    if references is None:
        return known.compute(given.values, **(options or {}))
    right = matched(given, read_items(references, REFERRED))
    return known.compute(given.values, right, **(options or {}))


def read_items(path: Path, keys: tuple[str, ...]) -> Items:
    """The items of a file; `keys` are the names under which an object may hold its value."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}.") from error
    ending = path.suffix.lower()
    if ending == ".json":
        found = _parsed(text, str(path))
        if isinstance(found, dict):
            return Items(path.name, list(found.values()), list(found))
        if not isinstance(found, list):
            raise InputError(f"{path} must contain a list, or an object from id to value.")
        return _from_objects(path.name, found, keys)
    lines = text.removesuffix("\n").split("\n") if text else []
    if ending in (".jsonl", ".ndjson"):
        rows = [
            _parsed(line, f"{path}, line {n}") for n, line in enumerate(lines, 1) if line.strip()
        ]
        return _from_objects(path.name, rows, keys)
    return Items(path.name, [line.removesuffix("\r") for line in lines])


def matched(predictions: Items, references: Items) -> list[Any]:
    """The references in the order of the predictions; InputError names what has no partner."""
    if (predictions.ids is None) != (references.ids is None):
        with_ids, without = (
            (predictions, references) if predictions.ids is not None else (references, predictions)
        )
        raise InputError(
            f"{with_ids.name} has ids but {without.name} has none; give both ids, or neither to "
            "match by position."
        )
    if predictions.ids is None or references.ids is None:
        if len(predictions.values) != len(references.values):
            raise InputError(
                f"{predictions.name} has {len(predictions.values)} items and {references.name} "
                f"{len(references.values)}; without ids they are matched by position."
            )
        return references.values
    for items in (predictions, references):
        _check_unique(items)
    by_id = dict(zip(references.ids, references.values, strict=True))
    _check_partners(predictions.name, [each for each in predictions.ids if each not in by_id])
    known = set(predictions.ids)
    _check_partners(references.name, [each for each in references.ids if each not in known])
    return [by_id[each] for each in predictions.ids]


def _from_objects(name: str, rows: list[Any], keys: tuple[str, ...]) -> Items:
    ids = [_id(row) for row in rows]
    values = [_value(row, keys) for row in rows]
    if all(each is None for each in ids):
        return Items(name, values)
    if None in ids:
        raise InputError(f"{name}: item {ids.index(None) + 1} has no id, but others have one.")
    return Items(name, values, [str(each) for each in ids])


def _id(row: Any) -> Any:
    if not isinstance(row, dict):
        return None
    return next((row[key] for key in IDS if row.get(key) is not None), None)


def _value(row: Any, keys: tuple[str, ...]) -> Any:
    if not isinstance(row, dict):
        return row
    return next((row[key] for key in keys if key in row), row)


def _parsed(text: str, where: str) -> Any:
    try:
        return _decode(text)
    except msgspec.DecodeError as error:
        raise InputError(f"{where} is not JSON: {error}.") from error


def _check_unique(items: Items) -> None:
    twice = [each for each, times in Counter(items.ids).items() if times > 1]
    if twice:
        raise InputError(f"{items.name} has ids more than once: {_named(twice)}.")


def _check_partners(name: str, alone: list[str]) -> None:
    if alone:
        raise InputError(f"Only {name} has these ids: {_named(alone)}. Both files need the same.")


def _named(ids: Iterable[str]) -> str:
    listed = list(ids)
    more = f" and {len(listed) - NAMED} more" if len(listed) > NAMED else ""
    return ", ".join(listed[:NAMED]) + more
