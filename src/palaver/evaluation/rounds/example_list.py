"""The examples of a round that somebody asks for."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import get_args

from palaver.core.evaluation.rounds import Standing, WrittenExample

_STATES: Mapping[str, Callable[[WrittenExample], bool]] = {
    "fooling": lambda each: each.is_fooling,
    "verified": lambda each: each.is_verified,
    "right": lambda each: each.wrong is False,
    "undecided": lambda each: each.wrong is None,
    "retracted": lambda each: each.retracted,
}
# What an example may be asked for by: what became of it, or how those stand that are judged.
STATES = (*_STATES, *get_args(Standing))


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which examples are asked for; what is empty does not matter."""

    state: str = ""
    model: str = ""
    writer: str = ""
    label: str = ""
    tag: str = ""
    note: str = ""
    uid: str = ""

    def fits(self, example: WrittenExample) -> bool:
        """Whether this is one of them."""
        return (
            (not self.state or _is_in(example, self.state))
            and self.model in ("", example.model, example.model.partition("@")[0])
            and self.writer in ("", example.writer)
            and (not self.label or self.label in example.values.values())
            and self.tag in ("", example.tag)
            and (not self.note or self.note in example.notes)
            and self.uid in ("", example.uid)
        )


def chosen_examples(examples: Iterable[WrittenExample], wanted: Wanted) -> list[WrittenExample]:
    """Those that are asked for, in the order they were written."""
    return [each for each in examples if wanted.fits(each)]


def _is_in(example: WrittenExample, state: str) -> bool:
    if state in _STATES:
        return _STATES[state](example)
    return example.is_fooling and example.standing == state


def became(example: WrittenExample) -> str:
    """What became of an example, in a word or two."""
    if example.retracted:
        return "taken back"
    if example.wrong is None:
        return "undecided"
    if not example.wrong:
        return "the model was right"
    if not example.kept:
        return "not kept"
    return "duplicate" if example.is_duplicate else example.standing
