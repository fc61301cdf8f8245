"""DCH-2 and DialEval dialogues as items: what annotators said of each turn, or of the whole, counted.

One item per dialogue, under the dialogue's id, from either form of file (see `formats.dch2`).
"""

from typing import Any

from palaver.formats.datasets.reader import DatasetReader, LeftOut, RecordPlace, by_record
from palaver.formats.datasets.records import Record
from palaver.formats.dch2 import SCALES, DchTurn
from palaver.formats.dch2_counts import counted_record

KEYS = (frozenset({"id", "turns", "annotations"}), frozenset({"id", "turns", "nugget", "quality"}))


def convert_quality(record: Record, place: RecordPlace) -> Record | LeftOut:
    """A dialogue in the fields of the task `dialogue-quality`."""
    dialogue = counted_record(record)
    if len(dialogue.quality) < len(SCALES):
        return LeftOut("nobody judged its quality")
    return _item(dialogue.id, dialogue.turns, dialogue.quality)


def convert_nugget(record: Record, place: RecordPlace) -> Record | LeftOut:
    """A dialogue in the fields of the task `dialogue-nugget`."""
    dialogue = counted_record(record)
    if not dialogue.nugget:
        return LeftOut("nobody judged its nuggets")
    return _item(dialogue.id, dialogue.turns, {"nugget": dialogue.nugget})


def convert_unlabelled(record: Record) -> Record:
    """A dialogue that nobody judged, as a model is asked about it."""
    dialogue = counted_record(record)
    return _item(dialogue.id, dialogue.turns, {})


def is_dch2(record: Record) -> bool:
    """Whether a record is one of these dialogues: whoever speaks is its `sender`."""
    turns = record.get("turns")
    return isinstance(turns, list) and all(isinstance(t, dict) and "sender" in t for t in turns)


def _item(uid: str, turns: list[DchTurn], gold: dict[str, Any]) -> Record:
    said = [{"speaker": turn.sender, "text": "\n".join(turn.utterances)} for turn in turns]
    return {"uid": uid, "turns": said, **gold, "tags": []}


QUALITY = DatasetReader(
    name="dch2-quality",
    title="DCH-2",
    tasks=("dialogue-quality",),
    about="DCH-2 or DialEval dialogues, annotations or counts; how many gave each point of A, S, E",
    keys=KEYS,
    recognises=is_dch2,
    unlabelled=convert_unlabelled,
    read=by_record(convert_quality, "DCH-2"),
)
NUGGET = DatasetReader(
    name="dch2-nugget",
    title="DCH-2",
    tasks=("dialogue-nugget",),
    about="DCH-2 or DialEval dialogues, annotations or counts; how many gave each label of a turn",
    keys=KEYS,
    recognises=is_dch2,
    unlabelled=convert_unlabelled,
    read=by_record(convert_nugget, "DCH-2"),
)
