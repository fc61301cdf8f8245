"""The ChatEvaluationPlatform's `task_data`, `gold_data` and `*_units.json`, unchanged.

A line is `{"data": [item, …]}`, or an item itself as its README writes it. An item is one dialogue, or
two to compare (`turns` and `turns2`, named `left|right`), with the tasks asked of it. Its system is
in its id (`(440,26)_rerank_blender`), unless a `system` (of a pair a list of two) says it.
"""

from typing import Any

import msgspec
from msgspec import UNSET, Raw, UnsetType

from palaver.formats.chateval.names import system_in
from palaver.formats.dialogue_texts import DialogueText, PartRecord, SheetRecord
from palaver.formats.json_places import Steps, place_of
from palaver.formats.line_problems import FormatProblem, LineProblems, decode_document, wrong_type
from palaver.formats.turn_lines import Id, Names, name_of, names_of, read_turns

BETWEEN = "|"


class _Item(msgspec.Struct, kw_only=True, gc=False):
    dialogue_id: Id = None
    group_id: Id = None
    annotation_tasks: list[str] | None = None
    turns: Raw
    turns2: Raw | UnsetType = UNSET
    bot_persona: Any = None
    system: str | list[str] | None = None
    origin_worker_id: Names = None


class _Line(msgspec.Struct):
    data: list[_Item]


_decode_line = msgspec.json.Decoder(_Line).decode
_decode_item = msgspec.json.Decoder(_Item).decode


def read_chateval_line(raw: bytes, fallback_id: str, *, wrapped: bool) -> SheetRecord:
    """A line as a sheet. Its name is its group and its dialogues; the first item's group counts."""
    try:
        items = _decode_line(raw).data if wrapped else [_decode_item(raw)]
    except msgspec.ValidationError as error:
        raise wrong_type(error) from error
    if not items:
        raise FormatProblem(("data",), "'data' is empty.")
    ids = [name_of(item.dialogue_id) or f"{fallback_id}-{n + 1}" for n, item in enumerate(items)]
    group = name_of(items[0].group_id)
    name = "+".join(ids)
    people = [person for item in items for person in names_of(item.origin_worker_id)]
    return SheetRecord(
        id=f"{group}/{name}" if group else name,
        group=group or name,
        people=tuple(dict.fromkeys(people)),
        parts=tuple(
            _part(item, id, ("data", n) if wrapped else ())
            for n, (item, id) in enumerate(zip(items, ids, strict=True))
        ),
    )


def _part(item: _Item, id: str, steps: Steps) -> PartRecord:
    ask = None if item.annotation_tasks is None else tuple(item.annotation_tasks)
    asked_at = (*steps, "annotation_tasks")
    turns = read_turns(item.turns, (*steps, "turns"))
    if item.turns2 is UNSET:
        [system] = _systems(item, (id,), steps)
        text = DialogueText(
            id=id,
            turns=turns,
            system=system,
            persona=_lines(item.bot_persona),
            steps=(*steps, "turns"),
        )
        return PartRecord(dialogues=(text,), ask=ask, steps=steps, ask_steps=asked_at)
    names = id.split(BETWEEN)
    left, right = names if len(names) == 2 else (f"{id}-1", f"{id}-2")
    one, other = _systems(item, (left, right), steps)
    personas = item.bot_persona if isinstance(item.bot_persona, list) else []
    first, second = (*personas, None, None)[:2]
    return PartRecord(
        dialogues=(
            DialogueText(
                id=left,
                turns=turns,
                system=one,
                persona=_lines(first),
                steps=(*steps, "turns"),
            ),
            DialogueText(
                id=right,
                system=other,
                turns=read_turns(item.turns2, (*steps, "turns2")),
                persona=_lines(second),
                steps=(*steps, "turns2"),
            ),
        ),
        ask=ask,
        steps=steps,
        ask_steps=asked_at,
    )


def _systems(item: _Item, ids: tuple[str, ...], steps: Steps) -> list[str]:
    """The system of each dialogue of an item: as it says, or as the ids do."""
    if item.system is None:
        return [system_in(id) for id in ids]
    said = [item.system] if isinstance(item.system, str) else item.system
    if len(said) != len(ids):
        takes = "one name" if len(ids) == 1 else "two names, as [left, right]"
        raise FormatProblem((*steps, "system"), f"'system' takes {takes}; got {len(said)}.")
    return said


def _lines(given: Any) -> tuple[str, ...]:
    return tuple(line for line in given if isinstance(line, str)) if isinstance(given, list) else ()


def read_rater_counts(content: bytes, line_problems: LineProblems) -> dict[str, int]:
    """How many raters each group of dialogues gets; 0 leaves the group out.

    What is wrong goes to `line_problems`.
    """
    data = decode_document(content, line_problems)
    text = content.decode("utf-8-sig", "replace")
    if data is not None and not isinstance(data, dict):
        line_problems.add('Expected a mapping of group to count: {"group-1": 2, …}.')
    counts: dict[str, int] = {}
    for group, count in data.items() if isinstance(data, dict) else ():
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            line, column = place_of(text, (group,))
            message = f"Group '{group}' takes a whole number, 0 or more; got {count!r}."
            line_problems.add(message, line=line, column=column)
        else:
            counts[group] = count
    return counts
