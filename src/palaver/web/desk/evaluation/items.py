"""Items of a data set and what was answered to them, in words."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from palaver.core.evaluation.runs import Prediction
from palaver.core.raw_answers import RawAnswer
from palaver.core.tasks import Answer, Example, Task
from palaver.core.words import counted, shortened
from palaver.evaluation.tasks import model_wrong
from palaver.web.desk.evaluation.parts import Item, ItemField, SentText

# How much of a text is shown.
SHOWN = 800


def example_item(task: Task, example: Example, *, number: int) -> Item:
    """An item with its gold."""
    return Item(
        number=number,
        uid=example.uid,
        asked=_fields(example.values, [each.name for each in task.asked]),
        gold=_gold(task, example),
        tags=example.tags,
    )


def answered_item(task: Task, example: Example, prediction: Prediction) -> Item:
    """An item with its gold beside what was answered, or why that was refused."""
    answer = prediction.answer or {}
    return Item(
        number=prediction.position + 1,
        uid=prediction.uid,
        asked=_fields(example.values, [each.name for each in task.asked]),
        gold=_gold(task, example),
        answer=_fields(answer, [each.name for each in task.outputs if each.name in answer]),
        tags=example.tags,
        problem=prediction.problem or "",
        sent=sent_text(prediction.raw),
        verdict=verdict(task, example, prediction),
        seconds=seconds(prediction.seconds),
    )


def verdict(task: Task, example: Example, prediction: Prediction) -> str:
    """Whether the task's rule calls an answer right or wrong; empty where it does not say."""
    if prediction.answer is None:
        return "refused"
    wrong = model_wrong(task, Answer(uid=example.uid, values=prediction.answer), example)
    return "" if wrong is None else "wrong" if wrong else "right"


def sent_text(raw: RawAnswer | None) -> SentText | None:
    """What a model sent that is no answer, and how much of it is shown."""
    if raw is None:
        return None
    note = counted(raw.length, "character")
    if raw.is_cut:
        note = f"the first {len(raw.text):,} of {note}"
    return SentText(text=raw.text, note=note)


def seconds(given: float) -> str:
    """A short time: "35 ms", "1.24 s"; empty where none was measured."""
    if given <= 0:
        return ""
    return f"{given * 1000:.0f} ms" if given < 1 else f"{given:,.2f} s"


def _gold(task: Task, example: Example) -> tuple[ItemField, ...]:
    values = {name: example.values[held] for name, held in task.gold.items()}
    return _fields(values, list(values), several=True)


def _fields(
    values: Mapping[str, Any], names: Sequence[str], *, several: bool = False
) -> tuple[ItemField, ...]:
    return tuple(
        ItemField(name=name, text=_text(values[name], several=several))
        for name in names
        if name in values
    )


def _text(value: Any, *, several: bool = False) -> str:
    return shortened(_words(value, several=several), SHOWN)


def _words(value: Any, *, several: bool) -> str:
    if isinstance(value, str):
        return value or "(empty)"
    if isinstance(value, dict) and all(isinstance(each, int | float) for each in value.values()):
        return ", ".join(f"{name} {share:.3g}" for name, share in value.items())
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        return (" or " if several else ", ").join(value)
    if isinstance(value, list) and value and all(_is_turn(each) for each in value):
        return "\n".join(f"{turn['speaker']}: {turn['text']}" for turn in value)
    return msgspec.json.encode(value).decode()


def _is_turn(value: Any) -> bool:
    return isinstance(value, dict) and {"speaker", "text"} <= value.keys()
