"""What is to be judged goes into the store once, by chunks, and goes on where it stopped."""

import asyncio
import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select, update

from palaver.core.errors import StudyError
from palaver.core.units import event_unit
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import load_dialogue
from palaver.storage.judging.intakes import complete_digests
from palaver.storage.judging.sheets import StoredSheet, sheets_of
from palaver.storage.people.erasure import erase_assignment
from palaver.storage.schema import dialogues, sheet_people, slots
from palaver.storage.studies.studies import register_study
from palaver.studies.file.definition import Study
from palaver.studies.file.reader import load_study
from palaver.studies.intake import chunks
from palaver.studies.intake.chunks import IntakeRun, Taken
from palaver.studies.intake.intake import take_in, take_in_finished
from palaver.studies.intake.materials import load_material
from palaver.studies.stages import RateStage
from support.seeding import Seeder

STUDY = """\
title: Judging
questions:
  kind:
    kind: choice
    text: Is it kind?
    speaker: system
    options: [{id: "yes", text: "Yes"}, {id: "no", text: "No"}]
  better: {kind: comparative, text: Which was better?}
stages:
  - screen: {training: t.yaml, ask: kind}
  - rate: {ask: [kind, better], data: d.jsonl, raters: 2, gold: {file: g.jsonl}}
"""
TRAINING = """\
question: kind
pass: {rounds: [1], mistakes: 0}
rounds:
  - id: r1
    turns:
      - user: Hi
      - {system: Hello!, answer: "yes", why: It greets.}
"""
TURNS = [["user", "Hi"], ["system", "Hello!"]]
GOLD = {"id": "g1", "turns": [["user", "Hi"], ["system", "Go away!", "no"]], "ask": ["kind"]}
RATE = 1


