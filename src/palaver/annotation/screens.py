"""What a rater sees one after the other: the screens of a sheet.

Questions about a whole dialogue stand on one screen, each question about turns has a screen of its
own, and comparisons stand on one screen. Everything here is pure: the same rater is shown the same
screens again after a reload, by whichever process.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from palaver.annotation.ordering import order_for
from palaver.core.dialogue import Dialogue, Turn
from palaver.core.questions.comparative import SIDES
from palaver.core.questions.question import Question, Shown
from palaver.core.questions.turns import chosen_turns, role_of
from palaver.core.sheets import SheetPart
from palaver.core.units import Unit, dialogue_unit, event_unit, pair_unit, turn_unit


@dataclass(frozen=True, slots=True)
class Asking:
    """One question about one unit, as it stands on a screen.

    `turn` is the judged turn, `number` which of those that are judged.
    """

    question: Question
    unit: Unit
    shown: Shown
    members: tuple[Unit, Unit] | None = None
    turn: Turn | None = None
    number: int | None = None

    @property
    def field(self) -> str:
        """The name of its form field."""
        suffix = "" if self.number is None else f"-{self.number}"
        return f"answer-{self.question.name}{suffix}"


@dataclass(frozen=True, slots=True)
class Screen:
    """One screen: the dialogues in the order shown, and what is asked of them."""

    part: int
    dialogues: tuple[Dialogue, ...]
    askings: tuple[Asking, ...]


def screens_of(
    parts: Sequence[SheetPart],
    dialogues: Mapping[str, Dialogue],
    questions: Mapping[str, Question],
    *,
    seed: str,
    shuffle: bool = False,
    as_held: bool = False,
) -> list[Screen]:
    """The screens of a sheet for the rater whose work `seed` names.

    With `shuffle`, parts and questions come in an order drawn for this rater, comparisons last; the
    order of questions on one screen is recorded with their answers. With `as_held`, dialogues keep
    the order in which the rater held them.
    """
    dice = random.Random(f"screens\n{seed}")
    order = list(range(len(parts)))
    if shuffle and not as_held:
        dice.shuffle(order)
        order.sort(key=lambda n: parts[n].is_pair)
    screens: list[Screen] = []
    for number in order:
        part = parts[number]
        asked = [questions[name] for name in part.ask]
        if shuffle:
            dice.shuffle(asked)
        shown = tuple(dialogues[key] for key in part.dialogues)
        if part.is_pair:
            screens.append(_comparison(number, shown, asked, seed=seed, as_held=as_held))
        else:
            screens += _about_one(number, shown[0], asked, shuffled=shuffle)
    return [screen for screen in screens if screen.askings]


def unit_of(dialogue: Dialogue, turn: Turn) -> Unit:
    """The unit of a turn; a turn of one event is that event, whoever asks."""
    first, last = turn.events[0].seq, turn.events[-1].seq
    return event_unit(dialogue.id, first) if first == last else turn_unit(dialogue.id, first, last)


def turn_askings(dialogue: Dialogue, question: Question) -> tuple[Asking, ...]:
    """A question about turns, once for each turn that it is asked of."""
    # Counted here: the sequence numbers of a chat would tell it from a dialogue of a file.
    return tuple(
        Asking(
            question,
            unit_of(dialogue, turn),
            Shown(role=role_of(dialogue, turn.seat), seat=turn.seat, text=turn.text),
            turn=turn,
            number=number,
        )
        for number, turn in enumerate(
            chosen_turns(dialogue, speaker=question.speaker, indices=question.indices), start=1
        )
    )


def _about_one(
    number: int, dialogue: Dialogue, asked: Sequence[Question], *, shuffled: bool
) -> list[Screen]:
    unit = dialogue_unit(dialogue.id)
    together = [question for question in asked if question.about == "dialogue"]
    order = tuple(question.name for question in together) if shuffled else None
    whole = tuple(Asking(question, unit, Shown(order=order)) for question in together)
    by_turn = [turn_askings(dialogue, q) for q in asked if q.about == "turn"]
    return [Screen(number, (dialogue,), askings) for askings in (*by_turn, whole)]


def _comparison(
    number: int,
    dialogues: tuple[Dialogue, ...],
    asked: Sequence[Question],
    *,
    seed: str,
    as_held: bool,
) -> Screen:
    a, b = (dialogue_unit(dialogue.id) for dialogue in dialogues)
    pair = pair_unit(a, b)
    if as_held:
        order = SIDES if pair.members == (a.key, b.key) else SIDES[::-1]
    else:
        order = order_for(assignment_key=seed, unit_key=pair.key)
    by_key = {a.key: dialogues[0], b.key: dialogues[1]}
    sides = dict(zip(SIDES, pair.members or (), strict=True))
    shown = tuple(by_key[sides[side]] for side in order)
    askings = tuple(
        Asking(q, pair, Shown(order=order), members=(a, b)) for q in _with_beside(asked)
    )
    return Screen(number, shown, askings)


def _with_beside(asked: Sequence[Question]) -> list[Question]:
    """The questions about a pair in their order, but each after the comparison it stands beside."""
    first = [question for question in asked if question.about == "pair" and not question.beside]
    return [
        each
        for question in first
        for each in (question, *(other for other in asked if other.beside == question.name))
    ]
