"""`palaver import`: projects become studies, finished work goes to the store, once."""

import csv
import json
from pathlib import Path

import pytest
from sqlalchemy import text

from palaver.core.records import LabelRecord
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import dialogue_records
from palaver.storage.judging.tidy import label_records
from palaver.storage.studies.studies import list_studies
from palaver.studies.file.reader import load_study
from support.chateval import (
    BUCKETS,
    COLLECTING,
    OTHER_TURNS,
    chat_state,
    dialogue,
    judged_state,
    released,
    released_sections,
    training,
    write_json,
    write_project,
)

from ..conftest import Palaver


@pytest.fixture
def buckets(tmp_path: Path) -> str:
    return str(write_json(tmp_path / "annotation_buckets.json", {"config": BUCKETS}))


def _labels(tmp_path: Path, study: str = "old") -> list[LabelRecord]:
    store = Store(f"sqlite:///{tmp_path / 'palaver.db'}")
    try:
        return store.read_now(lambda c: list(label_records(c, study)))
    finally:
        store.close()


def _count(tmp_path: Path, table: str) -> int:
    store = Store(f"sqlite:///{tmp_path / 'palaver.db'}")
    try:
        return int(
            store.read_now(lambda c: c.execute(text(f"SELECT count(*) FROM {table}")).scalar_one())
        )
    finally:
        store.close()


def test_a_project_is_imported_checked_and_not_served(palaver: Palaver, tmp_path: Path) -> None:
    write_project(tmp_path / "checkout", COLLECTING)
    said = palaver("import", "chateval", "checkout", "--conf", "own.yaml", "-o", "study")
    assert said.status == 0, said.err
    assert "## Mapped" in said.out
    assert "## Without equivalent" in said.out
    checked = palaver("check", "study")
    assert (checked.status, checked.err) == (0, "")
    assert "tern" in checked.out
    served = palaver("serve", "study", "--port", "1")
    assert served.status == 1
    assert "tern" in served.err


def test_a_second_time_needs_force(palaver: Palaver, tmp_path: Path) -> None:
    write_project(tmp_path / "checkout", COLLECTING)
    arguments = ("import", "chateval", "checkout", "--conf", "own", "-o", "study", "--salt", "s")
    assert palaver(*arguments).status == 0
    first = (tmp_path / "study" / "study.yaml").read_text()
    again = palaver(*arguments)
    assert again.status == 1
    assert "is not empty" in again.err
    assert palaver(*arguments, "--overwrite").status == 0
    assert (tmp_path / "study" / "study.yaml").read_text() == first


def test_a_wrong_file_is_one_message(palaver: Palaver, tmp_path: Path) -> None:
    folder = write_project(tmp_path / "checkout", COLLECTING)
    file = folder / "collection_and_annotations" / "task_config" / "annotation_buckets.json"
    write_json(file, {"mood": BUCKETS["mood"]})
    said = palaver("import", "chateval", "checkout", "--conf", "own", "-o", "study")
    assert said.status == 1
    assert "annotation_buckets.json:1:1: The tasks must be under the key 'config'" in said.err
    assert not (tmp_path / "study").exists()


