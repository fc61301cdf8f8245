"""Homes with participants seated and dialogues stored, without going through forms.

People are entered, seated in pairs and given leases by the store's own functions; the cookie of each
visit is signed as `palaver.web.participant.visit` does. What must be large (100,000 finished
dialogues) goes in by bulk inserts into the schema's tables.
"""

import time
from dataclasses import dataclass
from pathlib import Path

from itsdangerous import URLSafeTimedSerializer
from sqlalchemy import Connection, func, insert, select

from palaver.core.scenario import Scenario
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import Occupant, create_dialogue
from palaver.storage.dialogues.leases import new_lease
from palaver.storage.engine.keys import new_key
from palaver.storage.people.participants import enter
from palaver.storage.schema import assignments, dialogues, events, leases, participants, seats
from palaver.storage.studies.studies import register_study
from palaver.studies.file.reader import load_study
from palaver.web.participant.visit import COOKIE, SALT

STUDY = """\
title: Two people talk
name: bench
stages:
  - chat:
      arrangement: people
      taking: free
      turns: {at_least: 1}
      conditions: [{people: true}]
      limits: {message: 1 h, dialogue: 6 h, idle: 2 h, disconnect: 1 h}
"""
HOLDER = "benchmark"
WORDS = "What did you do at the weekend, was it fun?"


@dataclass(frozen=True, slots=True)
class Seat:
    """One end of a dialogue: the path of its socket and the cookie that opens it."""

    path: str
    cookie: str


def write_study(folder: Path) -> Path:
    """A study in which two people talk for as long as they like."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "study.yaml"
    file.write_text(STUDY, encoding="utf-8")
    return folder


def open_store(home: Path) -> Store:
    """The home's store."""
    home.mkdir(parents=True, exist_ok=True)
    return Store(f"sqlite:///{home / 'palaver.db'}")


def register(store: Store, study: Path) -> int:
    """The study's row."""
    loaded = load_study(study / "study.yaml")
    return store.write_now(
        lambda c: register_study(
            c,
            name=loaded.name,
            title=loaded.title,
            digest=loaded.digest,
            definition=STUDY,
            now=time.time(),
        )
    )


def seat_pairs(store: Store, study_id: int, pairs: int) -> list[tuple[Seat, Seat]]:
    """Two people at each of `pairs` new dialogues."""
    signer = URLSafeTimedSerializer(store.secret(), salt=SALT)
    now = time.time()

    def work(connection: Connection) -> list[tuple[Seat, Seat]]:
        seated = []
        for number in range(pairs):
            two = [_person(connection, study_id, f"{number}-{n}", now) for n in (0, 1)]
            dialogue_id, key = create_dialogue(
                connection,
                study_id=study_id,
                stage=0,
                condition="people",
                scenario=Scenario(),
                occupants=[Occupant(assignment_id=assignment) for assignment, _ in two],
                now=now,
            )
            new_lease(connection, dialogue_id, HOLDER)
            first, second = (
                Seat(f"/take/{person}/room/{key}", f"{COOKIE}={signer.dumps(person)}")
                for _, person in two
            )
            seated.append((first, second))
        return seated

    return store.write_now(work)


def _person(connection: Connection, study_id: int, name: str, now: float) -> tuple[int, str]:
    assignment = enter(
        connection,
        study_id=study_id,
        crowd="link",
        person=name,
        assignment="1",
        first_step="stage:0",
        now=now,
    )
    return assignment.id, assignment.key


def store_finished(store: Store, study_id: int, count: int, *, messages: int = 10) -> None:
    """`count` dialogues of two people that ended long ago."""
    done, batch = 0, 2000
    while done < count:
        size = min(batch, count - done)
        store.write_now(lambda c, n=size: _finished(c, study_id, n, messages))
        done += size


def _finished(connection: Connection, study_id: int, count: int, messages: int) -> None:
    then = time.time() - 30 * 86400
    people = _next_id(connection, participants.c.id)
    visits = _next_id(connection, assignments.c.id)
    talks = _next_id(connection, dialogues.c.id)
    who, came, talked, sat, happened = [], [], [], [], []
    for n in range(count):
        key = new_key("d")
        talked.append(
            {
                "id": talks + n,
                "key": key,
                "study_id": study_id,
                "stage": 0,
                "condition": "people",
                "group_key": key,
                "scenario": "{}",
                "created": then,
            }
        )
        for seat in (0, 1):
            i = 2 * n + seat
            alias = new_key("p")
            who.append(
                {
                    "id": people + i,
                    "alias": alias,
                    "crowd": "link",
                    "external_id": alias,
                    "created": then,
                }
            )
            came.append(
                {
                    "id": visits + i,
                    "key": new_key("a"),
                    "study_id": study_id,
                    "participant_id": people + i,
                    "external_id": "1",
                    "step": "done",
                    "state": "finished",
                    "created": then,
                    "finished": then + 600,
                }
            )
            sat.append(
                {
                    "dialogue_id": talks + n,
                    "seat": seat,
                    "from_seq": 1,
                    "kind": "person",
                    "assignment_id": visits + i,
                }
            )
        happened += _history(talks + n, messages, then)
    for table, rows in (
        (participants, who),
        (assignments, came),
        (dialogues, talked),
        (seats, sat),
        (events, happened),
    ):
        connection.execute(insert(table), rows)


def _history(dialogue_id: int, messages: int, then: float) -> list[dict[str, object]]:
    def event(seq: int, seat: int | None, action: str, data: str | None) -> dict[str, object]:
        return {
            "dialogue_id": dialogue_id,
            "seq": seq,
            "seat": seat,
            "action": action,
            "data": data,
            "time": then + seq,
            "client_id": f"c{seq}" if action == "message" else None,
        }

    said = f'{{"text":"{WORDS}"}}'
    return [
        event(1, 0, "join", None),
        event(2, 1, "join", None),
        *(event(3 + n, n % 2, "message", said) for n in range(messages)),
        event(3 + messages, None, "end", '{"reason":"complete"}'),
    ]


def _next_id(connection: Connection, column: object) -> int:
    return int(connection.execute(select(func.coalesce(func.max(column), 0))).scalar_one()) + 1


def wait_until_driven(home: Path, *, seconds: float = 120.0) -> None:
    """Wait until the server has taken over every dialogue that was seated for it."""
    store = open_store(home)
    try:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            left = store.read_now(
                lambda c: c.execute(
                    select(func.count()).select_from(leases).where(leases.c.holder == HOLDER)
                ).scalar_one()
            )
            if left == 0:
                return
            time.sleep(0.25)
    finally:
        store.close()
    raise RuntimeError("the server did not take over the dialogues that were seated for it")
