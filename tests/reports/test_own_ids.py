"""The names that a user's file gives to dialogues and lines are in every export, and come back."""

import asyncio
import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, select

from palaver.core.labels import Label
from palaver.core.units import Unit, dialogue_unit, pair_unit
from palaver.reports.export import export_study
from palaver.reports.opened_bundle import open_bundle
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import dialogue_records
from palaver.storage.judging.labels import NewLabel, append_labels
from palaver.storage.judging.sheets import sheets_of
from palaver.storage.judging.tidy import label_records
from palaver.storage.judging.units import ensure_units
from palaver.storage.people.raters import ensure_rater
from palaver.storage.schema import participants, slots
from palaver.storage.studies.studies import register_study
from palaver.studies.file.reader import load_study
from palaver.studies.intake.intake import take_in
from palaver.studies.intake.materials import load_material

STUDY = """\
title: Judging
questions:
  apt: {kind: likert, text: Is it apt?, points: [1, 2, 3], anchors: {1: not at all, 3: very}}
  better: {kind: comparative, text: Which was better?}
stages:
  - rate: {ask: [apt, better], data: mine.jsonl, raters: 1}
"""
TURNS = [["user", "Hi"], ["system", "Hello!"]]
# Right to left, with an override that would turn round whatever follows it.
ARABIC = "\u0645\u0644\u0641-7\u202e"
LINES: list[dict[str, Any]] = [
    {"id": ARABIC, "turns": TURNS},
    {
        "id": "pair 12",
        "pair": [{"id": "1234", "turns": TURNS}, {"id": "ann@example.com 5", "turns": TURNS}],
    },
]


