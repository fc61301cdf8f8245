"""DCH-2 as distributions: what annotators said of dialogues (quality) and of turns (nuggets)."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from palaver.core.errors import InputError
from palaver.formats.datasets.reader import DatasetReader, LeftOut, RecordPlace, by_record
from palaver.formats.datasets.records import Record
from palaver.formats.dch2 import (
    NUGGETS,
    POINTS,
    SCALES,
    DchDialogue,
    DchTurn,
    annotation_fault,
)

KEYS = (frozenset({"id", "turns", "annotations"}),)


def convert_quality(record: Record, place: RecordPlace) -> Record | LeftOut:
    """A dialogue in the fields of the task `dialogue-quality`."""
    dialogue = _dialogue(record)
    said = [each.quality for each in dialogue.annotations or () if each.quality]
    scales = {
        scale: _shares([str(each[scale]) for each in said if scale in each], map(str, POINTS))
        for scale in SCALES
    }
    if not all(scales.values()):
        return LeftOut("nobody judged its quality")
    return {"uid": dialogue.id, "turns": _turns(dialogue.turns), **scales, "tags": []}


def convert_nugget(record: Record, place: RecordPlace) -> LeftOut | Iterator[Record]:
    """Every turn of a dialogue in the fields of the task `dialogue-nugget`."""
    dialogue = _dialogue(record)
    said = [each.nugget for each in dialogue.annotations or () if each.nugget]
    return _nuggets(dialogue, said) if said else LeftOut("nobody judged its nuggets")


def _nuggets(dialogue: DchDialogue, said: list[list[str]]) -> Iterator[Record]:
    for n, turn in enumerate(dialogue.turns):
        yield {
            "uid": f"{dialogue.id}-{n + 1}",
            "turns": _turns(dialogue.turns),
            "position": str(n + 1),
            "speaker": turn.sender,
            "nugget": _shares([each[n] for each in said], NUGGETS[turn.sender]),
            "tags": [f"Speaker:{turn.sender}"],
        }


def _dialogue(record: Record) -> DchDialogue:
    try:
        dialogue = msgspec.convert(record, DchDialogue)
    except msgspec.ValidationError as error:
        raise InputError(f"This is not a DCH-2 dialogue: {error}.") from error
    for number, annotation in enumerate(dialogue.annotations or (), start=1):
        if fault := annotation_fault(dialogue.turns, annotation):
            raise InputError(f"Dialogue '{dialogue.id}', annotation {number}: {fault}")
    return dialogue


def _turns(turns: list[DchTurn]) -> list[dict[str, Any]]:
    return [{"speaker": turn.sender, "text": "\n".join(turn.utterances)} for turn in turns]


def _shares(said: list[str], labels: Any) -> dict[str, float]:
    """How large a share of annotators gave each label; empty if nobody said anything."""
    counts = Counter(said)
    return {label: counts[label] / len(said) for label in labels} if said else {}


QUALITY = DatasetReader(
    name="dch2-quality",
    title="DCH-2",
    tasks=("dialogue-quality",),
    about="DCH-2 or DialEval dialogues; annotators' quality as shares of A, E and S",
    keys=KEYS,
    read=by_record(convert_quality, "DCH-2"),
)
NUGGET = DatasetReader(
    name="dch2-nugget",
    title="DCH-2",
    tasks=("dialogue-nugget",),
    about="DCH-2 or DialEval dialogues; annotators' nuggets as shares, one item per turn",
    keys=KEYS,
    read=by_record(convert_nugget, "DCH-2"),
)
