"""A real store with one study, one assignment and two conversations to compare."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from palaver.annotation.submission import Submission
from palaver.core.questions import Comparative, Shown
from palaver.core.scenario import Scenario
from palaver.core.units import Unit, dialogue_unit, pair_unit
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import Occupant, create_dialogue
from palaver.storage.people.participants import Assignment, enter
from palaver.storage.studies.studies import register_study
from support.databases import new_sqlite


@dataclass
class Bench:
    """What the tests of the door need."""

    store: Store
    study_id: int
    assignment: Assignment
    members: tuple[Unit, Unit]

    @property
    def pair(self) -> Unit:
        return pair_unit(*self.members)

    def submission(self, **changes: Any) -> Submission:
        """An answer to "which was better" by the assignment's person."""
        given: dict[str, Any] = {
            "study_id": self.study_id,
            "question": Comparative(name="better", text="Which was better?"),
            "unit": self.pair,
            "members": self.members,
            "rater": self.assignment.alias,
            "rater_kind": "person",
            "participant_id": self.assignment.participant_id,
            "assignment_id": self.assignment.id,
            "answer": "a",
            "shown": Shown(order=("first", "second")),
            "seconds": 4.5,
            "time": 100.0,
        }
        return Submission(**{**given, **changes})


def furnish(store: Store) -> Bench:
    """A study with one visitor who talked with two systems."""

    def work(connection: Any) -> tuple[int, Assignment, tuple[Unit, Unit]]:
        study_id = register_study(
            connection, name="s", title="S", digest="", definition="", now=0.0
        )
        assignment = enter(
            connection,
            study_id=study_id,
            crowd="local",
            person="ann",
            assignment="1",
            first_step="chat",
            now=0.0,
        )
        keys = [
            create_dialogue(
                connection,
                study_id=study_id,
                stage=0,
                condition="a|b",
                scenario=Scenario(),
                occupants=[Occupant(assignment_id=assignment.id), Occupant(system=system)],
                now=0.0,
            )[1]
            for system in ("a", "b")
        ]
        return study_id, assignment, (dialogue_unit(keys[0]), dialogue_unit(keys[1]))

    return Bench(store, *store.write_now(work))


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    store = Store(new_sqlite(tmp_path / "palaver.db"))
    yield furnish(store)
    store.close()


@pytest.fixture
def furnish_store() -> Any:
    """Fills a store of another kind with the same study."""
    return furnish
