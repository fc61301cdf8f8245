"""A small study in a real store: two dialogues, a withdrawal, labels and a reported problem."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, insert

from palaver.core.events import Event
from palaver.core.labels import Label
from palaver.core.scenario import Scenario
from palaver.core.units import dialogue_unit, event_unit, pair_unit
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import Occupant, create_dialogue
from palaver.storage.dialogues.leases import new_lease
from palaver.storage.engine.appends import Append, append
from palaver.storage.judging.labels import NewLabel, append_labels
from palaver.storage.judging.units import ensure_unit
from palaver.storage.people.accounts import create_account, create_token
from palaver.storage.people.erasure import erase_assignment
from palaver.storage.people.participants import enter, finish, report_problem
from palaver.storage.people.raters import ensure_rater
from palaver.storage.schema import meta
from palaver.storage.studies.quotas import claim
from palaver.storage.studies.studies import register_study
from support.databases import new_sqlite

DEFINITION = "name: demo\ntitle: A démo\n"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    (tmp_path / "home").mkdir()
    store = Store(new_sqlite(tmp_path / "home" / "palaver.db"))
    yield store
    store.close()


@pytest.fixture
def filled(store: Store) -> Store:
    store.write_now(lambda c: fill(c, "demo"))
    store.write_now(lambda c: fill(c, "other"))
    store.write_now(_secrets)
    return store


def fill(connection: Connection, name: str) -> None:
    """Store one small study."""
    study_id = register_study(
        connection, name=name, title=name, digest="x", definition=DEFINITION, now=1.0
    )
    ann, bo = (
        enter(
            connection,
            study_id=study_id,
            crowd="prolific",
            person=f"PANEL-{person}",
            assignment=f"WORK-{person}-{name}",
            first_step="chat",
            now=2.0,
        )
        for person in ("ann", "bo")
    )
    scenario = Scenario(personas=((), ("You are at tea@example.com.",)))
    keys = []
    for position, said in enumerate(("mail me: ann@example.com", "call 555-123-4567")):
        dialogue_id, key = create_dialogue(
            connection,
            study_id=study_id,
            stage=0,
            condition="parrot",
            scenario=scenario,
            occupants=[
                Occupant(assignment_id=(ann, bo)[position].id),
                Occupant(system="parrot"),
            ],
            now=3.0,
            group=f"group-{name}",
            position=position,
        )
        append(
            connection,
            Append(
                dialogue_id,
                [
                    Event(seq=1, seat=0, action="message", data={"text": said}, time=4.0),
                    Event(seq=2, seat=1, action="message", data={"text": "I hear."}, time=5.0),
                    Event(seq=3, seat=None, action="end", data={"reason": "length"}, time=6.0),
                ],
            ),
        )
        new_lease(connection, dialogue_id, "holder")
        keys.append(key)
    claim(connection, study_id, 0, "parrot", group=f"group-{name}", limited=False, now=3.0)
    _label(connection, study_id, keys, ann.participant_id, ann.alias, ann.id)
    report_problem(
        connection, study_id=study_id, assignment_id=ann.id, text="stuck, 555-987-6543", now=7.0
    )
    finish(connection, ann.id, state="finished", reason="", code="CODE-ANN", now=8.0)
    erase_assignment(connection, bo.id, now=9.0)


def _label(
    connection: Connection,
    study_id: int,
    keys: list[str],
    participant_id: int,
    alias: str,
    assignment_id: int,
) -> None:
    rater_id = ensure_rater(
        connection, key=alias, kind="person", now=6.0, participant_id=participant_id
    )
    event = event_unit(keys[0], 2)
    sides = [dialogue_unit(key) for key in keys]
    pair = pair_unit(*sides)
    for unit in (event, *sides, pair):
        ensure_unit(connection, study_id, unit)
    answers = [(event, "kind", 4), (event, "kind", 5), (pair, "better", "first")]
    answers.append((event, "why", "as bo@example.com says"))
    for number, (unit, question, value) in enumerate(answers):
        append_labels(
            connection,
            [
                NewLabel(
                    Label(
                        unit=unit.key,
                        question=question,
                        question_version="1",
                        rater=alias,
                        rater_kind="person",
                        value=value,
                        time=6.0 + number,
                    ),
                    study_id=study_id,
                    unit_id=ensure_unit(connection, study_id, unit),
                    rater_id=rater_id,
                    assignment_id=assignment_id,
                )
            ],
        )


def _secrets(connection: Connection) -> None:
    connection.execute(insert(meta).values(key="secret", value="SIGNING-KEY"))
    account = create_account(
        connection,
        name="mara-the-owner",
        role="owner",
        password_hash="PASSWORD-HASH",
        one_time=False,
        now=1.0,
    )
    create_token(connection, account_id=account.id, name="ci", role="viewer", now=1.0)
