"""Which parts of a record may be changed, and where its gold stands."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palaver.core.errors import InputError
from palaver.core.registry import near
from palaver.core.tasks import ContextStringSelection, String, Task, TurnProbs, Turns
from palaver.core.words import listed

# Under which a record may have its uid.
IDS = ("uid", "id")
# The field that says which turn is meant, counted from 1, where a task asks about one.
POSITION = "position"


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldSelection:
    """A gold value that must stay a part of a field; the first of `golds` that is there holds it."""

    golds: tuple[str, ...]
    reference: str

    def values(self, record: Mapping[str, Any]) -> list[str]:
        found = next((record[name] for name in self.golds if name in record), None)
        several = found if isinstance(found, list) else [found]
        return [value for value in several if isinstance(value, str)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The fields with text, the fields with turns, and the spans that are gold."""

    texts: tuple[str, ...] = ()
    turns: tuple[str, ...] = ()
    selections: tuple[GoldSelection, ...] = ()
    position: str = ""
    # Gold that has one part per turn.
    by_turn: tuple[str, ...] = ()

    def gold(self, record: Mapping[str, Any]) -> list[str]:
        return [value for selection in self.selections for value in selection.values(record)]

    def stretches(self, record: Mapping[str, Any]) -> Iterator[tuple[str, int | None, str]]:
        """Each text with its field and, in a field of turns, the number of the turn."""
        for name in self.texts:
            if isinstance(record.get(name), str):
                yield name, None, record[name]
        for name in self.turns:
            for n, turn in enumerate(record.get(name) or ()):
                yield name, n, turn["text"]


def layout_of(task: Task, fields: Sequence[str] = ()) -> Layout:
    """What perturbations may change in examples of a task: `fields`, else what the task says.

    Without either it is every text and every dialogue that a model is given. Gold never is.
    """
    asked = {each.name: each for each in task.asked if isinstance(each, String | Turns)}
    for name in (*fields, *task.perturbed):
        if name not in asked:
            raise InputError(
                f"Task '{task.name}' has no text or dialogue '{name}' that a model is given."
                f"{near(name, asked) or f' It has: {listed(list(asked))}.'}"
            )
    chosen = [asked[name] for name in fields or task.perturbed or asked]
    return Layout(
        texts=tuple(each.name for each in chosen if isinstance(each, String)),
        turns=tuple(each.name for each in chosen if isinstance(each, Turns)),
        selections=tuple(
            GoldSelection(golds=(task.gold[output.name], output.name), reference=output.reference)
            for output in task.outputs
            if isinstance(output, ContextStringSelection) and output.name in task.gold
        ),
        position=POSITION if POSITION in asked else "",
        by_turn=tuple(
            task.gold[output.name]
            for output in task.outputs
            if isinstance(output, TurnProbs) and output.name in task.gold
        ),
    )
