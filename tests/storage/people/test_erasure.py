"""Erasure: words and identity become null, numbers and other people's words stay."""

from pathlib import Path
from typing import Any

import pytest

from palaver.annotation.assignment import Handed, finish, hand_out
from palaver.annotation.plan import Check
from palaver.core.events import Event
from palaver.core.scenario import Scenario
from palaver.core.sheets import SheetContent, SheetPart
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import (
    Occupant,
    add_seat,
    create_dialogue,
    load_dialogue_by_id,
)
from palaver.storage.engine.appends import Append, append
from palaver.storage.judging import slot_counts
from palaver.storage.judging.sheets import NewSheet, add_sheets
from palaver.storage.people.erasure import erase_assignment, forget_person
from palaver.storage.people.participants import Assignment, enter
from palaver.storage.schema import participants
from palaver.storage.studies.studies import register_study
from support.sheets import STAGE, add_known, add_real, add_study, rate_plan, visitor


class Scene:
    """Two people in one dialogue; a system took the seat of the first one over."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.ann, self.ben, self.dialogue_id = store.write_now(self._furnish)

    def _furnish(self, connection: Any) -> tuple[Assignment, Assignment, int]:
        study_id = register_study(
            connection, name="s", title="S", digest="", definition="", now=0.0
        )
        ann, ben = (self.visit(connection, study_id, name) for name in ("ann", "ben"))
        dialogue_id, _ = create_dialogue(
            connection,
            study_id=study_id,
            stage=0,
            condition="people",
            scenario=Scenario(),
            occupants=[Occupant(assignment_id=ann.id), Occupant(assignment_id=ben.id)],
            now=0.0,
        )
        takeover = {"system": "bot", "reason": "idle"}
        happened = [
            (0, "message", {"text": "ann's secret"}),
            (1, "message", {"text": "ben's words"}),
            (0, "takeover", takeover),
            (0, "message", {"text": "the bot's words"}),
        ]
        append(
            connection,
            Append(
                dialogue_id,
                [
                    Event(seq=n, seat=seat, action=action, data=data, time=float(n))
                    for n, (seat, action, data) in enumerate(happened, start=1)
                ],
            ),
        )
        add_seat(connection, dialogue_id, 0, Occupant(system="bot"), from_seq=3)
        return ann, ben, dialogue_id

    @staticmethod
    def visit(connection: Any, study_id: int, name: str, task: str = "1") -> Assignment:
        return enter(
            connection,
            study_id=study_id,
            crowd="link",
            person=name,
            assignment=task,
            first_step="stage:0",
            now=0.0,
        )

    def events(self) -> list[Event]:
        stored = self.store.read_now(lambda c: load_dialogue_by_id(c, self.dialogue_id))
        return stored.dialogue.events

    def names(self) -> list[str | None]:
        rows = self.store.read_now(
            lambda c: list(c.execute(participants.select().order_by(participants.c.id)))
        )
        return [row.external_id for row in rows]


@pytest.fixture
def scene(store: Store) -> Scene:
    return Scene(store)


def test_what_the_person_said_is_null_and_the_system_that_took_over_keeps_its_words(
    scene: Scene,
) -> None:
    erased = scene.store.write_now(lambda c: erase_assignment(c, scene.ann.id, now=9.0))

    assert (erased.events, erased.labels, erased.dialogue_ids) == (1, 0, (scene.dialogue_id,))
    told = scene.events()
    assert [event.seq for event in told] == [1, 2, 3, 4, 5]
    assert [event.text for event in told] == ["", "ben's words", "", "the bot's words", ""]
    assert told[0].data is None
    assert (told[4].action, told[4].data) == ("erase", {"seat": 0, "events": 1})


def test_the_identity_goes_and_the_alias_stays(scene: Scene) -> None:
    scene.store.write_now(lambda c: erase_assignment(c, scene.ann.id, now=9.0))

    assert scene.names() == [None, "ben"]


def test_a_person_with_another_visit_keeps_the_identity_that_one_needs(scene: Scene) -> None:
    other = scene.store.write_now(lambda c: Scene.visit(c, scene.ann.study_id, "ann", "2"))

    scene.store.write_now(lambda c: erase_assignment(c, scene.ann.id, now=9.0))
    assert scene.names() == ["ann", "ben"]
    scene.store.write_now(lambda c: forget_person(c, other.id, now=9.0))
    assert scene.names() == [None, "ben"]


def test_sheets_that_the_person_judged_are_free_again_and_gold_is_not(store: Store) -> None:
    study_id = add_study(store)
    add_real(store, study_id, 2, needed=1)
    add_known(store, study_id, "gold", "g", turns=1)
    gold = Check(after=1, every=None, allowed_mistakes=0, on_fail="warn")
    plan, ann = rate_plan(study_id, gold=gold), visitor(store, study_id, "ann")
    for _ in range(2):
        handed = store.write_now(lambda c: hand_out(c, plan, ann.rater, now=1.0))
        assert isinstance(handed, Handed)
        store.write_now(lambda c, h=handed: finish(c, plan, ann.rater, h.slot_id, now=2.0))

    store.write_now(lambda c: erase_assignment(c, ann.rater.assignment_id, now=9.0))

    progress = store.read_now(lambda c: slot_counts.progress(c, study_id, STAGE))
    assert (progress.needed, progress.free, progress.done) == (2, 2, 0)


def test_what_the_person_said_is_no_longer_handed_out(store: Store) -> None:
    scene = Scene(store)
    key = store.read_now(lambda c: load_dialogue_by_id(c, scene.dialogue_id).key)
    judging = add_study(store)
    content = SheetContent(parts=(SheetPart(dialogues=(key,), ask=("q",)),))
    sheet = NewSheet(key, key, 0, content, needed=2)
    store.write_now(lambda c: add_sheets(c, judging, STAGE, "real", [sheet], order="file", seed=1))

    store.write_now(lambda c: erase_assignment(c, scene.ann.id, now=9.0))

    assert store.read_now(lambda c: slot_counts.progress(c, judging, STAGE)).free == 0


@pytest.mark.asyncio
async def test_no_file_keeps_what_was_erased(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'palaver.db'}")
    try:
        scene = Scene(store)

        def found(words: bytes) -> bool:
            return any(words in file.read_bytes() for file in tmp_path.glob("palaver.db*"))

        assert found(b"ann's secret")
        await store.write(lambda c: erase_assignment(c, scene.ann.id, now=9.0))
        await store.scrub()
        assert not found(b"ann's secret")
        assert found(b"ben's words")
    finally:
        store.close()
