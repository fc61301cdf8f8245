"""How many annotators of a DCH-2 data set gave each label, whichever form its file has.

A file has single annotations or counts (see `formats.dch2`); what is scored against them, drawn or
trained on needs the counts alone, and finds them here.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palaver.formats.dch2 import (
    NUGGETS,
    POINT_NAMES,
    SCALES,
    DchEntry,
    DchTurn,
    dch_entry,
    read_dch2,
)

# How many annotators gave each label: every label is there, in the official order.
LabelCounts = dict[str, int]


@dataclass(frozen=True, slots=True)
class CountedDialogue:
    """A dialogue and what its annotators said, counted.

    `nugget` has the counts of each turn; it is empty where nobody judged nuggets. `quality` has
    those of each scale that somebody judged, in the order A, S, E, points from 2 to -2.
    """

    id: str
    turns: list[DchTurn]
    nugget: list[LabelCounts]
    quality: dict[str, LabelCounts]


def read_counted(content: bytes, *, name: str = "dch2.json") -> list[CountedDialogue]:
    """The dialogues of a file of either form; InputError says which one is wrong, and how."""
    return [counted(entry) for entry in read_dch2(content, name=name)]


def counted_record(raw: Mapping[str, Any]) -> CountedDialogue:
    """One dialogue of either form that was decoded already; InputError if it is none."""
    return counted(dch_entry(raw))


def counted(entry: DchEntry) -> CountedDialogue:
    """What the annotators of a checked dialogue said, counted."""
    nugget, quality = _given(entry) if entry.is_counted else _said(entry)
    return CountedDialogue(
        id=entry.id,
        turns=entry.turns,
        nugget=[
            _whole(counts, NUGGETS[turn.sender])
            for turn, counts in zip(entry.turns, nugget, strict=bool(nugget))
        ],
        quality={
            scale: _whole(quality[scale], POINT_NAMES) for scale in SCALES if quality.get(scale)
        },
    )


def _given(entry: DchEntry) -> tuple[Sequence[LabelCounts], Mapping[str, LabelCounts]]:
    return entry.nugget or (), entry.quality or {}


def _said(entry: DchEntry) -> tuple[Sequence[LabelCounts], Mapping[str, LabelCounts]]:
    annotations = entry.annotations or ()
    nuggets = [each.nugget for each in annotations if each.nugget is not None]
    points = [each.quality for each in annotations if each.quality is not None]
    return (
        [Counter(column) for column in zip(*nuggets, strict=True)],
        {scale: Counter(str(each[scale]) for each in points if scale in each) for scale in SCALES},
    )


def _whole(counts: Mapping[str, int], labels: Sequence[str]) -> LabelCounts:
    return {label: counts.get(label, 0) for label in labels}
