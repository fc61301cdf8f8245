"""Keeping a dialogue that was played outside the store."""

from sqlalchemy import Connection

from palaver.core.dialogue import Dialogue, seed_events
from palaver.core.errors import InputError
from palaver.storage.dialogues.dialogues import Occupant, create_dialogue
from palaver.storage.engine.appends import Append, append


def store_dialogue(
    connection: Connection,
    study_id: int,
    dialogue: Dialogue,
    *,
    stage: int = 0,
    condition: str = "",
    group: str | None = None,
    position: int = 0,
) -> str:
    """Store a self-play dialogue with its seats and events; the key it has in the store."""
    if not dialogue.events:
        raise InputError(f"The dialogue '{dialogue.id}' has no events; there is nothing to store.")
    created = dialogue.events[0].time
    seeds = seed_events(dialogue.scenario, created)
    if dialogue.events[: len(seeds)] != seeds:
        raise InputError(f"The dialogue '{dialogue.id}' does not begin with its scenario's seeds.")
    dialogue_id, key = create_dialogue(
        connection,
        study_id=study_id,
        stage=stage,
        condition=condition or dialogue.condition,
        scenario=dialogue.scenario,
        occupants=_occupants(dialogue),
        now=created,
        group=group,
        position=position,
    )
    # The store has written the seeds already.
    append(connection, Append(dialogue_id, dialogue.events[len(seeds) :]))
    return key


def _occupants(dialogue: Dialogue) -> list[Occupant]:
    people = [seat.index for seat in dialogue.seats if seat.kind != "system"]
    if people:
        raise InputError(
            f"Seat {people[0]} of the dialogue '{dialogue.id}' belongs to a person; self-play has "
            "no people."
        )
    return [Occupant(system=seat.occupant) for seat in dialogue.seats]