def test_states_are_stored_once(palaver: Palaver, tmp_path: Path, buckets: str) -> None:
    shown = [
        dialogue("(1,2)_tern", annotation_tasks=["mood", "quality_likert"]),
        dialogue(
            "(1,2)_tern|(1,2)_gull", annotation_tasks=["quality_comparative"], turns2=OTHER_TURNS
        ),
    ]
    answers = {
        "workerId": "A1B2C3D4E5",
        "0": {
            "data": {"1": {"Is this reply kind?": "Yes, it is."}},
            "likert": {"Quality": "4"},
        },
        "1": {"comparative": {"Which was better?": "Dialogue 2 (right)"}},
    }
    write_json(tmp_path / "runs" / "a" / "state.json", judged_state(answers, shown))
    unfinished = judged_state({})
    unfinished["outputs"]["messages"] = []
    write_json(tmp_path / "runs" / "b" / "state.json", unfinished)
    arguments = ("import", "chateval-states", "runs", "--study", "old", "--buckets", buckets)
    said = palaver(*arguments)
    assert said.status == 0, said.err
    assert "Added 2 dialogues, 3 labels of 1 raters, 0 results of training." in said.out
    assert "Skipped 1: files of work that was not submitted." in said.out
    assert (
        "Skipped 1: answers that are missing, or that their question does not accept: 'mood'"
        in said.out
    )
    kind, likert, comparison = _labels(tmp_path)
    assert (kind.question, kind.value, kind.seq) == ("mood", {"reply_kind": "yes"}, 2)
    assert (likert.value, likert.purpose) == (4, "real")
    gull = _dialogue_of(tmp_path, "gull")
    sides = comparison.unit.removeprefix("pair:").split("|")
    assert sides[("first", "second").index(comparison.value)] == f"dialogue:{gull}"
    assert "A1B2C3D4E5" not in str([kind, likert, comparison])
    again = palaver(*arguments)
    assert "Added 0 dialogues, 0 labels" in again.out
    assert "Already there: 2 dialogues, 3 labels." in again.out
    assert _count(tmp_path, "labels") == 3
    assert _count(tmp_path, "participants") == 2


def _dialogue_of(tmp_path: Path, system: str) -> str:
    store = Store(f"sqlite:///{tmp_path / 'palaver.db'}")
    try:
        records = store.read_now(lambda c: list(dialogue_records(c, "old")))
    finally:
        store.close()
    return next(r.id for r in records if any(s.occupant == system for s in r.seats))


def test_chats_keep_who_said_what(palaver: Palaver, tmp_path: Path) -> None:
    state = chat_state({"1": {"comparative": {"Which was better?": "Dialogue 1 (left)"}}})
    write_json(tmp_path / "state.json", state)
    said = palaver("import", "chateval-states", "state.json", "--study", "old")
    assert said.status == 0, said.err
    exported = palaver("export", ".", "--study", "old", "--format", "palaver", "-o", "out")
    assert exported.status == 0, exported.err
    lines = (tmp_path / "out" / "dialogues.jsonl").read_text().splitlines()
    first, second = (json.loads(line) for line in lines)
    assert [seat["occupant"] for seat in second["seats"]][1] == "plover"
    assert first["group"] == second["group"]
    assert first["seats"][0]["occupant"] == second["seats"][0]["occupant"]
    assert [event["data"].get("text") for event in first["events"]] == ["Hi!", "Hello.", None]
    assert (first["status"], first["reason"]) == ("ended", "imported")
    [label] = _labels(tmp_path)
    assert label.rater == first["seats"][0]["occupant"]


def test_training_results_are_kept(palaver: Palaver, tmp_path: Path, buckets: str) -> None:
    given = {str(n): {"data": {"1": {"Is this reply kind?": "Yes, it is."}}} for n in range(3)}
    state = judged_state(
        {"workerId": "A1", **given},
        [{"is_screen": True, **training()}],
        mistakes=[[1], [], [1]],
        success=False,
    )
    write_json(tmp_path / "state.json", state)
    said = palaver(
        "import", "chateval-states", "state.json", "--study", "old", "--buckets", buckets
    )
    assert "3 labels of 1 raters, 1 results of training" in said.out
    assert {label.purpose for label in _labels(tmp_path)} == {"training"}
    store = Store(f"sqlite:///{tmp_path / 'palaver.db'}")
    try:
        row = store.read_now(
            lambda c: c.execute(text("SELECT passed, mistakes FROM screenings")).one()
        )
    finally:
        store.close()
    assert (bool(row.passed), json.loads(row.mistakes)) == (False, [[2], [], [2]])


def test_ids_of_finished_work_that_name_no_system(
    palaver: Palaver, tmp_path: Path, buckets: str
) -> None:
    answers = {"workerId": "A1", "0": {"data": {"1": {"Is this reply kind?": "Yes, it is."}}}}
    state = judged_state(answers, [dialogue("tern-1")])
    write_json(tmp_path / "runs" / "1" / "state.json", state)
    arguments = ("import", "chateval-states", "runs", "--buckets", buckets, "--study")
    said = palaver(*arguments, "old")
    assert "1 judged dialogues have ids that name no system, such as 'tern-1'" in said.out
    said = palaver(*arguments, "new", "--system-from", r"(\w+)-\d+")
    assert "name no system" not in said.out
    store = Store(f"sqlite:///{tmp_path / 'palaver.db'}")
    try:
        [held] = store.read_now(lambda c: list(dialogue_records(c, "new")))
    finally:
        store.close()
    assert held.seats[1].occupant == "tern"