@pytest.fixture
def judged(store: Store, tmp_path: Path) -> Store:
    """Both lines of a file judged by one person, who is the seventh to come here."""
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY)
    (folder / "mine.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in LINES))
    study = load_study(folder)
    study_id = store.write_now(
        lambda c: register_study(c, name="j", title="J", digest="", definition=STUDY, now=0.0)
    )
    asyncio.run(take_in(store, study_id, load_material(study), now=5.0))
    store.write_now(lambda c: _judge(c, study_id))
    return store


def _judge(connection: Connection, study_id: int) -> None:
    row = {"id": 7, "alias": "p_ann", "crowd": "links", "external_id": "ann", "created": 1.0}
    connection.execute(participants.insert().values(row))
    rater_id = ensure_rater(connection, key="p_ann", kind="person", now=6.0, participant_id=7)
    for sheet in sheets_of(connection, study_id, 0, "real"):
        sides = [dialogue_unit(key) for key in sheet.content.parts[0].dialogues]
        unit: Unit = sides[0] if len(sides) == 1 else pair_unit(*sides)
        ids = ensure_units(connection, study_id, [*sides, unit])
        slot_id = connection.execute(
            select(slots.c.id).where(slots.c.sheet_id == sheet.id)
        ).scalar_one()
        label = Label(
            unit=unit.key,
            question="apt" if len(sides) == 1 else "better",
            question_version="1",
            rater="p_ann",
            rater_kind="person",
            value=3 if len(sides) == 1 else "first",
            slot_id=slot_id,
            time=7.0,
        )
        append_labels(connection, [NewLabel(label, study_id, ids[unit.key], rater_id, None)])


def unzipped(store: Store, format: str, **options: Any) -> dict[str, str]:
    stream = io.BytesIO()
    given = {"study": "j", "mask": False, **options}
    export_study(store, format=format, destination=stream, now=1.8e9, **given)
    with zipfile.ZipFile(stream) as archive:
        return {
            name: archive.read(name).decode()
            for name in archive.namelist()
            if not name.endswith(".db")
        }


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def sides_of(row: dict[str, Any]) -> set[str]:
    return {row["source_id"], row["second_source_id"]}


def test_tables_name_dialogues_lines_and_people(judged: Store) -> None:
    files = unzipped(judged, "csv")

    held = rows(files["dialogues.csv"])
    assert [row["source_id"] for row in held] == [ARABIC, "1234", "ann@example.com 5"]
    assert {row["source"] for row in held} == {"mine.jsonl"}
    assert [row["name"] for row in held] == ["d01", "d02", "d03"]
    # The file does not say when they were held.
    assert {(row["created"], row["seconds"]) for row in held} == {("", "")}
    assert {row["time"] for row in rows(files["events.csv"])} == {""}
    single, pair = rows(files["labels.csv"])
    assert (single["item"], single["source_id"], single["second_source_id"]) == (ARABIC, ARABIC, "")
    assert pair["item"] == "pair 12"
    assert sides_of(pair) == {"1234", "ann@example.com 5"}
    assert {row["rater_name"] for row in (single, pair)} == {"P07"}
    assert [row["rater_name"] for row in rows(files["raters.csv"])] == ["P07"]


def test_json_lines_say_the_same(judged: Store) -> None:
    files = unzipped(judged, "palaver")

    held = [json.loads(line) for line in files["dialogues.jsonl"].splitlines()]
    labels = [json.loads(line) for line in files["labels.jsonl"].splitlines()]
    assert [each["source_id"] for each in held] == [ARABIC, "1234", "ann@example.com 5"]
    assert not any("created" in each for each in held)
    assert [each["item"] for each in labels] == [ARABIC, "pair 12"]


def test_the_sides_are_in_the_order_of_the_unit(judged: Store) -> None:
    keys = {
        record.id: record.source_id for record in judged.read_now(lambda c: [*dialogue_records(c)])
    }
    pair = judged.read_now(lambda c: [*label_records(c, "j")])[1]

    first, second = pair.unit.removeprefix("pair:").split("|")
    assert pair.source_id == keys[first.removeprefix("dialogue:")]
    assert pair.second_source_id == keys[second.removeprefix("dialogue:")]


def test_messages_label_studio_and_dch2_have_the_ids(judged: Store, tmp_path: Path) -> None:
    export_study(judged, study="j", format="messages", destination=tmp_path / "m.jsonl", mask=False)
    said = [json.loads(line) for line in (tmp_path / "m.jsonl").read_text().splitlines()]
    assert [each["source_id"] for each in said] == [ARABIC, "1234", "ann@example.com 5"]

    tasks = json.loads(unzipped(judged, "label-studio")["tasks.json"])
    assert tasks[0]["meta"]["source_ids"] == [ARABIC]
    assert tasks[0]["meta"]["raters"] == {"p_ann": "P07"}
    assert tasks[3]["meta"]["items"] == ["pair 12"]
    # Annotators see `data`, and an id may tell which system it was.
    assert "1234" not in json.dumps([task["data"] for task in tasks])

    export_study(judged, study="j", format="dch2", destination=tmp_path / "d.json", mask=False)
    assert [each["id"] for each in json.loads((tmp_path / "d.json").read_text())] == [
        *(ARABIC, "1234", "ann@example.com 5")
    ]


@pytest.mark.parametrize("mask", [False, True])
def test_a_bundle_comes_back_with_its_ids_and_names(
    judged: Store, tmp_path: Path, mask: bool
) -> None:
    path = tmp_path / "j.zip"
    export_study(judged, study="j", format="bundle", destination=path, mask=mask)
    opened = Store(f"sqlite:///{open_bundle(path, tmp_path / 'opened')}", read_only=True)

    held = opened.read_now(lambda c: [*dialogue_records(c, "j")])
    labels = opened.read_now(lambda c: [*label_records(c, "j")])
    opened.close()

    last = "[email] 5" if mask else "ann@example.com 5"
    assert [record.source_id for record in held] == [ARABIC, "1234", last]
    assert {record.source for record in held} == {"mine.jsonl"}
    assert [(label.item, label.rater_name) for label in labels] == [
        *((ARABIC, "P07"), ("pair 12", "P07"))
    ]


def test_what_was_held_here_has_no_id_of_a_file(filled: Store) -> None:
    held = filled.read_now(lambda c: [*dialogue_records(c, "demo")])
    labels = filled.read_now(lambda c: [*label_records(c, "demo")])

    assert {(record.source_id, record.source) for record in held} == {(None, None)}
    assert [record.created for record in held] == [3.0, 3.0]
    assert held[0].seats[0].name == "P01"
    assert {(label.item, label.source_id, label.second_source_id) for label in labels} == {
        (None, None, None)
    }
