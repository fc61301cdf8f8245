"""Dialogues that were held elsewhere, kept as they came."""

import msgspec
from sqlalchemy import Connection, select

from palaver.core.records import DialogueRecord
from palaver.core.scenario import Scenario
from palaver.storage.appending import Append, append
from palaver.storage.dialogues import Occupant, create_dialogue
from palaver.storage.schema import dialogues

_decode_scenario = msgspec.json.Decoder(Scenario).decode


def keep_record(connection: Connection, study_id: int, record: DialogueRecord) -> str:
    """Store a dialogue without seeds; its key here. Its people have no visit, hence no alias."""
    dialogue_id, key = create_dialogue(
        connection,
        study_id=study_id,
        stage=0,
        condition=record.condition,
        scenario=record.scenario,
        occupants=[
            Occupant(system=seat.occupant if seat.kind == "system" else None)
            for seat in sorted(record.seats, key=lambda seat: seat.index)
        ],
        now=record.created or 0.0,
    )
    append(connection, Append(dialogue_id, record.events))
    return key


def scenario_ids(connection: Connection, study_id: int) -> set[str]:
    """The ids of the scenarios that a study's dialogues were held in."""
    rows = connection.execute(
        select(dialogues.c.scenario)
        .where(dialogues.c.study_id == study_id)
        .order_by(dialogues.c.id)
    )
    return {_decode_scenario(scenario).id for scenario in rows.scalars()}
