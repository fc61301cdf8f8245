"""Finished work goes into either database, all or nothing, and never twice."""

import json
from pathlib import Path

import pytest

from palaver.core.errors import InputError
from palaver.formats.chateval.finished import FinishedWork
from palaver.formats.chateval.released import read_released, read_section
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import dialogue_records
from palaver.storage.judging.tidy import label_records
from palaver.storage.studies.quotas import progress, set_quotas
from palaver.storage.studies.studies import list_studies, register_study
from palaver.studies.intake.finished_work import default_salt, import_finished
from palaver.studies.review.evidence import study_evidence
from palaver.studies.review.questions import stored_questions
from support.chateval import released, released_sections, write_json


@pytest.fixture
def finished(tmp_path: Path) -> FinishedWork:
    project = read_released(write_json(tmp_path / "data.json", released()))
    return read_section(project, "surge_evaluation")


def test_every_annotation_becomes_a_label(store: Store, finished: FinishedWork) -> None:
    done = import_finished(store, "old", finished, salt="s", now=5.0)
    assert (done.dialogues, done.labels, len(done.raters)) == (2, 13, 3)
    labels = store.read_now(lambda c: list(label_records(c, "old")))
    [comparison] = [label for label in labels if label.question == "quality_comparative"]
    dialogues = store.read_now(lambda c: list(dialogue_records(c, "old")))
    tern = next(d for d in dialogues if d.condition == "tern")
    sides = comparison.unit.removeprefix("pair:").split("|")
    assert sides[("first", "second").index(comparison.value)] == f"dialogue:{tern.id}"
    turns = {label.seq for label in labels if label.question == "antisocial"}
    assert turns == {2}
    assert [event.text for event in tern.events] == ["Hi!", "Hello from tern.", ""]


def test_the_same_again_adds_nothing(store: Store, finished: FinishedWork) -> None:
    import_finished(store, "old", finished, salt="s", now=5.0)
    again = import_finished(store, "old", finished, salt="s", now=9.0)
    assert (again.dialogues, again.labels) == (0, 0)
    assert dict(again.already) == {"dialogues": 2, "labels": 13}


def test_a_second_opinion_takes_the_place_of_the_first(store: Store, tmp_path: Path) -> None:
    data = released()
    scores = data["surge_evaluation"]["dialogues"]["a"]["likert_annotations"]["emotional"]
    scores[1] = {**scores[0], "work_unit_id": "w9", "score": 1}
    units = data["surge_evaluation"]["work_units"]
    units["w9"] = {**units["w1"], "id": "w9"}
    project = read_released(write_json(tmp_path / "data.json", data))
    import_finished(store, "old", read_section(project, "surge_evaluation"), salt="s", now=5.0)
    labels = store.read_now(lambda c: list(label_records(c, "old")))
    first, second = [x for x in labels if x.question == "emotion_likert" and x.dialogue][:2]
    assert {(first.value, first.superseded), (second.value, second.superseded)} >= {(4, True)}
    assert json.dumps([x.value for x in labels if not x.superseded]).count("4") == 1


def test_sections_are_told_apart_in_the_store(store: Store, tmp_path: Path) -> None:
    project = read_released(write_json(tmp_path / "data.json", released_sections()))
    for name in ("dialogue_collection", "surge_evaluation"):
        import_finished(store, "old", read_section(project, name), salt="s", now=5.0)
    [study] = store.read_now(list_studies)
    questions = stored_questions(study.definition)

    def evidence(*sections: str) -> dict[str, int]:
        found = store.read_now(
            lambda c: study_evidence(
                c, study_id=study.id, name="old", questions=questions, sections=sections
            )
        )
        return {each.question: len(each.ratings) for each in found.measured}

    assert evidence() == {
        "antisocial": 1,
        "quality_likert": 12,
        "quality_likert.dialogue_collection": 6,
    }
    assert evidence("surge_evaluation") == {"antisocial": 1, "quality_likert": 12}
    assert evidence("dialogue_collection") == {"quality_likert": 6}
    assert evidence("dialogue_collection", "surge_evaluation") == evidence()
    labels = store.read_now(lambda c: list(label_records(c, sections=["dialogue_collection"])))
    assert [label.section for label in labels] == ["dialogue_collection"] * 6
    with pytest.raises(InputError, match="no labels of a section 'x'"):
        evidence("x")


def test_a_study_of_ones_own_keeps_its_file(store: Store, finished: FinishedWork) -> None:
    store.write_now(
        lambda c: register_study(
            c, name="old", title="Mine", digest="x", definition="title: Mine\n", now=1.0
        )
    )
    done = import_finished(store, "old", finished, salt="s", now=5.0)
    assert done.unknown == set(finished.questions)
    [study] = store.read_now(list_studies)
    assert (study.title, study.definition) == ("Mine", "title: Mine\n")


def test_imported_conversations_fill_the_quotas_of_a_study(
    store: Store, finished: FinishedWork
) -> None:
    condition = next(held.condition for held in finished.dialogues.values())
    conditions = [{"systems": condition.split("|"), "needed": 50}]
    file = json.dumps({"title": "Mine", "stages": [{"chat": {"conditions": conditions}}]})
    study_id = store.write_now(
        lambda c: register_study(c, name="old", title="Mine", digest="x", definition=file, now=1.0)
    )
    store.write_now(lambda c: set_quotas(c, study_id, 0, {condition: 50}))

    for _ in range(2):  # the same file again takes no further place
        import_finished(store, "old", finished, salt="s", now=5.0)

    mine = [
        held for held in finished.dialogues.values() if held.condition == condition and held.turns
    ]
    groups = {held.group or held.id for held in mine}
    [found] = store.read_now(lambda c: progress(c, study_id, 0, {condition: 50}))
    assert (found.done, found.held, found.free) == (len(groups), 0, 50 - len(groups))


def test_nothing_leaves_no_trace(store: Store) -> None:
    import_finished(store, "old", FinishedWork(), salt="s", now=5.0)
    assert store.read_now(list_studies) == []
    with pytest.raises(InputError, match="--study takes lower-case letters"):
        import_finished(store, "An Old One", FinishedWork(), salt="s", now=5.0)


def test_the_salt_of_a_home_stays_the_same(store: Store) -> None:
    assert default_salt(store) == default_salt(store)
    assert store.secret() not in default_salt(store)