def test_the_released_data(palaver: Palaver, tmp_path: Path) -> None:
    write_json(tmp_path / "data.json", released())
    arguments = ("import", "abc-eval", "data.json", "--study", "old")
    said = palaver(*arguments)
    assert said.status == 0, said.err
    assert "Added 2 dialogues, 13 labels of 3 raters" in said.out
    assert "Skipped 2: annotations without a score." in said.out
    labels = _labels(tmp_path)
    switched = [label for label in labels if label.question == "topic_switch"]
    assert [label.value for label in switched] == [["topic switch"], []] * 2
    assert [label.label for label in switched] == ["topic switch", ""] * 2
    emotion = [label.value for label in labels if label.question == "emotion_likert"]
    assert emotion == [4, 2, 4, 2]
    assert "student-1" not in str(labels)
    assert "Added 0 dialogues, 0 labels" in palaver(*arguments).out
    everything = palaver(*arguments, "--section", "all")
    assert "1 results of training" in everything.out
    assert "Read surge_evaluation, surge_onboarding." in everything.out


@pytest.fixture
def two_sections(palaver: Palaver, tmp_path: Path) -> tuple[str, ...]:
    """A home that holds two sections of released data; how commands name it."""
    write_json(tmp_path / "data.json", released_sections())
    said = palaver("import", "abc-eval", "data.json", "--study", "old", "--section", "all")
    assert said.status == 0, said.err
    assert "Read dialogue_collection, surge_evaluation." in said.out
    return (".", "--study", "old")


def test_those_who_chatted_and_strangers_are_never_counted_together(
    palaver: Palaver, two_sections: tuple[str, ...]
) -> None:
    agreement = ("agreement", *two_sections, "--bootstrap", "0", "--json")
    each = json.loads(palaver(*agreement).out)
    found = {one["question"]: (one["units"], one["raters"]) for one in each}
    assert found["quality_likert"] == (6, 2)
    # Nobody but whoever chatted rated a dialogue there: no two answers to compare.
    assert found["quality_likert.dialogue_collection"] == (0, 0)
    # In a section that is chosen, a question goes by its plain name.
    chosen = ("--question", "quality_likert", "--section")
    [strangers] = json.loads(palaver(*agreement, *chosen, "surge_evaluation").out)
    assert strangers["question"] == "quality_likert"
    assert strangers["alpha"] == 1.0
    [own] = json.loads(palaver(*agreement, *chosen, "dialogue_collection").out)
    assert (own["question"], own["units"]) == ("quality_likert", 0)


def test_quality_is_that_of_one_section(palaver: Palaver, two_sections: tuple[str, ...]) -> None:
    quality = ("--quality", "quality_likert.dialogue_collection", "--bootstrap", "100", "--json")
    said = palaver("validity", *two_sections, *quality)
    assert said.status == 0, said.err
    strangers = json.loads(said.out)["predictive"][0]
    # By hand: both have the mean 3, squares 18 and 18, and products -16.
    assert strangers["label"] == "quality_likert"
    assert strangers["slope"] == pytest.approx(-16 / 18)
    assert strangers["r2"] == pytest.approx((16 / 18) ** 2)
    own = ("--quality", "quality_likert", "--quality-by", "own", "--bootstrap", "100", "--json")
    found = json.loads(palaver("validity", *two_sections, *own).out)
    assert found["predictive"][0]["label"] == "quality_likert (others)"
    assert found["predictive"][0]["r2"] == pytest.approx((16 / 18) ** 2)
    alone = ("--quality", "quality_likert", "--section", "dialogue_collection")
    lonely = palaver("validity", *two_sections, *alone)
    assert "There is no label besides 'quality_likert' to predict it from." in lonely.err


