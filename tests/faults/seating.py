"""Dialogues that are seated and not yet begun, made in the store before anything is served."""

import time
from dataclasses import dataclass
from pathlib import Path

from itsdangerous import URLSafeTimedSerializer
from sqlalchemy import Connection

from palaver.core.scenario import Scenario
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import Occupant, create_dialogue
from palaver.storage.dialogues.leases import new_lease
from palaver.storage.people.participants import enter
from palaver.storage.studies.studies import register_study
from palaver.studies.file.reader import load_study
from palaver.web.participant.visit import COOKIE, SALT

STUDY = """\
title: Faults
name: faults
systems:
  echo: {kind: scripted, lines: ["One.", "Two.", "Three."]}
stages:
  - chat:
      arrangement: people
      blind: false
      taking: free
      turns: {at_least: 2}
      conditions: [{people: true}, {systems: [echo]}]
      limits: {message: null, dialogue: null, idle: null, disconnect: null}
"""


@dataclass(frozen=True, slots=True)
class Chair:
    """A person's seat in a dialogue, and what opens it."""

    dialogue_id: int
    seat: int
    visit: str
    path: str
    cookie: str


def write_study(folder: Path) -> Path:
    """A study in which people talk with people or with a scripted system, as long as they like."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    return folder


def furnish(url: str, study: Path, *, people: int, systems: int) -> list[list[Chair]]:
    """New dialogues, the first of them between two people; the chairs of each."""
    store = Store(url)
    try:
        signer = URLSafeTimedSerializer(store.secret(), salt=SALT)
        return store.write_now(lambda c: _furnish(c, study, signer, people, systems))
    finally:
        store.close()


def _furnish(
    connection: Connection, study: Path, signer: URLSafeTimedSerializer, people: int, systems: int
) -> list[list[Chair]]:
    loaded = load_study(study / "study.yaml")
    study_id = register_study(
        connection,
        name=loaded.name,
        title=loaded.title,
        digest=loaded.digest,
        definition=STUDY,
        now=time.time(),
    )
    persons = [2] * people + [1] * systems
    return [
        _seat(connection, study_id, signer, number, count) for number, count in enumerate(persons)
    ]


def _seat(
    connection: Connection, study_id: int, signer: URLSafeTimedSerializer, number: int, count: int
) -> list[Chair]:
    visits = [
        enter(
            connection,
            study_id=study_id,
            crowd="link",
            person=f"{number}-{n}",
            assignment="1",
            first_step="stage:0",
            now=time.time(),
        )
        for n in range(count)
    ]
    occupants = [Occupant(assignment_id=visit.id) for visit in visits]
    if count == 1:
        occupants.append(Occupant(system="echo"))
    dialogue_id, key = create_dialogue(
        connection,
        study_id=study_id,
        stage=0,
        condition="people" if count == 2 else "echo",
        scenario=Scenario(),
        occupants=occupants,
        now=time.time(),
    )
    new_lease(connection, dialogue_id, "nobody")
    return [
        Chair(
            dialogue_id,
            seat,
            f"/take/{visit.key}",
            f"/take/{visit.key}/room/{key}",
            f"{COOKIE}={signer.dumps(visit.key)}",
        )
        for seat, visit in enumerate(visits)
    ]