class Desk:
    """A study folder, and a store to take it into."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.store = store
        self.folder = folder
        self.write("study.yaml", STUDY)
        self.write("t.yaml", TRAINING)
        self.lines("g.jsonl", GOLD)
        self.study_id = store.write_now(
            lambda c: register_study(c, name="j", title="J", digest="", definition="", now=0.0)
        )

    def write(self, name: str, content: str) -> None:
        (self.folder / name).write_text(content)

    def lines(self, name: str, *lines: Mapping[str, Any]) -> None:
        self.write(name, "".join(f"{json.dumps(line)}\n" for line in lines))

    def data(self, *names: str, **given: Any) -> None:
        self.lines("d.jsonl", *({"id": name, "turns": TURNS, **given} for name in names))

    @property
    def study(self) -> Study:
        return load_study(self.folder)

    def take_in(self) -> dict[str, Taken]:
        material = load_material(self.study)
        done = asyncio.run(take_in(self.store, self.study_id, material, now=5.0))
        return {taken.purpose: taken for taken in done}

    def sheets(self, purpose: str = "real", stage: int = RATE) -> list[StoredSheet]:
        return self.store.read_now(lambda c: sheets_of(c, self.study_id, stage, purpose))

    def count(self, table: Any) -> int:
        return self.store.read_now(
            lambda c: c.execute(select(func.count()).select_from(table)).scalar_one()
        )

    def begin(self, sheet: StoredSheet) -> None:
        """Let somebody hold the first slot of a sheet."""
        mine = (slots.c.sheet_id == sheet.id, slots.c.number == 1)
        self.store.write_now(lambda c: c.execute(update(slots).where(*mine).values(state="held")))


@pytest.fixture
def desk(store: Store, tmp_path: Path) -> Desk:
    folder = tmp_path / "study"
    folder.mkdir()
    return Desk(store, folder)


def test_everything_is_stored(desk: Desk) -> None:
    desk.data("a", "b", system="tern", origin=["ann", "ben"])

    taken = desk.take_in()

    assert {purpose: one.new for purpose, one in taken.items()} == {
        "training": 1,
        "gold": 1,
        "real": 2,
    }
    assert [(sheet.name, sheet.group, sheet.position) for sheet in desk.sheets()] == [
        ("a", "a", 0),
        ("b", "b", 1),
    ]
    assert desk.count(slots) == 4
    assert desk.count(sheet_people) == 4
    key = desk.sheets()[0].content.parts[0].dialogues[0]
    stored = desk.store.read_now(lambda c: load_dialogue(c, key))
    assert [(e.seq, e.seat, e.text) for e in stored.dialogue.events[:2]] == [
        (1, 0, "Hi"),
        (2, 1, "Hello!"),
    ]
    assert stored.dialogue.reason == "imported"
    assert (stored.dialogue.condition, stored.stage) == ("tern", RATE)
    assert [seat.kind for seat in stored.dialogue.seats] == ["person", "system"]
    assert stored.people == {}


def test_a_dialogue_says_what_it_is_for(desk: Desk) -> None:
    desk.data("a", "b")
    desk.take_in()

    purposes: dict[str, str] = desk.store.read_now(
        lambda c: {
            row.key: row.purpose for row in c.execute(select(dialogues.c.key, dialogues.c.purpose))
        }
    )

    for purpose, stage in (("training", 0), ("gold", RATE), ("real", RATE)):
        for sheet in desk.sheets(purpose, stage):
            [key] = sheet.content.parts[0].dialogues
            assert purposes.pop(key) == purpose
    assert purposes == {}


def test_training_and_gold_have_their_truth(desk: Desk) -> None:
    desk.data("a")
    desk.take_in()

    for purpose, stage, value in (("training", 0, "yes"), ("gold", RATE, "no")):
        [sheet] = desk.sheets(purpose, stage)
        [key] = sheet.content.parts[0].dialogues
        assert sheet.truth is not None
        [right] = sheet.truth.answers
        assert (right.unit, right.question) == (event_unit(key, 2).key, "kind")
        assert right.any_of == (value,)


def test_a_dialogue_that_several_sheets_show_is_stored_once(desk: Desk) -> None:
    one, two = ({"id": name, "turns": TURNS} for name in "ab")
    desk.lines("d.jsonl", {"id": "s1", "pair": [one, two]}, {"id": "s2", "dialogues": [one, two]})
    desk.take_in()

    first, second = desk.sheets()

    assert first.content.parts[0].ask == ("better",)
    assert first.content.parts[0].dialogues == tuple(
        part.dialogues[0] for part in second.content.parts
    )
    assert desk.count(dialogues) == 4  # with one of training and one of gold


def test_a_file_is_taken_in_once(desk: Desk) -> None:
    desk.data("a", "b")
    desk.take_in()
    before = desk.count(dialogues)

    assert desk.take_in() == {}
    assert desk.count(dialogues) == before
    digests = desk.store.read_now(lambda c: complete_digests(c, "j"))
    assert load_material(desk.study).data[RATE].digest in digests


def test_a_wrong_line_leaves_the_store_as_it_was(desk: Desk) -> None:
    desk.lines("d.jsonl", {"id": "a", "turns": TURNS}, {"id": "b", "turns": []})

    with pytest.raises(StudyError, match=r"d\.jsonl:2:\d+: 'turns' is empty\."):
        desk.take_in()

    assert desk.count(dialogues) == 0


def test_a_killed_intake_goes_on_where_it_stopped(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "SHEETS", 2)
    desk.data(*"abcdefg")
    store = IntakeRun.store
    taken_chunks = 0

    def die(self: IntakeRun, connection: Any, **given: Any) -> Any:
        nonlocal taken_chunks
        taken_chunks += self.source.purpose == "real"
        if taken_chunks == 3:
            raise RuntimeError("killed")
        return store(self, connection, **given)

    with monkeypatch.context() as killing:
        killing.setattr(IntakeRun, "store", die)
        with pytest.raises(RuntimeError, match="killed"):
            desk.take_in()
    assert [sheet.name for sheet in desk.sheets()] == list("abcd")

    taken = desk.take_in()

    assert taken["real"].new == 3
    assert [sheet.name for sheet in desk.sheets()] == list("abcdefg")
    assert desk.count(dialogues) == 9


def test_two_that_take_in_the_same_file_share_the_work(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "SHEETS", 2)
    desk.data(*"abcdefg")
    material = load_material(desk.study)

    async def both() -> list[list[Taken]]:
        one = take_in(desk.store, desk.study_id, material, now=5.0)
        other = take_in(desk.store, desk.study_id, material, now=5.0)
        return await asyncio.gather(one, other)

    done = asyncio.run(both())

    assert [sheet.name for sheet in desk.sheets()] == list("abcdefg")
    assert sum(taken.new for each in done for taken in each) == 9
    assert desk.count(dialogues) == 9


def test_a_changed_file_adds_and_replaces_what_nobody_has_begun(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    desk.data("a", "b", "c")
    desk.take_in()
    begun = desk.sheets()[0]
    desk.begin(begun)

    others = [["user", "Bye"], ["system", "Stay!"]]
    desk.lines("d.jsonl", *({"id": name, "turns": others} for name in ("a", "b", "d")))
    with caplog.at_level(logging.INFO):
        taken = desk.take_in()["real"]

    assert (taken.new, taken.replaced, taken.kept, taken.dropped) == (1, 1, 1, 1)
    assert taken.changed == ("a",)
    assert "begun_sheets_kept_as_they_were" in caplog.text
    sheets = {sheet.name: sheet for sheet in desk.sheets()}
    assert sorted(sheets) == ["a", "b", "d"]
    assert sheets["a"] == begun
    key = sheets["b"].content.parts[0].dialogues[0]
    assert desk.store.read_now(lambda c: load_dialogue(c, key)).dialogue.events[0].text == "Bye"


def test_more_raters_mean_more_slots(desk: Desk) -> None:
    desk.data("a")
    desk.take_in()
    desk.begin(desk.sheets()[0])

    desk.write("study.yaml", STUDY.replace("raters: 2", "raters: 5"))
    taken = desk.take_in()["real"]

    assert (taken.new, taken.kept) == (0, 1)
    assert desk.count(slots) == 5


def test_pseudonyms_that_come_later_take_the_names_out(desk: Desk) -> None:
    desk.data("a", origin="ann")
    desk.take_in()
    desk.begin(desk.sheets()[0])

    desk.data("a", origin="w3166d96e32ba")
    desk.take_in()

    people = desk.store.read_now(lambda c: list(c.execute(select(sheet_people.c.person)).scalars()))
    assert people == ["w3166d96e32ba"]


def test_changed_training_takes_the_place_of_the_old(desk: Desk) -> None:
    desk.data("a")
    desk.take_in()
    [old] = desk.sheets("training", 0)

    desk.write("t.yaml", TRAINING.replace("id: r1", "id: r2").replace('"yes"', '"no"'))
    taken = desk.take_in()

    assert (taken["training"].new, taken["training"].dropped) == (1, 1)
    [new] = desk.sheets("training", 0)
    assert (new.name, new.position) == ("r2", old.position)
    assert "real" not in taken


def test_a_corrected_gold_answer_reaches_a_sheet_that_was_handed_out(desk: Desk) -> None:
    desk.data("a")
    desk.take_in()
    [gold] = desk.sheets("gold")
    desk.store.write_now(
        lambda c: c.execute(
            slots.insert().values(
                sheet_id=gold.id,
                study_id=desk.study_id,
                stage=RATE,
                group_key="g1",
                number=1,
                rank=-1,
                state="done",
            )
        )
    )

    desk.lines("g.jsonl", {**GOLD, "turns": [["user", "Hi"], ["system", "Go away!", "yes"]]})
    desk.take_in()

    [corrected] = desk.sheets("gold")
    assert corrected.id == gold.id
    assert corrected.truth is not None
    assert corrected.truth.answers[0].any_of == ("yes",)


# --- What another study has finished --------------------------------------------------------------


def stage(*ask: str) -> RateStage:
    return RateStage.model_validate({"ask": list(ask), "from": "talks", "raters": 2})


def take_finished(desk: Desk, *ask: str) -> int:
    questions = desk.study.questions
    return asyncio.run(
        take_in_finished(desk.store, desk.study_id, RATE, stage(*ask), questions, limit=2)
    )


@pytest.fixture
def talks(store: Store) -> Seeder:
    """Another study in the same store, with people who talk."""
    study_id = store.write_now(
        lambda c: register_study(c, name="talks", title="T", digest="", definition="", now=0.0)
    )
    return Seeder(store, study_id)


def test_finished_dialogues_become_sheets_once(desk: Desk, talks: Seeder) -> None:
    desk.data("x")
    ann = talks.visit("ann")
    keys = [talks.dialogue(ann, "Hi", "Hello!")[1] for _ in range(3)]
    talks.dialogue(ann, "Hi", reason=None)
    talks.dialogue(ann, "Hi", reason="abandoned")

    assert take_finished(desk, "kind") == 3
    assert take_finished(desk, "kind") == 0

    sheets = desk.sheets()
    assert [sheet.name for sheet in sheets] == keys
    assert sheets[0].content.parts[0].dialogues == (keys[0],)
    assert desk.count(slots) == 6
    people = desk.store.read_now(lambda c: set(c.execute(select(sheet_people.c.person)).scalars()))
    assert people == {ann.alias}


def test_what_was_erased_is_not_taken_in(desk: Desk, talks: Seeder) -> None:
    desk.data("x")
    ann, ben = talks.visit("ann"), talks.visit("ben")
    talks.dialogue(ann, "Hi", "Hello!")
    kept = talks.dialogue(ben, "Hi", "Hello!")[1]
    desk.store.write_now(lambda c: erase_assignment(c, ann.id, now=9.0))

    assert take_finished(desk, "kind") == 1
    assert [sheet.name for sheet in desk.sheets()] == [kept]


def test_two_that_were_held_together_are_compared(desk: Desk, talks: Seeder) -> None:
    desk.data("x")
    ann = talks.visit("ann")
    first, second = (
        talks.dialogue(ann, "Hi", "Hello!", group="g1", position=n)[1] for n in range(2)
    )
    talks.dialogue(ann, "Hi", "Hello!", group="g2")

    assert take_finished(desk, "kind", "better") == 1

    [sheet] = desk.sheets()
    assert sheet.name == "g1"
    assert [(part.dialogues, part.ask) for part in sheet.content.parts] == [
        ((first,), ("kind",)),
        ((second,), ("kind",)),
        ((first, second), ("better",)),
    ]
