"""Dialogues between records and perturbations: taken out, changed, put back."""

import random
from collections.abc import Mapping
from typing import Any

from palaver.core.errors import InputError
from palaver.evaluation.perturbations.layout import Layout
from palaver.evaluation.perturbations.perturbation import Perturbation, Talk

# Where records keep who the speakers are told to be: one list for each speaker, or one persona.
PERSONAS, PERSONA = "personas", "persona"


def user_turns(record: Mapping[str, Any], layout: Layout) -> set[tuple[str, int | None]]:
    """The places of what the user says."""
    return {
        (field, n)
        for field in layout.turns
        for n in Talk(tuple(record.get(field) or ())).user_turns
    }


def changed_talk(
    record: dict[str, Any], layout: Layout, perturbation: Perturbation, seed: int
) -> dict[str, Any] | None:
    """The record with its dialogue changed; None where nothing changed.

    A record that asks about one turn (`position`) goes on asking about the same one, and gold of
    single turns goes with them; a turn that is new has none, so the record stays as it was.
    """
    if not layout.turns or not record.get(layout.turns[0]):
        return None
    field = layout.turns[0]
    talk = Talk(tuple(record[field]), _personas(record), _asked(record, layout))
    new = perturbation.function(talk, random.Random(seed))
    if not isinstance(new, Talk):
        raise InputError(f"it returned {new!r:.60}; expected a Talk")
    if (new.turns, new.personas) == (talk.turns, talk.personas):
        return None
    variant = {**record, field: list(new.turns), **_persona_fields(record, new)}
    if talk.asked is not None:
        position = _position(talk, new)
        if position is None:
            return None
        variant[layout.position] = type(record[layout.position])(position)
    for name in layout.by_turn:
        gold = _gold_of_turns(record.get(name), talk, new)
        if gold is None:
            return None
        variant[name] = gold
    return variant


def _gold_of_turns(gold: Any, talk: Talk, new: Talk) -> list[Any] | None:
    """The gold of each turn of the changed dialogue; None where a turn has none."""
    if not isinstance(gold, list) or len(gold) != len(talk.turns):
        return None
    if len(new.turns) == len(talk.turns):
        return gold
    by_turn = {id(turn): each for turn, each in zip(talk.turns, gold, strict=True)}
    found = [by_turn.get(id(turn)) for turn in new.turns]
    return None if None in found else found


def _asked(record: Mapping[str, Any], layout: Layout) -> int | None:
    given = record.get(layout.position) if layout.position else None
    if given is None or not str(given).isdecimal():
        return None
    at = int(given) - 1
    return at if 0 <= at < len(record[layout.turns[0]]) else None


def _position(talk: Talk, new: Talk) -> int | None:
    """Where the turn that is asked about stands now, counted from 1."""
    assert talk.asked is not None
    wanted = talk.turns[talk.asked]
    for n, turn in enumerate(new.turns, start=1):
        if turn is wanted:
            return n
    return talk.asked + 1 if len(talk.turns) == len(new.turns) else None


def _personas(record: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    given = record.get(PERSONAS)
    if isinstance(given, list) and given:
        return tuple(_lines(each) for each in given)
    one = _lines(record.get(PERSONA) or [])
    return (one,) if one else ()


def _lines(given: Any) -> tuple[str, ...]:
    several = given if isinstance(given, list) else [given]
    return tuple(str(line) for line in several)


def _persona_fields(record: Mapping[str, Any], new: Talk) -> dict[str, Any]:
    """The personas in the shape in which the record had them."""
    if not new.personas:
        return {}
    if isinstance(record.get(PERSONAS), list):
        shapes = record[PERSONAS]
        return {PERSONAS: [_shaped(p, s) for p, s in zip(new.personas, shapes, strict=True)]}
    return {PERSONA: _shaped(new.personas[0], record[PERSONA])}


def _shaped(persona: tuple[str, ...], shape: Any) -> Any:
    return list(persona) if isinstance(shape, list) else "\n".join(persona)