def test_a_section_is_exported_and_filters(
    palaver: Palaver, tmp_path: Path, two_sections: tuple[str, ...]
) -> None:
    export = ("export", *two_sections, "--format", "csv", "-o")
    palaver(*export, "whole")
    with (tmp_path / "whole" / "labels.csv").open(encoding="utf-8-sig") as file:
        rows = [(row["question"], row["section"]) for row in csv.DictReader(file)]
    assert set(rows) == {
        ("quality_likert.dialogue_collection", "dialogue_collection"),
        ("quality_likert", "surge_evaluation"),
        ("antisocial", "surge_evaluation"),
    }
    assert "`surge_evaluation`" in (tmp_path / "whole" / "DICTIONARY.md").read_text()
    palaver(*export, "own", "--section", "dialogue_collection")
    with (tmp_path / "own" / "labels.csv").open(encoding="utf-8-sig") as file:
        assert [row["section"] for row in csv.DictReader(file)] == ["dialogue_collection"] * 6
    assert len((tmp_path / "own" / "raters.csv").read_text().splitlines()) == 7
    bundled = palaver("export", *two_sections, "--format", "bundle", "--section", "x")
    assert "Leave out --section" in bundled.err


@pytest.mark.parametrize("command", ["agreement", "rank", "compare", "aggregate", "report"])
def test_a_section_that_is_not_there(
    palaver: Palaver, two_sections: tuple[str, ...], command: str
) -> None:
    output = ("-o", "page") if command == "report" else ()
    said = palaver(command, *two_sections, *output, "--section", "surge_evaluations")
    assert said.status == 1
    assert "has no labels of a section 'surge_evaluations'. Near: 'surge_evaluation'" in said.err


def test_an_empty_section_says_which_have_something(palaver: Palaver, tmp_path: Path) -> None:
    write_json(tmp_path / "data.json", released_sections())
    section = ("--study", "old", "--section", "mturk_evaluation")
    said = palaver("import", "abc-eval", "data.json", *section)
    assert said.status == 1
    assert (
        "The section 'mturk_evaluation' is empty. Sections: dialogue_collection, surge_evaluation."
    ) in said.err
    assert not (tmp_path / "palaver.db").exists()


def test_imported_questions_are_a_study_that_loads(palaver: Palaver, tmp_path: Path) -> None:
    write_json(tmp_path / "data.json", released())
    palaver("import", "abc-eval", "data.json", "--study", "old")
    store = Store(f"sqlite:///{tmp_path / 'palaver.db'}")
    try:
        [stored] = store.read_now(list_studies)
    finally:
        store.close()
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "study.yaml").write_text(stored.definition)
    study = load_study(tmp_path / "copy")
    assert study.questions["topic_switch"].about == "turn"
    versions = {label.question: label.question_version for label in _labels(tmp_path)}
    assert {name: study.questions[name].version for name in versions} == versions


def test_raters_without_a_name_are_anonymous(palaver: Palaver, tmp_path: Path) -> None:
    data = released()
    data["surge_evaluation"]["work_units"] = {}
    write_json(tmp_path / "data.json", data)
    said = palaver("import", "abc-eval", "data.json", "--study", "old")
    assert said.status == 0, said.err
    labels = _labels(tmp_path)
    assert {label.rater_kind for label in labels} == {"anonymous"}
    emotion = [label.rater for label in labels if label.question == "emotion_likert"][:2]
    assert [rater.rpartition(":")[2] for rater in emotion] == ["1", "2"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("abc-eval", "data.json", "--study", "Old Study"), "--study takes lower-case letters"),
        (("abc-eval", "data.json", "--study", "old", "--section", "x"), "There is no section 'x'"),
        (("chateval-states", "bad.json", "--study", "old"), "bad.json:1:2: Not JSON"),
    ],
)
def test_what_cannot_be_imported(
    palaver: Palaver, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    write_json(tmp_path / "data.json", released())
    (tmp_path / "bad.json").write_text("{")
    said = palaver("import", *arguments)
    assert said.status == 1
    assert message in said.err
