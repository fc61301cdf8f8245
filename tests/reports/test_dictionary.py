"""Every export says what its columns are and what its questions asked, and leaves none out."""

import csv
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.reports.dictionary import DATA, PAGE
from palaver.reports.export import EXPORTS, export_study
from palaver.storage import Store
from support.databases import new_sqlite
from support.verdicts import Judged


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(new_sqlite(tmp_path / "palaver.db"))
    judged = Judged.register(opened)
    key = judged.dialogue((0, "Hi"), (1, "Hello"))
    judged.say(key, "clear", 2)
    yield opened
    opened.close()


def archive_of(store: Store, format: str) -> zipfile.ZipFile:
    stream = io.BytesIO()
    export_study(store, study="judged", format=format, destination=stream, mask=False, now=1.8e9)
    return zipfile.ZipFile(stream)


@pytest.mark.parametrize("name", EXPORTS.names())
def test_no_column_is_without_a_meaning(name: str) -> None:
    kind = EXPORTS.get(name)

    assert kind.files
    silent = [
        f"{file.name}: {column.name}"
        for file in kind.files
        for column in file.columns
        if not column.meaning
    ]
    assert silent == []


def test_the_dictionary_has_exactly_the_columns_of_the_files(store: Store) -> None:
    archive = archive_of(store, "csv")
    described = {
        file["name"]: [column["name"] for column in file["columns"]]
        for file in json.loads(archive.read(DATA))["files"]
    }

    tables = {name for name in archive.namelist() if name.endswith(".csv")}
    assert described.keys() == tables
    for name in tables:
        head = next(csv.reader(io.StringIO(archive.read(name).decode())))
        assert described[name] == head


def test_json_lines_hold_nothing_that_is_not_described(store: Store) -> None:
    archive = archive_of(store, "palaver")
    files = json.loads(archive.read(DATA))["files"]

    for file in files:
        known = {column["name"].split(".")[0].removesuffix("[]") for column in file["columns"]}
        for line in archive.read(file["name"]).splitlines():
            assert json.loads(line).keys() <= known


def test_a_question_stands_there_with_its_wording_and_every_stored_value(store: Store) -> None:
    archive = archive_of(store, "palaver")
    asked = {each["question"]: each for each in json.loads(archive.read(DATA))["questions"]}

    clear = asked["clear"]
    assert (clear["kind"], clear["about"], clear["level"]) == ("likert", "dialogue", "ordinal")
    assert clear["version"] == json.loads(archive.read("labels.jsonl"))["question_version"]
    assert [value["value"] for value in clear["values"]][:2] == [1, 2]
    flow = asked["what_happens"]["values"]
    assert {"value": "odd", "text": "Odd", "label": "oddity", "of": "which"} in flow
    assert [value["value"] for value in asked["better"]["values"]] == ["first", "second", "tie"]
    page = archive.read(PAGE).decode()
    assert "### clear (judged)" in page
    assert "| `which` | `odd` | Odd | `oddity` |" in page


def test_a_single_file_has_its_dictionary_beside_it(store: Store, tmp_path: Path) -> None:
    made = export_study(
        store, study="judged", format="messages", destination=tmp_path / "m.jsonl", mask=False
    )

    assert [path.name for path in made.paths] == ["m.jsonl", "m.dictionary.md"]
    assert "## messages.jsonl" in made.paths[1].read_text()


def test_the_dictionary_alone_can_be_asked_for(store: Store) -> None:
    stream = io.BytesIO()
    export_study(store, study="judged", format="dictionary", destination=stream, mask=False)

    text = stream.getvalue().decode()
    assert "## labels.csv" in text
    assert "### better (judged)" in text


def test_what_a_question_says_cannot_break_a_table(store: Store) -> None:
    text = """\
title: Odd
questions:
  odd: {kind: choice, text: "Yes | no?\\n# Head", options: [{id: a, text: "x | y"}, {id: b, text: z}]}
stages:
  - rate: {from: elsewhere, ask: [odd]}
"""
    Judged.register(store, name="odd", text=text)
    stream = io.BytesIO()
    export_study(store, study="odd", format="dictionary", destination=stream, mask=False)

    page = stream.getvalue().decode()
    assert "| `a` | x \\| y |" in page
    assert "\n# Head" not in page
